"""Reading a sound file: WAV by its own chunks, everything else through PyAV, if that is installed."""

from __future__ import annotations

from pathlib import Path

from core.audio.checks import refuse
from core.audio.decoding import decode
from core.audio.sound import Progress, Sound
from core.audio.wav import read_wav
from core.regular_file import open_regular

SUFFIXES: tuple[str, ...] = (".wav", ".mp3", ".ogg", ".oga", ".opus", ".flac", ".m4a", ".aac", ".aif", ".aiff")
"""Endings of the files that are offered; what is in a file, its own first bytes say."""
MOST_BYTES = 1 << 30


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
        sound = read_wav(path, progress)
        if sound is not None:
            return sound
    return decode(path, progress)
