"""Polygons of any number of corners, convex or not, as triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.objects.triangulate import PolygonError, strictly_convex, triangulate

_MOST_WORK = 50_000_000  # sum of squared corner counts of the polygons that are cut one by one: seconds


def cut_into_triangles(
    vertices: NDArray[np.float64], sizes: NDArray[np.int64], corners: NDArray[np.int64], file: str
) -> NDArray[np.int64]:
    """Return the polygons' triangles in their order, shape (m, 3): fans, unless a fan would spill out of the polygon.

    Args:
        vertices: Shape (n, 3), finite, [m].
        sizes: How many corners each polygon has, 3 or more.
        corners: Vertex numbers in range, one polygon after the other.
        file: For messages.

    Raises:
        FormatError: If the polygons have so many corners that cutting them would take too long.
    """
    starts = np.cumsum(sizes) - sizes
    plain = sizes == 3
    quads = np.flatnonzero(sizes == 4)
    plain[quads] = strictly_convex(vertices[corners[starts[quads, None] + np.arange(4)]])
    found, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    for size in (3, 4):
        which = np.flatnonzero(plain & (sizes == size))
        table = corners[starts[which, None] + np.arange(size)]
        found += [table[:, [0, k, k + 1]] for k in range(1, size - 1)]
        owners += [which] * (size - 2)
    work = 0
    for number in np.flatnonzero(~plain).tolist():
        polygon = corners[starts[number] : starts[number] + sizes[number]]
        polygon = polygon[polygon != np.roll(polygon, 1)]
        if len(polygon) < 3:
            continue
        work += len(polygon) ** 2
        if work > _MOST_WORK:
            message = "has polygons with too many corners; expected smaller ones, or triangles"
            raise FormatError(Problem(file, 0, 0, message))
        try:
            cut = triangulate([(x, y, z) for x, y, z in vertices[polygon].tolist()])
        except PolygonError:  # it crosses itself, or is flat: any cut is as good
            cut = [(0, k, k + 1) for k in range(1, len(polygon) - 1)]
        found.append(polygon[np.array(cut)])
        owners.append(np.full(len(cut), number))
    return np.concatenate(found)[np.argsort(np.concatenate(owners), kind="stable")]
