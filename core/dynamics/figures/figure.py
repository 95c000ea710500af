"""Between a figure's poses and the states of the model made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.charts import converted, rates_matrix
from core.dynamics.figures.runs import Places
from core.errors import DynamicsError
from core.joints import JointModel, SphericalEuler
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton.skeleton import Skeleton
from core.spatial import quaternion as quat
from core.spatial import so3
from core.spatial.three_axes import ThreeAxes

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

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


class Ball(NamedTuple):
    """Three hinges that are one rotation in the state, and hinges beside them whose turn is part of it.

    Attributes:
        q: Where the three angles stand in the pose, shape (3,).
        x: Where the rotation vector stands in the state, shape (3,).
        axes: The hinges, shape (3, 3), one a row.
        before_q: Where the angles of the hinges before them stand in the pose, shape (k,).
        before_axes: Those hinges, shape (k, 3).
        after_q: Where the angles of the hinges after them stand, shape (l,).
        after_axes: Those hinges, shape (l, 3).
    """

    q: Indices
    x: Indices
    axes: Array
    before_q: Indices
    before_axes: Array
    after_q: Indices
    after_axes: Array


class Figure:
    """How the poses of a figure and the states of its model belong together.

    Args:
        skeleton: The figure.
        home: The pose that gives what the model does not, shape (nq,).
        places: Where its joints are.
        held: Numbers of the degrees of freedom that are in no coordinate.
        idle: Those that a pose may have otherwise than ``home`` without any mass being elsewhere.
        straight: Hinges and slides: where they stand in the pose and in the state.
        balls: Three hinges each.
        typed: Joints of other types.
        place: Where the root's place stands in the state; None if it is fixed.
        slid: The joint whose origin that place is, if slides of the root are part of it.

    Attributes:
        skeleton: The figure.
        home: The pose that gives what the model does not, shape (nq,), [m] and [rad].
        joint_body: Number of the body that each joint moves with, -1 for the world, shape (n,).
        X_BJ: Pose of each joint's frame in that body's frame, shape (n, 4, 4).
        inside: Whether a joint's frame turns against those of all bodies, as the first ones of a ball joint that is
            spread over several joints do; its ``X_BJ`` then says nothing, shape (n,).
        held: Numbers of the degrees of freedom that are in no coordinate of the model: those that move no mass, or none
            in a way of their own.
        balls: Three hinges each that are one rotation in the state.
        hinges: Of hinges, slides and the coordinates of other joints, balls apart, where they stand in the pose and, by
            that, where in the state.
        place: Where the root's place stands in the state: the first of three; None if it is fixed.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        home: Array,
        places: Places,
        held: Sequence[int],
        idle: Sequence[int],
        straight: Sequence[tuple[int, int]],
        balls: Sequence[Ball],
        typed: Sequence[TypedJoint],
        place: int | None,
        slid: int | None,
    ):
        self.skeleton = skeleton
        self.home = home
        self.joint_body = places.run
        self.X_BJ = places.frames
        self.inside = places.inside
        self.held = tuple(held)
        self.balls = tuple(balls)
        self._idle = np.array(idle, dtype=np.intp) + 3
        both = np.array(straight, dtype=np.intp).reshape(-1, 2)
        self._straight_q, self._straight_x = both[:, 0], both[:, 1]
        self.hinges: dict[int, int] = {int(q): int(x) for q, x in both}
        self._ball_q = np.array([ball.q for ball in balls], dtype=np.intp).reshape(-1, 3)
        self._ball_x = np.array([ball.x for ball in balls], dtype=np.intp).reshape(-1, 3)
        self._axes = ThreeAxes(np.array([ball.axes for ball in balls]).reshape(-1, 3, 3))
        self._beside = [(k, ball) for k, ball in enumerate(balls) if len(ball.before_q) or len(ball.after_q)]
        self._typed = tuple(typed)
        for each in self._typed:
            if not isinstance(each.joint, SphericalEuler):
                self.hinges.update(zip(range(each.q.start, each.q.stop), range(each.x.start, each.x.stop), strict=True))
        self.place = place
        self._slid_joint = slid
        if slid is not None:
            still = np.zeros(skeleton.nq)
            kept = np.array(self.held, dtype=np.intp) + 3
            still[kept] = home[kept]
            self._start: Array = forward_kinematics(skeleton, still)[slid, :3, 3]

    # -- from poses to states ------------------------------------------------------------------------------------

    def state(self, q: Array, nx: int) -> Array:
        """Return the coordinates for a pose, shape (nx,); new. What the model holds is not looked at."""
        x = np.zeros(nx)
        x[self._straight_x] = q[self._straight_q]
        if len(self._ball_q):
            turns = self._axes.rotations(q[self._ball_q])
            for k, ball in self._beside:
                before, after = _hinges(ball.before_axes, q[ball.before_q]), _hinges(ball.after_axes, q[ball.after_q])
                turns[k] = quat.multiply(quat.multiply(before, turns[k]), after)
            x[self._ball_x] = 2.0 * quat.log(np.where(turns[:, :1] < 0.0, -turns, turns))
        if self.place is not None:
            x[self.place : self.place + 3] = q[:3] + self._slid(q)
        for part in self._typed:
            x[part.x] = q[part.q]
        return x

    def states(self, poses: Array, nx: int) -> Array:
        """Return the coordinates for several poses, shape (m, nx); each as ``state`` has it, to the bit."""
        if self._beside or self._slid_joint is not None:
            return np.stack([self.state(q, nx) for q in poses])
        x = np.zeros((len(poses), nx))
        x[:, self._straight_x] = poses[:, self._straight_q]
        if len(self._ball_q):
            turns = self._axes.rotations(poses.take(self._ball_q, axis=1))
            x[:, self._ball_x] = 2.0 * quat.log(np.where(turns[..., :1] < 0.0, -turns, turns))
        if self.place is not None:
            x[:, self.place : self.place + 3] = poses[:, :3] + 0.0  # as if something had slid by nothing
        for part in self._typed:
            x[:, part.x] = poses[:, part.q]
        return x

    def state_rates(self, q: Array, qdot: Array, x: Array) -> Array:
        """Return the rates of ``x`` for the rates of a pose, shape (nx,); new."""
        v = np.zeros(len(x))
        v[self._straight_x] = qdot[self._straight_q]
        if len(self._ball_q):
            w = 2.0 * self._axes.half_velocities(q[self._ball_q], qdot[self._ball_q])
            for k, ball in self._beside:
                w[k] = _turning(ball, q, qdot)
            back = so3.inverse_left_jacobian(-x[self._ball_x])  # of a turning expressed in the body's own axes
            v[self._ball_x] = np.einsum("cij,cj->ci", back, w)
        if self.place is not None:
            v[self.place : self.place + 3] = qdot[:3] + self._slid_rate(q, qdot)
        for part in self._typed:
            v[part.x] = qdot[part.q]
        return v

    # -- from states to poses ------------------------------------------------------------------------------------

    def pose(self, model: TreeModel, x: Array, near: Array) -> Array:
        """Return the pose for coordinates of ``model``, shape (nq,); angles on the branch nearest to ``near``; new."""
        q = self.home.copy()
        q[self._idle] = near[self._idle]
        q[self._straight_q] = x[self._straight_x]
        if len(self._ball_q):
            turns = quat.exp(0.5 * x[self._ball_x])
            for k, ball in self._beside:
                before, after = _hinges(ball.before_axes, q[ball.before_q]), _hinges(ball.after_axes, q[ball.after_q])
                turns[k] = quat.multiply(quat.multiply(quat.conjugate(before), turns[k]), quat.conjugate(after))
            q[self._ball_q] = self._axes.angles(turns, near[self._ball_q])
        for part in self._typed:
            here = model.bodies[part.body].joint
            own = _part_of(here, part)
            q[part.q] = x[part.x] if own == part.joint else converted(own, x[part.x], part.joint, near[part.q])
        if self.place is not None:
            q[:3] = 0.0
            q[:3] = x[self.place : self.place + 3] - self._slid(q)
        return q

    def pose_rates(self, model: TreeModel, x: Array, v: Array, q: Array) -> Array:
        """Return the rates of the pose ``q`` for the rates of ``x``, shape (nq,); new.

        At gimbal lock, where angles cannot follow every turning, the least rates that come nearest. What other
        coordinates do as well stands still.
        """
        qdot = np.zeros(len(q))
        qdot[self._straight_q] = v[self._straight_x]
        if len(self._ball_q):
            w = np.einsum("cij,cj->ci", so3.left_jacobian(-x[self._ball_x]), v[self._ball_x])
            for k, ball in self._beside:
                w[k] = quat.rotate(_hinges(ball.after_axes, q[ball.after_q]), w[k])
            qdot[self._ball_q] = np.einsum("cij,cj->ci", self._angle_rates(q), w)
        for part in self._typed:
            own = _part_of(model.bodies[part.body].joint, part)
            rates = v[part.x]
            qdot[part.q] = rates if own == part.joint else rates_matrix(own, x[part.x], part.joint, q[part.q]) @ rates
        if self.place is not None:
            qdot[:3] = v[self.place : self.place + 3] - self._slid_rate(q, qdot)
        return qdot

    def pose_rates_matrix(self, x: Array, q: Array) -> Array:
        """Return E of ``qdot = E v``, for the rates of a pose as ``pose_rates`` gives them, shape (nq, nx); new.

        Args:
            x: Coordinates in the charts of the figure's own model.
            q: Their pose.
        """
        E = np.zeros((len(q), len(x)))
        E[self._straight_q, self._straight_x] = 1.0
        if len(self._ball_q):
            turning = so3.left_jacobian(-x[self._ball_x])
            for k, ball in self._beside:
                turning[k] = quat.to_matrix(_hinges(ball.after_axes, q[ball.after_q])) @ turning[k]
            E[self._ball_q[:, :, None], self._ball_x[:, None, :]] = self._angle_rates(q) @ turning
        for part in self._typed:
            E[part.q, part.x] = np.eye(part.q.stop - part.q.start)
        if self.place is not None:
            E[:3, self.place : self.place + 3] = np.eye(3)
            if self._slid_joint is not None:
                J = point_jacobian(self.skeleton, q, self._slid_joint, np.zeros(3))
                E[:3] -= J[:3, 3:] @ E[3:]
        return E

    def _angle_rates(self, q: Array) -> Array:
        """Return what makes rates of the balls' angles of their turning in own axes, shape (balls, 3, 3)."""
        units = np.broadcast_to(np.eye(3)[:, None], (3, len(self._ball_q), 3))
        columns = 2.0 * np.moveaxis(self._axes.half_velocities(q[self._ball_q], units), 0, -1)
        return np.asarray(np.linalg.pinv(columns, rcond=1e-9), dtype=np.float64)

    def pose_forces(self, q: Array, forces: Array) -> Array:
        """Return the forces dual to the rates of a pose for those in joints, shape (nq,); new.

        Args:
            q: The pose, shape (nq,).
            forces: In the joints of the model, shape (nv,): of balls the torque in the body's own axes.
        """
        found = np.zeros(len(q))
        found[self._straight_q] = forces[self._straight_x]
        if len(self._ball_q):
            torque = forces[self._ball_x]
            for k, ball in self._beside:
                torque[k] = quat.rotate(_hinges(ball.after_axes, q[ball.after_q]), torque[k])
            units = np.broadcast_to(np.eye(3)[:, None], (3, len(torque), 3))
            columns = 2.0 * self._axes.half_velocities(q[self._ball_q], units)  # (angle, ball, 3)
            found[self._ball_q] = np.einsum("abi,bi->ba", columns, torque)
        for part in self._typed:
            found[part.q] = forces[part.x]
        if self.place is not None:
            found[:3] = forces[self.place : self.place + 3]
        return found

    # -- the root's own slides -----------------------------------------------------------------------------------

    def _slid(self, q: Array) -> Array:
        """Return how far slides of the root's own have carried its body from where ``q[:3]`` puts it, shape (3,)."""
        if self._slid_joint is None:
            return np.zeros(3)
        here = q.copy()
        here[:3] = 0.0
        return np.asarray(forward_kinematics(self.skeleton, here)[self._slid_joint, :3, 3] - self._start)

    def _slid_rate(self, q: Array, qdot: Array) -> Array:
        if self._slid_joint is None:
            return np.zeros(3)
        J = point_jacobian(self.skeleton, q, self._slid_joint, np.zeros(3))
        return np.asarray(J[:3, 3:] @ qdot[3:])


def _hinges(axes: Array, angles: Array) -> Array:
    """Return the quaternion of hinges in a row, axes of shape (k, 3) and angles of shape (k,)."""
    turn = quat.IDENTITY
    for axis, angle in zip(axes, angles, strict=True):
        turn = quat.multiply(turn, quat.from_axis_angle(axis, angle))
    return turn


def _turning(ball: Ball, q: Array, qdot: Array) -> Array:
    """Return the angular velocity of a ball with hinges beside it, in the axes of the last one, shape (3,)."""
    w = np.zeros(3)
    for part, axes in ((ball.before_q, ball.before_axes), (ball.q, ball.axes), (ball.after_q, ball.after_axes)):
        for k, axis in zip(part.tolist(), axes, strict=True):
            w = so3.axis_rotation(axis, -q[k]) @ w + axis * qdot[k]
    return w


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
