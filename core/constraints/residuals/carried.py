"""A part that keeps its place and its orientation in the frame of another part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import ORIENTATION, OTHER_ORIENTATION, OTHER_POINT, POINT, Residual
from core.spatial import so3
from core.spatial.cross_products import cross


@dataclass(frozen=True, eq=False)
class CarriedPointResidual(Residual):
    """``p_a - p_b - R_b offset``, three rows in world axes, [m].

    Attributes:
        offset: The way from the second point to the first in the second part's frame, shape (3,), [m].
    """

    offset: Array

    @property
    def of(self) -> tuple[str, ...]:
        """The two points and the second part's orientation."""
        return POINT, OTHER_POINT, OTHER_ORIENTATION

    @property
    def size(self) -> int:
        """Number of rows."""
        return 3

    def value(self, *h: Array) -> Array:
        return np.asarray(h[0] - h[1] - h[2] @ self.offset)

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return np.eye(3), -np.eye(3), so3.hat(h[2] @ self.offset)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        return -cross(u[2], cross(u[2], h[2] @ self.offset))

    def missing(self, *h: Array) -> Array:
        return -self.value(*h)


@dataclass(frozen=True, eq=False)
class CarriedOrientationResidual(Residual):
    """``log(R_a turn^T R_b^T)``, the rotation vector from the wanted to the actual rotation, three rows, [rad].

    With ``E = R_a turn^T R_b^T`` and angular velocities ``w_a``, ``w_b`` in world axes ``E' E^T = hat(w_a - E w_b)``,
    and so ``C' = J_l^-1 (w_a - E w_b) = J_l^-1 w_a - J_r^-1 w_b``, both Jacobians of SO(3) at C.

    Attributes:
        turn: Rotation of the first part in the second one's frame, shape (3, 3).
    """

    turn: Array

    angular = True

    @property
    def of(self) -> tuple[str, ...]:
        """The two orientations."""
        return ORIENTATION, OTHER_ORIENTATION

    @property
    def size(self) -> int:
        """Number of rows."""
        return 3

    def value(self, *h: Array) -> Array:
        return so3.log(h[0] @ (h[1] @ self.turn).T)

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        C = self.value(*h)
        return so3.inverse_left_jacobian(C), -so3.inverse_right_jacobian(C)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        # C' = J_l^-1 v with v = w_a - E w_b, and E' = hat(v) E.
        C = self.value(*h)
        inverse, carried = so3.inverse_left_jacobian(C), so3.exp(C) @ u[1]
        v = u[0] - carried
        speed = inverse @ v
        return np.asarray(-inverse @ (so3.left_jacobian_rate(C, speed) @ speed + cross(v, carried)))

    def missing(self, *h: Array) -> Array:
        return -self.value(*h)
