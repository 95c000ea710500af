"""A point of a part stays in a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.plane import PlaneConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import PointRows, Primitive
from core.skeleton.mirroring.mirror import reflect_vector

UP = (0.0, 1.0, 0.0)


class PlaneKind(Kind):
    """Welman's plane constraint: ``n . x = d``. Bound to a pose it is the level plane through the point."""

    name = "plane"
    title = "Plane"
    description = "Keeps a point of the part in a plane, such as the floor."
    target_shape = (4,)

    def checked_target(self, value: Any, what: str) -> Array:
        plane = numbers(value, (4,), what)
        normal = unit(plane[:3], f"{what}'s normal")
        if np.array_equal(normal, plane[:3]):
            return plane
        return frozen(np.append(normal, plane[3] / np.linalg.norm(plane[:3])))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.array([*UP, np.dot(UP, places.point(lock.joint, lock.point))])

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        normal = lock.target[:3]
        return (PointRows(normal[None], normal * lock.target[3]),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        return (PlaneConstraint(network.point(lock.joint, lock.point), lock.target, **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        normal = lock.target[:3]
        return Deviation(normal * (normal @ places.point(lock.joint, lock.point) - lock.target[3]), None)

    def mirrored_target(self, target: Any) -> Array:
        return np.append(reflect_vector(target[:3]), target[3])

    def moved_target(self, target: Any, motion: Array) -> Array:
        normal = motion[:3, :3] @ target[:3]
        return np.append(normal, target[3] + normal @ motion[:3, 3])

    def place(self, target: Any) -> Array | None:
        return target[:3] * target[3]


PLANE = PlaneKind()
