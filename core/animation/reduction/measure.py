"""How far one motion of a figure is from another: the ends of every part, and how each part is turned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import segment_tip

_AT_ONCE = 1024
_SMALL = 1e-4


class Distance(NamedTuple):
    """How far two motions are apart.

    Attributes:
        places: By how much either end of each part is off, the greater of both, [m], shape (m, n_joints).
        turns: By how much each part is turned off, [rad], shape (m, n_joints).
    """

    places: Array
    turns: Array


class Measure:
    """Measures motions against one.

    Args:
        s: The figure.
        poses: The motion, shape (m, nq).

    Attributes:
        origins: Where the joints are, shape (m, n_joints, 3), [m].
        tips: Where the ends of their parts are, likewise.
        rotations: How they are turned, shape (m, n_joints, 3, 3).
    """

    def __init__(self, s: Skeleton, poses: Array):
        self.skeleton = s
        self._tip = np.array([segment_tip(s, i) for i in range(len(s.joints))])
        self.origins, self.tips, self.rotations = self._frames(poses)

    def _frames(self, poses: Array) -> tuple[Array, Array, Array]:
        F = forward_kinematics(self.skeleton, poses)
        tips = np.einsum("mnij,nj->mni", F[..., :3, :3], self._tip) + F[..., :3, 3]
        return F[..., :3, 3], tips, F[..., :3, :3]

    def distance(self, poses: Array, first: int = 0) -> Distance:
        """Return how far poses are off, the first of them being the sample ``first``, shape (j, nq)."""
        parts = [self._distance(poses[i : i + _AT_ONCE], first + i) for i in range(0, len(poses), _AT_ONCE)]
        return parts[0] if len(parts) == 1 else Distance(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _distance(self, poses: Array, first: int) -> Distance:
        there = slice(first, first + len(poses))
        origins, tips, rotations = self._frames(poses)
        off = np.maximum(((origins - self.origins[there]) ** 2).sum(-1), ((tips - self.tips[there]) ** 2).sum(-1))
        # Of two rotations an angle a apart, the difference has the size 2 sqrt(2) sin(a / 2).
        size = np.sqrt(((rotations - self.rotations[there]) ** 2).sum(axis=(-2, -1)))
        return Distance(np.sqrt(off), 2.0 * np.arcsin(np.minimum(size / np.sqrt(8.0), 1.0)))

    def reaches(self, poses: Array) -> Array:
        """Return how far a small change of each value of a pose moves the end of any part, for its size, shape (nq,).

        Args:
            poses: Poses to try it in, shape (j, nq).
        """
        moved = poses[:, None] + _SMALL * np.eye(poses.shape[1])
        before, after = (self._ends(each) for each in (poses, moved.reshape(-1, poses.shape[1])))
        away = np.linalg.norm(after.reshape(len(poses), poses.shape[1], -1, 3) - before[:, None], axis=-1)
        return np.asarray(away.max(axis=(0, 2)) / _SMALL)

    def _ends(self, poses: Array) -> Array:
        origins, tips, _ = self._frames(poses)
        return np.concatenate([origins, tips], axis=1)
