"""A part keeps its place and its orientation, each with a weight of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import check_rotation
from core.constraints.checks import frozen, numbers, rotation
from core.constraints.kinds.base import Kind, mirrored_rotation, moved_point
from core.constraints.kinds.orientation import orientation_residual
from core.constraints.kinds.target_parts import PLACE, ROTATION, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual
from core.errors import LockError
from core.skeleton.mirroring.mirror import reflect_vector
from core.spatial import so3

_LAST_ROW = [0.0, 0.0, 0.0, 1.0]
_PLACE, _TURN = (slice(3), 3), (slice(3), slice(3))


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
    parts = (TargetPart(PLACE, "Place", _PLACE), TargetPart(ROTATION, "Turned", _TURN))
    importance = 3
    short = "Both"
    words = ("pose", "still")
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
            check_rotation(matrix[:3, :3], f"{what}'s rotation", LockError)
            return matrix
        return frozen(joined(place, rotation(turn, f"{what}'s rotation")))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return joined(places.point(lock.joint, lock.point), places.rotation(lock.joint))

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return PointResidual(np.eye(3), lock.target[:3, 3]), orientation_residual(lock, lock.target[:3, :3])

    def mirrored_target(self, target: Any) -> Array:
        return joined(reflect_vector(target[:3, 3]), mirrored_rotation(target[:3, :3]))

    def moved_target(self, target: Any, motion: Array) -> Array:
        return joined(moved_point(motion, target[:3, 3]), motion[:3, :3] @ target[:3, :3])

    def eased_target(self, target: Any, offset: Array) -> Array:
        return joined(target[:3, 3] + offset[:3], so3.exp(offset[3:]) @ target[:3, :3])

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return joined(target[:3, 3], target[:3, :3] @ frame[:3, :3].T)


POSE = PoseKind()
