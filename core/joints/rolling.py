"""Rolling joint: a wheel that rolls on a straight line or on a circle without slipping."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import nearest_turn, numbers
from core.joints.geometry.vectors import ZERO, Z, pose, turn
from core.joints.nearest import nearest
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression, apply

_MOST_TURNS = 2


@dataclass(frozen=True)
class Rolling(SymbolicJoint):
    """A wheel about z that rolls on the ground in the plane of x and y; the joint's origin is where it touches at 0.

    On a line, ``Q = T(-r q, r, 0) R_z(q)``; on a circle of radius g about ``(0, -g)``, with ``f = q r / (g + r)``,
    ``Q = T(-(g + r) sin f, (g + r) cos f - g, 0) R_z(q)``. Where it is and how far it has turned go together, so that
    nothing but the joint itself is needed to keep it from slipping.

    Attributes:
        radius: Of the wheel, [m].
        ground: Radius of the circle, [m]; negative for one on whose inside it rolls, infinite for a line along x.

    Raises:
        JointError: If the wheel has no size, or does not fit into the circle.
    """

    radius: float
    ground: float = math.inf

    type_name: ClassVar[str] = "rolling"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("radius", "length"), ("ground", "length after on"))

    def __post_init__(self) -> None:
        if not 0.0 < self.radius < math.inf:
            raise JointError(f"a wheel that rolls has the radius {self.radius:g}; expected a finite number above 0")
        if math.isnan(self.ground) or self.ground == -math.inf or -self.radius <= self.ground <= 0.0:
            raise JointError(
                f"a wheel of {self.radius:g} m cannot roll on a circle of {self.ground:g} m; expected one above 0, or "
                f"below {-self.radius:g} to roll inside of it"
            )

    @classmethod
    def template(cls, size: float) -> Rolling:
        return cls(0.5 * size)

    @property
    def constants(self) -> tuple[float, ...]:
        return (self.radius,) if math.isinf(self.ground) else (self.radius, self.ground)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        R, radius = turn(Z, q[0]), constants[0]
        if math.isinf(self.ground):
            return pose(R, (-radius * q[0], radius, ZERO))
        ground = constants[1]
        whole = ground + radius
        angle = q[0] * radius / whole
        return pose(R, (-whole * apply("sin", angle), whole * apply("cos", angle) - ground, ZERO))

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        """The ground, the rim of the wheel, and one of its spokes."""
        X, around = self.transform(q), np.linspace(0.0, 2.0 * math.pi, 73)
        rim = np.stack([np.cos(around), np.sin(around), np.zeros(73)], axis=1)
        reach = 2.0 * math.pi * self.radius
        line = X[0, 3] * np.array([1.0, 0.0, 0.0]) + np.array([[-reach, 0.0, 0.0], [reach, 0.0, 0.0]])
        ground = line if math.isinf(self.ground) else abs(self.ground) * rim - [0.0, self.ground, 0.0]
        wheel = self.radius * rim @ X[:3, :3].T + X[:3, 3]
        return ground, wheel, np.array([X[:3, 3], wheel[0]])

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the angle of the pose, or of one near it: where it is says how often it has gone round."""
        X = np.asarray(X, dtype=np.float64)
        around = np.zeros(1) if near is None else np.array(numbers(near))
        starts = [around]
        if np.isfinite(X).all() and np.isfinite(around).all():
            x, y = X[:2, 3].tolist()
            if math.isinf(self.ground):
                starts.append(np.array([-x / self.radius]))
            else:
                whole = self.ground + self.radius
                side = math.copysign(1.0, whole)
                angle = math.atan2(-side * x, side * (y + self.ground))
                share = self.radius / whole
                for turns in range(-_MOST_TURNS, _MOST_TURNS + 1):
                    starts.append(np.array([(nearest_turn(angle, around[0] * share) + 2.0 * math.pi * turns) / share]))
        return nearest(self, X, starts, around)
