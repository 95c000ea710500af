"""A point of a part stays at a place, or keeps some of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.constraints.kinds.kind import Deviation, Kind, moved_point
from core.constraints.network.constraints.location import LocationConstraint
from core.constraints.primitives import PointRows, Primitive
from core.skeleton.skeleton import Array

if TYPE_CHECKING:
    from core.constraints.lock import Lock
    from core.constraints.network import Constraint, Network
    from core.constraints.network.from_locks import Options
    from core.constraints.places import Places


class PositionKind(Kind):
    """Welman's location constraint on a point handle; ``axes`` leave coordinates free."""

    name = "position"
    title = "Position"
    description = "Keeps a point of the part where it is."
    takes_axes = True

    def target_at(self, lock: Lock, places: Places) -> Array:
        return places.point(lock.joint, lock.point)

    def primitives(self, lock: Lock) -> tuple[Primitive, ...]:
        return (PointRows(np.eye(3)[list(lock.axes or (True,) * 3)], lock.target),)

    def blocks(self, lock: Lock, network: Network, options: Options) -> tuple[Constraint, ...]:
        point = network.point(lock.joint, lock.point)
        directions = np.eye(3)[list(lock.axes or (True,) * 3)]
        return (LocationConstraint(point, lock.target, directions, **options(lock.weight)),)

    def deviation(self, lock: Lock, places: Places, locks: Sequence[Lock] = ()) -> Deviation:
        away = places.point(lock.joint, lock.point) - lock.target
        return Deviation(away if lock.axes is None else np.where(lock.axes, away, 0.0), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return moved_point(motion, target)

    def place(self, target: Any) -> Array | None:
        return target


POSITION = PositionKind()
