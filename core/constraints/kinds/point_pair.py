"""Points of two parts stay together, or a fixed offset apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import PLACE, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual


class PointPairKind(Kind):
    """The thesis' hands on hips: ``C = p_a - p_b - offset``. Bound to a pose the points are to meet."""

    name = "point_pair"
    title = "Point pair"
    description = "Keeps two points together, such as a hand on the hip."
    parts = (TargetPart(PLACE, "Offset"),)
    held, missed = "{part} at {other}", "does not reach {other}"
    prompt = "Select two parts: the first keeps its place on the second"
    done = "{part} and {other} locked as a point pair"
    words = ("pair", "point pair")
    takes_other = True
    needs_target = False

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.zeros(3)

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (PointResidual(np.eye(3), _offset(lock), pair=True),)

    def eased_target(self, target: Any, offset: Array) -> Array:
        return (np.zeros(3) if target is None else target) + offset[:3]

    def moved_target(self, target: Any, motion: Array) -> Array:
        return motion[:3, :3] @ target


def _offset(lock: LockTerms) -> Array:
    return np.zeros(3) if lock.target is None else lock.target


POINT_PAIR = PointPairKind()
