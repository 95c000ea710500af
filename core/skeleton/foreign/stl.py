"""STL, binary and text: a look before trimesh reads it."""

from __future__ import annotations

import struct

from core.errors import FormatError, Problem
from core.skeleton.foreign.through_trimesh import Triangles, read_triangles

_HEADER = 84  # [bytes]
_RECORD = 50  # [bytes]


def read_stl(data: bytes, file: str) -> Triangles:
    """Return the triangles of an .stl file that holds what it announces.

    A file is binary if its length is what the count in its header says, whatever it begins with.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If it is neither binary nor text.
    """
    count = struct.unpack_from("<I", data, _HEADER - 4)[0] if len(data) >= _HEADER else 0
    if len(data) >= _HEADER and _HEADER + count * _RECORD == len(data):
        return read_triangles(data, "stl", file)
    if data[:400].lstrip()[:5].lower() == b"solid":
        return read_triangles(data, "stl", file)
    if len(data) < _HEADER:
        raise _problem(file, "is not an .stl file; expected a header of 84 bytes, or text that begins with solid")
    found = (len(data) - _HEADER) // _RECORD
    raise _problem(file, f"says it has {count} triangles and holds {found}; expected as many as it says")


def _problem(file: str, message: str) -> FormatError:
    return FormatError(Problem(file, 0, 0, message))
