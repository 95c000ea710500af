"""How far the parts of a figure are above the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from core.constraints.soles import part_vertices
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames

Array = NDArray[np.float64]
_CHUNK = 128


class Surface(NamedTuple):
    """The outermost points of a figure's parts: one of them is lowest in every pose.

    Attributes:
        joints: Index of the joint of each part, shape (p,).
        points: The points of each part in its joint's frame, each of shape (k, 3), [m].
    """

    joints: tuple[int, ...]
    points: tuple[Array, ...]


@per_skeleton
def surface(s: Skeleton) -> Surface:
    """Return the outermost points of a figure's parts; kept as long as it lives."""
    frames = rest_frames(s)
    joints, points = [], []
    for i, joint in enumerate(s.joints):
        if not joint.has_body:
            continue
        vertices = np.unique(part_vertices(s, i, frames), axis=0)
        inverse = np.linalg.inv(frames[i])
        own = vertices @ inverse[:3, :3].T + inverse[:3, 3]
        joints.append(i)
        points.append(_hull(own))
    return Surface(tuple(joints), tuple(points))


def _hull(points: Array) -> Array:
    if len(points) < 5:
        return points
    try:
        return np.ascontiguousarray(points[scipy.spatial.ConvexHull(points).vertices])
    except scipy.spatial.QhullError:  # flat, or all in one place
        return points


def clearances(s: Skeleton, frames: Array, height: float = 0.0, normal: Array | None = None) -> Array:
    """Return how far each part is above a plane.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (m, n, 4, 4).
        height: Where the plane crosses the world's y axis, [m].
        normal: Its unit normal, shape (3,); None for straight up.

    Returns:
        Distance of the nearest point of each part of :func:`surface`, negative below, shape (m, p), [m].
    """
    up = np.array([0.0, 1.0, 0.0]) if normal is None else np.asarray(normal, dtype=np.float64)
    known = surface(s)
    found = np.empty((len(frames), len(known.joints)))
    for n, (joint, points) in enumerate(zip(known.joints, known.points, strict=True)):
        X = frames[:, joint]
        direction = up @ X[:, :3, :3]  # (m, 3)
        found[:, n] = (direction @ points.T).min(axis=1) + X[:, :3, 3] @ up
    return found - height * up[1]
