"""Rays: where a cursor in a view points in the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array


def closest_point_on_ray(origin: Any, direction: Any, point: Any) -> Array:
    """Return the point of a ray that is closest to ``point``, shape (3,), [m]; new.

    The goal of a drag: in an orthographic view it lies in the plane through the end-effector, in a perspective view
    it may come nearer or go farther (Welman 6.2). Never behind ``origin``.

    Args:
        origin: Where the ray starts, world, shape (3,).
        direction: Where it goes, any length but zero, shape (3,).
        point: The end-effector, world, shape (3,).
    """
    o, d = np.asarray(origin, dtype=np.float64), np.asarray(direction, dtype=np.float64)
    along = float(np.dot(np.asarray(point, dtype=np.float64) - o, d) / np.dot(d, d))
    return np.asarray(o + max(along, 0.0) * d)


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
