"""An axis of a part points at a place of the world."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.aim import AIM, axis_turn
from core.constraints.kinds.base import Kind, moved_point
from core.constraints.kinds.target_parts import DIRECTION, PLACE, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PlaceAimResidual, Residual
from core.skeleton.segment import rest_frames

AHEAD = 1.0
"""How far ahead of the part the place is that a lock is bound to, [m]."""


class LookAtKind(Kind):
    """An aim at a place, which may be keyed. The target is the place, and the axis of the part that points there.

    Bound to a pose it is what the part has before it now: the axis that faces forward at rest, and a place along it.
    """

    name = "look_at"
    title = "Look at place"
    description = "Keeps the part pointing at a place in the world, as the eyes follow what passes by."
    parts = (TargetPart(PLACE, "Place", 0), TargetPart(DIRECTION, "Axis", 1))
    importance = 1
    held, missed = "look of {part}", "cannot look at its place"
    menu = "Look at place or part…"
    done = "{part} looks at a place"
    target_shape = (2, 3)
    holds_position = False
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        given = numbers(value, (2, 3), what)
        return frozen(np.array([given[0], unit(given[1], f"{what}'s axis")]))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        joint = places.index(lock.joint)
        forward = rest_frames(places.skeleton)[joint, :3, :3][2]  # the world's z at rest, in the part's frame
        forward = forward / np.linalg.norm(forward)
        sight = places.rotation(lock.joint) @ forward
        return np.array([places.point(lock.joint, lock.point) + AHEAD * sight, forward])

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (PlaceAimResidual(lock.target[1], lock.target[0]),)

    def pointed(self, target: Any) -> Array:
        return np.asarray(target)[1]

    def pointing(self, target: Any, axis: Array) -> Array:
        return np.array([target[0], axis])

    def moved_target(self, target: Any, motion: Array) -> Array:
        return np.array([moved_point(motion, target[0]), target[1]])

    def away(self, lock: LockTerms, places: Places) -> Array:
        return axis_turn(super().away(lock, places), lock, places)

    def eased_target(self, target: Any, offset: Array) -> Array:
        return np.array([target[0] + offset[:3], AIM.eased_target(target[1], offset)])

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return np.array([target[0], AIM.reframed_target(target[1], frame)])


LOOK_AT = LookAtKind()
