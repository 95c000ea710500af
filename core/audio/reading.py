"""Reading a sound file: WAV by its own chunks, everything else through PyAV, if that is installed."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from core.audio.sound import Progress, Sound
from core.errors import FormatError, Problem
from core.regular_file import open_regular

SUFFIXES: tuple[str, ...] = (".wav", ".mp3", ".ogg", ".oga", ".opus", ".flac", ".m4a", ".aac", ".aif", ".aiff")
"""Endings of the files that are offered; what is in a file, its own first bytes say."""
MOST_BYTES = 1 << 30
MOST_SAMPLES = 60_000_000
"""What is kept of a sound in memory: 240 MB, 22 minutes at 44.1 kHz."""


def refuse(path: Path, message: str, where: str = "") -> NoReturn:
    """Raise the error of a file that cannot be read.

    Raises:
        FormatError: Always.
    """
    raise FormatError(Problem(f"{path.name}: {where}" if where else path.name, 0, 0, message))


def check_length(path: Path, samples: int, rate: int) -> None:
    """Check that a sound is not longer than what is kept in memory.

    Raises:
        FormatError: If it is longer.
    """
    if samples > MOST_SAMPLES:
        long, most = samples / rate / 60.0, MOST_SAMPLES / rate / 60.0
        refuse(path, f"lasts {long:.0f} minutes; at {rate} Hz at most {most:.0f} are read, cut out what is needed")


def read_sound(path: Path, progress: Progress | None = None) -> Sound:
    """Return the sound in a file, its channels mixed into one.

    Args:
        path: The file; what kind it is, its content says.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.

    Raises:
        FormatError: If it is no sound, damaged, too long, or of a kind that needs a package that is not installed.
    """
    try:
        size = path.stat().st_size
        with open_regular(path) as file:
            head = file.read(12)
    except OSError as error:
        refuse(path, f"cannot be read: {error.strerror or error}")
    if size > MOST_BYTES:
        refuse(path, f"has {size / 2**20:.0f} MB; sounds up to {MOST_BYTES / 2**20:.0f} MB are read")
    if not head:
        refuse(path, "is empty; expected a sound, such as a WAV file")
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        from core.audio.wav import read_wav

        sound = read_wav(path, progress)
        if sound is not None:
            return sound
    from core.audio.decoding import decode

    return decode(path, progress)
