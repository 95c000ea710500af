"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.export.errors import ExportError
from core.in_place import put_in_place
from core.regular_file import check_target


def parts_left(folder: Path, process: int) -> list[Path]:
    """Return what a process that ended too soon left of the files it was writing in a folder."""
    return [entry for entry in folder.iterdir() if entry.suffix == ".part" and f".{process}." in entry.name]


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a place beside ``path`` to write to, and put what was written in place at the end.

    However the block is left before its end, by an error, a cancelled export or Ctrl-C, what was written is removed and
    a file that was there is untouched.

    Raises:
        ExportError: If the file cannot be written.
    """
    target = path.resolve()  # an existing symbolic link keeps pointing where it did
    part = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        check_target(target)
        yield part
        put_in_place(part, target)
    except OSError as error:
        raise ExportError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
