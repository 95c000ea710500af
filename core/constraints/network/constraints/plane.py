"""A point in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle


class PlaneConstraint(Constraint):
    """``n . p - d = 0``, [m].

    Args:
        handle: A point, or the centre of mass.
        plane: Unit normal n and d, shape (4,).
        more: Keywords of ``Constraint``.
    """

    def __init__(self, handle: Handle, plane: Array, **more: Any):
        super().__init__((handle,), **more)
        self.plane = plane

    def _evaluate(self) -> Array:
        return np.array([self.plane[:3] @ self.handles[0].value - self.plane[3]])

    def local_jacobians(self) -> tuple[Array, ...]:
        return (self.plane[None, :3],)
