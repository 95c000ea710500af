"""Joints by which two bodies touch: their parameters, their coordinates, what a picture of them shows.

A frame F of the one body's curve or surface and a frame G of the other's come to lie together, but for what the joint
leaves free between them: ``Q = F(q) E(q) G(q)^-1``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import ANGLE, LENGTH, nearest_turn, numbers
from core.joints.geometry import Shape, Surface
from core.joints.geometry.vectors import IDENTITY, Rows, X, Y, Z, product, turn
from core.joints.nearest import nearest
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression

ALIGNED, SPIN, FREE = "aligned", "spin", "free"
_TILT = math.radians(85.0)
_TURNS = {ALIGNED: 0, SPIN: 1, FREE: 3}
_MOST_STARTS = 12
_NAMES = ("spin", "tilt", "roll")


def turns_of(hold: str, what: str) -> int:
    """Return how many angles a way of holding leaves free.

    Raises:
        JointError: If there is no such way; the message names ``what``.
    """
    if hold not in _TURNS:
        raise JointError(f'{what} is held "{hold}"; expected one of {", ".join(_TURNS)}')
    return _TURNS[hold]


class Touching(NamedTuple):
    """A curve or surface that a joint runs on.

    Attributes:
        shape: It.
        moves: Whether it belongs to the moving body, in whose frame it stands; else it stands in the joint frame.
        first: Which of the joint's coordinates is its first.
    """

    shape: Shape
    moves: bool
    first: int


class ContactJoint(SymbolicJoint):
    """A joint of two bodies that touch.

    Attributes:
        touching: The curves and surfaces, in the order of their coordinates, which come before all others.
        turning: Angles between the frames that lie together, about z, x and y in turn, [rad]: how many, up to 3.
    """

    touching: tuple[Touching, ...]
    turning: int

    def _set_up(self, first: Shape | None, second: Shape | None, turning: int, angles: Sequence[str] = _NAMES) -> None:
        """Take note of what touches; coordinates and all that goes by them follow from that.

        Args:
            first: What stands in the joint frame.
            second: What the moving body has.
            turning: How many angles are free.
            angles: Their names.
        """
        touching: list[Touching] = []
        names: list[str] = []
        units: list[str] = []
        turns: list[bool] = []
        for shape, moves in ((first, False), (second, True)):
            if shape is not None:
                touching.append(Touching(shape, moves, len(names)))
                names += [f"own {name}" if moves else name for name in shape.coordinate_names]
                units += shape.units
                turns += shape.turns
        for name, value in {
            "touching": tuple(touching),
            "turning": turning,
            "n": len(names) + turning,
            "coordinate_names": (*names, *angles[:turning]),
            "rotary": (*[unit == ANGLE for unit in units], *[True] * turning),
            "_units": (*units, *[ANGLE] * turning),
            "_turns": (*turns, *[True, False, True][:turning]),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def turns(self) -> tuple[bool, ...]:
        """Which coordinates come back to the same place after a whole turn."""
        found: tuple[bool, ...] = self._turns  # type: ignore[attr-defined]
        return found

    @property
    def units(self) -> tuple[str, ...]:
        """What each coordinate measures."""
        found: tuple[str, ...] = self._units  # type: ignore[attr-defined]
        return found

    @property
    def has_charts(self) -> bool:
        # Without an angle to take it up, a turn about a pole is a movement of its own.
        return self.turning > 0 and any(isinstance(s, Surface) and s.has_poles for s, *_ in self.touching)

    def other_charts(self, q: ArrayLike) -> Sequence[SymbolicJoint]:
        """Return the joint with the poles of its surfaces elsewhere if it is near one of them."""
        if not self.has_charts:
            return ()
        at, moved = numbers(q), {}
        shapes = [each.name for each in fields(self) if isinstance(getattr(self, each.name), Shape)]  # type: ignore[arg-type]
        for name, (shape, _, first) in zip(shapes, self.touching, strict=False):
            if isinstance(shape, Surface) and (other := shape.away_from_poles(at[first : first + 2])) is not shape:
                moved[name] = other
        return (replace(self, **moved),) if moved else ()  # type: ignore[type-var]

    @property
    def constants(self) -> tuple[float, ...]:
        return tuple(number for each in self.touching for number in each.shape.constants)

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        endless = (-math.inf, math.inf)
        return (
            *(bounds for each in self.touching for bounds in each.shape.domain),
            *(endless, (-_TILT, _TILT), endless)[: self.turning],
        )

    @property
    def places(self) -> tuple[int, ...]:
        return ({1: 17, 2: 9, 3: 5}.get(self.n, 3),) * self.n

    def parts(
        self, q: Sequence[Expression], constants: Sequence[Expression]
    ) -> list[tuple[Sequence[Expression], Sequence[Expression]]]:
        """Return the coordinates and the constants of each of ``touching``."""
        found, at = [], 0
        for shape, _, first in self.touching:
            count = len(shape.constants)
            found.append((q[first : first + len(shape.units)], constants[at : at + count]))
            at += count
        return found

    def between(self, q: Sequence[Expression]) -> Rows:
        """Return the rotation by the angles that the joint leaves free: about z, then x, then y."""
        angles = q[len(q) - self.turning :]
        R = IDENTITY
        for axis, angle in zip((Z, X, Y), angles, strict=False):
            R = product(R, turn(axis, angle))
        return R

    def angles(self, E: Array) -> list[float]:
        """Return the angles that the joint leaves free of what ``between`` makes of them, as far as it does."""
        if self.turning > 2:
            tilt = math.asin(min(max(float(E[2, 1]), -1.0), 1.0))
            return [math.atan2(-E[0, 1], E[1, 1]), tilt, math.atan2(-E[2, 0], E[2, 2])]
        return [math.atan2(E[1, 0], E[0, 0]), 0.0][: self.turning]

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return coordinates of the pose, or of one near it, by least squares; a radian counts as much as a metre.

        The search begins at ``near``; if that leads astray, at places all over the curves and surfaces that come
        nearest to touching there.
        """
        X = np.asarray(X, dtype=np.float64)
        around = np.zeros(self.n) if near is None else np.array(numbers(near))
        q = nearest(self, X, self._starts(X, around), around)
        for k, turns in enumerate(self.turns):
            if turns:
                q[k] = nearest_turn(float(q[k]), float(around[k]))
        return q

    def _starts(self, X: Array, around: Array) -> Iterator[Array]:
        """Yield coordinates at which a search for a pose may begin: those given, then the most hopeful of many."""
        yield around
        if not np.isfinite(X).all() or not np.isfinite(around).all():
            return
        reach = float(np.linalg.norm(X[:3, 3]))
        grids = [_places_of(each, around, reach) for each in self.touching]
        frames = [each.shape.frames(grid) for each, grid in zip(self.touching, grids, strict=True)]
        here = frames[0]
        there = X @ frames[1] if len(frames) > 1 else X[None]
        # Squares of how far apart the points are, and of how far the directions are from those that touch.
        off = _squares(here[:, :3, 3], there[:, :3, 3])
        if len(frames) > 1 and self.turning < _TURNS[FREE]:
            facing = -1.0 if len(self.touching[0].shape.units) > 1 else 1.0
            off = off + _squares(here[:, :3, 2], facing * there[:, :3, 2])
        for index in np.argsort(off, axis=None, kind="stable")[:_MOST_STARTS].tolist():
            i, j = divmod(index, len(there))
            angles = self.angles(here[i, :3, :3].T @ there[j, :3, :3])
            yield np.concatenate([grids[0][i], *([grids[1][j]] if len(grids) > 1 else []), angles])


def _places_of(each: Touching, around: Array, reach: float) -> Array:
    """Return coordinates all over a curve or surface, as far as a reach, [m], about those given where it has no end."""
    shape, axes = each.shape, []
    count = 128 if len(shape.units) == 1 else 20
    for k, ((least, most), (low, high)) in enumerate(zip(shape.domain, shape.shown, strict=True)):
        middle = float(around[each.first + k])
        if not shape.turns[k] and not math.isfinite(most - least):
            beyond = reach if shape.units[k] == LENGTH else 0.0
            low, high = middle + 4.0 * low - beyond, middle + 4.0 * high + beyond
        axes.append(np.linspace(low, high, count + 1))
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _squares(a: Array, b: Array) -> Array:
    """Return the squared distances of all vectors of two sets, shape (m, n)."""
    return np.asarray((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2.0 * a @ b.T)
