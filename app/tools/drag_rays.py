"""Geometry of a drag: from the pointer's ray to the place where a part should go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EASE_PIXELS = 40.0
"""Over this much motion the distance between cursor and end-effector at press eases to zero."""


def eased(travel: float) -> float:
    """Return what share of the offset at press is left after some motion: 1 at 0 px, 0 from 40 px on."""
    t = min(max(travel / EASE_PIXELS, 0.0), 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)


def closest_point_on_axis(point: Array, axis: Array, origin: Array, direction: Array) -> Array | None:
    """Return the point of a line that comes closest to a ray.

    Args:
        point: A point of the line, shape (3,), [m].
        axis: Unit direction of the line, shape (3,).
        origin: Origin of the ray, shape (3,), [m].
        direction: Unit direction of the ray, shape (3,).

    Returns:
        The point, shape (3,), or None where line and ray are parallel and no point is closest.
    """
    along = float(axis @ direction)
    denominator = 1.0 - along * along
    if denominator < 1e-6:
        return None
    between = origin - point
    return point + ((between @ axis - along * (between @ direction)) / denominator) * axis


def point_in_plane(point: Array, normal: Array, origin: Array, direction: Array) -> Array:
    """Return where a ray meets the plane through a point.

    Args:
        point: A point of the plane, shape (3,), [m].
        normal: Its unit normal, shape (3,); the ray is not parallel to the plane.
        origin: Origin of the ray, shape (3,), [m].
        direction: Unit direction of the ray, shape (3,).
    """
    return origin + ((point - origin) @ normal / (direction @ normal)) * direction
