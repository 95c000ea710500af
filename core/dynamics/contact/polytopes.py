"""Convex polytopes: corners, faces and edges of boxes and hulls, and what is left of them in fewer dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from core.arrays import Array

_FLAT = 1e-9  # of the largest extent: what is thinner than this has no thickness
_SAME = 1e-10  # by which the planes of two triangles of one face may differ


@dataclass(frozen=True, eq=False)
class Polytope:
    """A convex polytope of any dimension up to three.

    Attributes:
        points: Its corners, shape (n, 3), [m]; read-only.
        faces: Corners of each face, counter-clockwise seen from outside; a flat one has two, back to back.
        normals: Their unit normals, outwards, shape (len(faces), 3); read-only.
        edges: For each edge its two corners and its two faces, -1 where there are none, shape (m, 4); read-only.
    """

    points: Array
    faces: tuple[tuple[int, ...], ...] = ()
    normals: Array = field(default_factory=lambda: np.zeros((0, 3)))
    edges: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))

    def __post_init__(self) -> None:
        for name, kind in (("points", np.float64), ("normals", np.float64), ("edges", np.int64)):
            array = np.array(getattr(self, name), dtype=kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def has_area(self) -> tuple[bool, ...]:
        """For each face whether it has an area; those of a box with a size of 0 have none."""
        if not self.faces:
            return ()
        least = _FLAT * float(np.ptp(self.points, axis=0).max(initial=0.0)) ** 2
        counts = np.array([len(loop) for loop in self.faces])
        corners = self.points[np.concatenate(self.faces)]
        first = np.cumsum(counts) - counts
        arms = corners - corners[np.repeat(first, counts)]  # the first of each face is 0, and so are products with it
        products = np.cross(arms[:-1], arms[1:])
        areas = np.linalg.norm(np.add.reduceat(products, first), axis=1)
        return tuple((areas > least).tolist())

    @property
    def is_solid(self) -> bool:
        """Whether it has three dimensions, or is a box of whatever thickness: the faces of an edge make an angle."""
        return len(self.faces) > 2


def point_polytope() -> Polytope:
    """Return the origin."""
    return Polytope(np.zeros((1, 3)))


def segment_polytope(half_length: float) -> Polytope:
    """Return a segment along z with its middle in the origin."""
    return _segment(np.array([[0.0, 0.0, -half_length], [0.0, 0.0, half_length]]))


def _segment(points: Array) -> Polytope:
    return Polytope(points, edges=np.array([[0, 1, -1, -1]]))


def box_polytope(half_sizes: Array) -> Polytope:
    """Return a box around the origin; corner number k has x, y, z by the bits 1, 2, 4 of k."""
    signs = np.array([[1.0 if k >> axis & 1 else -1.0 for axis in range(3)] for k in range(8)])
    faces, normals = [], []
    for axis in range(3):
        one, other = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
        for side in (0, 1):
            at = side << axis
            loop = (at, at | one, at | one | other, at | other)
            faces.append(loop if side else loop[::-1])
            normals.append(np.eye(3)[axis] * (1.0 if side else -1.0))
    return _closed(signs * half_sizes, faces, np.array(normals))


def hull_polytope(given: Array, most: int) -> Polytope:
    """Return the convex hull of points, in the order in which they are given.

    Args:
        given: Shape (n, 3), [m].
        most: Corners to keep at most: those that reach farthest in directions all around.
    """
    points = np.unique(given, axis=0)[_first_order(given)]
    if len(points) > 4:
        points = _corners(points)
    if len(points) > most:
        points = _corners(points[_far(points, most)])
    middle = points.mean(axis=0)
    extents, axes = np.linalg.svd(points - middle, full_matrices=True)[1:]
    extents = np.concatenate([extents, np.zeros(3)])[:3]
    rank = int(np.sum(extents > _FLAT * max(float(extents[0]), 1e-300))) if extents[0] > 0.0 else 0
    if rank == 0:
        return Polytope(points[:1])
    along = (points - middle) @ axes.T
    if rank == 1:
        return _segment(points[[int(np.argmin(along[:, 0])), int(np.argmax(along[:, 0]))]])
    if rank == 2:
        loop = scipy.spatial.ConvexHull(along[:, :2]).vertices.tolist()
        normal = np.cross(axes[0], axes[1])
        both = [tuple(loop), tuple(loop[::-1])]
        return _closed(points, both, np.array([normal, -normal]))
    hull = scipy.spatial.ConvexHull(points)
    return _closed(points, *_merged(points, hull))


def _first_order(given: Array) -> NDArray[np.intp]:
    """Return the order that puts the sorted different points as they came first."""
    first = np.unique(given, axis=0, return_index=True)[1]
    return np.argsort(first)


def _corners(points: Array) -> Array:
    """Return the points that are corners of their hull, in their order; all of them if it is flat."""
    try:
        return points[np.sort(scipy.spatial.ConvexHull(points).vertices)]
    except scipy.spatial.QhullError:
        return points


def _far(points: Array, most: int) -> NDArray[np.intp]:
    """Return which points reach farthest in directions spread over the sphere, those along the axes among them."""
    k = np.arange(most - 6) + 0.5
    height, turn = 1.0 - 2.0 * k / (most - 6), np.pi * (1.0 + 5.0**0.5) * k
    wide = np.sqrt(1.0 - height**2)
    around = np.stack([wide * np.cos(turn), height, wide * np.sin(turn)], axis=1)
    return np.unique(np.argmax(points @ np.concatenate([np.eye(3), -np.eye(3), around]).T, axis=0))


def _merged(points: Array, hull: scipy.spatial.ConvexHull) -> tuple[list[tuple[int, ...]], Array]:
    """Return the faces of a hull and their normals, triangles in one plane put together."""
    size = float(np.ptp(points, axis=0).max())
    planes = hull.equations
    of = list(range(len(planes)))  # the first triangle of the face that each is part of
    apart = np.abs(planes[:, None] - planes[hull.neighbors])
    same = (apart[..., :3].max(axis=-1) < _SAME) & (apart[..., 3] < _SAME * size)
    for k, side in np.argwhere(same).tolist():
        low, high = sorted((of[k], of[int(hull.neighbors[k, side])]))
        of = [low if face == high else face for face in of]
    parts: dict[int, list[int]] = {}
    for k, face in enumerate(of):
        parts.setdefault(face, []).append(k)
    triangles = _triangles(points, hull)
    faces, normals = [], np.zeros((len(parts), 3))
    for number, (face, own) in enumerate(sorted(parts.items())):
        normal = planes[own, :3].mean(axis=0) if len(own) > 1 else planes[face, :3]
        normals[number] = normal / math.sqrt(normal @ normal)
        faces.append(_around(points, hull.simplices[own], normals[number]) if len(own) > 1 else triangles[face])
    return faces, normals


def _triangles(points: Array, hull: scipy.spatial.ConvexHull) -> list[tuple[int, ...]]:
    """Return the corners of each triangle of a hull, counter-clockwise from outside, the first one first."""
    corners = np.sort(hull.simplices, axis=1)
    a, b, c = (points[corners[:, k]] for k in range(3))
    turned = np.einsum("ni,ni->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    corners[turned, 1:] = corners[turned, :0:-1]
    return [tuple(each) for each in corners.tolist()]


def _around(points: Array, simplices: NDArray[np.integer[Any]], normal: Array) -> tuple[int, ...]:
    """Return the corners of a face of several triangles, counter-clockwise from outside, the first one first."""
    corners = np.unique(simplices)
    arms = points[corners] - points[corners].mean(axis=0)
    across = arms[0] - (arms[0] @ normal) * normal
    angles = np.arctan2(arms @ np.cross(normal, across), arms @ across)
    loop = corners[np.argsort(angles)].tolist()
    start = loop.index(min(loop))
    return tuple(loop[start:] + loop[:start])


def _closed(points: Array, faces: Sequence[tuple[int, ...]], normals: Array) -> Polytope:
    """Return a polytope with the edges between its faces."""
    left = {(loop[k - 1], loop[k]): f for f, loop in enumerate(faces) for k in range(len(loop))}
    edges = [(i, j, f, left.get((j, i), -1)) for (i, j), f in left.items() if i < j or (j, i) not in left]
    return Polytope(points, tuple(faces), normals, np.array(sorted(edges), dtype=np.int64).reshape(-1, 4))
