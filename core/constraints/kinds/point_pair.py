"""Points of two parts stay together, or a fixed offset apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.constraints.kinds.base import Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual
from core.skeleton.skeleton import Array


class PointPairKind(Kind):
    """The thesis' hands on hips: ``C = p_a - p_b - offset``. Bound to a pose the points are to meet."""

    name = "point_pair"
    title = "Point pair"
    description = "Keeps two points together, such as a hand on the hip."
    takes_other = True
    needs_target = False

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.zeros(3)

    def residuals(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        return (PointResidual(np.eye(3), _offset(lock), pair=True),)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return motion[:3, :3] @ target


def _offset(lock: LockTerms) -> Array:
    return np.zeros(3) if lock.target is None else lock.target


POINT_PAIR = PointPairKind()
