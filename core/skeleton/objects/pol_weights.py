"""The ``weights`` section of a .pol file: lines ``VERTEX  W "JOINT" [W "JOINT" [W "JOINT"]]``."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.skeleton.mesh import MOST_JOINTS, SLACK, Mesh
from core.skeleton.scr.lexer import NUMBER, STRING, LineProblem, Token, quoted, shortened, tokenize_line

_USAGE = 'VERTEX  WEIGHT "JOINT"'
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_PLAIN = re.compile(r"[ \t0-9.eE+-]*")
_MOST_NUMBERS = 20_000_000  # joints times vertices: 160 MB

Weights = tuple[tuple[str, NDArray[np.float64]], ...]
_Pairs = list[tuple[float, str]]


class WeightReader:
    """Reads the lines of one section and collects what is wrong with them.

    Args:
        vertices: How many the mesh has.
        problem: Takes the line, the column and what is wrong there.
    """

    def __init__(self, vertices: int, problem: Callable[[int, int, str], None]):
        self.vertices = vertices
        self.problem = problem
        self.found: dict[str, NDArray[np.float64]] = {}
        self.lines: dict[int, int] = {}  # of each vertex that was listed

    @property
    def weights(self) -> Weights:
        """What was read, as :attr:`Mesh.weights` has it."""
        return tuple(self.found.items())

    def line(self, number: int, text: str) -> None:
        """Read one line.

        Args:
            number: Its number, counted from 1.
            text: The line as it stands in the file.
        """
        plain = self._plain(text)
        if plain is not None and self._take(*plain, number):
            return
        problems: list[LineProblem] = []
        tokens = tokenize_line(text, number, problems)
        try:
            if problems:
                raise problems[0]
            vertex, pairs = self._slowly(tokens)
        except LineProblem as found:
            self.problem(found.line, found.column, found.message)
            return
        if not self._take(vertex, pairs, number):
            raise AssertionError(f"line {number} is refused without a reason")

    def _plain(self, text: str) -> tuple[int, _Pairs] | None:
        """Return what a line says that has nothing unusual in it; None if it needs the careful look."""
        parts = text.split('"')
        if len(parts) not in (3, 5, 7) or "#" in text or parts[-1].strip():
            return None
        if not all(map(_PLAIN.fullmatch, parts[0:-1:2])):
            return None
        names = parts[1::2]
        if not all(name.strip() and name.isprintable() and name.isascii() for name in names):
            return None
        try:
            first, weight = parts[0].split()
            vertex = int(first)
            pairs = [(float(word), name) for word, name in zip([weight, *parts[2:-1:2]], names, strict=True)]
        except ValueError:
            return None
        return vertex, pairs

    def _take(self, vertex: int, pairs: _Pairs, number: int) -> bool:
        """Keep a line's weights if they make sense."""
        if not 0 <= vertex < self.vertices or vertex in self.lines:
            return False
        total = 0.0
        for weight, _ in pairs:
            if not 0.0 <= weight <= 1.0:
                return False
            total += weight
        names = [name for _, name in pairs]
        if total > 1.0 + SLACK or len(set(names)) != len(names):
            return False
        new = [name for name in names if name not in self.found]
        if new and (len(self.found) + len(new)) * self.vertices > _MOST_NUMBERS:
            return False
        for weight, name in pairs:
            if name not in self.found:
                self.found[name] = np.zeros(self.vertices)
            self.found[name][vertex] = weight + 0.0
        self.lines[vertex] = number
        return True

    def _slowly(self, tokens: list[Token]) -> tuple[int, _Pairs]:
        """Return what a line says.

        Raises:
            LineProblem: What is wrong with it, and where.
        """

        def wrong(token: Token, message: str) -> LineProblem:
            return LineProblem(token.line, token.column, message)

        first, *rest = tokens
        if first.kind != NUMBER or not _INTEGER.fullmatch(first.text.replace("\N{MINUS SIGN}", "-")):
            raise wrong(first, f"{first} is not a vertex number; expected {_USAGE}")
        vertex = int(first.text.replace("\N{MINUS SIGN}", "-"))
        if not 0 <= vertex < self.vertices:
            last = self.vertices - 1
            raise wrong(first, f"there is no vertex {vertex}; expected a number from 0 to {last}")
        if vertex in self.lines:
            raise wrong(
                first, f"vertex {vertex} has its weights in line {self.lines[vertex]} already; expected it once"
            )
        pairs: _Pairs = []
        total = 0.0
        for k in range(0, max(len(rest), 1), 2):
            pair = rest[k : k + 2]
            if len(pairs) == MOST_JOINTS:
                raise wrong(
                    pair[0],
                    f"a vertex follows at most {MOST_JOINTS} joints besides the one that carries it; expected no more",
                )
            if len(pair) < 2:
                last_token = tokens[-1]
                wide = len(last_token.text) + 2 * (last_token.kind == STRING)
                what = "the weight" if not pair else "the joint's name"
                raise LineProblem(last_token.line, last_token.column + wide, f"{what} is missing; expected {_USAGE}")
            weight, name = pair
            if weight.kind != NUMBER:
                raise wrong(weight, f"{weight} is not a number; expected a weight from 0 to 1: {_USAGE}")
            if not 0.0 <= weight.value <= 1.0:
                raise wrong(weight, f"weight {weight} makes no sense; expected 0 to 1")
            if name.kind != STRING:
                raise wrong(name, f"{name} is not in quotes; expected the joint's name in quotes: {_USAGE}")
            if not name.text.strip():
                raise wrong(name, f"the joint's name is empty; expected {_USAGE}")
            if any(name.text == known for _, known in pairs):
                raise wrong(name, f"joint {name} is named twice for vertex {vertex}; expected it once")
            total += weight.value
            if total > 1.0 + SLACK:
                raise wrong(
                    weight,
                    f"the weights of vertex {vertex} add up to {shortened(f'{total:.6g}')}; expected 1 at most, "
                    "and what is left follows the joint that carries the object",
                )
            pairs.append((weight.value, name.text))
            names = {*self.found, *(known for _, known in pairs)}
            if len(names) > len(self.found) and len(names) * self.vertices > _MOST_NUMBERS:
                raise wrong(
                    name, f"{len(names)} joints for {self.vertices} vertices are too many; expected fewer names"
                )
        return vertex, pairs


def weight_lines(mesh: Mesh) -> list[str]:
    """Return the lines of the section, its heading first; none for a mesh without weights.

    Raises:
        SkeletonError: If a joint's name cannot be written: empty, or with a line break in it.
    """
    if not mesh.weights:
        return []
    table = np.column_stack([values for _, values in mesh.weights])
    names = [quoted(name, "the joint's name") for name, _ in mesh.weights]
    rows = np.flatnonzero(table.any(axis=1)).tolist()
    lines = [f"weights {len(rows)}"]
    for row in rows:
        pairs = (f"{float(table[row, k])!r} {names[k]}" for k in np.flatnonzero(table[row]).tolist())
        lines.append(f" {row}  {'  '.join(pairs)}")
    return lines
