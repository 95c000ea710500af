"""A point of a part stays at a place, or keeps some of its coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.kinds.base import Kind, moved_point
from core.constraints.kinds.target_parts import PLACE, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual


class PositionKind(Kind):
    """Welman's location constraint on a point handle; ``axes`` leave coordinates free."""

    name = "position"
    title = "Position"
    description = "Keeps a point of the part where it is."
    parts = (TargetPart(PLACE, "Place"),)
    importance = 3
    takes_axes = True

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.point(lock.joint, lock.point)

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (PointResidual(np.eye(3)[list(lock.axes or (True,) * 3)], lock.target),)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return moved_point(motion, target)


POSITION = PositionKind()
