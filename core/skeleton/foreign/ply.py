"""Stanford .ply: a look at the header; binary files are read here, with polygons of any mix of sizes."""

from __future__ import annotations

import struct
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.foreign.concave import cut_into_triangles
from core.skeleton.foreign.through_trimesh import NO_POLYGONS, Triangles, check_places, read_triangles
from core.skeleton.scr.lexer import listed, shortened

_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
    "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "float32": "f4", "float64": "f8",
}  # fmt: skip
_CODES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_CORNERS = ("vertex_indices", "vertex_index")
_LONGEST_HEADER = 100_000  # [bytes]
_AT_A_TIME = 100_000  # lists


class _Property(NamedTuple):
    """One value of an element, or with a ``length`` type a list of values."""

    name: str
    kind: str
    length: str = ""


@dataclass
class _Element:
    name: str
    length: int
    properties: list[_Property] = field(default_factory=list)

    def column(self, names: tuple[str, ...]) -> int:
        """Return the place of the first property of one of these names; -1 if there is none."""
        return next((k for k, each in enumerate(self.properties) if each.name in names), -1)


def _problem(file: str, message: str, line: int = 0) -> FormatError:
    return FormatError(Problem(file, line, 1 if line else 0, message))


def _header(data: bytes, file: str) -> tuple[str, list[_Element], int]:
    """Return the byte order ("" for text), the elements, and where the data begin."""
    elements: list[_Element] = []
    order: str | None = None
    at, line = 0, 0
    while True:
        end = data.find(b"\n", at, _LONGEST_HEADER)
        if end < 0:
            raise _problem(file, 'the header does not end; expected a line "end_header"', line)
        words = data[at:end].decode("ascii", errors="replace").split()
        at, line = end + 1, line + 1
        if line == 1:
            if words != ["ply"]:
                raise _problem(file, 'does not begin with "ply"; expected a .ply file', 1)
            continue
        match words:
            case [] | ["comment", *_] | ["obj_info", *_]:
                pass
            case ["end_header"]:
                if order is None:
                    raise _problem(file, 'the header has no "format" line', line)
                return order, elements, at
            case ["format", kind, _] if kind in _ORDERS:
                order = _ORDERS[kind]
            case ["element", name, count] if count.isascii() and count.isdigit():
                # A count of a hundred digits is no more true than one past the end of the file.
                elements.append(_Element(name, int(count[:18])))
            case ["property", "list", count, kind, name] if elements and kind in _TYPES and _TYPES.get(count) in _CODES:
                elements[-1].properties.append(_Property(name, _TYPES[kind], _TYPES[count]))
            case ["property", kind, name] if elements and kind in _TYPES:
                elements[-1].properties.append(_Property(name, _TYPES[kind]))
            case _:
                what = shortened(" ".join(words))
                raise _problem(file, f'"{what}" makes no sense here; expected format, element or property', line)


def read_ply(data: bytes, file: str) -> Triangles:
    """Return the vertices and triangles of a .ply file.

    trimesh reads text. It wants all lists of a binary file to be of one length, which files of other programs do not
    keep.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If the header makes no sense, or the data do not agree with it.
    """
    order, elements, start = _header(data, file)
    vertex = next((each for each in elements if each.name == "vertex"), None)
    face = next((each for each in elements if each.name in ("face", "faces")), None)
    if vertex is None or min(vertex.column((axis,)) for axis in "xyz") < 0:
        raise _problem(file, 'has no "vertex" element with x, y and z; expected places of vertices')
    if face is None or face.length == 0:
        raise _problem(file, NO_POLYGONS)
    column = face.column(_CORNERS)
    if column < 0 or not face.properties[column].length or face.properties[column].kind[0] == "f":
        raise _problem(file, f'its "face" element has no list {listed(_CORNERS)}; expected vertex numbers')
    if any(each.length for each in vertex.properties):
        raise _problem(file, 'its "vertex" element has a list; expected plain numbers')
    if not order:
        rows = sum(1 for line in data[start:].splitlines() if line.strip())
        for element in elements:
            rows -= element.length
            if rows < 0:
                raise _too_short(file, element)
        # A name for texture coordinates that trimesh does not know: it cannot always place them.
        return read_triangles(data[:start].replace(b"texcoord", b"passed_by") + data[start:], "ply", file)
    reader = _Binary(data, start, order, file)
    places = np.zeros((0, 3))
    sizes = corners = np.zeros(0, np.int64)
    for element in elements:
        if element is vertex:
            places = reader.places(element)
        elif element is face:
            sizes, corners = reader.lists(element, column)
        else:
            reader.skip(element)
    keep = sizes >= 3  # fewer are points and edges
    corners, sizes = corners[np.repeat(keep, sizes)], sizes[keep]
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(places):
        raise _problem(file, "has polygons with corners that are not there; expected vertex numbers in range")
    check_places(places, file)
    return places, cut_into_triangles(places, sizes, corners, file)


def _too_short(file: str, element: _Element) -> FormatError:
    name = shortened(element.name)
    return _problem(file, f'the file ends before its {element.length} "{name}" records are there')


class _Binary:
    """The data of a binary file."""

    def __init__(self, data: bytes, start: int, order: str, file: str):
        self.data, self.at, self.order, self.file = data, start, order, file

    def fail(self, element: _Element) -> FormatError:
        return _too_short(self.file, element)

    def table(self, element: _Element, sizes: list[int]) -> NDArray[np.void]:
        """Return the records of an element whose lists all have the given sizes."""
        fields: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]] = []
        for k, (each, size) in enumerate(zip(element.properties, sizes, strict=True)):
            if each.length:
                fields += [(f"n{k}", self.order + each.length), (f"v{k}", self.order + each.kind, (size,))]
            else:
                fields.append((f"v{k}", self.order + each.kind))
        kind = np.dtype(fields)
        if kind.itemsize * element.length > len(self.data) - self.at:
            raise self.fail(element)
        return np.frombuffer(self.data, kind, element.length, self.at)

    def places(self, element: _Element) -> NDArray[np.float64]:
        table = self.table(element, [0] * len(element.properties))
        self.at += table.nbytes
        return np.column_stack([table[f"v{element.column((axis,))}"].astype(np.float64) for axis in "xyz"])

    def lists(self, element: _Element, column: int) -> tuple[NDArray[Any], NDArray[Any]]:
        uniform = self._uniform(element)
        if uniform is not None:
            self.at += uniform.nbytes
            values = uniform[f"v{column}"]
            # Numbers past 31 bits are of no vertex; they are reported with the others that are not there.
            small = values.dtype.itemsize < 4 or not len(values) or -1 <= values.min() <= values.max() < 2**31
            return np.full(len(values), values.shape[1]), values.astype(np.int32 if small else np.int64).reshape(-1)
        return self._walk(element, column)

    def skip(self, element: _Element) -> None:
        if not element.properties:
            return
        if any(each.length for each in element.properties):
            self._walk(element, -1)
        else:
            self.at += self.table(element, [0] * len(element.properties)).nbytes

    def _uniform(self, element: _Element) -> NDArray[np.void] | None:
        """Return all records if their lists are as long as those of the first one; else None."""
        sizes, at = [], self.at
        for each in element.properties:
            size = 0
            if each.length:
                size = self._count(element, each, at)
                at += np.dtype(each.length).itemsize
            at += np.dtype(each.kind).itemsize * (size if each.length else 1)
            sizes.append(size)
        if (at - self.at) * element.length > len(self.data) - self.at:
            return None
        table = self.table(element, sizes)
        lists = [
            (f"n{k}", size) for k, (each, size) in enumerate(zip(element.properties, sizes, strict=True)) if each.length
        ]
        return table if all((table[name] == size).all() for name, size in lists) else None

    def _count(self, element: _Element, each: _Property, at: int) -> int:
        kind = np.dtype(self.order + each.length)
        if at + kind.itemsize > len(self.data):
            raise self.fail(element)
        count = int(np.frombuffer(self.data, kind, 1, at)[0])
        if count < 0 or count * np.dtype(each.kind).itemsize > len(self.data) - at:
            raise _problem(
                self.file, f'a list of "{shortened(each.name)}" has {count} values, more than the file holds'
            )
        return count

    def _walk(self, element: _Element, column: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Read record by record."""
        counts = [struct.Struct(self.order + _CODES[p.length]) if p.length else None for p in element.properties]
        widths = [np.dtype(p.kind).itemsize for p in element.properties]
        least = sum(width if count is None else count.size for width, count in zip(widths, counts, strict=True))
        if least * element.length > len(self.data) - self.at:
            raise self.fail(element)
        sizes = array("q")
        places = array("q")  # where the wanted lists begin
        data, at, end = self.data, self.at, len(self.data)
        try:
            for _ in range(element.length):
                for k, count in enumerate(counts):
                    number = 1
                    if count is not None:
                        (number,) = count.unpack_from(data, at)
                        at += count.size
                        if number < 0:
                            raise self.fail(element)
                        if k == column:
                            sizes.append(number)
                            places.append(at)
                    at += number * widths[k]
                if at > end:
                    raise self.fail(element)
        except struct.error:
            raise self.fail(element) from None
        self.at = at
        if column < 0:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return self._gathered(np.array(sizes), np.array(places), element.properties[column].kind)

    def _gathered(
        self, sizes: NDArray[np.int64], places: NDArray[np.int64], kind: str
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the values of many lists, given where each begins."""
        width = np.dtype(kind).itemsize
        found = np.empty(int(sizes.sum()), dtype=np.int64)
        data, done = np.frombuffer(self.data, np.uint8), 0
        for some in range(0, len(sizes), _AT_A_TIME):
            size, place = sizes[some : some + _AT_A_TIME], places[some : some + _AT_A_TIME]
            within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            first = np.repeat(place, size) + within * width
            raw = data[first[:, None] + np.arange(width)]
            found[done : done + len(first)] = np.ascontiguousarray(raw).view(self.order + kind).reshape(-1)
            done += len(first)
        return sizes, found
