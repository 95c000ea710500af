"""Poses of a figure whose parts are turned, and points of it placed, as wanted, as far as it goes inside its limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.animation.retargeting import hinges_kernel
from core.animation.retargeting.matching import rotations
from core.arrays import Array
from core.kernels import serving
from core.skeleton.clamp import clamp_cones
from core.skeleton.dof import HINGE
from core.skeleton.frames import frames_at, local_frame
from core.skeleton.skeleton import Skeleton

PULL = 1e-3
"""How strongly values are drawn to the pose before and to the rest pose; the least weight of a part is 1."""
FASTEST = 21.0
"""No value changes faster, [rad/s]: where limits leave two ways round it goes from one to the other in some frames."""
SWEEPS = 200
"""Most sweeps over the hinges of a figure for a pose."""
_FIRST = 5  # times as many for the first pose, which begins at rest
_ENOUGH = 1e-5  # [rad]
_AT_ONCE = 128


class PointWish(NamedTuple):
    """Where a point of a figure is to be.

    Attributes:
        joint: Number of the joint it moves with.
        point: In that joint's frame, shape (3,), [m].
        places: In the world, pose after pose, shape (m, 3), [m].
        weight: How much that counts beside turns, whose least weight is 1, [1/m^2].
    """

    joint: int
    point: Array
    places: Array
    weight: float


class TurnedPoses:
    """Finds poses of a figure.

    Args:
        s: The figure.
        weights: How much turns of its parts count along their axes, shape (n, 3, 3); zero for those that go along.
        sweeps: Most sweeps over its hinges for a pose, which begins at the one before; the first has more.
    """

    def __init__(self, s: Skeleton, weights: Array, sweeps: int = SWEEPS):
        self._s, self._sweeps = s, sweeps
        self._rest = rest = s.rest_pose()
        plain = [joint.type is None or all(dof.kind == HINGE for dof in joint.dofs) for joint in s.joints]
        hinge = [int(dof.kind == HINGE and plain[s.dof_joints[k]]) for k, dof in enumerate(s.all_dofs)]
        frames = frames_at(s, rest[3:])
        turned = rotations(frames)
        fixed, offset = np.empty((len(s.joints), 3, 3)), np.zeros((len(s.joints), 3))
        for i, joint in enumerate(s.joints):
            own = rest[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]]
            moves = plain[i] and any(dof.kind == HINGE for dof in joint.dofs)
            fixed[i] = joint.rotation if moves else rotations(local_frame(joint, own)[None])[0]
            if joint.parent >= 0:
                offset[i] = turned[joint.parent].T @ (frames[i, :3, 3] - frames[joint.parent, :3, 3])
        self._origin = frames[0, :3, 3] - rest[:3]
        self._figure = hinges_kernel.Figure(
            np.array([joint.parent for joint in s.joints], dtype=np.int64),
            fixed,
            offset,
            np.array(s.first_dof, dtype=np.int64),
            np.array(hinge, dtype=np.int64),
            np.array([dof.axis for dof in s.all_dofs], dtype=np.float64).reshape(-1, 3),
            *(np.ascontiguousarray(s.limits[:, k]) for k in (0, 1)),
        )
        self._weights = np.ascontiguousarray(weights)

    def poses(
        self,
        wanted: Array,
        points: Sequence[PointWish],
        rate: float,
        progress: Callable[[float], None] | None = None,
    ) -> Array:
        """Return a pose for each row of wanted rotations, shape (m, nq).

        Each begins at the one before, so that no value goes a whole turn further round.

        Args:
            wanted: Rotations of all parts in the world, shape (m, n, 3, 3).
            points: Where points are to be; without any the root stays where it is.
            rate: How many poses there are a second, [1/s].
            progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
        """
        n, kernels, rest = len(self._s.joints), serving(hinges_kernel), self._rest[3:].copy()
        turns = np.ascontiguousarray(wanted, dtype=np.float64)
        places = np.array([wish.places for wish in points], dtype=np.float64).reshape(len(points), len(turns), 3)
        at = hinges_kernel.Points(
            np.array([wish.joint for wish in points], dtype=np.int64),
            np.array([wish.point for wish in points], dtype=np.float64).reshape(-1, 3),
            np.zeros((len(points), 3)),
            np.array([wish.weight for wish in points], dtype=np.float64),
        )
        R, K, M, Q = np.zeros((4, n, 3, 3))
        P, T, u, s = np.zeros((4, n, 3))
        axis, shift = np.zeros((2, 3))
        work = hinges_kernel.Work(R, K, M, Q, P, T, u, s, np.zeros(n), np.zeros((4, 3, 3)), axis, shift)
        made = np.tile(self._rest, (len(turns), 1))
        x, place, first = rest.copy(), self._origin + self._rest[:3], _FIRST * self._sweeps
        for row in range(len(turns)):
            if progress is not None and row % _AT_ONCE == 0:
                progress(row / len(turns))
            near, reach = (x.copy(), FASTEST / rate) if row else (rest, np.inf)
            if row > 1:  # on as before: less is left to find
                x += made[row - 1, 3:] - made[row - 2, 3:]
                place += made[row - 1, :3] - made[row - 2, :3]
            at.wanted[:] = places[:, row]
            parts = hinges_kernel.Wanted(self._weights, turns[row])
            if not row:  # from rest: turns first, as places alone can be had with a limb the wrong way round
                none = at._replace(weight=np.zeros(len(points)))
                kernels.fit(self._figure, parts, none, rest, near, PULL, reach, x, place, first, _ENOUGH, work)
            most = self._sweeps if row else first
            kernels.fit(self._figure, parts, at, rest, near, PULL, reach, x, place, most, _ENOUGH, work)
            made[row, :3], made[row, 3:] = place - self._origin, x
        return clamp_cones(self._s, made)
