"""Wavefront .obj: the lines ``v`` and ``f``; every problem with its line."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from core.errors import FormatError, Problem
from core.skeleton.foreign.concave import cut_into_triangles
from core.skeleton.foreign.through_trimesh import NO_POLYGONS, Triangles, check_places
from core.skeleton.scr.lexer import parse_number, shortened

# What else may begin a line; it says nothing of the shape, or of shapes that are not polygons.
IGNORED = frozenset(
    """vt vn vp p l g o s mg usemtl mtllib usemap maplib lod bevel c_interp d_interp shadow_obj trace_obj deg bmat step
    cstype curv curv2 surf parm trim hole scrv sp end con ctech stech call csh bsp bzp cdc cdp res""".split()
)
_MOST_PROBLEMS = 100
_LONGEST = 18  # digits of a vertex number


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; a backslash at the end of one carries it on."""
    held, first = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.endswith("\\"):
            held, first = held + line[:-1] + " ", first or number
            continue
        yield first or number, held + line
        held, first = "", 0
    if held:
        yield first, held


class _Reader:
    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []
        self.places, self.sizes, self.corners = array("d"), array("q"), array("q")
        self.lines = array("q")  # of each polygon

    def problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, 1, message))

    def vertex(self, line: int, words: list[str]) -> None:
        try:
            x, y, z = float(words[1]), float(words[2]), float(words[3])
            if "_" in words[1] + words[2] + words[3]:
                raise ValueError
            self.places.extend((x, y, z))
        except (ValueError, IndexError):
            bad = next((word for word in words[1:4] if parse_number(word) is None), None)
            what = f'"{shortened(bad)}" is not a number' if bad is not None else f"a vertex of {len(words) - 1} numbers"
            self.problem(line, f'{what}; expected "v x y z"')
            self.places.extend((0.0, 0.0, 0.0))  # so that the numbers of the others stay right

    def face(self, line: int, words: list[str]) -> None:
        count = len(self.places) // 3
        corners: list[int] = []
        for word in words[1:]:
            text = word.partition("/")[0]
            digits = text.removeprefix("-")
            if not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST and int(digits) > 0):
                return self.problem(line, f'"{shortened(word)}" is not a corner; expected "f a b c", counted from 1')
            # A negative number counts back from the vertex read last.
            number = int(text) - 1 if digits == text else count - int(digits)
            if number < 0:
                return self.problem(line, f'"{text}" counts back past the first of {count} vertices')
            corners.append(number)
        if len(corners) >= 3:  # fewer make a point or an edge, and nothing to draw
            self.corners.extend(corners)
            self.sizes.append(len(corners))
            self.lines.append(line)

    def read(self, text: str) -> None:
        for line, content in _lines(text):
            words = content.partition("#")[0].split()
            if not words:
                continue
            keyword = words[0]
            if keyword == "v":
                self.vertex(line, words)
            elif keyword in ("f", "fo"):  # fo is what old files say
                self.face(line, words)
            elif keyword not in IGNORED:
                expected = "expected v, f, vn, vt, g, o, s, usemtl and the like"
                self.problem(line, f'"{shortened(keyword)}" does not begin a line of an .obj file; {expected}')
            if len(self.problems) >= _MOST_PROBLEMS:
                break

    def triangles(self) -> Triangles:
        sizes, corners = np.array(self.sizes, dtype=np.int64), np.array(self.corners, dtype=np.int64)
        vertices = np.array(self.places).reshape(-1, 3)
        beyond = np.flatnonzero(corners >= len(vertices))
        if len(beyond) and not self.problems:
            k = int(np.searchsorted(np.cumsum(sizes), beyond[0], side="right"))
            number = int(corners[beyond[0]]) + 1
            self.problem(self.lines[k], f"there is no vertex {number}; expected a number from 1 to {len(vertices)}")
        if self.problems:
            raise FormatError(self.problems)
        check_places(vertices, self.file)
        if not len(sizes):
            raise FormatError(Problem(self.file, 0, 0, NO_POLYGONS))
        return vertices, cut_into_triangles(vertices, sizes, corners, self.file)


def read_obj(data: bytes, file: str) -> Triangles:
    """Return the vertices and triangles of a Wavefront .obj file; its groups are one shape.

    Read here, as trimesh says of no problem where it is, counts relative numbers from the end of the file, takes vertex
    0 for vertex 1, stumbles over a comment after a polygon and cuts concave polygons as fans. Points, lines, curves,
    materials, texture and normal numbers, and colours after a vertex are left out.

    Args:
        data: The whole file. Names in it may be in any encoding.
        file: Its name, for messages.

    Raises:
        FormatError: Listing problems with their lines.
    """
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(file)
    reader.read(text)
    return reader.triangles()
