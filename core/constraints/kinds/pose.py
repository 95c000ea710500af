"""A part keeps its place and its orientation, each with a weight of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, rotation
from core.constraints.kinds.base import Deviation, Kind, mirrored_rotation, moved_point
from core.constraints.kinds.orientation import orientation_block, orientation_rows, turned_away
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.location import LocationConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import PointRows, Primitive
from core.errors import LockError
from core.skeleton.mirroring.mirror import reflect_vector

_LAST_ROW = [0.0, 0.0, 0.0, 1.0]


def joined(place: Array, turn: Array) -> Array:
    """Return the (4, 4) target of a place and a rotation."""
    target = np.eye(4)
    target[:3, :3], target[:3, 3] = turn, place
    return target


class PoseKind(Kind):
    """Location and orientation of a part at once; the target's place is that of the lock's point."""

    name = "pose"
    title = "Position and orientation"
    description = "Keeps the position and the orientation of the part."
    target_shape = (4, 4)
    takes_axes = True
    takes_pair = True
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        if isinstance(value, (tuple, list)) and len(value) == 2:
            place, turn = numbers(value[0], (3,), f"{what}'s position"), value[1]
        else:
            matrix = numbers(value, (4, 4), what)
            if matrix[3].tolist() != _LAST_ROW:
                raise LockError(f"{what} has the last row {matrix[3].tolist()}; it must be {_LAST_ROW}")
            place, turn = matrix[:3, 3], matrix[:3, :3]
        return frozen(joined(place, rotation(turn, f"{what}'s rotation")))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return joined(places.point(lock.joint, lock.point), places.rotation(lock.joint))

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return PointRows(np.eye(3), lock.target[:3, 3]), orientation_rows(lock, lock.target[:3, :3])

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        place, turn = lock.target[:3, 3], lock.target[:3, :3]
        point = network.point(lock.joint, lock.point)
        located = LocationConstraint(point, place, **options(lock.weights[0]))
        return located, orientation_block(lock, turn, network, options)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        away = places.point(lock.joint, lock.point) - lock.target[:3, 3]
        return Deviation(away, turned_away(lock, places, lock.target[:3, :3]))

    def mirrored_target(self, target: Any) -> Array:
        return joined(reflect_vector(target[:3, 3]), mirrored_rotation(target[:3, :3]))

    def moved_target(self, target: Any, motion: Array) -> Array:
        return joined(moved_point(motion, target[:3, 3]), motion[:3, :3] @ target[:3, :3])

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return joined(target[:3, 3], target[:3, :3] @ frame[:3, :3].T)

    def place(self, target: Any) -> Array | None:
        return target[:3, 3]


POSE = PoseKind()
