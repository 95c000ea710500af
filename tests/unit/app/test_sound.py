"""What is heard with the motion, by a device that only remembers; and QtMultimedia, by a module that only remembers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from app.document import Document, Player
from app.music.loading import Music
from app.music.sound import QtOutput, SoundError, SoundTrack
from core.audio.stream import Stream
from core.formats.bundled import bundled_folder
from skeletons.making.motion import make_music

WALK = bundled_folder() / "library" / "Walks and runs" / "walk.seq"
DRUMS = "skeletons:music/drums.wav"


class AtOnce(QObject):
    """Does work where others would begin it."""

    ended = Signal()
    busy = False

    def run(self, text, work, done, failed) -> bool:
        try:
            result = work(lambda part: None)
        except Exception as error:
            self.ended.emit()
            failed(error)
        else:
            self.ended.emit()
            done(result)
        return True


class Device:
    """Remembers what it was to play."""

    def __init__(self) -> None:
        self.played: list[Stream] = []
        self.stream: Stream | None = None
        self.problem = ""

    def play(self, stream: Stream, rate: int) -> None:
        if self.problem:
            raise SoundError(self.problem)
        assert rate == make_music.RATE
        self.stream = stream
        self.played.append(stream)

    def stop(self) -> None:
        self.stream = None

    def heard(self) -> float | None:
        return None if self.stream is None else 0.25


@pytest.fixture
def deck(qapp) -> Iterator[SimpleNamespace]:
    document = Document()
    assert document.files.open(WALK)
    document.music.set({"file": DRUMS, "offset": -0.5, "gain": 0.5})
    device, player, said = Device(), Player(document), []
    document.message.connect(lambda level, text, details: said.append(text))
    music = Music(document, AtOnce())  # type: ignore[arg-type]
    music.follow()
    track = SoundTrack(document, player, music, device)
    yield SimpleNamespace(document=document, device=device, player=player, said=said, music=music, track=track)
    track.stop()
    player.pause()


def drums(times: np.ndarray) -> np.ndarray:
    """Return the bundled sound at times, as it should be heard."""
    samples = make_music.drums() / 32768.0
    return 0.5 * samples[np.rint((times + 0.5) * make_music.RATE).astype(int)]


def test_the_music_sounds_from_the_playhead_round_and_round_the_range(deck):
    document, rate = deck.document, make_music.RATE
    document.sequences.set_range(6, 21)
    document.set_frame(12)
    deck.player.play()
    assert deck.track.sounding and deck.player.heard() == 0.25
    first, frames = deck.player.round
    heard = deck.device.stream.read(2 * rate)
    after = np.arange(2 * rate) / rate
    times = 12 / 30 + after
    end = (first + frames) / 30
    times = np.where(times >= end, first / 30 + (times - first / 30) % (frames / 30), times)
    clear = np.abs((times - first / 30) % (frames / 30) - frames / 60) < frames / 60 - 0.004
    clear &= after > 0.004
    assert clear.mean() > 0.95
    np.testing.assert_allclose(heard[clear], drums(times[clear]), atol=2e-4)
    deck.player.pause()
    assert deck.device.stream is None and not deck.track.sounding and deck.player.heard() is None


def test_what_changes_while_it_plays_is_heard_at_once(deck):
    deck.player.play()
    deck.document.set_frame(9)
    assert len(deck.device.played) == 2 and deck.device.stream.time_after(0.0) == pytest.approx(0.3)
    deck.document.music.set({"file": DRUMS, "offset": 1.0})
    assert len(deck.device.played) == 3
    deck.document.session.playback.sound = False
    assert deck.device.stream is None and deck.player.playing
    deck.document.session.playback.sound = True
    assert len(deck.device.played) == 4
    deck.document.music.set(None)
    assert deck.device.stream is None and deck.player.playing


def test_other_speeds_are_silent_and_say_so_once(deck):
    deck.document.session.playback.speed = 0.5
    for _ in range(2):
        deck.player.play()
        deck.player.pause()
    assert not deck.device.played
    assert [text for text in deck.said if "1.0×" in text] == ["Music is heard at 1.0× only"]


def test_without_sound_the_motion_plays_and_says_once_why_nothing_is_heard(deck):
    deck.device.problem = "Sound needs an optional package"
    for _ in range(2):
        deck.player.play()
        assert deck.player.playing and deck.player.heard() is None
        deck.player.pause()
    assert deck.said.count("Sound needs an optional package") == 1


def test_a_frame_that_is_scrubbed_over_is_heard_for_a_moment(deck):
    deck.document.set_frame(10)
    grain = deck.device.stream.read(make_music.RATE // 10)
    length = round(0.06 * make_music.RATE)
    assert np.abs(grain[:length]).max() > 0.0 and (grain[length + 1 :] == 0.0).all()
    assert deck.player.heard() is None
    deck.document.session.playback.sound = False
    deck.document.set_frame(11)
    assert len(deck.device.played) == 1


def test_music_that_is_not_where_it_was_is_said_and_found_again(deck, tmp_path):
    deck.document.music.set({"file": str(tmp_path / "song.wav"), "beats": [0.5]})
    assert deck.music.sound is None and deck.music.problem == "is not where it was"
    (tmp_path / "song.wav").write_bytes(b"no sound")
    deck.music.retry()
    assert deck.music.problem == "cannot be read" and "song.wav: cannot be read as a sound" in deck.said[-1]
    assert deck.music.load(bundled_folder() / "music" / "drums.wav")
    audio = deck.document.music.record
    assert audio.file == DRUMS and len(audio.beats) == 37 and audio.tempo == pytest.approx(112.0, rel=1e-3)
    assert deck.said[-1] == "37 beats in drums.wav, 112.0 bpm"
    deck.document.history.undo()
    assert deck.document.music.record.beats == (0.5,) and deck.music.problem == "cannot be read"


def test_a_sound_that_cannot_be_read_leaves_the_music_as_it_was(deck, tmp_path):
    (tmp_path / "bad.wav").write_bytes(b"RIFF\0\0\0\0WAVE")
    before = deck.document.sequence.audio
    deck.music.load(tmp_path / "bad.wav")
    assert deck.document.sequence.audio == before and deck.music.sound is not None
    assert deck.said[-1].startswith("bad.wav: cannot be read as a sound (Error in WAV file. No 'data' chunk")


# -- QtMultimedia ------------------------------------------------------------------------------------------------------


class Multimedia(ModuleType):
    """Stands in for ``PySide6.QtMultimedia``, as far as it is used."""

    def __init__(self, null: bool = False) -> None:
        super().__init__("PySide6.QtMultimedia")
        self.log: list[Any] = []
        log = self.log

        class Format:
            SampleFormat = SimpleNamespace(Int16="int16")

            def __getattr__(self, name: str) -> Any:
                return lambda value: log.append((name, value))

        class Sink(QObject):
            def __init__(self, device, wanted, parent) -> None:
                super().__init__(parent)

            def setBufferSize(self, size: int) -> None:
                log.append(("buffer", size))

            def start(self, feed) -> None:
                log.append(("bytes", feed.readData(2000)))

            def reset(self) -> None:
                log.append("reset")

            def processedUSecs(self) -> int:
                return 1_500_000

        device = SimpleNamespace(isNull=lambda: null, isFormatSupported=lambda _: True, description=lambda: "Null")
        self.QAudioFormat, self.QAudioSink = Format, Sink
        self.QMediaDevices = SimpleNamespace(defaultAudioOutput=lambda: device)


def provide(monkeypatch: pytest.MonkeyPatch, module: ModuleType | None) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtMultimedia", module)


def stream(count: int = 4000) -> Stream:
    from core.audio import Sound

    return Stream(Sound(np.full(count, 0.5, dtype=np.float32), 8000), 0.0, 0.0)


def test_qtmultimedia_gets_16_bit_samples_and_reports_what_was_heard(qapp, monkeypatch):
    module = Multimedia()
    provide(monkeypatch, module)
    output = QtOutput()
    assert output.heard() is None
    output.play(stream(), 8000)
    assert ("setSampleRate", 8000) in module.log and ("setSampleFormat", "int16") in module.log
    assert ("setChannelCount", 1) in module.log and ("buffer", 4000) in module.log
    samples = np.frombuffer(dict(entry for entry in module.log if isinstance(entry, tuple))["bytes"], "<i2")
    assert len(samples) == 1000 and samples[-1] == round(0.5 * 32767)
    assert output.heard() == 1.5
    output.stop()
    assert module.log[-1] == "reset" and output.heard() is None


def test_without_qtmultimedia_or_a_device_one_line_says_what_is_missing(qapp, monkeypatch):
    provide(monkeypatch, None)
    with pytest.raises(SoundError, match=r'optional package: python -m pip install "sequence-editor\[audio\]"'):
        QtOutput().play(stream(), 8000)
    provide(monkeypatch, Multimedia(null=True))
    with pytest.raises(SoundError, match="no device for sound"):
        QtOutput().play(stream(), 8000)


def test_the_real_module_has_what_is_used():
    try:
        from PySide6 import QtMultimedia
    except ImportError as error:
        pytest.skip(f"QtMultimedia is not to be had here: {error}")
    used = {
        "QAudioSink": ("setBufferSize", "start", "reset", "processedUSecs"),
        "QAudioFormat": ("setSampleRate", "setChannelCount", "setSampleFormat", "SampleFormat"),
        "QMediaDevices": ("defaultAudioOutput",),
    }
    for name, members in used.items():
        assert all(hasattr(getattr(QtMultimedia, name), member) for member in members)
