"""Polygons to triangles by ear clipping (mapbox_earcut), after they are projected along their own normal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float, float]
Triangle = tuple[int, int, int]
_FLAT = 1e-12  # of the polygon's size squared: an area below is rounding
_CROSSES = "is degenerate: it crosses itself; expected an outline that does not"


class PolygonError(ValueError):
    """A polygon that bounds no area: its corners coincide, lie on a line, or its outline crosses itself."""


def strictly_convex(points: np.ndarray) -> np.ndarray:
    """Return which polygons turn clearly to the left at every corner, seen along their normals.

    Args:
        points: Corners of polygons with three or four corners each, shape (m, 3 or 4, 3).
    """
    edges = np.roll(points, -1, axis=1) - points
    size = np.abs(edges).max(axis=(1, 2), initial=0.0)
    turns = np.cross(np.roll(edges, 1, axis=1), edges)
    normal = turns.sum(axis=1)
    length = np.linalg.norm(normal, axis=1)
    signed = np.einsum("mki,mi->mk", turns, normal)
    enough = 1e-9 * size * size
    return (length > enough) & (signed > (enough * length)[:, None]).all(axis=1)


def triangulate(points: Sequence[Point]) -> list[Triangle]:
    """Return triangles that cover a simple polygon, convex or not, wound as the polygon is.

    A polygon that is not quite flat is judged by its projection along its mean normal.

    Args:
        points: Corners in order, at least three.

    Returns:
        Corner numbers of ``len(points) - 2`` triangles.

    Raises:
        PolygonError: If the polygon has no area or its outline crosses itself.
    """
    count = len(points)
    # Relative to the first corner: far from the origin the sums would lose the digits that count.
    corners = np.array(points, dtype=np.float64) - points[0]
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)  # Newell's, twice the area long
    tolerance = _FLAT * float(np.abs(corners).max()) ** 2
    length = float(np.linalg.norm(normal))
    if length <= tolerance or length == 0.0:
        raise PolygonError(
            "is degenerate: it has no area; expected corners that do not all coincide or lie on one line"
        )
    if count == 3:
        return [(0, 1, 2)]
    # Dropping the axis along which the normal is longest keeps the order of the corners up to its sign.
    axis = int(np.abs(normal).argmax())
    flat = np.ascontiguousarray(corners[:, [(axis + 1) % 3, (axis + 2) % 3]])
    flat[:, 0] *= np.sign(normal[axis])
    edges = np.roll(flat, -1, axis=0) - flat
    rightward = edges[:, 0] > 0.0
    # With left turns only, an outline goes round once if it turns back twice (a pentagram goes round twice).
    if (_cross(np.roll(edges, 1, axis=0), edges) > tolerance).all() and (rightward != np.roll(rightward, 1)).sum() <= 2:
        return [(0, k, k + 1) for k in range(1, count - 1)]
    return _clipped(flat, abs(float(normal[axis])), tolerance)


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _clipped(flat: NDArray[np.float64], twice_area: float, tolerance: float) -> list[Triangle]:
    # Imported here, as few objects have a polygon that needs it.
    from mapbox_earcut import triangulate_float64

    count = len(flat)
    found = triangulate_float64(flat, np.array([count], dtype=np.uint32)).reshape(-1, 3).astype(np.int64)
    first = flat[found[:, 0]]
    areas = _cross(flat[found[:, 1]] - first, flat[found[:, 2]] - first)
    if abs(float(np.abs(areas).sum()) - twice_area) > 1e-9 * twice_area + count * tolerance:
        raise PolygonError(_CROSSES)
    found[areas < 0.0] = found[areas < 0.0][:, ::-1]
    return _completed([(a, b, c) for a, b, c in found.tolist()], count)


def _completed(triangles: list[Triangle], count: int) -> list[Triangle]:
    """Return triangles with those that earcut leaves out where corners are on a line.

    They have no area, but without them an object whose other polygons use those corners would not be closed.
    """
    following = {k: [(k + 1) % count] for k in range(count)}  # edges that still want a triangle on their left
    for triangle in triangles:
        for k in range(3):
            start, end = triangle[k - 1], triangle[k]
            if end in following[start]:
                following[start].remove(end)
            else:
                following[end].append(start)
    completed = list(triangles)
    while len(completed) < count - 2:
        loop = [start for start, ends in following.items() if ends][:1]
        if not loop:
            raise PolygonError(_CROSSES)
        while following[loop[-1]]:
            loop.append(following[loop[-1]].pop())
            if loop[-1] == loop[0]:
                break
        completed += [(loop[0], loop[k], loop[k + 1]) for k in range(1, len(loop) - 2)]
    return completed
