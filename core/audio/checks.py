"""What every reader of sounds refuses."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from core.errors import FormatError, Problem

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
