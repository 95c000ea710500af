"""Coarse hulls of segments, and how much light they keep from each other."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]


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
    extreme = np.unique(np.argmax(points @ _directions().T, axis=0))
    try:
        hull = ConvexHull(points[extreme])
    except (QhullError, ValueError):
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


def baked_occlusion(
    points: Array,
    normals: Array,
    owner: NDArray[np.int64],
    hulls: dict[int, Array],
    pairs: set[tuple[int, int]],
    joined: set[tuple[int, int]],
) -> Array:
    """Return how much light from all around reaches each vertex in the bind pose, 0 to 1, shape (k,).

    Every segment is taken for an ellipsoid; a vertex near the ellipsoid of a segment next to its own, on the side that
    faces it, is darker. It gives the creases at the joints. Segments further off do not count: they move away. Where
    two segments are one skin only what faces the other is darker, an armpit and not the whole ring about a shoulder.

    Args:
        points: Vertices in the world, shape (k, 3), [m].
        normals: Unit normals, shape (k, 3).
        owner: Joint of each vertex, shape (k,).
        hulls: Hull corners in the world, for each joint that has any.
        pairs: Joints whose segments darken each other, both ways round.
        joined: Those of them whose segments are one skin.
    """
    light = np.ones(len(points))
    for joint, placed in hulls.items():
        others = [i for i, other in pairs if other == joint]
        near = np.isin(owner, others)
        if not near.any():
            continue
        center = placed.mean(axis=0)
        # Half axes along the principal directions of the hull's corners.
        axes = np.linalg.eigh(np.cov((placed - center).T) + 1e-12 * np.eye(3))[1]
        along = (placed - center) @ axes
        middle = 0.5 * (along.max(axis=0) + along.min(axis=0))
        half = np.maximum(0.5 * np.ptp(along, axis=0), 1e-4)
        local = ((points[near] - center) @ axes - middle) / half
        distance = np.maximum(np.linalg.norm(local, axis=1), 1e-6)
        toward = -(local / distance[:, None] / half) @ axes.T
        toward /= np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-12)
        cosine = np.einsum("ki,ki->k", normals[near], toward)
        least = np.where(np.isin(owner[near], [i for i in others if (i, joint) in joined]), -0.15, 0.25)
        blocked = np.clip(least + (1.0 - least) * cosine, 0.0, 1.0) / np.maximum(distance, 1.0) ** 4
        light[near] *= 1.0 - 0.75 * blocked
    return light
