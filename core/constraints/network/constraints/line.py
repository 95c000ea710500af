"""A point on a line."""

from __future__ import annotations

from typing import Any

from core.arrays import Array
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle
from core.constraints.primitives import across


class LineConstraint(Constraint):
    """``D (p - R) = 0`` with two directions D across the line, [m].

    Args:
        handle: A point, or the centre of mass.
        line: A point R of it and its unit direction, shape (2, 3).
        more: Keywords of ``Constraint``.
    """

    def __init__(self, handle: Handle, line: Array, **more: Any):
        super().__init__((handle,), **more)
        self.start, self.directions = line[0], across(line[1])

    def _evaluate(self) -> Array:
        return self.directions @ (self.handles[0].value - self.start)

    def local_jacobians(self) -> tuple[Array, ...]:
        return (self.directions,)
