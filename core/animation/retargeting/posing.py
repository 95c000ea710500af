"""Poses of a figure whose parts are turned as wanted, as far as its degrees of freedom and their limits go."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.animation.retargeting import turning_kernel
from core.animation.retargeting.matching import rotations
from core.arrays import Array
from core.kernels import serving
from core.skeleton.clamp import clamp_cones
from core.skeleton.dof import HINGE
from core.skeleton.frames import local_frame
from core.skeleton.skeleton import Skeleton

PULL = 1e-3
"""How strongly values are drawn to the pose before and to the rest pose; the least weight of a part is 1."""
_FIRST, _MOST = 400, 60
"""Most sweeps for the first pose, which begins at rest, and for each of the others, which begins at the one before."""
_ENOUGH = 1e-7  # [rad]
_AT_ONCE = 128


class TurnedPoses:
    """Finds poses of a figure.

    Args:
        s: The figure.
        weights: How much turns of its parts count along their axes, shape (n, 3, 3); zero for those that go along.
    """

    def __init__(self, s: Skeleton, weights: Array):
        self._s = s
        n = len(s.joints)
        self._rest = s.rest_pose()
        plain = [joint.type is None or all(dof.kind == HINGE for dof in joint.dofs) for joint in s.joints]
        self._hinge = np.array(
            [int(dof.kind == HINGE and plain[s.dof_joints[k]]) for k, dof in enumerate(s.all_dofs)], dtype=np.int64
        )
        fixed = []
        for joint, simple in zip(s.joints, plain, strict=True):
            first = s.first_dof[s.joint_index(joint.name)]
            own = self._rest[3 + first : 3 + first + len(joint.dofs)]
            moves = simple and any(dof.kind == HINGE for dof in joint.dofs)
            fixed.append(joint.rotation if moves else rotations(local_frame(joint, own)[None])[0])
        self._fixed = np.ascontiguousarray(np.array(fixed).reshape(n, 3, 3))
        self._parent = np.array([joint.parent for joint in s.joints], dtype=np.int64)
        self._first = np.array(s.first_dof, dtype=np.int64)
        self._axes = np.array([dof.axis for dof in s.all_dofs], dtype=np.float64).reshape(-1, 3)
        self._low, self._high = (np.ascontiguousarray(s.limits[:, k]) for k in (0, 1))
        self._weights = np.ascontiguousarray(weights)

    def poses(self, wanted: Array, progress: Callable[[float], None] | None = None) -> Array:
        """Return a pose for each row of wanted rotations, its root where it is at rest, shape (m, nq).

        Each begins at the one before, so that no value goes a whole turn further round.

        Args:
            wanted: Rotations of all parts in the world, shape (m, n, 3, 3).
            progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
        """
        n, kernels = len(self._parent), serving(turning_kernel)
        made = np.tile(self._rest, (len(wanted), 1))
        x, rest = self._rest[3:].copy(), self._rest[3:].copy()
        R, K, Q, scratch, axis = (np.empty((k, 3, 3)) for k in (n, n, n, 4, 1))
        for row, turns in enumerate(np.ascontiguousarray(wanted, dtype=np.float64)):
            if progress is not None and row % _AT_ONCE == 0:
                progress(row / len(wanted))
            near = x.copy() if row else rest
            kernels.fit(
                self._parent, self._fixed, self._first, self._hinge, self._axes, self._low, self._high, self._weights,
                turns, rest, near, PULL, x, _MOST if row else _FIRST, _ENOUGH, R, K, Q, scratch, axis[0, 0],
            )  # fmt: skip
            made[row, 3:] = x
        return clamp_cones(self._s, made)
