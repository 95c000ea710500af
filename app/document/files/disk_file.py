"""The file of a document as it is on the disk: what was read or written last, and whether that still stands there."""

from __future__ import annotations

import hashlib
import os
from enum import Enum
from pathlib import Path

from core.regular_file import open_regular, other_kind

_BLOCK = 1 << 20

Stamp = tuple[int, int, int, int]


class OnDisk(Enum):
    """What stands where the document's file was read or written last."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NO_FOLDER = "no folder"


def content_of(path: Path) -> str | None:
    """Return a digest of a file's bytes, or None if there is no plain file that can be read."""
    digest = hashlib.blake2b(digest_size=20)
    try:
        with open_regular(path) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return None
    return digest.hexdigest()


def digest_of(data: bytes) -> str:
    """Return the digest that ``content_of`` gives a file of these bytes."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def stamp_of(path: Path) -> Stamp | None:
    """Return what the system knows of a file and changes whenever the file does; None if it is not there."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class DiskFile:
    """What a document knows of its own file; compares by content, since that alone shows what would be lost.

    Args:
        path: The file; links are followed.
        content: Digest of the content that the document was read from or written as; None if it is not known, so that
            whatever stands there counts as another's.

    Attributes:
        path: The file.
        content: See above.
    """

    def __init__(self, path: Path, content: str | None):
        self.path, self.content = path, content
        self._stamp = stamp_of(path) if content is not None and content == content_of(path) else None

    def state(self) -> OnDisk:
        """Return what stands there now, by its content."""
        stamp = stamp_of(self.path)
        found = content_of(self.path) if stamp is not None else None
        if found is not None and found == self.content:
            self._stamp = stamp
            return OnDisk.SAME
        if stamp is not None or other_kind(self.path):
            return OnDisk.CHANGED
        return OnDisk.GONE if self.path.parent.is_dir() else OnDisk.NO_FOLDER

    def untouched(self) -> bool:
        """Return whether nothing can have happened to the file since it was compared; cheap, for the watch alone."""
        return self._stamp is not None and stamp_of(self.path) == self._stamp
