"""A point of a part stays on a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.base import Deviation, Kind, moved_point
from core.constraints.kinds.plane import UP
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.line import LineConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import PointRows, Primitive, across


class LineKind(Kind):
    """Welman's line constraint. Bound to a pose it is the upright line through the point."""

    name = "line"
    title = "Line"
    description = "Keeps a point of the part on a line, such as a rung."
    target_shape = (2, 3)

    def checked_target(self, value: Any, what: str) -> Array:
        given = numbers(value, (2, 3), what)
        return frozen(np.array([given[0], unit(given[1], f"{what}'s direction")]))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.array([places.point(lock.joint, lock.point), UP])

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (PointRows(across(lock.target[1]), lock.target[0]),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        return (LineConstraint(network.point(lock.joint, lock.point), lock.target, **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        start, direction = lock.target
        away = places.point(lock.joint, lock.point) - start
        return Deviation(away - direction * (direction @ away), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return np.array([moved_point(motion, target[0]), motion[:3, :3] @ target[1]])

    def place(self, target: Any) -> Array | None:
        return target[0]


LINE = LineKind()
