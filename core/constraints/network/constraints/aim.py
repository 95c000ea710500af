"""An axis of a part points at another point."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.angle import angle_rows, basis_of
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.handles.base import Handle
from core.spatial import so3


class AimConstraint(Constraint):
    """The angle between an axis of a part and the line of sight from ``p_a`` to ``p_b``, two rows, [rad].

    Args:
        eye: The point it looks from.
        turned: The part's orientation.
        aim: The point it looks at, of the same figure or not.
        axis: Unit axis in the part's frame, shape (3,).
        more: Keywords of ``Constraint``.
    """

    angular = True

    def __init__(self, eye: Handle, turned: Handle, aim: Handle, axis: Array, **more: Any):
        super().__init__((eye, turned, aim), **more)
        self.basis = basis_of(axis)

    def _evaluate(self) -> Array:
        return angle_rows(self.handles[1].value, self.basis, self._sight()[0])[0]

    def local_jacobians(self) -> tuple[Array, ...]:
        sight, length = self._sight()
        _, by_direction = angle_rows(self.handles[1].value, self.basis, sight)
        by_aim = by_direction @ (np.eye(3) - np.outer(sight, sight)) / length
        return -by_aim, by_direction @ so3.hat(sight), by_aim

    def _sight(self) -> tuple[Array, float]:
        """Line of sight and its length; of points that coincide any."""
        eye, _, aim = self.values
        length = float(np.linalg.norm(aim - eye))
        return ((aim - eye) / length, length) if length > 0.0 else (np.eye(3)[0], 1.0)
