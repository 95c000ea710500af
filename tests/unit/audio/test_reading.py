"""Sound files of many kinds, and damaged ones."""

from __future__ import annotations

import struct
import sys
import wave
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.io import wavfile

from core.audio import checks, reading
from core.audio.reading import read_sound
from core.errors import Cancelled, FormatError
from tests.support.fuzzing import fuzz

RATE = 8000


def tone(seconds: float = 0.5, rate: int = RATE) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * 220.0 * np.arange(int(seconds * rate)) / rate)


def pcm(path: Path, bits: int, samples: np.ndarray) -> Path:
    """Write samples, shape (n, channels), as whole numbers."""
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], bits // 8, RATE, 0, "NONE", ""))
        whole = np.round(samples * (2.0 ** (bits - 1) - 1)).astype("<i4")
        if bits == 8:
            file.writeframes((whole + 128).astype(np.uint8).tobytes())
        else:
            file.writeframes(whole.reshape(-1, 1).view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes())
    return path


@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_whole_numbers_of_any_width_are_read_and_channels_mixed(tmp_path: Path, bits: int) -> None:
    left, right = tone(), 0.4 * tone()[::-1]
    sound = read_sound(pcm(tmp_path / "a.wav", bits, np.stack([left, right], axis=1)))
    assert (sound.rate, len(sound.samples), sound.duration) == (RATE, 4000, 0.5)
    np.testing.assert_allclose(sound.samples, (left + right) / 2.0, atol=2.0 / 2**bits + 1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_floats_are_read(tmp_path: Path, kind: type) -> None:
    wavfile.write(tmp_path / "a.wav", RATE, tone().astype(kind))
    np.testing.assert_allclose(read_sound(tmp_path / "a.wav").samples, tone(), atol=1e-7)


def test_a_long_file_is_read_slice_by_slice_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SLICE", 1000)
    path = pcm(tmp_path / "a.wav", 16, tone()[:, None])
    reported: list[float] = []
    np.testing.assert_allclose(read_sound(path, reported.append).samples, tone(), atol=1e-4)
    assert reported == [0.25, 0.5, 0.75, 1.0]

    def stop(done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_sound(path, stop)


@pytest.mark.parametrize(
    ("suffix", "codec"), [(".flac", "flac"), (".mp3", "libmp3lame"), (".ogg", "libopus"), (".m4a", "aac")]
)
def test_compressed_sounds_are_read(tmp_path: Path, suffix: str, codec: str) -> None:
    av = pytest.importorskip("av", reason="PyAV is not installed")
    path, rate = tmp_path / f"a{suffix}", 48000
    samples = np.zeros(rate)
    samples[rate // 2 : rate // 2 + rate // 10] = tone(0.1, rate)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray((samples * 32767).astype(np.int16)[None, :], format="s16", layout="mono")
        frame.rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    reported: list[float] = []
    sound = read_sound(path, reported.append)
    assert sound.rate == rate and abs(sound.duration - 1.0) < 0.06 and reported
    first = int(np.argmax(np.abs(sound.samples) > 0.1))
    assert abs(first / rate - 0.5) < 0.002  # and what the encoder puts before it is left out


def test_without_pyav_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    (tmp_path / "song.m4a").write_bytes(b"\0\0\0\x18ftypM4A " + bytes(100))
    with pytest.raises(FormatError, match=r"song.m4a: cannot be read .*PyAV, not installed: python -m pip install"):
        read_sound(tmp_path / "song.m4a")


def test_what_is_no_sound_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pcm(tmp_path / "a.wav", 16, tone()[:, None])
    good = bytearray(path.read_bytes())

    def refused(data: bytes, message: str) -> None:
        path.write_bytes(data)
        with pytest.raises(FormatError, match=message):
            read_sound(path)

    def patched(place: int, value: bytes) -> bytes:
        return bytes(good[:place] + value + good[place + len(value) :])

    refused(b"", "is empty; expected a sound")
    refused(b"not a sound at all", "cannot be read as a sound")
    refused(good[:30], "cannot be read as a sound .*No 'data' chunk")
    refused(good[:36], "cannot be read as a sound .*No 'data' chunk")
    refused(good[:44], "holds no samples")
    refused(patched(22, struct.pack("<H", 0)), "cannot be read as a sound .*Channel count is zero")
    refused(patched(22, struct.pack("<H", 65)), "65 channels; there can be 1 to 64")
    refused(patched(24, struct.pack("<I", 7)), "7 samples a second; there can be 1000 to 768000")
    with pytest.raises(FormatError, match=r"gone.wav: cannot be read: No such file"):
        read_sound(tmp_path / "gone.wav")
    broken = tone().astype(np.float32)
    broken[1234] = np.nan
    wavfile.write(path, RATE, broken)
    with pytest.raises(FormatError, match="sample 1234: nan is not a loudness"):
        read_sound(path)
    path.write_bytes(good)
    monkeypatch.setattr(checks, "MOST_SAMPLES", 2000)
    with pytest.raises(FormatError, match="lasts 0 minutes; at 8000 Hz at most"):
        read_sound(path)


def test_a_file_that_ends_early_or_does_not_know_its_length_gives_what_is_there(tmp_path: Path) -> None:
    path = pcm(tmp_path / "a.wav", 16, tone()[:, None])
    data = path.read_bytes()
    path.write_bytes(data[:-2001])
    assert len(read_sound(path).samples) == 2999
    path.write_bytes(data[:40] + struct.pack("<I", 0xFFFFFFFF) + data[44:])
    assert len(read_sound(path).samples) == 4000


@pytest.mark.parametrize("count", [150, pytest.param(3000, marks=pytest.mark.verify)])
def test_damaged_files_are_refused_or_read(tmp_path: Path, count: int) -> None:
    samples = np.stack([tone(0.1), tone(0.1)], axis=1)
    files = {f"{bits}.wav": pcm(tmp_path / "a.wav", bits, samples).read_bytes() for bits in (8, 24)}
    for suffix in ("flac", "ogg", "mp3", "aiff"):
        soundfile.write(tmp_path / f"a.{suffix}", samples, RATE)
        files[f"a.{suffix}"] = (tmp_path / f"a.{suffix}").read_bytes()
    fuzz(lambda path: read_sound(path), files, count=count, folder=tmp_path)
