"""A part keeps its orientation, or one axis of it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import rotation
from core.constraints.kinds.base import Deviation, Kind, mirrored_rotation
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.orientation import AxisConstraint, OrientationConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import AxisRows, OrientationRows, Primitive
from core.spatial import so3


def orientation_rows(lock: LockTerms, target: Array) -> Primitive:
    """Return the rows that hold a rotation, or the one axis a lock aligns."""
    axis = single_axis(lock)
    return OrientationRows(target) if axis is None else AxisRows(np.eye(3)[axis], target[:, axis])


def orientation_block(lock: LockTerms, target: Array, network: Network, options: Options) -> Constraint:
    """Return the block that does the same."""
    turned, axis, more = network.orientation(lock.joint), single_axis(lock), options(lock.weights[1])
    if axis is None:
        return OrientationConstraint(turned, target, **more)
    return AxisConstraint(turned, np.eye(3)[axis], target[:, axis], **more)


def single_axis(lock: LockTerms) -> int | None:
    """Return the number of the only axis that a lock aligns; None if it aligns more: two fix the third."""
    return lock.axes.index(True) if lock.axes is not None and sum(lock.axes) == 1 else None


def turned_away(lock: LockTerms, places: Places, target: Array) -> Array:
    """Return the rotation vector from the nearest orientation that a lock allows to the part's, shape (3,), [rad]."""
    here, axis = places.rotation(lock.joint), single_axis(lock)
    return so3.log(here @ target.T) if axis is None else between(target[:, axis], here[:, axis])


def between(first: Array, second: Array) -> Array:
    """Return the shortest rotation vector that takes one unit vector to another, shape (3,), [rad]."""
    cross = np.cross(first, second)
    sine, cosine = float(np.linalg.norm(cross)), float(first @ second)
    if sine > 0.0:
        return cross * (np.arctan2(sine, cosine) / sine)
    if cosine >= 0.0:
        return np.zeros(3)
    side = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
    return side * (np.pi / np.linalg.norm(side))


class OrientationKind(Kind):
    """Welman's orientation constraint; ``axes`` say which axes to align, in the sense of his eq. 4.15."""

    name = "orientation"
    title = "Orientation"
    description = "Keeps the orientation of the part."
    target_shape = (3, 3)
    takes_axes = True
    holds_position = False
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        return rotation(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.rotation(lock.joint)

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (orientation_rows(lock, lock.target),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        return (orientation_block(lock, lock.target, network, options),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        return Deviation(None, turned_away(lock, places, lock.target))

    def mirrored_target(self, target: Any) -> Array:
        return mirrored_rotation(target)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return motion[:3, :3] @ target

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return target @ frame[:3, :3].T


ORIENTATION = OrientationKind()
