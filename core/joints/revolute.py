"""Revolute joint: one angle about a fixed axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import HINGE, JointModel, Step, Vector, angle_about, frozen, numbers, unit_axis

_NO_RATE = frozen(np.zeros((6, 1)))


@dataclass(frozen=True, init=False)
class Revolute(JointModel):
    """A hinge, ``Q = exp(axis q)``, ``S = [axis; 0]`` (Sueda 2.4.7).

    Attributes:
        axis: The hinge in the joint frame; any length but zero is taken, unit length is kept.

    Raises:
        JointError: If the axis is zero or not finite.
    """

    axis: Vector
    steps: tuple[Step, ...] = field(init=False, repr=False, compare=False)

    type_name: ClassVar[str] = "revolute"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("axis", "axis"),)

    def __init__(self, axis: ArrayLike = (0.0, 0.0, 1.0)):
        unit = unit_axis(axis, "a revolute joint")
        object.__setattr__(self, "axis", unit)
        object.__setattr__(self, "steps", (Step(HINGE, unit),))
        object.__setattr__(self, "_S", frozen(np.array([*unit, 0.0, 0.0, 0.0])[:, None]))

    def reflected(self) -> Revolute:
        x, y, z = self.axis
        return Revolute((x, -y, -z))

    def transform(self, q: ArrayLike) -> Array:
        (angle,) = numbers(q)
        x, y, z = self.axis
        s, half = math.sin(angle), math.sin(0.5 * angle)
        u = 2.0 * half * half  # 1 - cos, without its cancellation
        ux, uy, uz = u * x, u * y, u * z
        sx, sy, sz = s * x, s * y, s * z
        return np.array(
            [
                [1.0 - uy * y - uz * z, ux * y - sz, ux * z + sy, 0.0],
                [ux * y + sz, 1.0 - ux * x - uz * z, uy * z - sx, 0.0],
                [ux * z - sy, uy * z + sx, 1.0 - ux * x - uy * y, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def subspace(self, q: ArrayLike) -> Array:
        S: Array = self._S  # type: ignore[attr-defined]
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _NO_RATE

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        about = 0.0 if near is None else numbers(near)[0]
        return np.array([angle_about(np.asarray(X, dtype=np.float64)[:3, :3], self.axis, about)])
