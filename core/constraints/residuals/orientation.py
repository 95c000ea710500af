"""A part turned as wanted: ``log(R target^T)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import ORIENTATION, Residual
from core.spatial import so3


@dataclass(frozen=True, eq=False)
class OrientationResidual(Residual):
    """``log(R target^T)``, the rotation vector from the target to the part in world axes, three rows, [rad].

    Attributes:
        target: Rotation ``R_WJ`` to have, shape (3, 3).
    """

    target: Array

    angular = True

    @property
    def of(self) -> tuple[str, ...]:
        """One orientation."""
        return (ORIENTATION,)

    @property
    def size(self) -> int:
        """Number of rows."""
        return 3

    def value(self, *h: Array) -> Array:
        return so3.log(h[0] @ self.target.T)

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return (so3.inverse_left_jacobian(self.value(*h)),)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        # C' = J_l^-1 w, and (J_l^-1)' = -J_l^-1 J_l' J_l^-1.
        C = self.value(*h)
        inverse = so3.inverse_left_jacobian(C)
        speed = inverse @ u[0]
        return np.asarray(-inverse @ (so3.left_jacobian_rate(C, speed) @ speed))

    def missing(self, *h: Array) -> Array:
        return -self.value(*h)
