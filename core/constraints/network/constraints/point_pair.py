"""Two points together."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle


class PointPairConstraint(Constraint):
    """``p_a - p_b - offset = 0``, [m]; the thesis' example, hands to hips.

    Args:
        first: A point.
        second: Another one, of the same figure or not.
        offset: In world axes, shape (3,), [m].
        more: Keywords of ``Constraint``.
    """

    def __init__(self, first: Handle, second: Handle, offset: Array | None = None, **more: Any):
        super().__init__((first, second), **more)
        self.offset = np.zeros(3) if offset is None else offset

    def _evaluate(self) -> Array:
        a, b = self.values
        return a - b - self.offset

    def local_jacobians(self) -> tuple[Array, ...]:
        return np.eye(3), -np.eye(3)
