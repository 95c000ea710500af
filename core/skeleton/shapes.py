"""Simple closed solids for segments: box, ellipsoid, tapered limb, and the loft that the round ones are made of.

Every shape is closed, wound counter-clockwise seen from outside, and low-poly. Vertices lie on the ideal surface, so
a round shape holds a little less than the ideal one (4.5 % less with twelve sides).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.errors import CoreError
from core.skeleton.mesh import Mesh

SIDES = 12
_CAP_RINGS = 2  # between a rounded end's rim and its pole, neither counted
_FACES = ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))


def box(size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> Mesh:
    """Return a box with edges along the axes: 8 vertices, 6 quads.

    Args:
        size: Edge lengths, shape (3,), or one number for a cube, [m], > 0.
        center: Shape (3,), [m].

    Raises:
        CoreError: If a length is not positive or a number not finite.
    """
    lengths, middle = _positive(size, 3, "size"), _point(center, "center")
    corners = np.array([[(i >> k) & 1 for k in range(3)] for i in range(8)], dtype=np.float64)
    return Mesh(middle + (corners - 0.5) * lengths, _fans(_FACES), _FACES)


def ellipsoid(
    radii: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0), sides: int = SIDES, rings: int | None = None
) -> Mesh:
    """Return an ellipsoid with its axes along x, y and z; its poles lie on y.

    Args:
        radii: Half-axes, shape (3,), or one number for a ball, [m], > 0.
        center: Shape (3,), [m].
        sides: Vertices a ring, 3 or more.
        rings: Rings between the poles; half as many as sides, less one, if not given.

    Raises:
        CoreError: If a radius is not positive, a number not finite or a count too small.
    """
    half, middle = _positive(radii, 3, "radii"), _point(center, "center")
    count = max(1, _count(sides, 3, "sides") // 2 - 1) if rings is None else _count(rings, 1, "rings")
    angle = np.pi * np.arange(1, count + 1) / (count + 1)
    circle = _circle(sides)
    unit = np.empty((count, sides, 3))
    unit[..., 0] = np.sin(angle)[:, None] * circle[:, 0]
    unit[..., 1] = -np.cos(angle)[:, None]
    unit[..., 2] = -np.sin(angle)[:, None] * circle[:, 1]
    pole = np.array([0.0, half[1], 0.0])
    return loft(middle + unit * half, middle - pole, middle + pole)


def tapered(
    start: ArrayLike,
    end: ArrayLike,
    start_radii: ArrayLike,
    end_radii: ArrayLike,
    sides: int = SIDES,
    across: ArrayLike | None = None,
) -> Mesh:
    """Return a limb: elliptic sections that change evenly from start to end, with rounded ends.

    The ends are half ellipsoids about ``start`` and ``end``, as high as the mean of their two radii: so neighbours
    that share a joint overlap there.

    Args:
        start: Middle of one end, shape (3,), [m].
        end: Middle of the other, shape (3,), [m].
        start_radii: Half-axes at the start along ``across`` and at right angles to it; one number for both. [m], > 0.
        end_radii: The same at the end.
        sides: Vertices a ring, 3 or more.
        across: Direction of the first half-axis, shape (3,); only its part at right angles to the limb counts. None,
            or one along the limb: the x axis, or for a limb along x the z axis.

    Raises:
        CoreError: If start and end are one point, a radius is not positive or a number not finite.
    """
    a, b = _point(start, "start"), _point(end, "end")
    first, last = _positive(start_radii, 2, "start_radii"), _positive(end_radii, 2, "end_radii")
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        raise CoreError("start and end of a limb are one point; expected two, or an ellipsoid")
    axis = (b - a) / length
    u, v = section_axes(axis, across)
    turn = 0.5 * np.pi * np.arange(1, _CAP_RINGS + 1) / (_CAP_RINGS + 1)
    heights, widths = np.sin(turn), np.cos(turn)
    low, high = float(first.mean()), float(last.mean())
    places = np.concatenate([-low * heights[::-1], [0.0, length], length + high * heights])
    radii = np.concatenate([first * widths[::-1, None], [first, last], last * widths[:, None]])
    circle = _circle(_count(sides, 3, "sides"))
    rings = (
        a
        + places[:, None, None] * axis
        + radii[:, :1, None] * circle[:, :1] * u
        + radii[:, 1:, None] * circle[:, 1:] * v
    )
    return loft(rings, a - low * axis, b + high * axis)


def section_axes(axis: Array, across: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return two unit vectors at right angles to a unit ``axis`` and to each other, ``u x v = axis``; each (3,).

    Args:
        axis: Unit vector, shape (3,).
        across: ``u`` is as near to it as can be; see ``tapered``.
    """
    wanted = [] if across is None else [_point(across, "across")]
    for direction in (*wanted, np.eye(3)[0], np.eye(3)[2]):
        u = direction - axis * float(axis @ direction)
        length = float(np.linalg.norm(u))
        if length > 1e-3 * float(np.linalg.norm(direction)) > 0.0:
            return u / length, np.cross(axis, u / length)
    raise CoreError(f"axis {axis.tolist()} is not a unit vector; expected one")


def loft(rings: ArrayLike, start: ArrayLike, end: ArrayLike) -> Mesh:
    """Return the closed surface through a row of rings, closed by a point at either end.

    Args:
        rings: Shape (m, sides, 3), [m]; all run round the same way. Neighbouring rings are joined by quads.
        start: The point before the first ring, shape (3,), [m].
        end: The point after the last, shape (3,), [m].

    Raises:
        CoreError: If there is no ring, one has fewer than three vertices or a number is not finite.
    """
    points = np.asarray(rings, dtype=np.float64)
    if points.ndim != 3 or points.shape[2] != 3 or len(points) < 1 or points.shape[1] < 3:
        raise CoreError(f"rings have shape {points.shape}; expected (rings, sides, 3), three sides or more")
    if not np.isfinite(points).all():
        raise CoreError("a ring has a vertex that is not finite")
    poles = np.stack([_point(start, "start"), _point(end, "end")])
    vertices = np.vstack([points.reshape(-1, 3), poles])
    polygons, triangles = _faces(len(points), points.shape[1], False)
    if _six_volumes(vertices, triangles).sum() < 0.0:
        polygons, triangles = _faces(len(points), points.shape[1], True)
    return Mesh(vertices + 0.0, triangles, polygons)


@lru_cache(maxsize=128)
def _faces(count: int, sides: int, reverse: bool) -> tuple[tuple[tuple[int, ...], ...], NDArray[np.int32]]:
    """Polygons and triangles of a loft through so many rings, wound one way or the other."""
    bottom, top = count * sides, count * sides + 1
    after = [(k + 1) % sides for k in range(sides)]
    last = (count - 1) * sides
    polygons: list[tuple[int, ...]] = [(bottom, after[k], k) for k in range(sides)]
    for ring in range(count - 1):
        a, b = ring * sides, (ring + 1) * sides
        polygons += [(a + k, a + after[k], b + after[k], b + k) for k in range(sides)]
    polygons += [(top, last + k, last + after[k]) for k in range(sides)]
    if reverse:
        polygons = [polygon[::-1] for polygon in polygons]
    return tuple(polygons), _fans(polygons)


def volume(mesh: Mesh) -> float:
    """Return the signed volume a closed mesh encloses, [m^3]; negative if it is wound inside out."""
    return float(_six_volumes(mesh.vertices, mesh.triangles).sum()) / 6.0


def _six_volumes(vertices: Array, triangles: NDArray[np.int32]) -> Array:
    """Six times the signed volumes between the triangles and a point among the vertices, shape (m,)."""
    points = vertices - vertices.mean(axis=0)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c))


def _fans(polygons: Sequence[tuple[int, ...]]) -> NDArray[np.int32]:
    return np.array([(p[0], p[k], p[k + 1]) for p in polygons for k in range(1, len(p) - 1)], dtype=np.int32)


def _circle(sides: int) -> Array:
    """Cosine and sine of ``sides`` even steps of a full turn, shape (sides, 2), exact at the quarters."""
    turn = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    circle[np.abs(circle) < 1e-15] = 0.0
    return circle


def _point(value: ArrayLike, what: str) -> Array:
    point = np.asarray(value, dtype=np.float64)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise CoreError(f"{what} {point.tolist()} is not a point; expected three finite numbers")
    return point


def _positive(value: ArrayLike, length: int, what: str) -> Array:
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.shape not in ((), (length,)) or not (np.isfinite(numbers) & (numbers > 0.0)).all():
        raise CoreError(f"{what} {numbers.tolist()} makes no sense; expected one or {length} positive numbers")
    return np.array(np.broadcast_to(numbers, (length,)))


def _count(value: int, least: int, what: str) -> int:
    if value < least:
        raise CoreError(f"{value} {what} make no solid; expected {least} or more")
    return value
