"""How much room a posed figure takes: what a camera frames."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Array, Skeleton


def pose_extent(skeleton: Skeleton, poses: Array, joints: Collection[int] | None = None) -> tuple[Array, Array]:
    """Return the lowest and highest corner of the posed figure, each of shape (3,), world, [m]; new.

    Vertices of all body parts and the origins of all joints count.

    Args:
        skeleton: The figure.
        poses: World frames of all joints, shape (n, 4, 4), or of many poses, shape (m, n, 4, 4).
        joints: Only these joints; None means all.
    """
    chosen = range(len(skeleton.joints)) if joints is None else sorted(joints)
    frames = np.asarray(poses).reshape(-1, len(skeleton.joints), 4, 4)
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for i in chosen:
        mesh = segment_mesh(skeleton, i)
        points = np.zeros((1, 3)) if mesh is None else np.vstack([np.zeros(3), mesh.vertices])
        for frame in frames[:, i]:
            world = points @ frame[:3, :3].T + frame[:3, 3]
            low, high = np.minimum(low, world.min(axis=0)), np.maximum(high, world.max(axis=0))
    return low, high
