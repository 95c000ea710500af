"""Screw joint: a turn about a fixed axis that carries along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints import screw_kernel
from core.joints.base import Vector, angle_about, nearest_turn, numbers, unit_axis
from core.joints.evaluated import Evaluated
from core.joints.nearest import nearest
from core.kernels.functions import Function


@dataclass(frozen=True, init=False)
class Screw(Evaluated):
    """A turn by q about ``axis`` and with it a way of ``pitch q / 2 pi`` along it, ``S = [axis; axis pitch / 2 pi]``.

    Attributes:
        axis: Its direction in the joint frame; any length but zero is taken, unit length is kept.
        pitch: How far it goes along the axis in a whole turn, [m]; negative for a left-handed screw.

    Raises:
        JointError: If the axis is zero or not finite, or the pitch is not finite.
    """

    axis: Vector
    pitch: float

    type_name: ClassVar[str] = "screw"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("axis", "axis"), ("pitch", "length"))

    def __init__(self, axis: ArrayLike = (0.0, 0.0, 1.0), pitch: float = 0.1):
        unit = unit_axis(axis, "a screw")
        if not math.isfinite(pitch):
            raise JointError(f"a screw has the pitch {pitch:g}; expected a finite number of metres in a turn")
        object.__setattr__(self, "axis", unit)
        object.__setattr__(self, "pitch", float(pitch))

    @property
    def _rise(self) -> float:
        return self.pitch / (2.0 * math.pi)

    @property
    def evaluation(self) -> Function:
        return screw_kernel.screw

    @property
    def constants(self) -> tuple[float, ...]:
        return *self.axis, self._rise

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the angle of the pose, or of the one nearest to it, a radian counting as much as a metre."""
        X = np.asarray(X, dtype=np.float64)
        around = np.zeros(1) if near is None else np.array(numbers(near))
        along = float(X[:3, 3] @ np.array(self.axis))
        from_rotation = angle_about(X[:3, :3], self.axis, along / self._rise if abs(self._rise) > 1e-12 else around[0])
        if abs(self._rise) <= 1e-12:
            return np.array([nearest_turn(from_rotation, float(around[0]))])
        return nearest(self, X, [np.array([from_rotation]), around], around)

    def reflected(self) -> Screw:
        x, y, z = self.axis
        return Screw((x + 0.0, -y + 0.0, -z + 0.0), -self.pitch)

    def inverse(self) -> Screw:
        x, y, z = self.axis
        return Screw((-x + 0.0, -y + 0.0, -z + 0.0), self.pitch)
