"""Hard-surface solids for machines and shells: turned on a lathe, or boxes with their edges planed off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull

from core.skeleton import Mesh
from core.skeleton.shapes import loft, section_axes
from skeletons.making.shaping.loft import Array


def lathe(
    start: Sequence[float], end: Sequence[float], profile: Sequence[tuple[float, float]], sides: int = 20
) -> Mesh:
    """Return a solid turned about an axis, its ends flat.

    Args:
        start: Where the axis begins, world, [m].
        end: Where it ends.
        profile: (place along the axis in parts of its length, radius [m]) from start to end.
        sides: Vertices a ring.
    """
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    axis = (b - a) / np.linalg.norm(b - a)
    u, v = section_axes(axis)
    turn = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
    circle = np.cos(turn)[:, None] * u + np.sin(turn)[:, None] * v
    middles = [a + place * (b - a) for place, _ in profile]
    rings = [middle + radius * circle for middle, (_, radius) in zip(middles, profile, strict=True)]
    return loft(np.array(rings), middles[0], middles[-1])


def cylinder(start: Sequence[float], end: Sequence[float], radius: float, edge: float = 0.0, sides: int = 20) -> Mesh:
    """Return a cylinder whose rims are planed off by ``edge`` [m]."""
    if edge == 0.0:
        return lathe(start, end, [(0.0, radius), (1.0, radius)], sides)
    part = edge / float(np.linalg.norm(np.asarray(end, dtype=np.float64) - np.asarray(start, dtype=np.float64)))
    low = radius - edge
    return lathe(start, end, [(0.0, low), (part, radius), (1.0 - part, radius), (1.0, low)], sides)


def planed_box(
    size: Sequence[float], middle: Sequence[float], edge: float, taper: tuple[float, float] = (1.0, 1.0)
) -> Mesh:
    """Return a box along the axes with every edge planed off.

    Args:
        size: Edge lengths, [m].
        middle: Its middle, world, [m].
        edge: How much comes off, [m].
        taper: Width and depth at the top in parts of those at the bottom.
    """
    half = 0.5 * np.asarray(size, dtype=np.float64)
    points = []
    for signs in np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3):
        for short in np.eye(3):
            corner = signs * (half - edge * (1.0 - short))
            up = (corner[1] / half[1] + 1.0) / 2.0
            corner[0] *= 1.0 + (taper[0] - 1.0) * up
            corner[2] *= 1.0 + (taper[1] - 1.0) * up
            points.append(corner)
    return hull(np.array(points) + np.asarray(middle))


def hull(points: Array) -> Mesh:
    """Return the convex hull of points, its flat faces in one piece, in an order that depends on the points only."""
    shape = ConvexHull(points)
    used = np.sort(shape.vertices)
    vertices = points[used]
    planes: dict[tuple[float, ...], set[int]] = {}
    for corners, equation in zip(shape.simplices, shape.equations, strict=True):
        planes.setdefault(tuple(np.round(equation, 6) + 0.0), set()).update(int(c) for c in corners)
    polygons = []
    for plane in sorted(planes):
        face = np.array(sorted(planes[plane]))
        u, v = section_axes(np.array(plane[:3]) / np.linalg.norm(plane[:3]))
        offsets = points[face] - points[face].mean(axis=0)
        order = face[np.argsort(np.arctan2(offsets @ v, offsets @ u), kind="stable")]
        polygons.append(tuple(int(k) for k in np.searchsorted(used, order)))
    fans = [(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)]
    return Mesh(vertices, np.array(fans, dtype=np.int32), tuple(polygons))
