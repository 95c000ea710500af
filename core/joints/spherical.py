"""Spherical joint in exponential coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import JointModel, numbers
from core.joints.rotation_vector import rechart_vector, vector_of
from core.spatial import so3


@dataclass(frozen=True)
class Spherical(JointModel):
    """A ball joint, ``R = exp(hat(q))``; ``S = [J_r(q); 0]`` with the right Jacobian of the rotations (Sueda 2.4.8).

    Its only singularities, at a length of 2 pi and its multiples, are kept away from by ``rechart``.
    """

    type_name: ClassVar[str] = "spherical"
    n: ClassVar[int] = 3  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True, True, True)  # type: ignore[misc]

    def transform(self, q: ArrayLike) -> Array:
        a, b, c = so3.exp_rows(*numbers(q))
        return np.array([[*a, 0.0], [*b, 0.0], [*c, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def subspace(self, q: ArrayLike) -> Array:
        S = np.zeros((6, 3))
        S[:3] = so3.right_jacobian_rows(*numbers(q))
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        x, y, z = numbers(q)
        dx, dy, dz = numbers(v)
        S = np.zeros((6, 3))
        S[:3] = so3.left_jacobian_rate_rows(-x, -y, -z, -dx, -dy, -dz)
        return S

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        R = np.asarray(X, dtype=np.float64)[:3, :3]
        return np.array(vector_of(R, None if near is None else numbers(near)))

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        changed = rechart_vector(numbers(q), numbers(v), early)
        return None if changed is None else (self, *changed)
