"""Polygons to triangles by ear clipping, after they are projected along their own normal."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float, float]
_FLAT = 1e-12  # of the polygon's size squared: an area below is rounding


class PolygonError(ValueError):
    """A polygon that bounds no area: its corners coincide, lie on a line, or its outline crosses itself."""


def _normal(points: Sequence[Point]) -> Point:
    """Newell's normal, twice the area long."""
    x = y = z = 0.0
    x0, y0, z0 = points[0]
    # Relative to the first corner: far from the origin the sums would lose the digits that count.
    px, py, pz = points[-1][0] - x0, points[-1][1] - y0, points[-1][2] - z0
    for qx, qy, qz in points:
        qx, qy, qz = qx - x0, qy - y0, qz - z0
        x += (py - qy) * (pz + qz)
        y += (pz - qz) * (px + qx)
        z += (px - qx) * (py + qy)
        px, py, pz = qx, qy, qz
    return x, y, z


def _cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def triangulate(points: Sequence[Point]) -> list[tuple[int, int, int]]:
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
    normal = _normal(points)
    length = math.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    x0, y0, z0 = points[0]
    size = max(max(abs(x - x0), abs(y - y0), abs(z - z0)) for x, y, z in points)
    if length <= _FLAT * size * size or length == 0.0:
        raise PolygonError("has no area; expected corners that do not all coincide or lie on one line")
    if count == 3:
        return [(0, 1, 2)]
    # Dropping the axis along which the normal is longest keeps the order of the corners up to its sign.
    axis = max(range(3), key=lambda k: abs(normal[k]))
    u, v = ((1, 2), (2, 0), (0, 1))[axis]
    sign = 1.0 if normal[axis] > 0.0 else -1.0
    flat = [((p[u] - points[0][u]) * sign, p[v] - points[0][v]) for p in points]
    flat_tolerance = _FLAT * size * size
    turns = [_cross(flat[k - 1], flat[k], flat[(k + 1) % count]) for k in range(count)]
    if all(turn > flat_tolerance for turn in turns) and _turns_once(flat):
        return [(0, k, k + 1) for k in range(1, count - 1)]
    return _clip_ears(flat, flat_tolerance)


def _turns_once(flat: list[tuple[float, float]]) -> bool:
    """Whether an outline with left turns only goes round once (a pentagram goes round twice)."""
    count = len(flat)
    signs = [flat[(k + 1) % count][0] > flat[k][0] for k in range(count)]
    return sum(signs[k] != signs[k - 1] for k in range(count)) <= 2


def _clip_ears(flat: list[tuple[float, float]], tolerance: float) -> list[tuple[int, int, int]]:
    left = list(range(len(flat)))
    triangles: list[tuple[int, int, int]] = []
    while len(left) > 3:
        ear = _find_ear(flat, left, tolerance)
        before, at, after = left[ear - 1], left[ear], left[(ear + 1) % len(left)]
        triangles.append((before, at, after))
        del left[ear]
    if _cross(flat[left[0]], flat[left[1]], flat[left[2]]) < -tolerance:
        raise PolygonError("crosses itself; expected an outline that does not")
    triangles.append((left[0], left[1], left[2]))
    return triangles


def _find_ear(flat: list[tuple[float, float]], left: list[int], tolerance: float) -> int:
    count = len(left)
    straight = -1
    # Corners that turn right are the only ones that can lie inside an ear.
    reflex = [
        left[k]
        for k in range(count)
        if _cross(flat[left[k - 1]], flat[left[k]], flat[left[(k + 1) % count]]) <= tolerance
    ]
    for k in range(count):
        a, b, c = left[k - 1], left[k], left[(k + 1) % count]
        turn = _cross(flat[a], flat[b], flat[c])
        if turn <= tolerance:
            if abs(turn) <= tolerance and straight < 0:
                straight = k
            continue
        inside = False
        for other in reflex:
            if other in (a, b, c) or flat[other] in (flat[a], flat[b], flat[c]):
                continue
            p = flat[other]
            if (
                _cross(flat[a], flat[b], p) >= -tolerance
                and _cross(flat[b], flat[c], p) >= -tolerance
                and _cross(flat[c], flat[a], p) >= -tolerance
            ):
                inside = True
                break
        if not inside:
            return k
    if straight >= 0:  # nothing left but corners on a straight line: clipping one changes no area
        return straight
    raise PolygonError("crosses itself; expected an outline that does not")
