"""A frame of a body follows a frame that moves through the world over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array, pose_matrix
from core.dynamics.constraints.base import BodyConstraint, body_name
from core.dynamics.constraints.loop_joint import check_kind, frame_residual
from core.dynamics.constraints.points import Side, side_rows
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Frame, Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

PoseMotion = Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]


def _identity() -> Array:
    return np.eye(4)


@dataclass(frozen=True, eq=False)
class PrescribedPose(BodyConstraint):
    """A frame of a body is joined, as by a joint of some kind, to a frame A that moves through the world.

    Attributes:
        body: Index or name.
        motion: Of a time, ``(pose, twist, rate)``: ``X_WA``, shape (4, 4), its twist ``[w; v]`` in A at A's origin,
            shape (6,), and the twist's component-wise time derivative.
        frame: Pose of the frame that follows in the body, shape (4, 4).
        kind: A name in ``KINDS`` of loop joints: a weld follows wholly, a ball in place only, a plane keeps to the
            moving plane across A's z.

    Raises:
        DynamicsError: If the frame is no rigid transform or there is no such kind.
    """

    driven = True

    body: int | str
    motion: PoseMotion
    frame: ArrayLike = field(default_factory=_identity)
    kind: str = "weld"

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", pose_matrix(self.frame, "frame of a prescribed pose"))
        check_kind(self.kind)

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"prescribed pose of {body_name(model, self.body)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return the rows of a joint between the moving frame and the body; what A does is wanted of the body."""
        i = at.model.index(self.body)
        pose, twist, rate = self._values(at.t, self.describe(at.model))
        A = Frame(pose[:3, :3], pose[:3, 3], twist[:3], twist[3:])
        residual, start, end = frame_residual(np.eye(4), self.frame, self.kind)
        on_a, on_body, bias, gap = side_rows(residual, Side(A, start), Side(at.frame(i), end))
        return BodyRows(((i, on_body),), bias, gap, -on_a @ twist, -on_a @ rate)

    def _values(self, t: float, what: str) -> tuple[Array, Array, Array]:
        values = self.motion(t)
        if not isinstance(values, tuple) or len(values) != 3:
            raise DynamicsError(f"{what}: its motion at {t:g} s must be a pose, a twist and the twist's rate")
        place = f"{what}, its motion at {t:g} s"
        return (
            pose_matrix(values[0], f"{place}: pose"),
            finite_array(values[1], (6,), f"{place}: twist"),
            finite_array(values[2], (6,), f"{place}: rate"),
        )
