"""From the polygons of any file to a mesh: coincident vertices are one, polygons are cut into triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.closed import enclosed_volume, is_closed
from core.skeleton.mesh import Mesh
from core.skeleton.triangulate import PolygonError, strictly_convex, triangulate

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_FARTHEST = 1e9  # [m]
_MOST_WORK = 50_000_000  # sum of squared corner counts of the polygons that are cut one by one: seconds
_FLAT = 1e-12  # of a triangle's size squared: an area below is rounding


class Polygons(NamedTuple):
    """What a file holds.

    Attributes:
        vertices: Shape (n, 3), [m].
        sizes: How many corners each polygon has, shape (m,).
        corners: Vertex numbers, one polygon after the other, shape (sum of sizes,).
    """

    vertices: Array
    sizes: Integers
    corners: Integers

    @classmethod
    def of_triangles(cls, vertices: object, triangles: object) -> Polygons:
        """Return the polygons of a triangle mesh."""
        corners = np.asarray(triangles, dtype=np.int64).reshape(-1)
        return cls(np.array(vertices, dtype=np.float64).reshape(-1, 3), np.full(len(corners) // 3, 3), corners)


def assembled(found: Polygons, file: str) -> Mesh:
    """Return the mesh of a file's polygons.

    Vertices at the same place become one, whatever told them apart in the file (a normal, a texture), vertices that no
    polygon uses go, and polygons that have no area. A closed mesh that is inside out is turned.

    Args:
        found: What the file holds.
        file: Its name, for messages.

    Raises:
        FormatError: If there is no polygon, a corner that is not there, or a vertex that is not finite.
    """
    vertices, sizes, corners = found
    if not len(sizes):
        raise _problem(file, "has no polygons; expected at least one")
    if corners.min() < 0 or corners.max() >= len(vertices):
        raise _problem(file, "has polygons with corners that are not there; expected vertex numbers in range")
    if not (np.abs(vertices) <= _FARTHEST).all():
        raise _problem(file, f"has a vertex that is not a finite length within {_FARTHEST:g} m")
    vertices, corners = _merged(vertices, corners)
    sizes, corners = _without_repeats(sizes, corners)
    triangles, polygons = _cut(vertices, sizes, corners, file)
    if not len(triangles):
        raise _problem(file, "has only polygons without area; expected at least one with an area")
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    number = np.cumsum(used) - 1
    renumbered = number[triangles].astype(np.int32)
    kept = tuple(tuple(number[list(polygon)].tolist()) for polygon in polygons)
    mesh = Mesh(vertices[used], renumbered, kept)
    if is_closed(mesh) and enclosed_volume(mesh) < 0.0:
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1], tuple(polygon[::-1] for polygon in kept))
    return mesh


def _problem(file: str, message: str) -> FormatError:
    return FormatError(Problem(file, 0, 0, message))


def _merged(vertices: Array, corners: Integers) -> tuple[Array, Integers]:
    """Return the places there are, in the order in which they first appear, and the corners among them."""
    vertices = vertices + 0.0  # -0 and 0 are one place
    order = np.lexsort(vertices.T)
    new = np.ones(len(vertices), dtype=bool)
    new[1:] = (np.diff(vertices[order], axis=0) != 0.0).any(axis=1)
    place = np.empty(len(vertices), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    first = np.full(int(new.sum()), len(vertices))
    np.minimum.at(first, place, np.arange(len(vertices)))
    rank = np.argsort(first, kind="stable")
    number = np.empty_like(rank)
    number[rank] = np.arange(len(rank))
    return vertices[first[rank]], number[place[corners]]


def _without_repeats(sizes: Integers, corners: Integers) -> tuple[Integers, Integers]:
    """Take out corners that follow on themselves, and polygons that have fewer than three left."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    last = np.cumsum(sizes) - 1
    after = np.arange(1, len(corners) + 1)
    after[last] = last - sizes + 1
    keep = corners != corners[after]
    left = np.bincount(owner[keep], minlength=len(sizes))
    keep &= left[owner] >= 3
    return left[left >= 3], corners[keep]


def _cut(vertices: Array, sizes: Integers, corners: Integers, file: str) -> tuple[Integers, list[tuple[int, ...]]]:
    """Return the triangles that cover the polygons, in their order, and the polygons that a .pol file may hold.

    If all of them are triangles, no polygons are returned.
    """
    starts = np.cumsum(sizes) - sizes
    parts: list[tuple[Integers, Integers]] = []  # polygon number and triangle
    sound = np.zeros(len(sizes), dtype=bool)
    for size in (3, 4):
        which = np.flatnonzero(sizes == size)
        table = corners[starts[which, None] + np.arange(size)]
        good = strictly_convex(vertices[table]) if size == 4 else _have_area(vertices[table])
        sound[which[good]] = True
        for k in range(size - 2):
            parts.append((which[good], table[good][:, [0, k + 1, k + 2]]))
    polygons: dict[int, tuple[int, ...]] = {}
    work = 0
    for k in np.flatnonzero(~sound & (sizes > 3)).tolist():
        polygon = corners[starts[k] : starts[k] + sizes[k]]
        work += len(polygon) ** 2
        if work > _MOST_WORK:
            raise _problem(file, "has polygons with too many corners; expected smaller ones, or triangles")
        cut, whole = _cut_one(vertices, polygon)
        parts.append((np.full(len(cut), k), cut))
        sound[k] = whole
    numbers = np.concatenate([number for number, _ in parts])
    triangles = np.concatenate([each for _, each in parts]).reshape(-1, 3)
    order = np.argsort(numbers, kind="stable")
    triangles = triangles[order]
    if (sizes == 3).all():
        return triangles, []
    polygons = {k: tuple(corners[starts[k] : starts[k] + sizes[k]].tolist()) for k in np.flatnonzero(sound).tolist()}
    loose = ~sound[numbers[order]]
    listed = list(polygons.values())
    return triangles, listed + [tuple(each) for each in triangles[loose].tolist()]


def _have_area(points: Array) -> NDArray[np.bool_]:
    """Return which triangles, shape (m, 3, 3), have an area."""
    edges = points[:, 1:] - points[:, :1]
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    size = np.abs(edges).max(axis=(1, 2), initial=0.0)
    return (area > _FLAT * size * size) & (area > 0.0)


def _cut_one(vertices: Array, polygon: Integers) -> tuple[Integers, bool]:
    """Return the triangles of one polygon, and whether it is sound. One that crosses itself is cut as a fan."""
    points = [(x, y, z) for x, y, z in vertices[polygon].tolist()]
    whole = len(set(polygon.tolist())) == len(polygon)
    try:
        found = np.array(triangulate(points), dtype=np.int64)
    except PolygonError:
        steps = np.arange(1, len(polygon) - 1)
        found = np.column_stack([np.zeros_like(steps), steps, steps + 1])
        whole = False
    triangles = polygon[found]
    return triangles[_have_area(vertices[triangles])], whole
