"""Universal joint: two hinges across each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.joints.base import HINGE, JointModel, Step, nearest_turn, numbers
from core.spatial import quaternion as quat


@dataclass(frozen=True)
class Universal(JointModel):
    """Bending about x, then about the turned y, without twisting about z: ``R = R_x(q_1) R_y(q_2)``.

    Source: Sueda eqs. 2.37 to 2.40.
    """

    type_name: ClassVar[str] = "universal"
    n: ClassVar[int] = 2  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True, True)  # type: ignore[misc]
    steps: ClassVar[tuple[Step, ...]] = (  # type: ignore[misc]
        Step(HINGE, (1.0, 0.0, 0.0)),
        Step(HINGE, (0.0, 1.0, 0.0)),
    )

    def transform(self, q: ArrayLike) -> Array:
        a, b = numbers(q)
        c1, s1, c2, s2 = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
        return np.array(
            [
                [c2, 0.0, s2, 0.0],
                [s1 * s2, c1, -s1 * c2, 0.0],
                [-c1 * s2, s1, c1 * c2, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def subspace(self, q: ArrayLike) -> Array:
        b = numbers(q)[1]
        S = np.zeros((6, 2))
        S[0, 0], S[1, 1], S[2, 0] = math.cos(b), 1.0, math.sin(b)
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        b, rate_b = numbers(q)[1], numbers(v)[1]
        rate = np.zeros((6, 2))
        rate[0, 0], rate[2, 0] = -rate_b * math.sin(b), rate_b * math.cos(b)
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the angles; of a rotation with a twist, those of the untwisted rotation least far from it.

        With the half angles the quaternion of ``R_x(a) R_y(b)`` is ``(c c', s c', c s', s s')``; its product with the
        quaternion of ``X`` depends on half the sum and half the difference of the angles apart.
        """
        w, x, y, z = quat.from_matrix(np.asarray(X, dtype=np.float64)[:3, :3]).tolist()
        half_sum, half_difference = math.atan2(x + y, w - z), math.atan2(x - y, w + z)
        a, b = half_sum + half_difference, half_sum - half_difference
        near_a, near_b = (0.0, 0.0) if near is None else numbers(near)
        return np.array([nearest_turn(a, near_a), nearest_turn(b, near_b)])
