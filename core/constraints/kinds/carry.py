"""A part keeps its place and its orientation in the frame of another: what a hand carries, a hand on a tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.kinds.base import Kind
from core.constraints.kinds.pose import POSE, joined
from core.constraints.kinds.target_parts import PLACE, ROTATION, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import CarriedOrientationResidual, CarriedPointResidual, Residual
from core.spatial import so3


class CarryKind(Kind):
    """Location and orientation relative to a second part.

    The target is the pose of the part in the frame of the second one, (4, 4): its place that of the lock's point,
    counted from the second part's point. Bound to a pose it is as it is there, so that nothing jumps when it begins.
    """

    name = "carry"
    title = "Carry"
    description = "Keeps the part where it is on another part, which carries it along."
    parts = (
        TargetPart(PLACE, "Place", POSE.parts[0].where),
        TargetPart(ROTATION, "Turned", POSE.parts[1].where),
    )
    importance = 3
    held, missed = "{part} carried by {other}", "does not stay where {other} carries it"
    prompt = "Select two parts: the second carries the first"
    done = "{part} is carried by {other}"
    target_shape = (4, 4)
    words, toward = ("carried", "carry"), "by"
    takes_other = True
    takes_pair = True
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        return POSE.checked_target(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        assert lock.second is not None
        figure, joint, point = lock.second
        carrier = places.rotation(joint, figure)
        offset = places.point(lock.joint, lock.point) - places.point(joint, point, figure)
        return joined(carrier.T @ offset, carrier.T @ places.rotation(lock.joint))

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return CarriedPointResidual(lock.target[:3, 3]), CarriedOrientationResidual(lock.target[:3, :3])

    def mirrored_target(self, target: Any) -> Array:
        return POSE.mirrored_target(target)

    def away(self, lock: LockTerms, places: Places) -> Array:
        # Targets are expressed in the frame of what carries the part.
        assert lock.second is not None
        figure, joint, _ = lock.second
        carrier = places.rotation(joint, figure)
        offset = super().away(lock, places)
        return np.concatenate([carrier.T @ offset[:3], carrier.T @ offset[3:]])

    def eased_target(self, target: Any, offset: Array) -> Array:
        return joined(target[:3, 3] + offset[:3], so3.exp(offset[3:]) @ target[:3, :3])

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return POSE.reframed_target(target, frame)

    def recarried_target(self, target: Any, frame: Array) -> Array:
        return joined(frame[:3, :3] @ target[:3, 3], frame[:3, :3] @ target[:3, :3])


CARRY = CarryKind()
