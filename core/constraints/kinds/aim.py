"""An axis of a part points at a point of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import unit
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import DIRECTION, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import AimResidual, Residual
from core.errors import LockError
from core.spatial import so3


class AimKind(Kind):
    """The target is the axis in the part's frame. Bound to a pose it is the one that points at the other now."""

    name = "aim"
    title = "Aim"
    description = "Keeps the part pointing at another point, as the eyes follow a hand."
    parts = (TargetPart(DIRECTION, "Axis"),)
    importance = 1
    held, missed = "aim of {part} at {other}", "cannot aim at {other}"
    menu = "Lock aim: the first part at the second"
    prompt = "Select two parts: the first aims at the second"
    done = "{part} aims at {other}"
    words, toward = ("aim", "look"), "at"
    takes_other = True
    holds_position = False
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        return unit(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.rotation(lock.joint).T @ _direction(lock, places)

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (AimResidual(lock.target),)

    def away(self, lock: LockTerms, places: Places) -> Array:
        # The deviation turns the line of sight to the axis; the target is the axis, expressed in the part's frame.
        turned = super().away(lock, places)[3:]
        return np.append(np.zeros(3), -(places.rotation(lock.joint).T @ turned))

    def eased_target(self, target: Any, offset: Array) -> Array:
        return so3.exp(offset[3:]) @ target

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return frame[:3, :3] @ target


def _direction(lock: LockTerms, places: Places) -> Array:
    figure, joint, point = lock.second  # type: ignore[misc]  # such a lock has one
    sight = places.point(joint, point, figure) - places.point(lock.joint, lock.point)
    length = float(np.linalg.norm(sight))
    if length == 0.0:
        raise LockError(
            f'aim lock of joint "{lock.joint}": its point and the one it aims at are at the same place; '
            "they must be apart"
        )
    return sight / length


AIM = AimKind()
