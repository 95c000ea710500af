"""Joints by which two bodies touch: their parameters, their coordinates, what a picture of them shows.

A frame F of the one body's curve or surface and a frame G of the other's come to lie together, but for what the joint
leaves free between them: ``Q = F(q) E(q) G(q)^-1``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from core.joints.base import ANGLE
from core.joints.geometry import Shape
from core.joints.geometry.vectors import IDENTITY, Rows, X, Y, Z, product, turn
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression

ALIGNED, SPIN, FREE = "aligned", "spin", "free"
_TILT = math.radians(85.0)
_TURNS = {ALIGNED: 0, SPIN: 1, FREE: 3}
_NAMES = ("spin", "tilt", "roll")


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

    def _set_up(self, first: Shape | None, second: Shape | None, turning: int) -> None:
        """Take note of what touches; coordinates and all that goes by them follow from that."""
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
            "coordinate_names": (*names, *_NAMES[:turning]),
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

    def turned(self, q: Sequence[Expression]) -> Rows:
        """Return the rotation by the angles that the joint leaves free: about z, then x, then y."""
        angles = q[len(q) - self.turning :]
        R = IDENTITY
        for axis, angle in zip((Z, X, Y), angles, strict=False):
            R = product(R, turn(axis, angle))
        return R
