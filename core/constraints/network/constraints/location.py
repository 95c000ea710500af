"""A point, or the centre of mass, at a place."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle


class LocationConstraint(Constraint):
    """``D (p - R) = 0``, [m].

    Args:
        handle: A point, or the centre of mass.
        target: R, shape (3,), [m].
        directions: D, shape (m, 3); None is all three axes.
        more: Keywords of ``Constraint``.
    """

    def __init__(self, handle: Handle, target: Array, directions: Array | None = None, **more: Any):
        super().__init__((handle,), **more)
        self.target = target
        self.directions = np.eye(3) if directions is None else directions

    def _evaluate(self) -> Array:
        return self.directions @ (self.handles[0].value - self.target)

    def local_jacobians(self) -> tuple[Array, ...]:
        return (self.directions,)
