"""From the pointer's ray to the place where a dragged part should go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.ik.reach import Reach
from core.kinematics.ray import closest_point_on_ray

NEAR_EDGE = 0.05
"""Share of the reach past its edge over which the goal turns to the ray's point nearest to the chain's base."""
LITTLE = 0.004
"""Share of a straight limb's length by which it may be drawn back at the press: it bends by 10 degrees for that."""


class Sight(NamedTuple):
    """How the figure is seen while the pointer drags a part of it.

    Attributes:
        normal: Unit normal of the view's plane, toward the eye, world, shape (3,).
        parallel: Whether all rays of the view are parallel; else they come from one eye.
        grain: Smallest distance between two places of the pointer at the depth of the part, [m]: what a screen's
            pixel covers there.
    """

    normal: Array
    parallel: bool = False
    grain: float = 2e-3


def eased(progress: float) -> float:
    """Return a share that falls smoothly from 1 at 0 to 0 at 1, and stays there."""
    t = min(max(progress, 0.0), 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)


def goal_on_ray(origin: Array, direction: Array, current: Array, reach: Reach) -> Array:
    """Return where on a perspective view's ray a part should go, shape (3,), [m].

    The point nearest to the part; of a ray that passes beyond reach the one nearest to the chain's base: there the
    stretched limb points, whichever way the pointer came.

    Args:
        origin: Origin of the ray, shape (3,), [m].
        direction: Its unit direction, shape (3,).
        current: Where the part is, shape (3,), [m].
        reach: What the lengths of the chain allow.
    """
    goal = closest_point_on_ray(origin, direction, current)
    nearest = closest_point_on_ray(origin, direction, reach.center)
    past = float(np.linalg.norm(nearest - reach.center)) / max(reach.outer, 1e-9) - 1.0
    return goal if past <= 0.0 else goal + (1.0 - eased(past / NEAR_EDGE)) * (nearest - goal)


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
