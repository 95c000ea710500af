"""Prismatic joint: one length along a fixed axis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import SLIDE, JointModel, Step, Vector, frozen, numbers, unit_axis

_NO_RATE = frozen(np.zeros((6, 1)))


@dataclass(frozen=True, init=False)
class Prismatic(JointModel):
    """A slide, ``Q`` the translation by ``axis q``, ``S = [0; axis]`` (Sueda eqs. 2.23, 2.24).

    Attributes:
        axis: Its direction in the joint frame; any length but zero is taken, unit length is kept.

    Raises:
        JointError: If the axis is zero or not finite.
    """

    axis: Vector
    steps: tuple[Step, ...] = field(init=False, repr=False, compare=False)

    type_name: ClassVar[str] = "prismatic"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("distance",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("axis", "axis"),)

    def __init__(self, axis: ArrayLike = (1.0, 0.0, 0.0)):
        unit = unit_axis(axis, "a prismatic joint")
        object.__setattr__(self, "axis", unit)
        object.__setattr__(self, "steps", (Step(SLIDE, unit),))
        object.__setattr__(self, "_S", frozen(np.array([0.0, 0.0, 0.0, *unit])[:, None]))

    def reflected(self) -> Prismatic:
        x, y, z = self.axis
        return Prismatic((-x, y, z))

    def transform(self, q: ArrayLike) -> Array:
        (distance,) = numbers(q)
        x, y, z = self.axis
        return np.array(
            [
                [1.0, 0.0, 0.0, x * distance],
                [0.0, 1.0, 0.0, y * distance],
                [0.0, 0.0, 1.0, z * distance],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def subspace(self, q: ArrayLike) -> Array:
        S: Array = self._S  # type: ignore[attr-defined]
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return _NO_RATE

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return np.asarray(X, dtype=np.float64)[:3, 3] @ np.array(self.axis)[:, None]
