"""From the polygons of any file to a mesh: coincident vertices are one, polygons are cut into triangles.

Files may hold millions of corners, so that indices have 32 bits and large steps go piece by piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.closed import edges_match, enclosed_volume, places
from core.skeleton.mesh import Mesh
from core.skeleton.triangulate import PolygonError, strictly_convex, triangulate

Indices = NDArray[np.int32]

_FARTHEST = 1e9  # [m]
_MOST = 2**31 - 1
_MOST_WORK = 50_000_000  # sum of squared corner counts of the polygons that are cut one by one: seconds
_FLAT = 1e-12  # of a triangle's size squared: an area below is rounding
_AT_A_TIME = 100_000  # polygons


class Polygons(NamedTuple):
    """What a file holds.

    Attributes:
        vertices: Shape (n, 3), [m], of 32 or 64 bits.
        corners: Vertex numbers, one polygon after the other; numbers that are not there are allowed.
        sizes: How many corners each polygon has, 3 or more; None if all are triangles.
    """

    vertices: NDArray[Any]
    corners: NDArray[Any]
    sizes: NDArray[Any] | None = None


def no_polygons(file: str) -> FormatError:
    """Return what is said of a file that holds points or lines at most."""
    return _problem(file, "has no polygons; expected at least one")


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
    if not len(found.corners):
        raise no_polygons(file)
    if found.corners.min() < 0 or found.corners.max() >= len(found.vertices):
        raise _problem(file, "has polygons with corners that are not there; expected vertex numbers in range")
    for column in found.vertices.T:
        if not (np.abs(column) <= _FARTHEST).all():
            raise _problem(file, f"has a vertex that is not a finite length within {_FARTHEST:g} m")
    vertices, corners = _merged(found.vertices, found.corners.astype(np.int32, copy=False))
    polygons: list[tuple[int, ...]] = []
    if found.sizes is None or (found.sizes == 3).all():
        triangles = _with_area(vertices, corners.reshape(-1, 3))
    else:
        sizes, corners = _without_repeats(found.sizes.astype(np.int64, copy=False), corners)
        triangles, polygons = _cut(vertices, sizes, corners, file)
    if not len(triangles):
        raise _problem(file, "has only polygons without area; expected at least one with an area")
    used = np.zeros(len(vertices), dtype=bool)
    used[triangles] = True
    if not used.all():
        number = np.cumsum(used, dtype=np.int32) - np.int32(1)
        vertices, triangles = vertices[used], number[triangles]
        polygons = [tuple(number[list(polygon)].tolist()) for polygon in polygons]
    mesh = Mesh(vertices.astype(np.float64, copy=False), triangles, tuple(polygons))
    if edges_match(triangles, len(vertices)) and enclosed_volume(mesh) < 0.0:
        mesh = Mesh(mesh.vertices, mesh.triangles[:, ::-1], tuple(polygon[::-1] for polygon in polygons))
    return mesh


def _problem(file: str, message: str) -> FormatError:
    return FormatError(Problem(file, 0, 0, message))


def _merged(vertices: NDArray[Any], corners: Indices) -> tuple[NDArray[Any], Indices]:
    """Return the places there are, in the order in which they first appear, and the corners among them."""
    vertices = vertices + vertices.dtype.type(0)  # -0 and 0 are one place
    numbers, count = places(vertices)
    if count == len(vertices):
        return vertices, corners
    first = np.full(count, len(vertices), dtype=np.int32)
    first[numbers[::-1]] = np.arange(len(vertices) - 1, -1, -1, dtype=np.int32)  # the last assignment holds: the first
    rank = np.argsort(first).astype(np.int32)
    renumbered = np.empty_like(rank)
    renumbered[rank] = np.arange(count, dtype=np.int32)
    return vertices[first[rank]], renumbered[numbers[corners]]


def _without_repeats(sizes: NDArray[np.int64], corners: Indices) -> tuple[NDArray[np.int64], Indices]:
    """Take out corners that follow on themselves, and polygons that have fewer than three left."""
    last = np.cumsum(sizes) - 1
    after = np.empty_like(corners)
    after[:-1] = corners[1:]
    after[last] = corners[last - sizes + 1]
    keep = corners != after
    if keep.all():
        return sizes, corners
    left = np.add.reduceat(keep, last - sizes + 1, dtype=np.int64)
    keep &= np.repeat(left >= 3, sizes)
    return left[left >= 3], corners[keep]


def _cut(
    vertices: NDArray[Any], sizes: NDArray[np.int64], corners: Indices, file: str
) -> tuple[Indices, list[tuple[int, ...]]]:
    """Return the triangles that cover the polygons, in their order, and the polygons that a .pol file may hold."""
    starts = np.cumsum(sizes) - sizes
    numbers: list[Indices] = []  # of the polygon that each triangle is a part of
    parts: list[Indices] = []
    sound = np.zeros(len(sizes), dtype=bool)

    def take(which: NDArray[np.int64], triangles: Indices) -> None:
        numbers.append(which.astype(np.int32))
        parts.append(triangles)

    for size in (3, 4):
        of_size = np.flatnonzero(sizes == size)
        for some in range(0, len(of_size), _AT_A_TIME):
            which = of_size[some : some + _AT_A_TIME]
            table = corners[starts[which, None] + np.arange(size)]
            points = vertices[table].astype(np.float64)
            good = strictly_convex(points) if size == 4 else _have_area(points)
            sound[which[good]] = True
            for k in range(size - 2):
                take(which[good], table[good][:, [0, k + 1, k + 2]])
    work = 0
    for k in np.flatnonzero(~sound & (sizes > 3)).tolist():
        polygon = corners[starts[k] : starts[k] + sizes[k]]
        work += len(polygon) ** 2
        if work > _MOST_WORK:
            raise _problem(file, "has polygons with too many corners; expected smaller ones, or triangles")
        cut, sound[k] = _cut_one(vertices, polygon)
        take(np.full(len(cut), k), cut)
    owner = np.concatenate(numbers) if numbers else np.zeros(0, np.int32)
    triangles = np.concatenate(parts) if parts else np.zeros((0, 3), np.int32)
    order = np.argsort(owner, kind="stable")
    triangles = triangles[order]
    loose = triangles[~sound[owner[order]]]
    whole = np.flatnonzero(sound)
    flat = corners[np.repeat(sound, sizes)].tolist()
    ends = np.cumsum(sizes[whole])
    polygons = [tuple(flat[a:b]) for a, b in zip((ends - sizes[whole]).tolist(), ends.tolist(), strict=True)]
    return triangles, polygons + [(a, b, c) for a, b, c in loose.tolist()]


def _with_area(vertices: NDArray[Any], triangles: Indices) -> Indices:
    """Return the triangles that have an area."""
    keep = np.empty(len(triangles), dtype=bool)
    for some in range(0, len(triangles), _AT_A_TIME):
        piece = slice(some, some + _AT_A_TIME)
        keep[piece] = _have_area(vertices[triangles[piece]].astype(np.float64))
    return triangles if keep.all() else triangles[keep]


def _have_area(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which triangles, shape (m, 3, 3), have an area."""
    edges = points[:, 1:] - points[:, :1]
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    size = np.abs(edges).max(axis=(1, 2), initial=0.0)
    return (area > _FLAT * size * size) & (area > 0.0)


def _cut_one(vertices: NDArray[Any], polygon: Indices) -> tuple[Indices, bool]:
    """Return the triangles of one polygon, and whether it is sound. One that crosses itself is cut as a fan."""
    points = [(x, y, z) for x, y, z in vertices[polygon].tolist()]
    whole = len(set(polygon.tolist())) == len(polygon)
    try:
        found = np.array(triangulate(points), dtype=np.int32)
    except PolygonError:
        steps = np.arange(1, len(polygon) - 1, dtype=np.int32)
        found = np.column_stack([np.zeros_like(steps), steps, steps + 1])
        whole = False
    triangles = polygon[found]
    good = _have_area(vertices[triangles].astype(np.float64))
    return triangles[good], whole and bool(good.all())
