"""Opening plain files only: a pipe or a device, which may never answer, is refused instead of being waited for."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

Stamp = tuple[int, int, int]
"""What tells one state of a file from another without reading it: when it was changed, [ns], its size, its number."""

_opened: ContextVar[dict[Path, Stamp] | None] = ContextVar("opened", default=None)

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def other_kind(path: str | Path) -> str:
    """Return what stands at a path in place of a plain file, such as "a named pipe"; "" for a file or nothing at all.

    Links are followed. What cannot be looked at, counts as nothing.
    """
    try:
        return _kind(os.stat(path).st_mode)
    except (OSError, ValueError):
        return ""


def open_regular(path: str | Path) -> BinaryIO:
    """Open a plain file for reading bytes, without ever waiting for it.

    Args:
        path: The file; links are followed.

    Raises:
        OSError: If it cannot be opened, or is no plain file; ``strerror`` says what it is instead.
        ValueError: If it cannot be a path.
    """
    _refuse(_kind(os.stat(path).st_mode), path)  # first of all: already opening a device may do something
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        found = os.fstat(handle)
        _refuse(_kind(found.st_mode), path)  # it may have been replaced in between
        _note(path, found)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


@contextmanager
def noting_opened() -> Iterator[dict[Path, Stamp]]:
    """Note which files ``open_regular`` opens in a ``with`` block: what comes out depends on these.

    Yields:
        The files, in the order in which they were first opened, and the state that each was in then; filled as the
        block goes on.
    """
    files: dict[Path, Stamp] = {}
    before = _opened.set(files)
    try:
        yield files
    finally:
        _opened.reset(before)


def note_opened(path: str | Path) -> None:
    """Note a file as if ``open_regular`` had opened it: something that was kept from an earlier reading is used.

    Whoever keeps what it reads, such as a cache, calls this where it does not open the file again.
    """
    if _opened.get() is not None:
        with suppress(OSError, ValueError):
            _note(path, os.stat(path))


def stamp_of(path: str | Path) -> Stamp:
    """Return the state of a file, to compare it with that of :func:`noting_opened`.

    Raises:
        OSError: If it is not there.
    """
    return _stamp(os.stat(path))


def _note(path: str | Path, found: os.stat_result) -> None:
    opened = _opened.get()
    if opened is not None:
        opened.setdefault(Path(path), _stamp(found))


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino


def is_read_only(path: str | Path) -> bool:
    """Return whether a file is there that is not meant to be written, whoever asks."""
    try:
        return not os.stat(path).st_mode & 0o222 or not os.access(path, os.W_OK)
    except (OSError, ValueError):
        return False


def check_target(path: str | Path) -> None:
    """Check that a file may be written at a path: nothing is there, or a plain file that is not read-only.

    Writing a new file and renaming it over the old one would get past all of that.

    Raises:
        OSError: If a folder, pipe or device is there, or a file that is read-only; ``strerror`` says which.
    """
    _refuse(other_kind(path), path)
    if is_read_only(path):
        raise PermissionError(errno.EACCES, "it is read-only; give the new file another name", str(path))


def _kind(mode: int) -> str:
    return next((name for test, name in _KINDS if test(mode)), "" if stat.S_ISREG(mode) else "something else")


def _refuse(kind: str, path: str | Path) -> None:
    if kind:
        raise OSError(errno.EINVAL, f"it is {kind}; expected a file", str(path))
