"""The search for implausible stretches of a keyed motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.animation.sequence import Sequence
from core.dynamics.contact.world import World
from core.kinematics.forward import forward_kinematics
from core.preview.keyed_motion import keyed_dynamics
from core.preview.plausibility.flight import flights, off_the_parabola, turns_by_itself
from core.preview.plausibility.ground import Standing, beside_the_feet, impossible_ground
from core.preview.plausibility.support import clearances, support
from core.preview.plausibility.violation import THRESHOLDS, Thresholds, Violation

_RATE = 24.0  # least samples a second
_NO_FLIGHT = 0.7  # what is so far off a parabola hangs in the air; what it turns by is not worth a word
_LEVEL = 0.999  # a floor that tilts more than its normal says here is no level one


def find_violations(
    sequence: Sequence,
    world: World | None = None,
    *,
    friction: float | None = None,
    limits: Thresholds = THRESHOLDS,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Violation, ...]:
    """Return where a sequence moves as no forces could make it, in the order of its frames.

    Args:
        sequence: The sequence, looked at over its range.
        world: Gravity, floor and obstacles; None for the usual ones. Without a floor nothing of the ground is reported.
        friction: Friction coefficient of the ground; None for the one in ``limits``.
        limits: Thresholds.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        Cancelled: If ``cancelled`` said so.
        DynamicsError: If the figure has no mass or a joint has a scale.
    """
    s, there = sequence.skeleton, World() if world is None else world
    first, last = sequence.range
    per_frame = 1 if sequence.fps >= _RATE else math.ceil(_RATE / sequence.fps)
    at = first + np.arange((last - first) * per_frame + 1) / per_frame
    motion = keyed_dynamics(sequence, at, world=there, torques=False, progress=progress, cancelled=cancelled)
    frames = forward_kinematics(s, motion.poses)
    held = support(sequence, at, clearances(s, frames, there), limits)
    found: list[Violation] = []
    airborne = np.zeros(len(at), dtype=np.bool_)
    for flight in flights(motion, held, there.gravity, limits):
        airborne[flight.first : flight.last + 1] = True
        off = off_the_parabola(s, motion, flight, there.gravity, limits)
        found += off
        if not any(violation.amount > _NO_FLIGHT for violation in off):
            found += turns_by_itself(motion, flight, limits)
    if there.floor is not None or there.ground is not None:
        standing = Standing(s, motion, frames, held, airborne, there, limits)
        found += impossible_ground(standing, limits.friction if friction is None else friction)
        level = there.ground is None and there.floor is not None and there.floor.normal[1] > _LEVEL
        if not there.obstacles and level:
            found += beside_the_feet(standing)
    return tuple(sorted(found, key=lambda violation: (violation.first, violation.last, violation.kind)))
