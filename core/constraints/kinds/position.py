"""A point of a part stays at a place, or keeps some of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.kinds.base import Deviation, Kind, moved_point
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.location import LocationConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import PointRows, Primitive


class PositionKind(Kind):
    """Welman's location constraint on a point handle; ``axes`` leave coordinates free."""

    name = "position"
    title = "Position"
    description = "Keeps a point of the part where it is."
    takes_axes = True

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.point(lock.joint, lock.point)

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (PointRows(np.eye(3)[list(lock.axes or (True,) * 3)], lock.target),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        point = network.point(lock.joint, lock.point)
        directions = np.eye(3)[list(lock.axes or (True,) * 3)]
        return (LocationConstraint(point, lock.target, directions, **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        away = places.point(lock.joint, lock.point) - lock.target
        return Deviation(away if lock.axes is None else np.where(lock.axes, away, 0.0), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return moved_point(motion, target)

    def place(self, target: Any) -> Array | None:
        return target


POSITION = PositionKind()
