"""Between a figure's poses and the states of the model made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.charts import converted, rates_matrix
from core.errors import DynamicsError
from core.joints import JointModel
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton.skeleton import Skeleton
from core.spatial import quaternion as quat
from core.spatial import so3
from core.spatial.three_axes import ThreeAxes

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class TypedJoint(NamedTuple):
    """A joint of another type than hinges and slides: the same coordinates in the pose and in the state.

    Attributes:
        body: Number of the body.
        joint: The joint as the figure has it.
        q: Where its coordinates stand in the pose.
        x: Where they stand in the state.
        place: Where they stand among the coordinates of the body's own joint.
    """

    body: int
    joint: JointModel
    q: slice
    x: slice
    place: slice


class Figure:
    """How the poses of a figure and the states of its model belong together.

    Attributes:
        skeleton: The figure.
        home: The pose that tells what the model does not, shape (nq,), [m] and [rad].
        joint_body: Number of the body that each joint moves with, -1 for the world, shape (n,).
        X_BJ: Pose of each joint's frame in that body's frame, shape (n, 4, 4).
        inside: Whether a joint's frame turns against those of all bodies, as the first ones of a ball joint that is
            spread over several joints do; its ``X_BJ`` then says nothing, shape (n,).
        held: Numbers of the degrees of freedom that are no coordinates of the model: those that move no mass, or none
            in a way of their own.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        home: Array,
        joint_body: Indices,
        X_BJ: Array,
        inside: NDArray[np.bool_],
        held: tuple[int, ...],
        free: NDArray[np.bool_],
        straight: tuple[Indices, Indices],
        balls: tuple[Indices, Indices, Array],
        place: int | None,
        slid: int | None,
        typed: tuple[TypedJoint, ...],
    ):
        self.skeleton = skeleton
        self.home = home
        self.joint_body = joint_body
        self.X_BJ = X_BJ
        self.inside = inside
        self.held = held
        # Of the pose: what may be otherwise than in ``home`` without any body being elsewhere.
        self._free = free
        self._straight_q, self._straight_x = straight
        self._ball_q, self._ball_x, axes = balls
        self._axes = ThreeAxes(axes)
        self._place = place
        self._typed = typed
        if slid is not None:
            still = np.zeros(skeleton.nq)
            still[3 + np.array(held, dtype=np.intp)] = home[3 + np.array(held, dtype=np.intp)]
            self._start: Array = forward_kinematics(skeleton, still)[slid, :3, 3]
        self._slides = slid

    # -- from poses to states ------------------------------------------------------------------------------------

    def state(self, q: Array, nx: int) -> Array:
        """Return the coordinates for a pose, shape (nx,); new. What the model holds is not looked at."""
        x = np.zeros(nx)
        x[self._straight_x] = q[self._straight_q]
        if len(self._ball_q):
            turns = self._axes.rotations(q[self._ball_q])
            x[self._ball_x] = 2.0 * quat.log(np.where(turns[:, :1] < 0.0, -turns, turns))
        if self._place is not None:
            x[self._place : self._place + 3] = q[:3] + self._slid(q)
        for part in self._typed:
            x[part.x] = q[part.q]
        return x

    def state_rates(self, q: Array, qdot: Array, x: Array) -> Array:
        """Return the rates of ``x`` for the rates of a pose, shape (nx,); new."""
        v = np.zeros(len(x))
        v[self._straight_x] = qdot[self._straight_q]
        if len(self._ball_q):
            w = 2.0 * self._axes.half_velocities(q[self._ball_q], qdot[self._ball_q])
            back = so3.inverse_left_jacobian(-x[self._ball_x])  # of a turning told in the body's own axes
            v[self._ball_x] = np.einsum("cij,cj->ci", back, w)
        if self._place is not None:
            v[self._place : self._place + 3] = qdot[:3] + self._slid_rate(q, qdot)
        for part in self._typed:
            v[part.x] = qdot[part.q]
        return v

    # -- from states to poses ------------------------------------------------------------------------------------

    def pose(self, model: Multibody, x: Array, near: Array) -> Array:
        """Return the pose for coordinates of ``model``, shape (nq,); angles on the branch nearest to ``near``; new."""
        q = np.where(self._free, near, self.home)
        q[self._straight_q] = x[self._straight_x]
        if len(self._ball_q):
            q[self._ball_q] = self._axes.angles(quat.exp(0.5 * x[self._ball_x]), near[self._ball_q])
        for part in self._typed:
            here = model.bodies[part.body].joint
            own = _part_of(here, part)
            q[part.q] = x[part.x] if own == part.joint else converted(own, x[part.x], part.joint, near[part.q])
        if self._place is not None:
            q[:3] = 0.0
            q[:3] = x[self._place : self._place + 3] - self._slid(q)
        return q

    def pose_rates(self, model: Multibody, x: Array, v: Array, q: Array) -> Array:
        """Return the rates of the pose ``q`` for the rates of ``x``, shape (nq,); new.

        At gimbal lock, where angles cannot follow every turning, the least rates that come nearest.
        """
        qdot = np.zeros(len(q))
        qdot[self._straight_q] = v[self._straight_x]
        if len(self._ball_q):
            w = np.einsum("cij,cj->ci", so3.left_jacobian(-x[self._ball_x]), v[self._ball_x])
            units = np.broadcast_to(np.eye(3)[:, None], (3, len(w), 3))
            columns = 2.0 * np.moveaxis(self._axes.half_velocities(q[self._ball_q], units), 0, -1)
            qdot[self._ball_q] = np.einsum("cij,cj->ci", np.linalg.pinv(columns, rcond=1e-9), w)
        for part in self._typed:
            own = _part_of(model.bodies[part.body].joint, part)
            rates = v[part.x]
            qdot[part.q] = rates if own == part.joint else rates_matrix(own, x[part.x], part.joint, q[part.q]) @ rates
        if self._place is not None:
            qdot[:3] = v[self._place : self._place + 3] - self._slid_rate(q, qdot)
        return qdot

    # -- the root's own slides -----------------------------------------------------------------------------------

    def _slid(self, q: Array) -> Array:
        """Return how far slides of the root's own have carried its body from where ``q[:3]`` puts it, shape (3,)."""
        if self._slides is None:
            return np.zeros(3)
        here = q.copy()
        here[:3] = 0.0
        return np.asarray(forward_kinematics(self.skeleton, here)[self._slides, :3, 3] - self._start)

    def _slid_rate(self, q: Array, qdot: Array) -> Array:
        if self._slides is None:
            return np.zeros(3)
        J = point_jacobian(self.skeleton, q, self._slides, np.zeros(3))
        return np.asarray(J[:3, 3:] @ qdot[3:])


def _part_of(joint: JointModel, part: TypedJoint) -> JointModel:
    """Return the joint of a figure's joint inside of its body's joint, in its present chart."""
    if part.place.start == 0 and part.place.stop == joint.n:
        return joint
    start = 0
    for own in getattr(joint, "joints", ()):
        if start == part.place.start and own.n == part.place.stop - start:
            return own
        start += own.n
    raise DynamicsError(f"the joint {joint!r} is not the one the figure's model was made with")
