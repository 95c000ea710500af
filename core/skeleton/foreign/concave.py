"""Polygons that a fan from their first corner would not cover are cut before trimesh makes fans of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.objects.triangulate import PolygonError, strictly_convex, triangulate

_MOST_WORK = 50_000_000  # sum of squared corner counts of the polygons that are cut one by one: seconds


def cut_where_concave(
    vertices: NDArray[np.float64], sizes: NDArray[np.int64], corners: NDArray[np.int64], file: str
) -> Iterator[tuple[int, ...]]:
    """Yield the polygons in their order; those that may be concave as triangles.

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
    work = 0
    for start, size, whole in zip(starts.tolist(), sizes.tolist(), plain.tolist(), strict=True):
        polygon = corners[start : start + size].tolist()
        if whole:
            yield tuple(polygon)
            continue
        kept = [corner for k, corner in enumerate(polygon) if corner != polygon[k - 1]]
        if len(kept) < 3:
            continue
        work += len(kept) ** 2
        if work > _MOST_WORK:
            message = "has polygons with too many corners; expected smaller ones, or triangles"
            raise FormatError(Problem(file, 0, 0, message))
        try:
            points = [(x, y, z) for x, y, z in vertices[kept].tolist()]
            yield from ((kept[a], kept[b], kept[c]) for a, b, c in triangulate(points))
        except PolygonError:  # it crosses itself, or is flat: any cut is as good
            yield from ((kept[0], kept[k], kept[k + 1]) for k in range(1, len(kept) - 1))
