"""Gear joint: a wheel on a turning arm that gears turn by a ratio of the arm's angle, as in a planetary gear."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import Vector as Triple
from core.joints.base import numbers, unit_axis
from core.joints.geometry.vectors import pose, product, rotated, turn, vectors
from core.joints.nearest import nearest
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression

_MOST_TURNS, _MOST_STARTS = 3, 4


@dataclass(frozen=True)
class Gear(SymbolicJoint):
    """A wheel on an arm, ``Q = R(axis, q) T(arm) R(wheel, ratio q)``.

    A planet wheel of radius r on a fixed one of radius g has the ratio g / r, one inside of a ring -g / r; a bevel gear
    has its ``wheel`` across its ``axis``.

    Attributes:
        axis: Axis of the arm, in the joint frame; any length but zero is taken.
        arm: From there to the middle of the wheel at q = 0, in the joint frame, [m].
        wheel: Axis of the wheel, in the arm's frame.
        ratio: How far the wheel turns on the arm while the arm turns by 1.
    """

    axis: Triple
    arm: Triple
    wheel: Triple
    ratio: float

    type_name: ClassVar[str] = "gear"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("axis", "axis"),
        ("arm", "point"),
        ("wheel", "axis"),
        ("ratio", "number"),
    )

    def __post_init__(self) -> None:
        x, y, z = (float(value) for value in self.arm)
        if not math.isfinite(x + y + z + self.ratio):
            raise JointError(
                f"a gear has the arm ({x:g}, {y:g}, {z:g}) and the ratio {self.ratio:g}; expected finite numbers"
            )
        for name, value in (("axis", unit_axis(self.axis, "a gear")), ("wheel", unit_axis(self.wheel, "a gear"))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "arm", (x, y, z))

    @classmethod
    def template(cls, size: float) -> Gear:
        return cls((0.0, 0.0, 1.0), (size, 0.0, 0.0), (0.0, 0.0, 1.0), 2.0)

    @property
    def constants(self) -> tuple[float, ...]:
        return *self.axis, *self.arm, *self.wheel, self.ratio

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        axis, arm, wheel = vectors(constants[:9])
        R = turn(axis, q[0])
        return pose(product(R, turn(wheel, constants[9] * q[0])), rotated(R, arm))

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        """The arm, and the axis of the wheel on it."""
        X, arm = self.transform(q), np.array(self.arm)
        axis, wheel = np.array(self.axis), X[:3, :3] @ self.wheel  # which the wheel's own turn leaves as it is
        half = 0.2 * float(np.linalg.norm(arm - (arm @ axis) * axis))
        return np.array([(arm @ axis) * axis, X[:3, 3]]), X[:3, 3] + half * np.array([-wheel, wheel])

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the angle of the pose, or of one near it, several turns of the arm or the wheel away at most."""
        around = np.zeros(1) if near is None else np.array(numbers(near))
        reach = math.pi * _MOST_TURNS * max(1.0, 1.0 / abs(self.ratio) if abs(self.ratio) > 0.1 else 1.0)
        count = 16 * _MOST_TURNS * max(1, min(round(abs(self.ratio)), 16))
        many = around[0] + np.linspace(-reach, reach, 2 * count + 1)
        X = np.asarray(X, dtype=np.float64)
        if not (np.isfinite(X).all() and np.isfinite(many).all()):
            return nearest(self, X, [around], around)

        def starts() -> Iterator[Array]:
            yield around
            off = [float(np.sum((self.transform([angle]) - X) ** 2)) for angle in many.tolist()]
            yield from (np.array([many[k]]) for k in np.argsort(off, kind="stable")[:_MOST_STARTS])

        return nearest(self, X, starts(), around)
