"""Bytes in and out: bounded reading, writing that is whole or not at all, and numbers that would not be read again."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.in_place import put_in_place
from core.regular_file import check_target, open_regular

MEGABYTE = 1024 * 1024


def read_bytes(path: Path, most: int) -> bytes:
    """Return a file's bytes.

    Args:
        path: The file.
        most: Most bytes it may have.

    Raises:
        FormatError: If it cannot be read, is no plain file or is larger than ``most``.
    """
    name = path.name
    try:
        with open_regular(path) as stream:
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(Problem(name or str(path), 0, 0, f"cannot be read: {reason}")) from None
    if len(data) > most:
        message = f"is larger than {most // MEGABYTE} MB; files of that size are not read"
        raise FormatError(Problem(name, 0, 0, message))
    return data


def read_text(path: Path, most: int) -> str:
    """Return a UTF-8 file's text, any line ending turned into a newline.

    Args:
        path: The file.
        most: Most bytes it may have.

    Raises:
        FormatError: If it cannot be read, is larger than ``most`` or is not UTF-8.
    """
    name = path.name
    data = read_bytes(path, most)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8 text"
        raise FormatError(Problem(name, line, column, message)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file; a file that was there is replaced only once the new one is whole on the disk.

    Raises:
        FormatError: If it cannot be written; what was there is untouched.
    """
    write_parts(path, (text,))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a binary file; see ``write_text``.

    Raises:
        FormatError: If it cannot be written; what was there is untouched.
    """
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write a file from parts that are made one after the other, text as UTF-8; see ``write_text``.

    Raises:
        FormatError: If it cannot be written; what was there is untouched, as it is by anything that ``parts`` raises.
    """
    temporary: Path | None = None
    try:
        # An existing symbolic link keeps pointing where it did: the file behind it is replaced.
        target = path.resolve()
        check_target(target)
        fresh = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        temporary = fresh
        with open(handle, "wb") as stream:
            for each in parts:
                stream.write(each.encode("utf-8") if isinstance(each, str) else each)
        put_in_place(temporary, target)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if not isinstance(error, (OSError, ValueError)):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FormatError(Problem(path.name or str(path), 0, 0, f"cannot be written: {reason}")) from None


def check_written(rows: NDArray[np.float64], farthest: float, unit: float, file: str, frame: int) -> None:
    """See that numbers of a motion can be read again, in the file's unit and in metres.

    Args:
        rows: As they are written, a row a frame.
        farthest: What readers take at most.
        unit: Metres in one unit of the file.
        file: Its name.
        frame: Frame of the first row.

    Raises:
        FormatError: If one is larger, or not finite; names the first frame.
    """
    most = farthest / max(1.0, unit)
    fine = np.abs(rows) <= most
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        message = f"frame {frame + row} has {rows[row, column]:.3g}; numbers that can be read again go to {most:.3g}"
        raise FormatError(Problem(file, 0, 0, message))
