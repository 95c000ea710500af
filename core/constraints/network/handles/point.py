"""Where a point of a part is."""

from __future__ import annotations

from typing import Any

from core.arrays import Array
from core.constraints.network.handles.base import Handle, elements_above
from core.constraints.network.state import FigureState
from core.kinematics.jacobian import point_jacobian


class PointHandle(Handle):
    """World position of a point fixed in a joint's frame, shape (3,), [m].

    Args:
        figure: The figure.
        joint: Index of the joint.
        point: In the joint's frame, shape (3,), [m].
    """

    def __init__(self, figure: FigureState, joint: int, point: Array):
        super().__init__(figure, elements_above(figure.skeleton, joint))
        self.joint, self.point = joint, point

    @property
    def key(self) -> tuple[Any, ...]:
        return ("point", self.figure.name, self.joint, self.point.tobytes())

    def _evaluate(self) -> Array:
        frame = self.figure.frames[self.joint]
        return frame[:3, :3] @ self.point + frame[:3, 3]

    def local_jacobian(self) -> Array:
        return point_jacobian(self.skeleton, self.figure.q, self.joint, self.point)[:3]
