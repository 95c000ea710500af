"""Closed low-poly solids lofted through tables of cross-sections; used by the scripts that make the bundled figures.

A solid is a row of superellipse rings along an axis, closed at both ends by a rounded cap. Rings are interpolated
between the rows of a table with a Catmull-Rom spline, so a table needs only the few sections that matter for the
shape. Everything is plain arithmetic in a fixed order: the same table gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# One cross-section: place along the axis, centre (u, v), half-widths towards -u, +u, +v, -v, superellipse exponent.
Row = tuple[float, float, float, float, float, float, float, float]

# Columns (s, u, v) of a ring as world axes (x, y, z): which of s, u, v goes where, and its sign.
AXES = {
    "y": ((1, 1.0), (0, 1.0), (2, 1.0)),  # s is y, u is x, v is z
    "z": ((1, 1.0), (2, 1.0), (0, 1.0)),  # s is z, u is x, v is y
    "-x": ((0, -1.0), (1, 1.0), (2, 1.0)),  # s is -x, u is y, v is z
}


@dataclass(frozen=True)
class Solid:
    """A closed polygon surface.

    Attributes:
        vertices: Shape (n, 3), [m], in the joint's frame.
        polygons: Vertex numbers, counter-clockwise seen from outside; quads along the sides, triangles at the poles.
    """

    vertices: Array
    polygons: tuple[tuple[int, ...], ...]

    def __add__(self, other: Solid) -> Solid:
        """Return both surfaces as one object with two closed shells."""
        first = len(self.vertices)
        shifted = tuple(tuple(first + i for i in polygon) for polygon in other.polygons)
        return Solid(np.vstack([self.vertices, other.vertices]), self.polygons + shifted)

    def moved(self, rotation: Array, translation: Sequence[float]) -> Solid:
        """Return the solid rotated by ``rotation`` (3, 3) and then shifted by ``translation`` (3,), [m]."""
        return Solid(self.vertices @ np.asarray(rotation).T + np.asarray(translation, dtype=np.float64), self.polygons)


def same(
    s: float, u: float, v: float, width: float, front: float, back: float | None = None, power: float = 2.0
) -> Row:
    """Return a row that is as wide towards -u as towards +u; ``back`` defaults to ``front``."""
    return (s, u, v, width, width, front, front if back is None else back, power)


def triangles(polygons: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """Return convex polygons as fans of triangles, shape (m, 3)."""
    fans = [(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)]
    return np.array(fans, dtype=np.int64).reshape(-1, 3)


def volume(solid: Solid) -> float:
    """Return the signed volume, [m^3]: positive if the polygons turn counter-clockwise seen from outside."""
    a, b, c = np.moveaxis(solid.vertices[triangles(solid.polygons)], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def vertex_normals(solid: Solid) -> Array:
    """Return outward unit normals at the vertices, weighted by the areas around them, shape (n, 3)."""
    t = triangles(solid.polygons)
    a, b, c = np.moveaxis(solid.vertices[t], 1, 0)
    face = np.cross(b - a, c - a)
    normals = np.zeros_like(solid.vertices)
    for corner in range(3):
        np.add.at(normals, t[:, corner], face)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def spline(rows: Sequence[Row], refine: int) -> Array:
    """Return the table with ``refine`` rings a span, shape (m, 8): Catmull-Rom over the row number, exact at rows."""
    p = np.array(rows, dtype=np.float64)
    padded = np.vstack([2 * p[0] - p[1], p, 2 * p[-1] - p[-2]])
    rings = []
    for i in range(len(p) - 1):
        p0, p1, p2, p3 = padded[i : i + 4]
        for k in range(refine):
            t = k / refine
            rings.append(
                p1
                + 0.5 * t * (p2 - p0)
                + t * t * (p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3)
                + t**3 * (1.5 * (p1 - p2) + 0.5 * (p3 - p0))
            )
    rings.append(p[-1])
    return np.array(rings)


def cap(ring: Array, slope: Array, height: float, count: int) -> Array:
    """Return ``count`` rings and the pole's row that close an end like half an ellipsoid.

    Args:
        ring: The last row of the body, shape (8,).
        slope: Its change per metre outwards, shape (8,); the cap goes on from it without a crease.
        height: Of the cap, [m]; negative if the end looks down the axis.
        count: Number of rings between the last row and the pole.
    """
    angles = np.arange(1, count + 2) * (np.pi / 2) / (count + 1)
    sin, cos = np.sin(angles)[:, None], np.cos(angles)[:, None]
    rows = np.repeat(ring[None], count + 1, axis=0)
    rows[:, :1] += height * sin
    rows[:, 1:3] += slope[1:3] * abs(height) * sin * (1.0 - 0.5 * sin)
    rows[:, 3:7] *= np.clip(1.0 + slope[3:7] / ring[3:7] * abs(height) * sin, 0.5, 1.2) * cos
    rows[:, 7:] += (2.0 - rows[:, 7:]) * sin
    return rows


def loft(
    rows: Sequence[Row],
    caps: tuple[float, float],
    axis: str = "y",
    sides: int = 16,
    refine: int = 2,
    cap_rings: int = 3,
) -> Solid:
    """Return the closed solid through a table of cross-sections.

    Args:
        rows: Cross-sections in order along the axis, upwards or downwards, [m].
        caps: Heights of the rounded ends before the first and after the last row, [m].
        axis: ``"y"`` (u, v = x, z), ``"z"`` (u, v = x, y) or ``"-x"`` (u, v = y, z).
        sides: Vertices a ring, a multiple of 4 so that symmetric tables give symmetric solids.
        refine: Rings a span between two rows.
        cap_rings: Rings a cap, its pole not counted.
    """
    body = spline(rows, refine)
    along = np.sign(body[-1, 0] - body[0, 0])
    start_slope = (body[0] - body[1]) / abs(body[0, 0] - body[1, 0])
    end_slope = (body[-1] - body[-2]) / abs(body[-1, 0] - body[-2, 0])
    start = cap(body[0], start_slope, -along * caps[0], cap_rings)[::-1]
    end = cap(body[-1], end_slope, along * caps[1], cap_rings)
    table = np.vstack([start[1:], body, end[:-1]])
    poles = np.array([start[0], end[-1]])[:, :3]

    angle = np.arange(sides) * (2 * np.pi / sides)
    cos, sin = np.cos(angle), np.sin(angle)
    cos[np.abs(cos) < 1e-12] = 0.0
    sin[np.abs(sin) < 1e-12] = 0.0
    power = 2.0 / table[:, 7:8]
    u = np.sign(cos) * np.abs(cos) ** power * np.where(cos < 0, table[:, 3:4], table[:, 4:5]) + table[:, 1:2]
    v = np.sign(sin) * np.abs(sin) ** power * np.where(sin > 0, table[:, 5:6], table[:, 6:7]) + table[:, 2:3]
    s = np.repeat(table[:, :1], sides, axis=1)
    points = np.vstack([np.stack([s, u, v], axis=-1).reshape(-1, 3), poles])
    vertices = np.stack([sign * points[:, column] for column, sign in AXES[axis]], axis=1)

    count = len(table)
    top, bottom = count * sides, count * sides + 1
    polygons: list[tuple[int, ...]] = [(top, (k + 1) % sides, k) for k in range(sides)]
    for ring in range(count - 1):
        a, b = ring * sides, (ring + 1) * sides
        polygons += [(a + k, a + (k + 1) % sides, b + (k + 1) % sides, b + k) for k in range(sides)]
    last = (count - 1) * sides
    polygons += [(bottom, last + k, last + (k + 1) % sides) for k in range(sides)]

    solid = Solid(vertices, tuple(polygons))
    if volume(solid) < 0.0:
        solid = Solid(vertices, tuple(polygon[::-1] for polygon in polygons))
    return solid


def bump(solid: Solid, center: Sequence[float], radii: Sequence[float], height: float) -> Solid:
    """Return the solid with a smooth swelling (or, with a negative height, a hollow).

    Vertices inside the ellipsoid of the given ``radii`` (3,) about ``center`` (3,) move along their normals by
    ``height (1 - d^2)^2``, d being the distance in units of the radii; all in [m].
    """
    d2 = np.sum(((solid.vertices - np.asarray(center)) / np.asarray(radii)) ** 2, axis=1)
    shift = height * np.clip(1.0 - d2, 0.0, None) ** 2
    return Solid(solid.vertices + shift[:, None] * vertex_normals(solid), solid.polygons)


def pol_text(solid: Solid, comment: str) -> str:
    """Return the solid as the text of a .pol file, vertices to 10 micrometres."""
    vertices = np.round(solid.vertices, 5) + 0.0  # no negative zeros
    lines = [f"# {comment}", f"vertices {len(vertices)}"]
    lines += [f" {x:.5f} {y:.5f} {z:.5f}" for x, y, z in vertices]
    lines.append(f"polygons {len(solid.polygons)}")
    lines += [f" {len(p)}  {' '.join(map(str, p))}" for p in solid.polygons]
    return "\n".join(lines) + "\n"
