"""Points of two parts stay the same distance apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import number
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import LENGTH, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import DistanceResidual, Residual
from core.errors import LockError

_SHORTEST = 1e-9  # a distance of nothing is no distance


class DistanceKind(Kind):
    """``|p_a - p_b| = length``; a length of 0 asks for three rows and is better expressed by a point pair."""

    name = "distance"
    title = "Distance"
    description = "Keeps the distance between two points, like a rod between them."
    parts = (TargetPart(LENGTH, "Apart"),)
    held, missed = "distance from {part} to {other}", "cannot keep the distance to {other}"
    prompt = "Select two parts: the distance between them stays as it is"
    target_shape = ()
    takes_other = True

    def checked_target(self, value: Any, what: str) -> float:
        length = number(value, what)
        if length <= 0.0:
            raise LockError(f"{what} is {length:g}; a distance must be above 0; a point pair brings points together")
        return length

    def target_at(self, lock: LockTerms, places: Places) -> float:
        figure, joint, point = lock.second  # type: ignore[misc]  # such a lock has one
        return float(np.linalg.norm(places.point(lock.joint, lock.point) - places.point(joint, point, figure)))

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (DistanceResidual(lock.target),)

    def away(self, lock: LockTerms, places: Places) -> Array:
        return np.array([self.target_at(lock, places) - lock.target, 0.0, 0.0, 0.0, 0.0, 0.0])

    def eased_target(self, target: Any, offset: Array) -> float:
        return max(float(target + offset[0]), _SHORTEST)

    def offset_between(self, a: Any, b: Any) -> Array:
        return np.array([b - a, 0.0, 0.0, 0.0, 0.0, 0.0])

    def mirrored_target(self, target: Any) -> float:
        return target


DISTANCE = DistanceKind()
