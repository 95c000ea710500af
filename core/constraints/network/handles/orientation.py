"""How a part is turned."""

from __future__ import annotations

from typing import Any

from core.arrays import Array
from core.constraints.network.handles.base import Handle, turning_elements
from core.constraints.network.state import FigureState
from core.constraints.places import rotations
from core.kinematics.jacobian import point_jacobian
from core.skeleton.tree import pack


class OrientationHandle(Handle):
    """World rotation ``R_WJ`` of a joint's frame, shape (3, 3), without the scales on its way.

    Its Jacobian is that of the angular velocity; a force on it is a torque.

    Args:
        figure: The figure.
        joint: Index of the joint.
    """

    def __init__(self, figure: FigureState, joint: int):
        super().__init__(figure, turning_elements(figure.skeleton, joint))
        self.joint = joint

    @property
    def key(self) -> tuple[Any, ...]:
        return ("orientation", self.figure.name, self.joint)

    def _evaluate(self) -> Array:
        if pack(self.skeleton).scaled:
            return rotations(self.skeleton, self.figure.q)[self.joint]
        return self.figure.frames[self.joint, :3, :3].copy()

    def local_jacobian(self) -> Array:
        return point_jacobian(self.skeleton, self.figure.q, self.joint)[3:]
