"""A point of a part stays at a place, or keeps some of its coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.constraints.kinds.kind import Deviation, Kind, moved_point
from core.constraints.primitives import PointRows, Primitive
from core.skeleton.skeleton import Array

if TYPE_CHECKING:
    from core.constraints.lock import Lock
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

    def deviation(self, lock: Lock, places: Places) -> Deviation:
        away = places.point(lock.joint, lock.point) - lock.target
        return Deviation(away if lock.axes is None else np.where(lock.axes, away, 0.0), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return moved_point(motion, target)

    def place(self, target: Any) -> Array | None:
        return target


POSITION = PositionKind()
