"""Bearings in joints that close loops; what they carry is what the loop's constraint does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.bearings import Bearing, Seat, pin_frame, seat
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.constraints import LoopClosure, LoopJoint
from core.errors import DynamicsError
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint, Situation
    from core.dynamics.multibody import Multibody

_KINDS = ("hinge", "slide", "ball")


class FittedLoop:
    """A bearing between the two bodies of a loop; z of its frame F is along a pin.

    Of a ``LoopJoint`` F is frame B, which moves along the slide as the joint's frame of a slide in the tree does.

    Args:
        bearing: Its friction and sizes, and the loop.
        model: The bodies.
        constraints: Those of the scene.
        regularizer: As of ``seat``.

    Attributes:
        owner: Number of the loop among the constraints.
        seat: The contacts.

    Raises:
        DynamicsError: If the loop is not among the constraints, or of a kind that bearings do not fit.
    """

    def __init__(
        self, bearing: Bearing, model: Multibody, constraints: tuple[Constraint, ...], regularizer: float | None
    ) -> None:
        loop = bearing.joint
        if not isinstance(loop, (LoopJoint, LoopClosure)):
            raise DynamicsError(f"a bearing is in {loop!r}; expected a body, a LoopJoint or a LoopClosure")
        found = [k for k, each in enumerate(constraints) if each is loop]
        if not found:
            raise DynamicsError(f"a bearing is in {loop.describe(model)}, which is not a constraint of the scene")
        self.owner = found[0]
        self._bodies = body_index(model, loop.body_a), body_index(model, loop.body_b)
        if isinstance(loop, LoopJoint):
            kind, self._holder = loop.kind, self._bodies[1]
            frames = np.asarray(loop.frame_a), np.asarray(loop.frame_b)
            self._frame = frames[1]
        else:
            kind, self._holder = "hinge" if loop.axis is not None else "ball", self._bodies[0]
            points = np.asarray(loop.point_a), np.asarray(loop.point_b)
            frames = se3.transform(None, points[0]), se3.transform(None, points[1])
            self._frame = frames[0]
            if loop.axis is not None:
                self._frame = pin_frame(np.asarray(loop.hinge_axis(model)), points[0])
        if kind not in _KINDS:
            raise DynamicsError(f"{loop.describe(model)}: bearings fit hinges, slides and balls")
        side = int(self._bodies[1] != WORLD)
        P = se3.adjoint(model.X_JB[self._bodies[side]] @ frames[side])
        M = P.T @ model.inertias[self._bodies[side]] @ P
        self.seat: Seat = seat(kind, bearing.friction, bearing.radius, bearing.height, bearing.points, M, regularizer)

    def twist_rows(self, at: Situation) -> Array:
        """Return what gives the twist of the second body against the first in F, on all twists, shape (6, 6 nb)."""
        rows = np.zeros((6, 6 * len(at.model.bodies)))
        X_FW = se3.inverse(self._place(at))
        for body, sign in zip(self._bodies, (-1.0, 1.0), strict=True):
            if body != WORLD:
                rows[:, 6 * body : 6 * body + 6] = sign * se3.adjoint(X_FW @ at.poses[body])
        return rows

    def reaction_rows(self, at: Situation) -> tuple[slice, Array]:
        """Return which of all wrenches on bodies are those on one of the two, and what takes them to F, (6, 6)."""
        body = self._bodies[int(self._bodies[1] != WORLD)]
        X_WF = self._place(at)
        return slice(6 * body, 6 * body + 6), se3.adjoint(se3.inverse(at.poses[body]) @ X_WF).T

    def _place(self, at: Situation) -> Array:
        """Return F in the world, shape (4, 4)."""
        return self._frame if self._holder == WORLD else np.asarray(at.poses[self._holder] @ self._frame)
