"""Geometry of a drag: from the pointer's ray to the place where a part should go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.kinematics.ray import closest_point_on_ray

if TYPE_CHECKING:
    from core.ik.reach import Reach

Array = NDArray[np.float64]

EASE_PIXELS = 40.0
"""Over this much motion the distance between cursor and end-effector at press eases to zero."""


def eased(travel: float) -> float:
    """Return what share of the offset at press is left after some motion: 1 at 0 px, 0 from 40 px on."""
    t = min(max(travel / EASE_PIXELS, 0.0), 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)


NEAR_EDGE = 0.05
"""Share of the reach past its edge over which the goal turns to the ray's point nearest to the chain's base."""

LITTLE = 0.004
"""Share of a straight limb's length by which it may be drawn back at the press: it bends by 10 degrees for that."""


def goal_on_ray(origin: Array, direction: Array, current: Array, reach: Reach) -> Array:
    """Return where on a perspective view's ray a part should go, shape (3,), [m].

    The point nearest to the part; of a ray that passes beyond reach the one nearest to the chain's base.

    Args:
        origin: Origin of the ray, shape (3,), [m].
        direction: Its unit direction, shape (3,).
        current: Where the part is, shape (3,), [m].
        reach: What the lengths of the chain allow.
    """
    goal = closest_point_on_ray(origin, direction, current)
    nearest = closest_point_on_ray(origin, direction, reach.center)
    past = float(np.linalg.norm(nearest - reach.center)) / max(reach.outer, 1e-9) - 1.0
    return goal if past <= 0.0 else goal + (1.0 - eased(EASE_PIXELS * past / NEAR_EDGE)) * (nearest - goal)


def kept_offset(offset: Array, start: Array, reach: Reach) -> Array:
    """Return what of the offset at press must not ease to zero, shape (3,), [m].

    A straight limb that was pressed nearer to its base than where its goal is would be drawn back and bend, though
    the pointer goes sideways: that part of the offset stays, and the limb swings.

    Args:
        offset: From the pointer's ray to the part at press, shape (3,), [m].
        start: Where the part was, shape (3,), [m].
        reach: What the lengths of the chain allow.
    """
    arm = start - reach.center
    length = float(np.linalg.norm(arm))
    back = float(offset @ arm) / max(length, 1e-9)
    return np.asarray(back * arm / length) if back > LITTLE * length else np.zeros(3)


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
