"""Sound while playing: what the sequence's music sounds like from the playhead on, and a grain of it at every scrub.

Output needs QtMultimedia, which comes with the optional extra ``audio``; without it everything else works in silence.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QIODevice, QObject, QTimer

from app.document.changes import Change, FrameChanged, SessionChanged
from app.document.document import Document
from app.document.player import Player
from app.music.loading import Music
from app.process.handler_guard import guarded
from app.process.log import logger
from core.audio.stream import Span, Stream
from core.extras import how_to_install

BUFFER = 0.25
"""How much a device keeps of what is to be heard next, [s]: the window may be busy for as long."""
LEAST_GRAIN = 0.06
"""What is heard of a frame when it is scrubbed over, at least, [s]."""
_REST_MS = 600  # after a grain, until the device is let go


class SoundError(Exception):
    """Why nothing can be heard, in words for a person."""


class Output(Protocol):
    """What plays samples; ``QtOutput`` does, and tests have another."""

    def play(self, stream: Stream, rate: int) -> None:
        """Begin to play a stream from its start, instead of what is playing.

        Raises:
            SoundError: If that is not possible here.
        """

    def stop(self) -> None:
        """Be silent at once."""

    def heard(self) -> float | None:
        """Return how much of the stream has been heard, [s]; None if nothing plays."""


class _Feed(QIODevice):
    """Hands the samples of a stream to a device, as 16-bit numbers."""

    def __init__(self, stream: Stream, parent: QObject):
        super().__init__(parent)
        self._stream = stream
        self.open(QIODevice.OpenModeFlag.ReadOnly)

    @guarded
    def readData(self, most: int) -> bytes:
        samples = self._stream.read(max(0, min(most, 1 << 16) // 2))
        return np.rint(samples * 32767.0).astype("<i2").tobytes()

    @guarded
    def writeData(self, data: bytes, length: int = 0) -> int:  # type: ignore[override]  # the stubs want a required length
        return -1

    @guarded
    def isSequential(self) -> bool:
        return True

    @guarded
    def bytesAvailable(self) -> int:
        return 1 << 20


def _multimedia() -> Any:
    """Return the module of Qt that plays sound.

    Raises:
        SoundError: If it is not installed, or the system lacks a library that it needs.
    """
    try:
        return importlib.import_module("PySide6.QtMultimedia")
    except ModuleNotFoundError as error:
        raise SoundError(f"Sound needs an optional package: {how_to_install('audio')}") from error
    except ImportError as error:
        missing = str(error).partition(":")[0]
        raise SoundError(f"Sound needs {missing}, a library of the system that is not there") from error


class QtOutput(QObject):
    """Plays through QtMultimedia on the device that the system prefers."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._sink: Any = None
        self._feed: _Feed | None = None

    def play(self, stream: Stream, rate: int) -> None:
        Multimedia = _multimedia()
        self.stop()
        device = Multimedia.QMediaDevices.defaultAudioOutput()
        if device.isNull():
            raise SoundError("There is no device for sound; the music plays in silence")
        wanted = Multimedia.QAudioFormat()
        wanted.setSampleRate(rate)
        wanted.setChannelCount(1)
        wanted.setSampleFormat(Multimedia.QAudioFormat.SampleFormat.Int16)
        if not device.isFormatSupported(wanted):
            raise SoundError(f"{device.description()} cannot play {rate} samples a second; the music plays in silence")
        self._feed = _Feed(stream, self)
        self._sink = Multimedia.QAudioSink(device, wanted, self)
        self._sink.setBufferSize(int(BUFFER * rate) * 2)
        self._sink.start(self._feed)

    def stop(self) -> None:
        if self._sink is not None:
            self._sink.reset()  # unlike stop, does not play to the end what is in the buffer
            self._sink.deleteLater()
        if self._feed is not None:
            self._feed.close()
            self._feed.deleteLater()
        self._sink = self._feed = None

    def heard(self) -> float | None:
        return None if self._sink is None else float(self._sink.processedUSecs()) * 1e-6


class SoundTrack(QObject):
    """Lets the music be heard with the motion: in step with the player, and in grains while the frame is dragged.

    Args:
        document: The open document; ``session.sound`` switches the sound on and off.
        player: Plays the motion; its picture follows what has been heard.
        music: The samples.
        output: What plays them; None takes QtMultimedia.
        parent: Qt parent.
    """

    def __init__(
        self,
        document: Document,
        player: Player,
        music: Music,
        output: Output | None = None,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._document, self._player, self._music = document, player, music
        self._output: Output = output if output is not None else QtOutput(self)
        self._said: set[str] = set()
        self._playing = False  # whether it sounds with the player, and not a grain
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._be_silent)
        player.heard = self._heard
        player.started.connect(self._begin)
        player.stopped.connect(self._be_silent)
        document.changed.connect(self._take)
        music.changed.connect(self._follow_music)

    @property
    def sounding(self) -> bool:
        """Whether music is heard with the motion now."""
        return self._playing

    def stop(self) -> None:
        """Be silent for good; call before the application ends."""
        self._player.heard = None
        self._be_silent()

    def _heard(self) -> float | None:
        return self._output.heard() if self._playing else None

    def _be_silent(self) -> None:
        self._playing = False
        self._rest.stop()
        self._output.stop()

    # -- with the player -------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Sound from the current frame on, now that the player's clock starts there."""
        self._be_silent()
        sequence, record, sound = self._document.sequence, self._music.record, self._music.sound
        if sequence is None or record is None or sound is None or not self._document.session.playback.sound:
            return
        if self._document.session.playback.speed != 1.0:
            self._say_once("Music is heard at 1.0× only")
            return
        again = self._player.round
        loop = None if again is None else Span(again[0] / sequence.fps, again[1] / sequence.fps)
        start = self._document.frame / sequence.fps
        stream = Stream(sound, record.offset, start, record.gain, loop)
        self._playing = self._play(stream, sound.rate)

    def _play(self, stream: Stream, rate: int, quiet: bool = False) -> bool:
        try:
            self._output.play(stream, rate)
        except SoundError as error:
            if not quiet:
                self._say_once(str(error))
            return False
        except Exception:  # a broken driver must not keep the motion from playing
            logger.exception("Sound could not be played")
            self._say_once("The sound could not be played; the log has more: Help, Open log")
            return False
        return True

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._document.say("info", text)

    def _follow_music(self) -> None:
        if self._player.playing:
            self._player.restart()  # the sound has come while the motion played

    # -- scrubbing -------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, FrameChanged) and not self._player.playing:
            self._grain()
        elif isinstance(change, SessionChanged) and change.name == "sound":
            if self._player.playing:
                self._player.restart()
            else:
                self._be_silent()

    def _grain(self) -> None:
        """Let a moment of the music at the current frame be heard."""
        sequence, record, sound = self._document.sequence, self._music.record, self._music.sound
        if sequence is None or record is None or sound is None or not self._document.session.playback.sound:
            return
        time = self._document.frame / sequence.fps
        length = max(1.0 / sequence.fps, LEAST_GRAIN)
        if -length < time - record.offset < sound.duration:
            stream = Stream(sound, record.offset, time, record.gain, length=length)
            if self._play(stream, sound.rate, quiet=True):
                self._rest.start()
