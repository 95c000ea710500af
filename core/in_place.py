"""Putting a file that was written beside its place into it: whoever looks finds the old one or the new one, whole."""

from __future__ import annotations

import os
from pathlib import Path


def put_in_place(part: Path, target: Path) -> None:
    """Move a finished file to its place once it is on the disk; a file that was there is replaced, and its mode kept.

    Args:
        part: The file, in a folder of the same disk.
        target: Its place.

    Raises:
        OSError: If that cannot be done; what was there is untouched.
    """
    with part.open("rb+") as stream:  # a crash after the move would otherwise leave a file that is empty
        os.fsync(stream.fileno())
    if target.exists():
        os.chmod(part, target.stat().st_mode & 0o777)
    os.replace(part, target)
