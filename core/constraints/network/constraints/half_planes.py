"""A point on the inner side of planes: only what is outside counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle


class HalfPlanesConstraint(Constraint):
    """``n . p - d <= 0`` for each of several planes, [m]; one that holds gives a zero row.

    Args:
        handle: A point, or the centre of mass.
        normals: Outward unit normals, shape (m, 3).
        bounds: d, shape (m,), [m].
        more: Keywords of ``Constraint``.
    """

    def __init__(self, handle: Handle, normals: Array, bounds: Array, **more: Any):
        super().__init__((handle,), **more)
        self.normals, self.bounds = normals, bounds

    def _evaluate(self) -> Array:
        return np.maximum(self.normals @ self.handles[0].value - self.bounds, 0.0)

    def local_jacobians(self) -> tuple[Array, ...]:
        return (np.where(self.value[:, None] > 0.0, self.normals, 0.0),)
