"""The search for implausible stretches of a keyed motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from core.animation.sequence import Sequence
from core.kinematics.forward import forward_kinematics
from core.preview.keyed_motion import GRAVITY, keyed_dynamics
from core.preview.plausibility.clearance import clearances
from core.preview.plausibility.flight import flights, off_the_parabola, turns_by_itself
from core.preview.plausibility.ground import impossible_ground
from core.preview.plausibility.support import support
from core.preview.plausibility.thresholds import THRESHOLDS, Thresholds
from core.preview.plausibility.violation import Violation

_RATE = 24.0  # least samples a second


def find_violations(
    sequence: Sequence,
    *,
    gravity: ArrayLike = GRAVITY,
    floor: float | None = 0.0,
    normal: ArrayLike = (0.0, 1.0, 0.0),
    friction: float | None = None,
    limits: Thresholds = THRESHOLDS,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Violation, ...]:
    """Return where a sequence moves as no forces could make it, in the order of its frames.

    Args:
        sequence: The sequence, looked at over its range.
        gravity: Acceleration of free fall, shape (3,), [m/s^2].
        floor: Where the ground crosses the world's y axis, [m]; None for no ground.
        normal: Its unit normal, shape (3,).
        friction: Friction coefficient of the ground; None for the one in ``limits``.
        limits: Thresholds.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        Cancelled: If ``cancelled`` said so.
        DynamicsError: If the figure has no mass or a joint has a scale.
    """
    s = sequence.skeleton
    g, up = np.asarray(gravity, dtype=np.float64), np.asarray(normal, dtype=np.float64)
    first, last = sequence.range
    per_frame = 1 if sequence.fps >= _RATE else math.ceil(_RATE / sequence.fps)
    at = first + np.arange((last - first) * per_frame + 1) / per_frame
    told = keyed_dynamics(sequence, at, gravity=g, torques=False, progress=progress, cancelled=cancelled)
    frames = forward_kinematics(s, told.poses)
    above = clearances(s, frames, 0.0 if floor is None else floor, up)
    held = support(sequence, at, np.full_like(above, np.inf) if floor is None else above, limits)
    found: list[Violation] = []
    airborne = np.zeros(len(at), dtype=np.bool_)
    for flight in flights(told, held, g, limits):
        airborne[flight.first : flight.last + 1] = True
        found += off_the_parabola(s, told, flight, g, limits)
        found += turns_by_itself(told, flight, limits)
    if floor is not None:
        mu = limits.friction if friction is None else friction
        found += impossible_ground(s, told, frames, held, airborne, g, up, mu, limits)
    return tuple(sorted(found, key=lambda violation: (violation.first, violation.last, violation.kind)))
