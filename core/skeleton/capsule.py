"""The capsule that stands for a segment without an object: a cylinder with a half ball at either end."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.skeleton.mesh import Mesh

_SIDES = 16
_RINGS = 4  # between a half ball's rim and its pole, the rim counted


@lru_cache(maxsize=1)
def _template() -> tuple[Array, Array, NDArray[np.int32]]:
    """Points of the unit ball, which end each belongs to, and the triangles."""
    points: list[tuple[float, float, float]] = [(0.0, -1.0, 0.0)]
    ends: list[float] = [0.0]
    # Rings from the lower pole up; the rim is there twice, once for either end.
    up = [-k * 90.0 / _RINGS for k in range(_RINGS - 1, -1, -1)] + [k * 90.0 / _RINGS for k in range(_RINGS)]
    for k, degrees in enumerate(up):
        height, radius = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
        for side in range(_SIDES):
            turn = 2.0 * np.pi * side / _SIDES
            points.append((radius * np.cos(turn), height, radius * np.sin(turn)))
            ends.append(0.0 if k < _RINGS else 1.0)
    points.append((0.0, 1.0, 0.0))
    ends.append(1.0)
    top = len(points) - 1
    triangles: list[tuple[int, int, int]] = []
    for side in range(_SIDES):
        after = (side + 1) % _SIDES
        triangles.append((0, 1 + side, 1 + after))
        for ring in range(len(up) - 1):
            low, high = 1 + ring * _SIDES, 1 + (ring + 1) * _SIDES
            triangles.append((low + side, high + side, high + after))
            triangles.append((low + side, high + after, low + after))
        last = 1 + (len(up) - 1) * _SIDES
        triangles.append((last + side, top, last + after))
    return np.array(points), np.array(ends), np.array(triangles, dtype=np.int32)


def capsule_mesh(start: ArrayLike, end: ArrayLike, radius: float) -> Mesh:
    """Return the triangles of a capsule.

    Args:
        start: Centre of one half ball, shape (3,), [m].
        end: Centre of the other, shape (3,), [m]; may equal ``start`` (then it is a ball).
        radius: [m], > 0.
    """
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    axis = (b - a) / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    # Any direction across will do; the coordinate axis farthest from the line loses the fewest digits.
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    across = np.cross(axis, helper)
    across /= np.linalg.norm(across)
    frame = np.column_stack((across, axis, np.cross(across, axis)))
    points, ends, triangles = _template()
    if length == 0.0:  # the band between the two rims has no area
        triangles = triangles[np.ptp(ends[triangles], axis=1) == 0.0]
    return Mesh(radius * points @ frame.T + a + ends[:, None] * (b - a), triangles)
