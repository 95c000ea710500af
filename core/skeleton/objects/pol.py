"""The .pol polygon file: ``vertices N``, N lines ``x y z``, ``polygons M``, M lines ``count v0 v1 ...``.

A third section, ``weights K``, may follow; see ``pol_weights``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import chain

import numpy as np

from core.errors import FormatError, Problem
from core.skeleton.mesh import Mesh
from core.skeleton.objects.pol_weights import WeightReader, Weights, weight_lines
from core.skeleton.objects.triangulate import PolygonError, strictly_convex, triangulate
from core.skeleton.scr.lexer import nearest, parse_number, shortened, split_lines

_WORD = re.compile(r"\S+")
_MOST_PROBLEMS = 1000
_FARTHEST = 1e9  # [m]
_MOST_WORK = 50_000_000  # sum of squared corner counts of the polygons that are triangulated one by one: seconds
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class _Reader:
    """One pass over the lines; collects problems, so that all of them are reported at once."""

    def __init__(self, text: str, file: str):
        self.file = file
        self.raw = split_lines(text)
        lines = [line.partition("#")[0] for line in self.raw] if "#" in text else self.raw
        if "\N{MINUS SIGN}" in text:
            lines = [line.replace("\N{MINUS SIGN}", "-") for line in lines]
        # Lines that say something, with their numbers.
        self.rows = [(number, words) for number, line in enumerate(lines, start=1) if (words := line.split())]
        self.at = 0
        self.problems: list[Problem] = []
        self.work = 0

    def plain(self, first: int, last: int) -> bool:
        """Whether int() and float() read these rows as the format does, which takes no underscores or other digits."""
        text = " ".join(chain.from_iterable(words for _, words in self.rows[first:last]))
        return text.isascii() and "_" not in text

    def problem(self, row: int, word: int, message: str) -> None:
        """Note a problem at a word of a row; past the last row, at the end of the file."""
        if row >= len(self.rows):
            self.problems.append(Problem(self.file, len(self.raw), len(self.raw[-1]) + 1, message))
            return
        line = self.rows[row][0]
        places = [m.start() + 1 for m in _WORD.finditer(self.raw[line - 1])]
        column = places[word] if word < len(places) else len(self.raw[line - 1].rstrip()) + 1
        self.problems.append(Problem(self.file, line, column, message))

    def fail(self, row: int, word: int, message: str) -> FormatError:
        self.problem(row, word, message)
        return FormatError(self.problems)

    def count(self, keyword: str, least: int) -> int:
        """Read ``KEYWORD N`` and return N, after checking that so many lines can follow."""
        if self.at >= len(self.rows):
            raise self.fail(self.at, 0, f'the file ends too soon; expected "{keyword} N"')
        words = self.rows[self.at][1]
        if words[0].casefold() != keyword:
            found = shortened(words[0])
            hint = f'did you mean "{keyword}"?' if nearest(found, [keyword]) else f'expected "{keyword} N"'
            raise self.fail(self.at, 0, f'"{found}" stands where "{keyword}" should; {hint}')
        if len(words) != 2 or not _INTEGER.fullmatch(words[1]):
            raise self.fail(self.at, min(1, len(words) - 1), f'expected a whole number after "{keyword}", and no more')
        number = int(words[1])
        if number < least:
            sense = "body" if least else "sense"
            raise self.fail(self.at, 1, f"{number} {keyword} make no {sense}; expected {least} or more")
        rest = len(self.rows) - self.at - 1
        if number > rest:
            raise self.fail(
                self.at, 1, f"{number} {keyword} are announced but only {rest} lines follow; expected one a line"
            )
        self.at += 1
        return number

    def each(self, first: int, last: int, check: Callable[[int, list[str]], None]) -> None:
        for row in range(first, last):
            check(row, self.rows[row][1])
            if len(self.problems) >= _MOST_PROBLEMS:
                break

    def vertices(self) -> np.ndarray:
        count = self.count("vertices", 3)
        first, last = self.at, self.at + count
        rows = [words for _, words in self.rows[first:last]]
        self.at = last
        try:
            if not self.plain(first, last) or any(len(words) != 3 for words in rows):
                raise ValueError
            values = list(map(float, chain.from_iterable(rows)))
            array = np.array(values).reshape(-1, 3)
            if not (np.abs(array) <= _FARTHEST).all():
                raise ValueError
            return array
        except ValueError:
            return self._vertices_slowly(first, last)

    def _vertices_slowly(self, first: int, last: int) -> np.ndarray:
        array = np.zeros((last - first, 3))

        def check(row: int, words: list[str]) -> None:
            for k, word in enumerate(words[:3]):
                value = parse_number(word)
                if value is None:
                    return self.problem(row, k, f'"{shortened(word)}" is not a number; expected a vertex "x y z"')
                if not abs(value) <= _FARTHEST:
                    return self.problem(
                        row, k, f'"{shortened(word)}" is out of range; expected a finite length within {_FARTHEST:g} m'
                    )
                array[row - first, k] = value
            if len(words) != 3:
                self.problem(row, 3, f'a vertex with {len(words)} numbers; expected "x y z"')

        self.each(first, last, check)
        return array

    def polygons(self, vertices: np.ndarray) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
        count = self.count("polygons", 1)
        first, last = self.at, self.at + count
        self.at = last
        rows = [words for _, words in self.rows[first:last]]
        polygons: list[tuple[int, ...]] = []
        triangles: list[tuple[int, int, int]] = []
        points = [(x, y, z) for x, y, z in vertices.tolist()]
        total = len(points)

        plain = self.plain(first, last)

        def check(row: int, words: list[str]) -> None:
            try:
                if not all(map(_INTEGER.fullmatch, words)):
                    raise ValueError
                numbers = tuple(map(int, words))
            except ValueError:
                bad = next((k for k, word in enumerate(words) if not _INTEGER.fullmatch(word)), 0)
                return self.problem(
                    row,
                    bad,
                    f'"{shortened(words[bad])}" is not a whole number; expected a polygon "count v0 v1 v2 ..."',
                )
            corners = numbers[1:]
            if numbers[0] < 3:
                return self.problem(row, 0, f"a polygon with {numbers[0]} corners; expected 3 or more")
            if numbers[0] != len(corners):
                return self.problem(
                    row,
                    0,
                    f"{numbers[0]} corners are announced but {len(corners)} follow; expected as many as announced",
                )
            for k, corner in enumerate(corners):
                if not 0 <= corner < total:
                    return self.problem(
                        row, k + 1, f"there is no vertex {corner}; expected a number from 0 to {total - 1}"
                    )
            if len(set(corners)) != len(corners):
                again = next(k for k, corner in enumerate(corners) if corner in corners[:k])
                return self.problem(
                    row,
                    again + 1,
                    f"this polygon is degenerate: it visits vertex {corners[again]} twice; expected once",
                )
            try:
                triangles.extend((corners[a], corners[b], corners[c]) for a, b, c in self.triangulated(points, corners))
            except PolygonError as error:
                return self.problem(row, 0, f"this polygon {error}")
            polygons.append(corners)

        self.work = 0
        at_once = self._at_once(rows, vertices) if plain else None
        if at_once is not None:
            return at_once
        self.work = 0
        self.each(first, last, check)
        return np.array(triangles, dtype=np.int32).reshape(-1, 3), tuple(polygons)

    def triangulated(
        self, points: list[tuple[float, float, float]], corners: tuple[int, ...]
    ) -> list[tuple[int, int, int]]:
        """Return the triangles of one polygon, as places in ``corners``; refuse what would take minutes."""
        self.work += len(corners) ** 2
        if self.work > _MOST_WORK:
            raise PolygonError("has too many corners, together with those before it; expected smaller polygons")
        return triangulate([points[corner] for corner in corners])

    def _at_once(
        self, rows: list[list[str]], vertices: np.ndarray
    ) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]] | None:
        """Read all rows at once if they are sound, most of them convex with three or four corners.

        None if anything is wrong: then the row by row reader says what. It gives the same triangles.
        """
        sizes = np.array([len(words) - 1 for words in rows])
        try:
            numbers = np.array(list(map(int, chain.from_iterable(rows))), dtype=np.int64)
        except (ValueError, OverflowError):
            return None
        starts = np.cumsum(sizes + 1) - sizes  # of each polygon's first corner
        if (sizes < 3).any() or (numbers[starts - 1] != sizes).any():
            return None
        is_corner = np.ones(len(numbers), dtype=bool)
        is_corner[starts - 1] = False
        corners = numbers[is_corner]
        if corners.min() < 0 or corners.max() >= len(vertices):
            return None
        firsts = np.cumsum(sizes - 2) - (sizes - 2)  # of each polygon's first triangle
        triangles = np.zeros((int((sizes - 2).sum()), 3), dtype=np.int32)
        done = np.zeros(len(rows), dtype=bool)
        for size in (3, 4):
            which = np.flatnonzero(sizes == size)
            table = numbers[starts[which, None] + np.arange(size)]
            sound = strictly_convex(vertices[table])
            if size == 3 and not sound.all():
                return None
            for k in range(size - 2):
                triangles[firsts[which[sound]] + k] = table[sound][:, [0, k + 1, k + 2]]
            done[which[sound]] = True
        listed = numbers.tolist()
        polygons = tuple(tuple(listed[a : a + n]) for a, n in zip(starts.tolist(), sizes.tolist(), strict=True))
        points = [(x, y, z) for x, y, z in vertices.tolist()] if not done.all() else []
        for k in np.flatnonzero(~done).tolist():
            polygon = polygons[k]
            if len(set(polygon)) != len(polygon):
                return None
            try:
                found = self.triangulated(points, polygon)
            except PolygonError:
                return None
            triangles[firsts[k] : firsts[k] + len(polygon) - 2] = np.array(polygon)[np.array(found)]
        return triangles, polygons

    def weights(self, vertices: int) -> Weights:
        """Read the section ``weights`` if there is one."""
        if self.at >= len(self.rows):
            return ()
        found = self.rows[self.at][1][0]
        if found.casefold() != "weights":
            near = nearest(shortened(found), ["weights"])
            hint = 'did you mean "weights"?' if near else 'expected "weights N" or the end of the file'
            self.problem(self.at, 0, f'"{shortened(found)}" after the last polygon; {hint}')
            return ()
        count = self.count("weights", 0)
        reader = WeightReader(vertices, lambda *place: self.problems.append(Problem(self.file, *place)))
        last = self.at + count
        # The line as it stands: a joint's name may hold spaces, minus signs and #.
        self.each(self.at, last, lambda row, _: reader.line(self.rows[row][0], self.raw[self.rows[row][0] - 1]))
        self.at = last
        if self.at < len(self.rows):
            found = shortened(self.rows[self.at][1][0])
            self.problem(self.at, 0, f'"{found}" after the last weight; expected the end of the file')
        return reader.weights


def read_pol(text: str, file: str = "object.pol") -> Mesh:
    """Return the mesh of a .pol file's text; of the last few hundred small ones it is the same if read again.

    Opening a figure, its edits and their undo, and the library's icons read the same few objects over and over.

    Args:
        text: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: Listing every problem with its line and column.
    """
    return (_read_and_kept if len(text) <= _SMALL else _read)(text, file)


def _read(text: str, file: str) -> Mesh:
    """Return the mesh of a text, see ``read_pol``."""
    reader = _Reader(text.removeprefix("\ufeff"), file)
    vertices = reader.vertices()
    if reader.problems:  # polygons cannot be judged without their corners
        raise FormatError(reader.problems)
    triangles, polygons = reader.polygons(vertices)
    weights = reader.weights(len(vertices))
    if reader.problems:
        raise FormatError(reader.problems)
    return Mesh(vertices, triangles, polygons, weights)


_SMALL = 32 << 10  # characters
_read_and_kept = lru_cache(maxsize=512)(_read)


def write_pol(mesh: Mesh) -> str:
    """Return the text of a .pol file; reading it gives the same vertices, polygons and weights, bit for bit.

    Raises:
        SkeletonError: If the name of a joint in the weights cannot be written.
    """
    polygons = mesh.polygons or tuple(tuple(triangle) for triangle in mesh.triangles.tolist())
    lines = [f"vertices {len(mesh.vertices)}"]
    lines += [f" {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines.append(f"polygons {len(polygons)}")
    lines += [f" {len(polygon)}  {' '.join(map(str, polygon))}" for polygon in polygons]
    lines += weight_lines(mesh)
    return "\n".join(lines) + "\n"
