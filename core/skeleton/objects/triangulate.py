"""Polygons to triangles by ear clipping, after they are projected along their own normal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

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
        raise PolygonError(
            "is degenerate: it has no area; expected corners that do not all coincide or lie on one line"
        )
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


class _Outline:
    """What is left of a polygon while its ears are clipped: a ring of corners, and which of them do not turn left."""

    def __init__(self, flat: list[tuple[float, float]], tolerance: float):
        count = len(flat)
        self.flat = flat
        self.tolerance = tolerance
        self.before = [count - 1, *range(count - 1)]
        self.after = [*range(1, count), 0]
        self.there = [True] * count
        # Corners that do not turn left are the only ones that can lie inside an ear; a dict keeps their order.
        self.reflex = {k: None for k in range(count) if self.turn(k) <= tolerance}

    def turn(self, k: int) -> float:
        return _cross(self.flat[self.before[k]], self.flat[k], self.flat[self.after[k]])

    def is_ear(self, k: int) -> bool:
        """Whether the triangle at a corner lies inside the polygon."""
        if self.turn(k) <= self.tolerance:
            return False
        flat, least = self.flat, -self.tolerance
        corners = flat[self.before[k]], flat[k], flat[self.after[k]]
        a, b, c = corners
        for other in self.reflex:
            p = flat[other]
            if _cross(c, a, p) >= least and _cross(a, b, p) >= least and _cross(b, c, p) >= least and p not in corners:
                return False
        return True

    def clip(self, k: int) -> tuple[int, int, int]:
        """Take a corner away and return its triangle."""
        before, after = self.before[k], self.after[k]
        self.after[before], self.before[after] = after, before
        self.there[k] = False
        self.reflex.pop(k, None)
        for neighbor in (before, after):
            if neighbor in self.reflex and self.turn(neighbor) > self.tolerance:
                del self.reflex[neighbor]
        return before, k, after

    def rest(self) -> list[int]:
        return [k for k, there in enumerate(self.there) if there]


def _clip_ears(flat: list[tuple[float, float]], tolerance: float) -> list[tuple[int, int, int]]:
    outline = _Outline(flat, tolerance)
    triangles: list[tuple[int, int, int]] = []
    waiting: list[int] = []
    for left in range(len(flat), 3, -1):
        # Clipping changes only the two neighbours, so they are looked at next; the rest again when none is left.
        while waiting and not (outline.there[waiting[-1]] and outline.is_ear(waiting[-1])):
            waiting.pop()
        if not waiting:
            waiting = [k for k in reversed(outline.rest()) if outline.is_ear(k)]
        if not waiting:
            # Nothing but corners on a straight line: clipping one changes no area.
            waiting = [k for k in outline.rest() if abs(outline.turn(k)) <= tolerance][:1]
        if not waiting:
            raise PolygonError(
                f"crosses itself, {left} of its corners are left over; expected an outline that does not"
            )
        before, at, after = outline.clip(waiting.pop())
        triangles.append((before, at, after))
        waiting.extend((after, before))
    last = outline.rest()
    if _cross(flat[last[0]], flat[last[1]], flat[last[2]]) < -tolerance:
        raise PolygonError("is degenerate: it crosses itself; expected an outline that does not")
    triangles.append((last[0], last[1], last[2]))
    return triangles
