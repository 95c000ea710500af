"""Expression joint: one that is written in a skeleton file, as translations and rotations by expressions.

A text says each: names of coordinates and of what ``let`` names, numbers with or without a unit, and the functions of
``core.symbolic.parsing``. Angles are radians and lengths metres in it. Nothing in it is ever run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import ExpressionError, JointError
from core.joints.base import ANGLE, LENGTH, NUMBER, Vector
from core.joints.evaluated import MOST_COORDINATES
from core.joints.geometry.vectors import IDENTITY, ORIGIN, add, pose, product, rotated, turn, vector
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Evaluator, Expression, parse, symbol, topological
from core.symbolic.parsing import check_name

UNITS = {
    "deg": math.radians(1.0), "°": math.radians(1.0), "rad": 1.0, "turn": math.tau, "m": 1.0, "cm": 0.01, "mm": 0.001,
}  # fmt: skip
"""Units of numbers in the texts: what one is in radians or metres."""
MOST_LETS, MOST_MOVES, MOST_CHARTS = 64, 32, 6
LONGEST, LONGEST_TOGETHER = 2000, 10_000
"""Most characters of a text, and of all of a joint's."""
_PLAIN = re.compile(r"[\w.]+")


class Translate(NamedTuple):
    """A translation in the axes left by the moves before it.

    Attributes:
        way: A text for each of x, y and z, [m].
    """

    way: tuple[str, str, str]

    @property
    def texts(self) -> tuple[str, ...]:
        """All its texts."""
        return self.way


class Rotate(NamedTuple):
    """A rotation.

    Attributes:
        axis: Unit axis in the frame left by the moves before it.
        angle: A text, [rad].
    """

    axis: Vector
    angle: str

    @property
    def texts(self) -> tuple[str, ...]:
        """All its texts."""
        return (self.angle,)


class Scope:
    """What the texts of a joint may name; each line adds to it.

    Args:
        q: Symbols of the coordinates, as many as there may be.
        constants: Symbols of the numbers that ``let`` names; None for ``c0``, ``c1`` and so on.

    Attributes:
        coordinates: Names of the coordinates.
        values: The numbers that ``let`` names.
    """

    def __init__(self, q: Sequence[Expression] | None = None, constants: Sequence[Expression] | None = None):
        self.coordinates: list[str] = []
        self.values: list[float] = []
        self._q = [symbol(f"q{k}") for k in range(MOST_COORDINATES)] if q is None else q
        self._constants = [symbol(f"c{k}") for k in range(MOST_LETS)] if constants is None else constants
        self._known: dict[str, Expression] = {}
        self._rest: dict[str, float] = {}
        self._length = 0

    def check_new(self, name: str) -> None:
        """Check that a word may name something.

        Raises:
            ExpressionError: If it is no name, has a meaning already, or is a unit.
        """
        check_name(name)
        if name in UNITS:
            raise ExpressionError(f'"{name}" is a unit; expected another name')
        if name in self._known:
            raise ExpressionError(f'"{name}" is named twice; expected names that differ')

    def add_coordinate(self, name: str) -> None:
        """Name the next coordinate.

        Raises:
            ExpressionError: If it cannot have that name, or there are too many.
        """
        self.check_new(name)
        if len(self.coordinates) >= len(self._q):
            raise ExpressionError(f"one coordinate too many; expected at most {len(self._q)}")
        self._known[name] = self._q[len(self.coordinates)]
        self._rest[name] = 0.0
        self.coordinates.append(name)

    def let(self, name: str, text: str) -> None:
        """Name what a text says.

        Raises:
            ExpressionError: If it cannot have that name, or the text is no expression.
        """
        self.check_new(name)
        expression = self.read(text)
        symbols = {node for node in topological([expression]) if node.operation == "symbol"}
        given = [*self._q, *self._constants[: len(self.values)]]
        (value,) = Evaluator([expression], given).floats([*[0.0] * len(self._q), *self.values])
        if symbols & set(self._q):
            self._known[name] = expression
        elif len(self.values) >= len(self._constants):
            raise ExpressionError(f"one name too many; expected at most {len(self._constants)} let lines")
        else:
            self._known[name] = self._constants[len(self.values)]
            self.values.append(value)
        self._rest[name] = value

    def read(self, text: str) -> Expression:
        """Return what a text says.

        Raises:
            ExpressionError: If it is no expression, or not finite where all coordinates are zero.
        """
        self._length += len(text.strip())
        if self._length > LONGEST_TOGETHER:
            raise ExpressionError(
                f"the expressions have {self._length:,} characters; expected at most {LONGEST_TOGETHER:,} in a joint",
                len(text) - len(text.lstrip()),
            )
        return parse(text, self._known, UNITS, self._rest, longest=LONGEST)


@dataclass(frozen=True)
class ExpressionJoint(SymbolicJoint):
    """Translations and rotations one after the other, by expressions of a few coordinates.

    Attributes:
        coordinate_names: Names of the coordinates in the texts.
        measures: What each of them measures, as ``units``.
        moves: In order, each in the frame left by those before it.
        lets: Names and texts of what the moves and later lines of these refer to, in order.
        others: Moves of other charts, which reach the same poses where these here are singular.

    Raises:
        JointError: If a text is no expression, or there are no coordinates or moves, or too many.
    """

    coordinate_names: tuple[str, ...]
    measures: tuple[str, ...]
    moves: tuple[Translate | Rotate, ...]
    lets: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[Translate | Rotate, ...], ...] = ()

    type_name: ClassVar[str] = "expression"

    def __post_init__(self) -> None:
        if len(self.measures) != len(self.coordinate_names) or not set(self.measures) <= {ANGLE, LENGTH, NUMBER}:
            raise JointError(f"coordinates measure {self.measures}; expected {ANGLE}, {LENGTH} or {NUMBER} for each")
        if not self.coordinate_names:
            raise JointError("an expression joint has no coordinates; expected one or more")
        for moves in (self.moves, *self.others):
            if not 0 < len(moves) <= MOST_MOVES:
                raise JointError(
                    f"an expression joint has {len(moves)} translations and rotations; expected 1 to {MOST_MOVES}"
                )
        if len(self.others) >= MOST_CHARTS:
            raise JointError(f"an expression joint has {1 + len(self.others)} charts; expected at most {MOST_CHARTS}")
        if len(self.lets) > MOST_LETS:
            raise JointError(f"an expression joint has {len(self.lets)} let lines; expected at most {MOST_LETS}")
        try:
            _ = self.said
            for moves in self.others:
                self._said(moves)
        except ExpressionError as error:
            raise JointError(f"an expression joint cannot be read: {error}") from None

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of coordinates."""
        return len(self.coordinate_names)

    @property
    def units(self) -> tuple[str, ...]:
        return self.measures

    @property
    def rotary(self) -> tuple[bool, ...]:  # type: ignore[override]
        """Whether each of them is an angle."""
        return tuple(measure == ANGLE for measure in self.measures)

    @property
    def constants(self) -> tuple[float, ...]:
        return self._values

    @cached_property
    def _values(self) -> tuple[float, ...]:
        return tuple(self._scope().values)

    def _scope(self, q: Sequence[Expression] | None = None, constants: Sequence[Expression] | None = None) -> Scope:
        scope = Scope(q, constants)
        for name in self.coordinate_names:
            scope.add_coordinate(name)
        for name, text in self.lets:
            scope.let(name, text)
        return scope

    @cached_property
    def said(self) -> tuple[tuple[Expression, ...], ...]:
        """What the texts of each move say, of the symbols of ``written``."""
        return self._said(self.moves)

    def _said(self, moves: Iterable[Translate | Rotate]) -> tuple[tuple[Expression, ...], ...]:
        scope = self._scope()
        return tuple(tuple(map(scope.read, move.texts)) for move in moves)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        scope = self._scope(q, constants)
        R, p = IDENTITY, ORIGIN
        for move in self.moves:
            said = [scope.read(text) for text in move.texts]
            if isinstance(move, Translate):
                p = add(p, rotated(R, (said[0], said[1], said[2])))
            else:
                R = product(R, turn(vector(*move.axis), said[0]))
        return pose(R, p)

    @cached_property
    def turns(self) -> tuple[bool, ...]:
        places = 0.1 + np.random.default_rng(self.n).uniform(size=(4, self.n))
        given: list[Array | float] = [*places.T, *self.constants]
        evaluator = Evaluator(self.written.Q, [*self.written.q, *self.written.constants])
        here = np.array(evaluator.arrays(given))
        found = []
        for k, rotary in enumerate(self.rotary):
            moved = [value + math.tau if k == i else value for i, value in enumerate(given)]
            off = np.abs(np.array(evaluator.arrays(moved)) - here).max() if rotary else math.inf
            found.append(bool(off < 1e-12 * max(1.0, float(np.abs(here).max()))))
        return tuple(found)

    @property
    def has_charts(self) -> bool:
        return bool(self.others)

    def other_charts(self, q: ArrayLike) -> Sequence[SymbolicJoint]:
        return self.charts[1:]

    @cached_property
    def charts(self) -> tuple[ExpressionJoint, ...]:
        """All charts of the joint, this one first."""
        every = (self.moves, *self.others)
        found = [self]
        for k in range(1, len(every)):
            others = (*every[:k], *every[k + 1 :])
            found.append(ExpressionJoint(self.coordinate_names, self.measures, every[k], self.lets, others))
        return tuple(found)

    def reflected(self) -> ExpressionJoint:
        moves, *others = (tuple(map(_reflected, each)) for each in (self.moves, *self.others))
        return ExpressionJoint(self.coordinate_names, self.measures, moves, self.lets, tuple(others))

    def __getstate__(self) -> dict[str, object]:
        kept = ("coordinate_names", "measures", "moves", "lets", "others")
        return {name: value for name, value in super().__getstate__().items() if name in kept}


def _reflected(move: Translate | Rotate) -> Translate | Rotate:
    if isinstance(move, Translate):
        return Translate((_negated(move.way[0]), move.way[1], move.way[2]))
    x, y, z = move.axis
    return Rotate((x + 0.0, 0.0 - y, 0.0 - z), move.angle)


def _negated(text: str) -> str:
    """Return a text that says the opposite; of that again the text itself."""
    if text == "0":
        return text
    if text.startswith("-") and _PLAIN.fullmatch(text[1:]):
        return text[1:]
    if text.startswith("-(") and text.endswith(")") and _closes(text[1:]):
        return text[2:-1]
    return f"-{text}" if _PLAIN.fullmatch(text) else f"-({text})"


def _closes(text: str) -> bool:
    """Return whether the parenthesis that a text begins with is closed by its last character alone."""
    depth = 0
    for k, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return k == len(text) - 1
    return False
