"""How far the parts of a figure are above the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.constraints.soles import part_vertices
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import Floor, World
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames

_CHUNK = 64  # poses at a time


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


def clearances(s: Skeleton, frames: Array, world: World) -> Array:
    """Return how far each part is above the floor, or away from the nearest obstacle if that is less.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (m, n, 4, 4).
        world: What there is.

    Returns:
        Distance of the nearest point of each part of :func:`surface`, negative inside, shape (m, p), [m]; infinite
        where there is nothing. Past the edges of an obstacle it may come out too small, never too large.
    """
    known = surface(s)
    found = np.full((len(frames), len(known.joints)), np.inf)
    for n, (joint, points) in enumerate(zip(known.joints, known.points, strict=True)):
        X = frames[:, joint]
        if world.floor is not None:
            found[:, n] = _above(world.floor, X, points)
        for i in range(0, len(X) if world.geometries else 0, _CHUNK):
            rows = slice(i, i + _CHUNK)
            there = points @ np.swapaxes(X[rows, :3, :3], -1, -2) + X[rows, None, :3, 3]
            for geometry in world.geometries:
                found[rows, n] = np.minimum(found[rows, n], _away(geometry, there))
    return found


def _above(floor: Floor, X: Array, points: Array) -> Array:
    """Return how far the lowest of a part's points is above the floor, shape (m,)."""
    return np.asarray((floor.normal @ X[:, :3, :3] @ points.T).min(axis=1) + X[:, :3, 3] @ floor.normal - floor.offset)


def _away(geometry: Geometry, there: Array) -> Array:
    """Return how far the nearest of some points is from an obstacle, world points of shape (m, k, 3); shape (m,)."""
    X, inner = geometry.X_BS, geometry.shape.polytope
    local = (there - X[:3, 3]) @ X[:3, :3]
    if inner.is_solid:
        offsets = np.array([inner.points[face[0]] @ n for face, n in zip(inner.faces, inner.normals, strict=True)])
        distance = (local @ inner.normals.T - offsets).max(axis=-1)
    else:  # a point or a segment, or what is as thin
        a, b = inner.points[0], inner.points[-1]
        along = b - a
        share = np.clip((local - a) @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
        distance = np.linalg.norm(local - a - share[..., None] * along, axis=-1)
    return np.asarray(distance.min(axis=1) - geometry.shape.radius)
