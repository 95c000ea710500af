"""Points of two parts stay the same distance apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.constraints.checks import number
from core.constraints.kinds.base import Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import DistanceResidual, Residual
from core.errors import LockError


class DistanceKind(Kind):
    """``|p_a - p_b| = length``; a length of 0 asks for three rows and is better expressed by a point pair."""

    name = "distance"
    title = "Distance"
    description = "Keeps the distance between two points, like a rod between them."
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

    def residuals(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        return (DistanceResidual(lock.target),)

    def mirrored_target(self, target: Any) -> float:
        return target


DISTANCE = DistanceKind()
