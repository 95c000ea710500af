"""Spherical joint in Euler angles, in any of the twelve orders, and the change from one order to another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import JointError
from core.joints.base import HINGE, JointModel, Step, numbers
from core.spatial import quaternion as quat
from core.spatial.three_axes import ThreeAxes

ORDERS = ("XYX", "XZX", "YZY", "YXY", "ZXZ", "ZYZ", "XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
"""The twelve orders of Euler angles; of equally good ones the first is taken."""

RECHART_BELOW = 0.5
"""``|det S|`` under which another order is taken; the best one always has more than 0.9."""

_UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@lru_cache(maxsize=len(ORDERS))
def _three_axes(order: str) -> ThreeAxes:
    return ThreeAxes(np.array([_UNITS["XYZ".index(letter)] for letter in order]))


def conditions(R: Array) -> list[float]:
    """Return ``|det S|`` of each of ``ORDERS`` at a rotation, 0 (gimbal lock) to 1.

    It is ``|sin|`` of the middle angle for orders like XYX and ``|cos|`` of it for those like XYZ, and the length of
    the rest of the row of ``R`` whose entry gives that angle.

    Args:
        R: Shape (3, 3).
    """
    rows = R.tolist()
    found = []
    for order in ORDERS:
        i, k = "XYZ".index(order[0]), "XYZ".index(order[2])
        found.append(math.hypot(rows[i][(k + 1) % 3], rows[i][(k + 2) % 3]))
    return found


def best_order(*rotations: Array) -> str:
    """Return the order of Euler angles that is farthest from gimbal lock at the worst of some rotations.

    Args:
        rotations: One or more, shape (3, 3) each.
    """
    worst = [min(values) for values in zip(*(conditions(R) for R in rotations), strict=True)]
    return ORDERS[worst.index(max(worst))]


@dataclass(frozen=True)
class SphericalEuler(JointModel):
    """A ball joint in Euler angles, ``R = R_i(q_1) R_j(q_2) R_k(q_3)``, each axis in the frame left by those before.

    ``S`` is singular at gimbal lock; ``rechart`` changes the order before.

    Attributes:
        order: One of ``ORDERS``, upper or lower case.

    Raises:
        JointError: If the order is none of the twelve.

    Source: Sueda 2.4.5, for every order.
    """

    order: str = "XYZ"
    steps: tuple[Step, ...] = field(init=False, repr=False, compare=False)

    type_name: ClassVar[str] = "spherical euler"
    n: ClassVar[int] = 3  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True, True, True)  # type: ignore[misc]

    def __post_init__(self) -> None:
        order = self.order.upper() if isinstance(self.order, str) else self.order
        if order not in ORDERS:
            raise JointError(
                f"a spherical joint has the Euler order {shown(self.order)}; expected one of {', '.join(ORDERS)}"
            )
        axes = tuple("XYZ".index(letter) for letter in order)
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "_axes", axes)
        object.__setattr__(self, "steps", tuple(Step(HINGE, _UNITS[axis]) for axis in axes))
        names = order.lower() if len(set(order)) == 3 else f"{order[0]}{order[1]}{order[2]}2".lower()
        object.__setattr__(self, "coordinate_names", (names[0], names[1], names[2:]))

    def transform(self, q: ArrayLike) -> Array:
        a, b, c = numbers(q)
        i, j, k = self._axes  # type: ignore[attr-defined]
        # The rows of R are the unit vectors turned back by all three rotations.
        X = np.zeros((4, 4))
        X[:3, :3] = [_back(_back(_back(unit, i, a), j, b), k, c) for unit in _UNITS]
        X[3, 3] = 1.0
        return X

    def _columns(self, q: ArrayLike) -> tuple[list[float], list[float], tuple[float, float, float]]:
        _, b, c = numbers(q)
        i, j, k = self._axes  # type: ignore[attr-defined]
        return _back(_back(_UNITS[i], j, b), k, c), _back(_UNITS[j], k, c), _UNITS[k]

    def subspace(self, q: ArrayLike) -> Array:
        S = np.zeros((6, 3))
        S[:3] = list(zip(*self._columns(q), strict=True))
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        first, second, third = self._columns(q)
        _, v2, v3 = numbers(v)
        # Each column turns back as the rotations after it go on: s' = s x (the angular velocity of those).
        after = [v3 * third[i] for i in range(3)]
        both = [after[i] + v2 * second[i] for i in range(3)]
        rate = np.zeros((6, 3))
        rate[:3, 0] = _cross(first, both)
        rate[:3, 1] = _cross(second, after)
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        q = quat.from_matrix(np.asarray(X, dtype=np.float64)[:3, :3])
        around = np.zeros((1, 3)) if near is None else np.asarray(near, dtype=np.float64).reshape(1, 3)
        return _three_axes(self.order).angles(q[None], around)[0]

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        middle = numbers(q)[1]
        like_xyx = self.order[0] == self.order[2]
        if not abs(math.sin(middle) if like_xyx else math.cos(middle)) <= RECHART_BELOW:
            return None
        X = self.transform(q)
        chart = SphericalEuler(best_order(X[:3, :3]))
        new = chart.coordinates(X)
        omega = self.subspace(q)[:3] @ np.asarray(v, dtype=np.float64)
        return chart, new, np.asarray(np.linalg.solve(chart.subspace(new)[:3], omega), dtype=np.float64)


def _back(vector: list[float] | tuple[float, float, float], axis: int, angle: float) -> list[float]:
    """Return a vector in axes that have turned by ``angle`` about one of them."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turned = list(vector)
    turned[a], turned[b] = c * vector[a] + s * vector[b], c * vector[b] - s * vector[a]
    return turned


def _cross(u: list[float], v: list[float]) -> list[float]:
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
