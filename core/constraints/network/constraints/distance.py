"""Two points a fixed length apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle


class DistanceConstraint(Constraint):
    """``|p_a - p_b| - length = 0``, [m].

    Args:
        first: A point.
        second: Another one, of the same figure or not.
        length: [m].
        more: Keywords of ``Constraint``.
    """

    def __init__(self, first: Handle, second: Handle, length: float, **more: Any):
        super().__init__((first, second), **more)
        self.length = length

    def _evaluate(self) -> Array:
        a, b = self.values
        return np.array([np.linalg.norm(a - b) - self.length])

    def local_jacobians(self) -> tuple[Array, ...]:
        a, b = self.values
        away = a - b
        length = float(np.linalg.norm(away))
        # Points that coincide have no direction; any gets them apart.
        direction = (away / length if length > 0.0 else -np.eye(3)[0])[None]
        return direction, -direction
