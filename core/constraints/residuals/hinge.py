"""Two points together but for what an axis of the first part leaves free: closes a loop of hinges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import ORIENTATION, OTHER_POINT, POINT, Residual
from core.spatial.cross_products import cross


@dataclass(frozen=True, eq=False)
class HingeResidual(Residual):
    """``v_k . (p_a - p_b)`` in the two directions across an axis that turns with the first part, [m].

    ``v_2 = a x e / |a x e|`` with the unit vector ``e`` of the least component of ``a``, ``v_1 = v_2 x a`` (2.94).

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).

    Source: Sueda 2.93 to 2.97; the rates of the directions, which 2.97 leaves out, are derived here.
    """

    axis: Array

    @property
    def of(self) -> tuple[str, ...]:
        """The two points and the first part's orientation."""
        return POINT, ORIENTATION, OTHER_POINT

    @property
    def size(self) -> int:
        """Number of rows."""
        return 2

    def value(self, *h: Array) -> Array:
        return np.asarray(_directions(h[1] @ self.axis).V @ (h[0] - h[2]))

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        a, d = h[1] @ self.axis, h[0] - h[2]
        e, s, V = _directions(a)
        v2 = V[1]

        def turning(target: Array) -> Array:
            """Return the row on the world's angular velocity for ``v2_dot . target``."""
            return cross(a, cross(e, target - v2 * (v2 @ target)) / s)

        return V, np.stack([turning(cross(a, d)) + cross(a, cross(d, v2)), turning(d)]), -V

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        # g'' = v . d'' + 2 v' . d' + v'' . d
        a, d, speed = h[1] @ self.axis, h[0] - h[2], u[0] - u[2]
        a_dot = cross(u[1], a)
        a_ddot = cross(u[1], a_dot)
        e, s, (_, v2) = _directions(a)
        c_dot, c_ddot = cross(a_dot, e), cross(a_ddot, e)
        s_dot = v2 @ c_dot
        v2_dot = (c_dot - s_dot * v2) / s
        v2_ddot = (c_ddot - 2.0 * s_dot * v2_dot - (v2_dot @ c_dot + v2 @ c_ddot) * v2) / s
        v1_dot = cross(v2_dot, a) + cross(v2, a_dot)
        v1_ddot = cross(v2_ddot, a) + 2.0 * cross(v2_dot, a_dot) + cross(v2, a_ddot)
        V_dot, V_ddot = np.stack([v1_dot, v2_dot]), np.stack([v1_ddot, v2_ddot])
        return np.asarray(2.0 * (V_dot @ speed) + V_ddot @ d)


class _Directions(NamedTuple):
    """Directions across an axis ``a``: ``e``, ``|a x e|``, and ``v_1``, ``v_2`` as rows, shape (2, 3)."""

    e: Array
    s: float
    V: Array


def _directions(a: Array) -> _Directions:
    e = np.zeros(3)
    e[np.argmin(np.abs(a))] = 1.0
    c = cross(a, e)
    s = float(np.linalg.norm(c))
    v2 = c / s
    return _Directions(e, s, np.stack([cross(v2, a), v2]))
