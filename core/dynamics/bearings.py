"""Bearings of joints: where they touch, and how much friction what they carry allows (Sueda 2.11).

A hinge turns in a cylinder that touches its pin around both ends; a collar carries what acts along the axis. A slide
runs in the same cylinder, and a key carries the moment about the axis. A ball touches its socket in the directions of
the faces and corners of a cube. The impulses of these contacts are the least that carry the joint's reaction, and as
nothing comes apart they may have either sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.errors import DynamicsError
from core.joints import Prismatic, Revolute, Spherical
from core.spatial.cross_products import cross_rows

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

REGULARIZED = 1e-9
"""What is added to the diagonal of 2.118, to the mean of it: so that impulses are the least ones."""


@dataclass(frozen=True)
class Bearing:
    """What rubs in the joint of a body, a hinge, slide or ball.

    Attributes:
        body: Index or name.
        friction: Friction coefficient, 0 or more.
        radius: Of the pin or the ball, greater than 0.
        height: Of the pin, greater than 0; balls have none.
        points: Contacts around each end of the pin, 4 or more.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    body: int | str
    friction: float
    radius: float
    height: float = 1.0
    points: int = 8

    def __post_init__(self) -> None:
        numbers = finite_array((self.friction, self.radius, self.height), (3,), "friction and sizes of a bearing")
        if numbers[0] < 0.0 or (numbers[1:] <= 0.0).any() or self.points < 4:
            raise DynamicsError(
                f"a bearing has friction {self.friction}, radius {self.radius}, height {self.height}, {self.points} "
                "points: expected 0 or more, sizes greater than 0, 4 points or more"
            )


class Fitted(NamedTuple):
    """A bearing in the joint of a model, in the joint's frame J.

    Attributes:
        body: Index of the body.
        share: Takes the joint's reaction ``[t; f]`` to the impulses of its contacts, shape (c, 6) (Sueda 2.118).
        rows: Speeds at which contacts slide, on the joint's twist, shape (p, 6); contacts of a pin slide as one. Of a
            ball they are for any turning; ``sliding_rows`` are along it.
        bound: Takes the sizes of the impulses to the greatest friction of each row, shape (p, c).
        normals: Directions in which a ball touches, shape (c, 3); None of a pin.
        radius: Of the ball or pin.
    """

    body: int
    share: Array
    rows: Array
    bound: Array
    normals: Array | None
    radius: float

    def sliding_rows(self, twist: Array) -> Array:
        """Return ``rows`` for a joint that moves with a twist in J, shape (p, 6)."""
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


def fitted(bearing: Bearing, model: Multibody) -> Fitted:
    """Return a bearing in its joint.

    Raises:
        DynamicsError: If there is no such body, or its joint is of another type.
    """
    body = model.index(bearing.body)
    joint = model.bodies[body].joint
    mu, r = bearing.friction, bearing.radius
    if isinstance(joint, Spherical):
        corners = np.array([[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]]) / np.sqrt(3.0)
        n = np.vstack([np.eye(3), corners])  # and the opposite ones, which carry as much
        N = np.hstack([np.zeros_like(n), n])
        bound = mu * np.eye(len(n)).repeat(2, 0)
        ball = Fitted(body, _share(N, model.inertias[body]), np.zeros((2 * len(n), 6)), bound, n, r)
        return ball._replace(rows=ball.sliding_rows(np.zeros(6)))
    if not isinstance(joint, (Revolute, Prismatic)):
        raise DynamicsError(f'the joint of "{model.names[body]}" is {joint!r}; bearings fit hinges, slides and balls')
    axis = np.asarray(joint.axis, dtype=np.float64)
    turns = isinstance(joint, Revolute)
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    angles = 2.0 * np.pi * np.arange(bearing.points) / bearing.points
    n = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(axis, side)
    arm = 0.5 * bearing.height * axis
    ends = [np.hstack([cross_rows(sign * arm, n), n]) for sign in (1.0, -1.0)]
    zero = np.zeros(3)
    last = np.concatenate([zero, axis] if turns else [r * axis, zero])
    N = np.vstack([*ends, last])
    row = np.concatenate([r * axis, zero] if turns else [zero, axis])
    return Fitted(body, _share(N, model.inertias[body]), row[None], np.full((1, len(N)), mu), None, r)


def _share(N: Array, M: Array) -> Array:
    """Return ``(N M^-1 N^T + e 1)^-1 N M^-1``, shape (c, 6) (Sueda 2.118)."""
    moved = np.linalg.solve(M, N.T)
    W = N @ moved
    return np.asarray(np.linalg.solve(W + REGULARIZED * np.trace(W) / len(N) * np.eye(len(N)), moved.T))


def joint_reactions(model: Multibody, Ad: Array, S: tuple[Array, ...], wrenches: Array) -> Array:
    """Return what each joint exerts on its body along what it locks, in J at J's origin, shape (nb, 6); new.

    From the leaves on: the wrench on a body is its joint's less what its children's joints take from it. What lies in
    the span of S is that of springs, motors and friction there.

    Args:
        model: The bodies.
        Ad: Take twists from the parents' joint frames to J, shape (nb, 6, 6).
        S: Motion subspaces in J, shapes (6, n_i).
        wrenches: What all joints together do to each body, at B's origin in B, shape (nb, 6).
    """
    total = np.einsum("bji,bj->bi", model.Ad_BJ, wrenches)
    for i in range(len(total) - 1, -1, -1):
        if model.parents[i] >= 0:
            total[model.parents[i]] += Ad[i].T @ total[i]
    for i, columns in enumerate(S):
        if columns.shape[1]:
            total[i] -= columns @ np.linalg.lstsq(columns, total[i], rcond=None)[0]
    return total
