"""Bearings of joints: where they touch, and how much friction what they carry allows (Sueda 2.11).

A hinge turns in a cylinder that touches its pin around both ends; a collar carries what acts along the axis. A slide
runs in the same cylinder, and a key carries the moment about the axis. A ball touches its socket in the directions of
the faces and corners of a cube. The impulses of these contacts are the least that carry the joint's reaction, and as
nothing comes apart they may have either sign. Joints that are hinges, slides and balls in a row have a bearing each:
nothing between them has mass, so that each carries all of it but what acts along its own motion.

Contact methods and the step of contacts both go by these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.arrays import finite_array
from core.errors import DynamicsError
from core.joints import Composite, Free, FreeRotationFirst, JointModel, Spherical, SphericalEuler
from core.spatial import se3, so3
from core.spatial.cross_products import cross, cross_rows

if TYPE_CHECKING:
    from core.dynamics.constraints import LoopClosure, LoopJoint
    from core.dynamics.multibody import Multibody

REGULARIZED = 1e-9
"""What is added to the diagonal of 2.118, to the mean of it: so that impulses are the least ones."""
POINTS = 8
"""Contacts around each end of a pin."""
_TINY = 1e-9
_HINGE, _SLIDE, _BALL = "hinge", "slide", "ball"


@dataclass(frozen=True)
class Bearing:
    """What rubs in the joint of a body, or in one that closes a loop.

    Attributes:
        joint: The body whose joint it is in, index or name, or the ``LoopJoint`` or ``LoopClosure`` of the scene. A
            joint with several coordinates rubs alike in each of them, in a ball for all three.
        friction: Friction coefficient, 0 or more.
        radius: Of the pin or the ball, greater than 0.
        height: Of the pin, greater than 0; balls have none.
        points: Contacts around each end of the pin, 4 or more.
        coordinates: Which coordinates of the body's joint rub, counted from its first one; None for all.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    joint: int | str | LoopJoint | LoopClosure
    friction: float
    radius: float
    height: float = 1.0
    points: int = POINTS
    coordinates: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        numbers = finite_array((self.friction, self.radius, self.height), (3,), "friction and sizes of a bearing")
        if numbers[0] < 0.0 or (numbers[1:] <= 0.0).any() or self.points < 4:
            raise DynamicsError(
                f"a bearing has friction {self.friction}, radius {self.radius}, height {self.height}, {self.points} "
                "points: expected 0 or more, sizes greater than 0, 4 points or more"
            )

    @property
    def closes(self) -> bool:
        """Whether it is in a joint that closes a loop."""
        return not isinstance(self.joint, (int, str, np.integer))


class Seat(NamedTuple):
    """The contacts of a bearing in its own frame F: z is the axis of a pin, the origin is half-way between its ends.

    Attributes:
        share: Takes the reaction ``[t; f]`` to the impulses of the contacts, shape (c, 6) (Sueda 2.118); what acts
            along the bearing's own motion is left out.
        rows: Speeds at which contacts slide, on the twist in F, shape (p, 6); contacts of a pin slide as one. Of a
            ball they are for any turning; ``sliding_rows`` are along it.
        bound: Takes the sizes of the impulses to the greatest friction of each row, shape (p, c).
        normals: Directions in which a ball touches, shape (c, 3); None of a pin.
        radius: Of the ball or pin.
    """

    share: Array
    rows: Array
    bound: Array
    normals: Array | None
    radius: float

    def sliding_rows(self, twist: Array) -> Array:
        """Return ``rows`` for a motion with a twist in F, shape (p, 6)."""
        if self.normals is None:
            return self.rows
        n, turning = self.normals, np.broadcast_to(twist[:3], self.normals.shape)
        first = cross_rows(turning, n)
        lengths = np.linalg.norm(first, axis=1)
        still = lengths <= 1e-9 * np.linalg.norm(twist[:3])
        first[still] = cross_rows(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])[still]
        first /= np.linalg.norm(first, axis=1)[:, None]
        tangents = np.stack([first, cross_rows(n, first)], axis=1).reshape(-1, 3)
        return np.hstack([self.radius * cross_rows(n.repeat(2, 0), tangents), np.zeros((len(tangents), 3))])

    def most(self, reaction: Array) -> Array:
        """Return the greatest friction of each row for a reaction ``[t; f]`` in F, shape (p,)."""
        return np.asarray(self.bound @ np.abs(self.share @ reaction))

    def hold(self, reaction: Array, twist: Array) -> float:
        """Return the most that friction may do against a motion, by the rate of a coordinate.

        Args:
            reaction: ``[t; f]`` in F.
            twist: In F, for a rate of 1.
        """
        return float(self.most(reaction) @ np.abs(self.sliding_rows(twist) @ twist))


def seat(kind: str, friction: float, radius: float, height: float, points: int, M: Array, e: float | None) -> Seat:
    """Return the contacts of a hinge, a slide or a ball.

    Args:
        kind: ``"hinge"``, ``"slide"`` or ``"ball"``.
        friction, radius, height, points: As of ``Bearing``.
        M: Inertia of the body that turns in it about F's origin in F's axes, shape (6, 6).
        e: What is added to the diagonal, [1/kg]; None for ``REGULARIZED`` of its mean.
    """
    if kind == _BALL:
        corners = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]]) / np.sqrt(3.0)
        n = np.vstack([np.eye(3), corners])  # and the opposite ones, which carry as much
        N = np.hstack([np.zeros_like(n), n])
        bound = friction * np.eye(len(n)).repeat(2, 0)
        ball = Seat(_share(N, M, e, slice(3, 6)), np.zeros((2 * len(n), 6)), bound, n, radius)
        return ball._replace(rows=ball.sliding_rows(np.zeros(6)))
    angles = 2.0 * np.pi * np.arange(points) / points
    n = np.stack([np.cos(angles), np.sin(angles), np.zeros(points)], axis=1)
    arm, row, last = np.array([0.0, 0.0, 0.5 * height]), np.zeros(6), np.zeros(6)
    ends = [np.hstack([cross_rows(np.broadcast_to(sign * arm, n.shape), n), n]) for sign in (1.0, -1.0)]
    own, other = (2, 5) if kind == _HINGE else (5, 2)
    lengths = np.array([1.0, 1.0, radius, 1.0, 1.0, 1.0])
    row[own], last[other] = lengths[own], lengths[other]
    N = np.vstack([*ends, last])
    carried = np.delete(np.arange(6), own)
    return Seat(_share(N, M, e, carried), row[None], np.full((1, len(N)), friction), None, radius)


def _share(N: Array, M: Array, e: float | None, carried: slice | Ints) -> Array:
    """Return ``(N M^-1 N^T + e 1)^-1 N M^-1`` for reactions along some directions only, shape (c, 6) (Sueda 2.118).

    It is ``N (N^T N + e M)^-1``, whose matrix has as few rows as there are directions.
    """
    if e is None:
        e = REGULARIZED * float(np.trace(N @ np.linalg.pinv(M, hermitian=True) @ N.T)) / len(N)
    own = N[:, carried]
    found = np.zeros_like(N)
    found[:, carried] = np.linalg.solve(own.T @ own + e * M[carried][:, carried], own.T).T
    return found


def pin_frame(axis: Array, point: Array, near: Array | None = None) -> Array:
    """Return a frame F of a pin, shape (4, 4).

    Args:
        axis: Its direction, unit.
        point: Its middle.
        near: Axes of an earlier frame, shape (3, 3), which are turned to the axis by the shortest way; None for any.
    """
    if near is None:
        side = cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        side /= np.linalg.norm(side)
        return se3.transform(np.stack([side, cross(axis, side), axis], axis=1), point)
    turn = cross(near[:, 2], axis)
    size, along = float(np.linalg.norm(turn)), float(near[:, 2] @ axis)
    if size > _TINY:
        turn *= np.arctan2(size, along) / size
    elif along < 0.0:
        turn = np.pi * near[:, 0]
    return se3.transform(so3.exp(turn) @ near, point)


class Fitted:
    """A bearing in the joint of a body.

    Args:
        bearing: Its friction and sizes.
        model: The bodies.
        body: Index of the body.
        local: Which coordinates of the joint it lets move, shape (k,).
        ball: Whether they turn about a point; else it is one that turns about an axis or runs along it.
        regularizer: As of ``seat``.

    Attributes:
        body, local: As given.
        ball: As given.
    """

    def __init__(
        self, bearing: Bearing, model: Multibody, body: int, local: Ints, ball: bool, regularizer: float | None = None
    ) -> None:
        self.body, self.local, self.ball = body, local, ball
        joint = model.bodies[body].joint
        at, other = (np.asarray(joint.subspace(np.full(joint.n, q)))[:, local] for q in (0.0, 0.3))
        self._near: Array | None = None
        self._frame: Array | None = None
        sizes = bearing.friction, bearing.radius, bearing.height, bearing.points
        X = self._place(at)
        self._near = X[:3, :3]
        P = se3.adjoint(X)
        M = P.T @ model.inertias[body] @ P
        kinds = (_BALL,) if ball else (_HINGE, _SLIDE)
        self._seats = tuple(seat(kind, *sizes, M, regularizer) for kind in kinds)
        if np.array_equal(at, other) or (ball and not at[3:].any() and not other[3:].any()):
            self._frame = X

    def place(self, columns: Array) -> tuple[Seat, Array]:
        """Return the contacts, and the frame F in the joint's frame J, shape (4, 4).

        Args:
            columns: Of the joint's S, those of its coordinates, shape (6, k).
        """
        slides = not self.ball and np.linalg.norm(columns[:3, 0]) <= _TINY
        return self._seats[int(slides)], self._place(columns) if self._frame is None else self._frame

    def _place(self, columns: Array) -> Array:
        if self.ball:
            away = columns[3:] @ np.linalg.pinv(columns[:3])  # v = p x w
            return se3.transform(None, so3.vee(0.5 * (away - away.T)))
        turn, along = columns[:3, 0], columns[3:, 0]
        size = float(np.linalg.norm(turn))
        if size > _TINY:
            return pin_frame(turn / size, cross(turn, along) / size**2, self._near)
        speed = float(np.linalg.norm(along))
        return pin_frame(along / speed if speed > 0.0 else np.array([0.0, 0.0, 1.0]), np.zeros(3), self._near)


def fitted(bearing: Bearing, model: Multibody, regularizer: float | None = None) -> tuple[Fitted, ...]:
    """Return a bearing in each ball of a joint of the tree, and one along each other coordinate of it.

    Raises:
        DynamicsError: If there is no such body or coordinate, or the joint lets its body float.
    """
    assert isinstance(bearing.joint, (int, str, np.integer))
    body = model.index(bearing.joint)
    joint, chosen = model.bodies[body].joint, bearing.coordinates
    if chosen is not None and not set(chosen) <= set(range(joint.n)):
        raise DynamicsError(
            f'a bearing is along coordinates {chosen} of "{model.names[body]}", whose joint has {joint.n}'
        )
    parts = _parts(joint, 0)
    if not parts:
        raise DynamicsError(f'the joint of "{model.names[body]}" is {joint!r}; it carries nothing that could rub')
    own = [part for part in parts if chosen is None or set(chosen) & set(part)]
    return tuple(Fitted(bearing, model, body, np.array(part), len(part) == 3, regularizer) for part in own)


def _parts(joint: JointModel, first: int) -> list[tuple[int, ...]]:
    """Return the coordinates of each ball of a joint, and each other one, from a number on; none of one that floats."""
    if isinstance(joint, (Free, FreeRotationFirst)):
        return []
    if isinstance(joint, (Spherical, SphericalEuler)):
        return [(first, first + 1, first + 2)]
    if not isinstance(joint, Composite):
        return [(first + k,) for k in range(joint.n)]
    found: list[tuple[int, ...]] = []
    for part in joint.joints:
        found += _parts(part, first)
        first += part.n
    return found


def joint_reactions(model: Multibody, Ad: Array, wrenches: Array) -> Array:
    """Return what each joint exerts on its body, in J at J's origin, shape (nb, 6, m); new.

    From the leaves on: the wrench on a body is its joint's less what its children's joints take from it. What lies in
    the span of the joint's S is that of springs, motors and friction there.

    Args:
        model: The bodies.
        Ad: Take twists from the parents' joint frames to J, shape (nb, 6, 6).
        wrenches: What all joints together do to each body, at B's origin in B, m times, shape (nb, 6, m).
    """
    total = np.asarray(np.swapaxes(model.Ad_BJ, 1, 2) @ wrenches)
    parents = model.parents.tolist()
    for i in range(len(total) - 1, -1, -1):
        if parents[i] >= 0:
            total[parents[i]] += Ad[i].T @ total[i]
    return total
