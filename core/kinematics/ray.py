"""Rays: where a cursor in a view points in the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.skeleton.skeleton import Array


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
