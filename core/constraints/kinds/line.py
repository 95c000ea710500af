"""A point of a part stays on a line."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.base import Kind, moved_point
from core.constraints.kinds.plane import UP
from core.constraints.kinds.target_parts import DIRECTION, PLACE, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual
from core.spatial.cross_products import across


class LineKind(Kind):
    """Welman's line constraint. Bound to a pose it is the upright line through the point."""

    name = "line"
    title = "Line"
    description = "Keeps a point of the part on a line, such as a rung."
    parts = (TargetPart(PLACE, "Through", 0), TargetPart(DIRECTION, "Along", 1))
    held, missed = "{part} on its line", "does not reach the line"
    menu, done = "Lock to line", "{part} locked to a line"
    target_shape = (2, 3)

    def checked_target(self, value: Any, what: str) -> Array:
        given = numbers(value, (2, 3), what)
        return frozen(np.array([given[0], unit(given[1], f"{what}'s direction")]))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.array([places.point(lock.joint, lock.point), UP])

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (PointResidual(across(lock.target[1]), lock.target[0]),)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return np.array([moved_point(motion, target[0]), motion[:3, :3] @ target[1]])


LINE = LineKind()
