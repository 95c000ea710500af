"""A part turned as wanted, wholly or one axis of it."""

from __future__ import annotations

from typing import Any

from core.arrays import Array
from core.constraints.angle import angle_rows, basis_of
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle
from core.spatial import so3


class OrientationConstraint(Constraint):
    """``log(R target^T) = 0``, [rad].

    Args:
        handle: An orientation.
        target: Shape (3, 3).
        more: Keywords of ``Constraint``.
    """

    angular = True

    def __init__(self, handle: Handle, target: Array, **more: Any):
        super().__init__((handle,), **more)
        self.target = target

    def _evaluate(self) -> Array:
        return so3.log(self.handles[0].value @ self.target.T)

    def local_jacobians(self) -> tuple[Array, ...]:
        return (so3.inverse_left_jacobian(self.value),)


class AxisConstraint(Constraint):
    """An axis of the part has a direction in the world: two rows as long as the angle between them, [rad].

    Args:
        handle: An orientation.
        axis: Unit axis in the part's frame, shape (3,).
        direction: Unit direction in the world, shape (3,).
        more: Keywords of ``Constraint``.
    """

    angular = True

    def __init__(self, handle: Handle, axis: Array, direction: Array, **more: Any):
        super().__init__((handle,), **more)
        self.basis, self.direction = basis_of(axis), direction

    def _evaluate(self) -> Array:
        return angle_rows(self.handles[0].value, self.basis, self.direction)[0]

    def local_jacobians(self) -> tuple[Array, ...]:
        _, by_direction = angle_rows(self.handles[0].value, self.basis, self.direction)
        # Turning the part by w is turning the direction by -w: its rate in the part's frame is d x w.
        return (by_direction @ so3.hat(self.direction),)
