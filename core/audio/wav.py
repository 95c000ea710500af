"""WAV files: chunks, and samples of 8 to 64 bits.

Read by hand and not by ``wave`` or ``scipy.io.wavfile``, since neither reads all of these kinds slice by slice, and
since a damaged file is to be refused by the place of the damage.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.audio.checks import check_length, refuse
from core.audio.sound import Progress, Samples, Sound, tell
from core.regular_file import open_regular

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
LEAST_RATE, MOST_RATE = 1000, 768_000
MOST_CHANNELS = 64
SLICE = 1 << 18
"""Samples of each channel that are read at a time."""
_BITS = {PCM: (8, 16, 24, 32), FLOAT: (32, 64)}
_UNKNOWN = 0xFFFFFFFF  # the size that programs write which do not know it yet


class _Kind(NamedTuple):
    """How samples are written: whole numbers or floats, channels, samples a second, bits of one sample."""

    code: int
    channels: int
    rate: int
    bits: int


def read_wav(path: Path, progress: Progress | None = None) -> Sound | None:
    """Return the sound in a WAV file, its channels mixed into one.

    A file that ends early gives what is there. Source: Microsoft and IBM, Multimedia Programming Interface and Data
    Specifications 1.0, 1991, and the WAVE_FORMAT_EXTENSIBLE of 2001.

    Args:
        path: The file.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.

    Returns:
        The sound; None if its samples are compressed in a way that is not known here.

    Raises:
        FormatError: If it is damaged, too long or holds no samples.
    """
    try:
        with open_regular(path) as file:
            end = os.fstat(file.fileno()).st_size
            file.seek(12)
            kind: _Kind | None = None
            while True:
                place = file.tell()
                head = file.read(8)
                if len(head) < 8:
                    missing = 'a "data" chunk' if kind is not None else 'a "fmt " chunk before the samples'
                    refuse(path, f"the file ends; expected {missing}", f"byte {place}")
                name, size = struct.unpack("<4sI", head)
                if name == b"fmt ":
                    kind = _kind(path, file, place, size)
                    if kind.code not in _BITS:
                        return None
                elif name == b"data":
                    if kind is None:
                        refuse(
                            path, 'samples stand before the "fmt " chunk, which must say what they are', f"byte {place}"
                        )
                    left = end - file.tell()
                    return _samples(path, file, kind, left if size in (0, _UNKNOWN) else min(size, left), progress)
                file.seek(place + 8 + size + size % 2)
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror or error}")


def _kind(path: Path, file: BinaryIO, place: int, size: int) -> _Kind:
    where = f"byte {place}"
    data = file.read(min(size, 40))
    if len(data) < 16:
        refuse(path, f'the "fmt " chunk has {len(data)} bytes; it must have at least 16', where)
    code, channels, rate, _, block, bits = struct.unpack("<HHIIHH", data[:16])
    if code == EXTENSIBLE and len(data) >= 26:
        code = struct.unpack("<H", data[24:26])[0]
    if code not in _BITS:
        return _Kind(code, channels, rate, bits)
    if not 1 <= channels <= MOST_CHANNELS:
        refuse(path, f"{channels} channels; there can be 1 to {MOST_CHANNELS}", where)
    if not LEAST_RATE <= rate <= MOST_RATE:
        refuse(path, f"{rate} samples a second; there can be {LEAST_RATE} to {MOST_RATE}", where)
    if bits not in _BITS[code]:
        valid = ", ".join(map(str, _BITS[code]))
        refuse(path, f"{bits} bits a sample; there can be {valid}", where)
    if block != channels * bits // 8:
        refuse(path, f"{block} bytes for {channels} channels of {bits} bits; it must be {channels * bits // 8}", where)
    return _Kind(code, channels, rate, bits)


def _samples(path: Path, file: BinaryIO, kind: _Kind, size: int, progress: Progress | None) -> Sound:
    place = file.tell()
    block = kind.channels * kind.bits // 8
    count = size // block
    if count == 0:
        refuse(path, "there are no samples; expected a sound", f"byte {place}")
    check_length(path, count, kind.rate)
    samples = np.empty(count, dtype=np.float32)
    for first in range(0, count, SLICE):
        data = file.read(block * min(SLICE, count - first))
        values = _floats(data[: len(data) // block * block], kind).reshape(-1, kind.channels).mean(axis=1)
        if not np.isfinite(values).all():
            bad = first + int(np.argmin(np.isfinite(values)))
            refuse(path, f"{values[bad - first]} is no loudness; expected numbers around -1 to 1", f"sample {bad}")
        samples[first : first + len(values)] = values
        tell(progress, (first + len(values)) / count)
    return Sound(samples, kind.rate, path.name)


def _floats(data: bytes, kind: _Kind) -> Samples:
    """Return samples as numbers of -1 to 1."""
    if kind.code == FLOAT:
        with np.errstate(over="ignore"):
            return np.frombuffer(data, dtype=f"<f{kind.bits // 8}").astype(np.float32)
    if kind.bits == 8:
        return (np.frombuffer(data, dtype=np.uint8).astype(np.float32) - 128.0) / 128.0
    if kind.bits == 24:
        wide: NDArray[np.uint8] = np.zeros((len(data) // 3, 4), dtype=np.uint8)
        wide[:, 1:] = np.frombuffer(data, dtype=np.uint8).reshape(-1, 3)
        return (wide.view("<i4")[:, 0].astype(np.float64) / 2.0**31).astype(np.float32)
    scale = 2.0 ** (kind.bits - 1)
    return (np.frombuffer(data, dtype=f"<i{kind.bits // 8}").astype(np.float64) / scale).astype(np.float32)
