"""Free joints in space: translation and rotation in either order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import ANGLE, LENGTH, JointModel, numbers
from core.joints.rotation_vector import rechart_vector, vector_of
from core.spatial import so3


@dataclass(frozen=True)
class Free(JointModel):
    """A body that nothing holds, ``q = (p, r)``: the translation ``p`` first, then the rotation ``exp(hat(r))``.

    ``Q = [[R, p], [0, 1]]``, ``S = [[0, J_r], [R^T, 0]]``: ``p`` is the body's place whichever way it is turned.
    """

    type_name: ClassVar[str] = "free"
    n: ClassVar[int] = 6  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y", "z", "rx", "ry", "rz")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)  # type: ignore[misc]
    units: ClassVar[tuple[str, ...]] = (*(LENGTH,) * 3, *(ANGLE,) * 3)

    def transform(self, q: ArrayLike) -> Array:
        x, y, z, *r = numbers(q)
        a, b, c = so3.exp_rows(*r)
        return np.array([[*a, x], [*b, y], [*c, z], [0.0, 0.0, 0.0, 1.0]])

    def subspace(self, q: ArrayLike) -> Array:
        r = numbers(q)[3:]
        S = np.zeros((6, 6))
        S[3:, :3] = list(zip(*so3.exp_rows(*r), strict=True))
        S[:3, 3:] = so3.right_jacobian_rows(*r)
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        x, y, z = numbers(q)[3:]
        dx, dy, dz = numbers(v)[3:]
        # The angular velocity; the unit vectors of P, expressed in J, turn back at it: r' = r x omega.
        u, v, w = (a * dx + b * dy + c * dz for a, b, c in so3.right_jacobian_rows(x, y, z))
        turned = [(b * w - c * v, c * u - a * w, a * v - b * u) for a, b, c in so3.exp_rows(x, y, z)]
        rate = np.zeros((6, 6))
        rate[3:, :3] = list(zip(*turned, strict=True))
        rate[:3, 3:] = so3.left_jacobian_rate_rows(-x, -y, -z, -dx, -dy, -dz)
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        X = np.asarray(X, dtype=np.float64)
        r = vector_of(X[:3, :3], None if near is None else numbers(near)[3:])
        return np.array([*X[:3, 3].tolist(), *r])

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        place, speed = numbers(q), numbers(v)
        changed = rechart_vector(place[3:], speed[3:], early)
        if changed is None:
            return None
        r, rate = changed
        return self, np.array([*place[:3], *r]), np.array([*speed[:3], *rate])


@dataclass(frozen=True)
class FreeRotationFirst(JointModel):
    """A body that nothing holds, ``q = (r, p)``: the rotation ``exp(hat(r))`` first, then ``p`` in the turned axes.

    ``Q = [[R, R p], [0, 1]]``, ``S = [[J_r, 0], [-hat(p) J_r, 1]]``. Same poses as :class:`Free`, other coordinates.

    Source: Sueda eqs. 2.57 to 2.59.
    """

    type_name: ClassVar[str] = "free rotation first"
    n: ClassVar[int] = 6  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz", "x", "y", "z")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True, True, True, False, False, False)  # type: ignore[misc]
    units: ClassVar[tuple[str, ...]] = (*(ANGLE,) * 3, *(LENGTH,) * 3)

    def transform(self, q: ArrayLike) -> Array:
        q = np.asarray(q, dtype=np.float64)
        R = so3.exp(q[:3])
        X = np.zeros((4, 4))
        X[:3, :3] = R
        X[:3, 3] = R @ q[3:]
        X[3, 3] = 1.0
        return X

    def subspace(self, q: ArrayLike) -> Array:
        q = np.asarray(q, dtype=np.float64)
        J = np.array(so3.right_jacobian_rows(*q[:3].tolist()))
        S = np.eye(6)
        S[:3, :3] = J
        S[3:, :3] = -so3.hat(q[3:]) @ J
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        x, y, z = q[:3].tolist()
        dx, dy, dz = v[:3].tolist()
        J = np.array(so3.right_jacobian_rows(x, y, z))
        J_rate = np.array(so3.left_jacobian_rate_rows(-x, -y, -z, -dx, -dy, -dz))
        rate = np.zeros((6, 6))
        rate[:3, :3] = J_rate
        rate[3:, :3] = -so3.hat(v[3:]) @ J - so3.hat(q[3:]) @ J_rate
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        X = np.asarray(X, dtype=np.float64)
        r = vector_of(X[:3, :3], None if near is None else numbers(near)[:3])
        return np.array([*r, *(X[:3, :3].T @ X[:3, 3]).tolist()])

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        place, speed = numbers(q), numbers(v)
        changed = rechart_vector(place[:3], speed[:3], early)
        if changed is None:
            return None
        r, rate = changed
        return self, np.array([*r, *place[3:]]), np.array([*rate, *speed[3:]])
