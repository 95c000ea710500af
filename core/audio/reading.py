"""Reading a sound file with libsndfile; M4A and the like through PyAV, if that is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.audio.checks import check_length, refuse
from core.audio.decoding import decode
from core.audio.sound import Samples, Sound
from core.progress import Progress, report
from core.regular_file import open_regular

if TYPE_CHECKING:
    import soundfile

SUFFIXES: tuple[str, ...] = (".wav", ".mp3", ".ogg", ".oga", ".opus", ".flac", ".m4a", ".aac", ".aif", ".aiff")
"""Endings of the files that are offered; what is in a file, its own first bytes say."""
MOST_BYTES = 1 << 30
LEAST_RATE, MOST_RATE = 1000, 768_000
MOST_CHANNELS = 64
SLICE = 1 << 18
"""Samples of each channel that are read at a time."""


def read_sound(path: Path, progress: Progress | None = None) -> Sound:
    """Return the sound in a file, its channels mixed into one.

    Args:
        path: The file; what kind it is, its content says.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.

    Raises:
        FormatError: If it is no sound, damaged, too long, or of a kind that needs a package that is not installed.
    """
    import soundfile  # no start waits for it

    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror or error}")
    if size > MOST_BYTES:
        refuse(path, f"has {size / 2**20:.0f} MB; sounds up to {MOST_BYTES / 2**20:.0f} MB are read")
    if not size:
        refuse(path, "is empty; expected a sound, such as a WAV file")
    try:
        with open_regular(path) as file, soundfile.SoundFile(file.fileno(), closefd=False) as source:
            return _read(path, source, progress)
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror or error}")
    except soundfile.LibsndfileError as error:
        return decode(path, error.error_string.rstrip("."), progress)


def _read(path: Path, source: soundfile.SoundFile, progress: Progress | None) -> Sound:
    """Return what is in an open file; of one that ends early, what is there."""
    rate, count = source.samplerate, source.frames
    if not 1 <= source.channels <= MOST_CHANNELS:
        refuse(path, f"{source.channels} channels; there can be 1 to {MOST_CHANNELS}")
    if not LEAST_RATE <= rate <= MOST_RATE:
        refuse(path, f"{rate} samples a second; there can be {LEAST_RATE} to {MOST_RATE}")
    check_length(path, count, rate)
    parts: list[Samples] = []
    done = 0
    while len(block := source.read(SLICE, dtype="float32", always_2d=True)):
        values = block.mean(axis=1)
        if not np.isfinite(values).all():
            bad = int(np.argmin(np.isfinite(values)))
            refuse(path, f"{values[bad]} is not a loudness; expected numbers around -1 to 1", f"sample {done + bad}")
        parts.append(values)
        done += len(values)
        check_length(path, done, rate)
        report(progress, done / max(count, done))
    if not done:
        refuse(path, "holds no samples; expected a sound")
    return Sound(np.concatenate(parts), rate, path.name)
