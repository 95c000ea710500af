"""Coarse hulls of segments, and how much light they keep from each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_REACH = 0.042  # of the figure's size: how far a piece of surface shields
_NEAR = 0.06  # of it: how far from the joint neighbours do
_STRENGTH = 3.0
MOST_SHIELDS = 8000
"""Pieces of surface that shield; more would take long."""
_AT_ONCE = 4096  # vertices
_MOST_PAIRS = 500_000  # at once, of a vertex and a piece of surface near it: 100 MB


def _directions(count: int = 48) -> Array:
    k = np.arange(count) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / count), math.pi * (1.0 + math.sqrt(5.0)) * k
    return np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])


def hull_mesh(points: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return a coarse convex hull of points, or None if they are flat: what casts the shadow.

    Args:
        points: Shape (k, 3), [m].

    Returns:
        Numbers of the points that are its corners, at most 48, shape (c,); its triangles, shape (m, 3), as places in
        that list.
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    extreme = np.unique(np.argmax(points @ _directions().T, axis=0))
    try:
        hull = scipy.spatial.ConvexHull(points[extreme])
    except (scipy.spatial.QhullError, ValueError):
        return None
    return extreme, np.asarray(hull.simplices, dtype=np.int64)


def neighbours(skeleton: Skeleton, bodies: Iterable[int]) -> set[tuple[int, int]]:
    """Return the pairs of joints, both ways round, whose bodies meet at a joint; joints without a body are skipped."""
    bodies = set(bodies)
    pairs: set[tuple[int, int]] = set()
    for i in bodies:
        parent = skeleton.joints[i].parent
        while parent >= 0 and parent not in bodies:
            parent = skeleton.joints[parent].parent
        if parent >= 0:
            pairs |= {(i, parent), (parent, i)}
    return pairs


@dataclass(frozen=True)
class Shields:
    """Small pieces of surface that keep light from what they face.

    Attributes:
        points: Shape (e, 3), [m].
        normals: Unit normals, shape (e, 3).
        areas: Shape (e,), [m^2].
        owners: The joint that carries each, shape (e,).
    """

    points: Array
    normals: Array
    areas: Array
    owners: Numbers


def shields_of(points: Array, faces: Numbers, owners: Numbers) -> Shields:
    """Return one piece a triangle; of very many triangles some, for all."""
    step = len(faces) // MOST_SHIELDS + 1
    corners = points[faces[::step]]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(face, axis=1)
    good = length > 0.0
    return Shields(
        corners.mean(axis=1)[good],
        face[good] / length[good, None],
        0.5 * step * length[good],
        owners[faces[::step, 0]][good],
    )


def baked_occlusion(
    points: Array, normals: Array, owners: Numbers, shields: Shields, pivots: Array, neighbours: Flags, size: float
) -> Array:
    """Return how much light from all around reaches each vertex in the bind pose, 0 to 1, shape (k,).

    Light is lost to pieces of surface near by that face the vertex: in creases and hollows. Of other segments only
    neighbours count, and those only near the joint between: what is further off moves away when the figure does.

    Args:
        points: Vertices in the world, shape (k, 3), [m].
        normals: Unit normals, shape (k, 3).
        owners: The joint that carries each vertex, shape (k,).
        shields: What keeps the light off.
        pivots: Where the joint between two segments is, shape (n_joints, 3), by the one further from the root, [m].
        neighbours: Which segments shield each other, shape (n_joints, n_joints).
        size: Largest extent of the figure, [m].

    Source: Bunnell (2005), Dynamic ambient occlusion and indirect lighting, GPU Gems 2, chapter 14.
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    blocked = np.zeros(len(points))
    tree = scipy.spatial.cKDTree(shields.points)
    reach = _REACH * size
    waiting = [(start, min(start + _AT_ONCE, len(points))) for start in range(0, len(points), _AT_ONCE)]
    while waiting:
        start, end = waiting.pop()
        near = scipy.spatial.cKDTree(points[start:end])
        if end - start > 1 and near.count_neighbors(tree, reach) > _MOST_PAIRS:
            half = (start + end) // 2
            waiting += [(start, half), (half, end)]
            continue
        pairs = near.sparse_distance_matrix(tree, reach, output_type="ndarray")
        i, j, distances = pairs["i"] + start, pairs["j"], pairs["v"]
        offset = shields.points[j] - points[i]
        receives, faces = np.einsum("pi,pi->p", offset, normals[i]), np.einsum("pi,pi->p", offset, shields.normals[j])
        keep = np.flatnonzero((receives > 0.0) & (faces < 0.0))
        keep = keep[(owners[i[keep]] == shields.owners[j[keep]]) | neighbours[owners[i[keep]], shields.owners[j[keep]]]]
        i, j, area = i[keep], j[keep], shields.areas[j[keep]]
        squared = np.maximum(distances[keep], 1e-4 * size) ** 2
        amount = area * receives[keep] * -faces[keep] / (squared * (np.pi * squared + area))
        amount *= 1.0 - squared / reach**2
        a, b = owners[i], shields.owners[j]
        other = np.flatnonzero(a != b)
        middle = 0.5 * (points[i[other]] + shields.points[j[other]])
        off = np.linalg.norm(middle - pivots[np.maximum(a, b)[other]], axis=1) / (_NEAR * size)
        amount[other] *= np.clip(2.0 - off, 0.0, 1.0)
        blocked[start:end] += np.bincount(i - start, amount, end - start)
    return np.exp(-_STRENGTH * blocked)
