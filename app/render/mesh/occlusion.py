"""Coarse hulls of segments, and how much light they keep from each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Singles = NDArray[np.float32]

_REACH = 0.042  # of the figure's size: how far a piece of surface shields
_NEAR = 0.06  # of it: how far from the joint neighbours do
_STRENGTH = 3.0
MOST_SHIELDS = 8000
"""Pieces of surface that shield; more would take long."""
_AT_ONCE = 96  # vertices that lie together, with all pieces of surface near any of them


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


def _dots(one: Singles, other: Singles) -> Singles:
    return np.asarray(np.einsum("pi,pi->p", one, other))


def _products(directions: Singles, more: Singles, points: Singles) -> Singles:
    """Return the dot products of directions with points, each with each, and something more for each direction."""
    return np.column_stack([directions, more]) @ np.column_stack([points, np.ones(len(points), np.float32)]).T


def _groups(tree: Any) -> list[Numbers]:
    """Return the numbers of points that lie together in a ``scipy.spatial.cKDTree``, at most ``_AT_ONCE`` each."""
    found, waiting = [], [tree.tree] if tree.n else []
    while waiting:
        node = waiting.pop()
        if node.split_dim < 0:  # a leaf; of points all at one place it may be large
            found += [node.indices[k : k + _AT_ONCE] for k in range(0, len(node.indices), _AT_ONCE)]
        else:
            waiting += [node.lesser, node.greater]
    return found


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

    reach, areas = _REACH * size, shields.areas.astype(np.float32)
    meeting = neighbours | np.eye(len(neighbours), dtype=bool)
    blocked = np.zeros(len(points))
    pieces = scipy.spatial.cKDTree(shields.points)
    for group in _groups(scipy.spatial.cKDTree(points, leafsize=_AT_ONCE)):
        center = 0.5 * (points[group].min(axis=0) + points[group].max(axis=0))
        offset = points[group] - center
        radius = math.sqrt(float(np.einsum("pi,pi->p", offset, offset).max()))
        near = np.array(pieces.query_ball_point(center, radius + reach), dtype=np.int64)
        if not len(near):
            continue
        # Single numbers about the group's own middle: what is near by does not lose by it.
        x, n = offset.astype(np.float32), normals[group].astype(np.float32)
        y, m = (shields.points[near] - center).astype(np.float32), shields.normals[near].astype(np.float32)
        receives = _products(n, -_dots(x, n), y)  # (y - x) . n, each vertex with each piece
        faces = _products(m, -_dots(y, m), x).T
        squared = _products(-2.0 * x, _dots(x, x), y) + _dots(y, y)
        joint, other = owners[group], shields.owners[near]
        lit = (receives > 0.0) & (faces > 0.0) & (squared < reach**2) & meeting[joint].take(other, axis=1)
        i, j = np.nonzero(lit)
        area, square = areas[near].take(j), np.zeros(len(i), dtype=np.float32)
        for k in range(3):  # anew, as little would be left of the difference of what is near
            square += (y[:, k].take(j) - x[:, k].take(i)) ** 2
        square = np.maximum(square, (1e-4 * size) ** 2)
        amount = area * receives[lit] * faces[lit] / (square * (np.pi * square + area)) * (1.0 - square / reach**2)
        a, b = joint.take(i), other.take(j)
        some = np.flatnonzero(a != b)
        middle = center + 0.5 * (x[i[some]] + y[j[some]])
        off = np.linalg.norm(middle - pivots[np.maximum(a, b)[some]], axis=1) / (_NEAR * size)
        amount[some] *= np.clip(2.0 - off, 0.0, 1.0)
        blocked[group] = np.bincount(i, amount, len(group))
    return np.exp(-_STRENGTH * blocked)
