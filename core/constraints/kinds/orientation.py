"""A part keeps its orientation, or one axis of it does."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import rotation
from core.constraints.kinds.base import Kind, mirrored_rotation
from core.constraints.kinds.target_parts import ROTATION, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import AxisResidual, OrientationResidual, Residual


def orientation_residual(lock: LockTerms, target: Array) -> Residual:
    """Return what holds a rotation, or the one axis a lock aligns."""
    axis = single_axis(lock)
    return OrientationResidual(target) if axis is None else AxisResidual(np.eye(3)[axis], target[:, axis])


def single_axis(lock: LockTerms) -> int | None:
    """Return the number of the only axis that a lock aligns; None if it aligns more: two fix the third."""
    return lock.axes.index(True) if lock.axes is not None and sum(lock.axes) == 1 else None


class OrientationKind(Kind):
    """Welman's orientation constraint; ``axes`` say which axes to align, in the sense of his eq. 4.15."""

    name = "orientation"
    title = "Orientation"
    description = "Keeps the orientation of the part."
    parts = (TargetPart(ROTATION, "Turned"),)
    importance = 1
    held, missed = "orientation of {part}", "cannot keep the orientation"
    target_shape = (3, 3)
    takes_axes = True
    holds_position = False
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        return rotation(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.rotation(lock.joint)

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (orientation_residual(lock, lock.target),)

    def mirrored_target(self, target: Any) -> Array:
        return mirrored_rotation(target)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return motion[:3, :3] @ target

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return target @ frame[:3, :3].T


ORIENTATION = OrientationKind()
