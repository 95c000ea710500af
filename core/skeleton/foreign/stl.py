"""STL, binary and text."""

from __future__ import annotations

import struct
from array import array

import numpy as np

from core.errors import FormatError, Problem
from core.skeleton.foreign.assemble import Polygons
from core.skeleton.lexer import shortened

_HEADER = 84  # [bytes]
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_WORDS = frozenset(b"facet outer endloop endfacet endsolid solid".split())
_MOST_PROBLEMS = 100


def read_stl(data: bytes, file: str) -> Polygons:
    """Return the triangles of an .stl file; several solids are one shape.

    A file is binary if its length is what the count in its header says, whatever it begins with; normals are not
    looked at.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If it is neither kind.
    """
    count = struct.unpack_from("<I", data, _HEADER - 4)[0] if len(data) >= _HEADER else 0
    if len(data) >= _HEADER and _HEADER + count * _RECORD.itemsize == len(data):
        table = np.frombuffer(data, _RECORD, count, _HEADER)
        return Polygons(table["corners"].reshape(-1, 3), np.arange(3 * count, dtype=np.int32))
    if data[:400].lstrip()[:5].lower() == b"solid":
        return _read_text(data, file)
    if len(data) < _HEADER:
        raise _problem(file, "is not an .stl file; expected a header of 84 bytes, or text that begins with solid")
    found = (len(data) - _HEADER) // _RECORD.itemsize
    raise _problem(file, f"says it has {count} triangles and holds {found}; expected as many as it says")


def _problem(file: str, message: str, line: int = 0) -> FormatError:
    return FormatError(Problem(file, line, 1 if line else 0, message))


def _read_text(data: bytes, file: str) -> Polygons:
    places, sizes = array("d"), array("q")
    problems: list[Problem] = []
    since = 0  # corners of the loop that is open

    def close() -> None:
        nonlocal since
        if since >= 3:
            sizes.append(since)
        else:
            del places[len(places) - 3 * since :]
        since = 0

    for number, line in enumerate(data.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        keyword = words[0].lower()
        if keyword == b"vertex":
            try:
                x, y, z = (float(word) for word in words[1:])
                if b"_" in line:
                    raise ValueError
                places.extend((x, y, z))
                since += 1
            except ValueError:
                text = shortened(line.strip().decode("utf-8", errors="replace"))
                problems.append(Problem(file, number, 1, f'"{text}" is no vertex; expected "vertex x y z"'))
        elif keyword in _WORDS:
            if keyword in (b"endloop", b"facet"):
                close()
        else:
            text = shortened(words[0].decode("utf-8", errors="replace"))
            problems.append(Problem(file, number, 1, f'"{text}" does not begin a line of an .stl file'))
        if len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        raise FormatError(problems)
    close()
    vertices = np.array(places).reshape(-1, 3)
    return Polygons(vertices, np.arange(len(vertices), dtype=np.int32), np.array(sizes, dtype=np.int64))
