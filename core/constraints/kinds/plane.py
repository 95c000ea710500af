"""A point of a part stays in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import DIRECTION, LENGTH, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PointResidual, Residual
from core.skeleton.mirroring.mirror import reflect_vector

UP = (0.0, 1.0, 0.0)


class PlaneKind(Kind):
    """Welman's plane constraint: ``n . x = d``. Bound to a pose it is the level plane through the point."""

    name = "plane"
    title = "Plane"
    description = "Keeps a point of the part in a plane, such as the floor."
    parts = (TargetPart(DIRECTION, "Normal", slice(3)), TargetPart(LENGTH, "Height", 3))
    held, missed = "{part} on its plane", "does not reach the plane"
    menu, done = "Lock to plane", "{part} locked to a plane"
    target_shape = (4,)

    def checked_target(self, value: Any, what: str) -> Array:
        plane = numbers(value, (4,), what)
        normal = unit(plane[:3], f"{what}'s normal")
        if np.array_equal(normal, plane[:3]):
            return plane
        return frozen(np.append(normal, plane[3] / np.linalg.norm(plane[:3])))

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.array([*UP, np.dot(UP, places.point(lock.joint, lock.point))])

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        normal = lock.target[:3]
        return (PointResidual(normal[None], normal * lock.target[3]),)

    def mirrored_target(self, target: Any) -> Array:
        return np.append(reflect_vector(target[:3]), target[3])

    def moved_target(self, target: Any, motion: Array) -> Array:
        normal = motion[:3, :3] @ target[:3]
        return np.append(normal, target[3] + normal @ motion[:3, 3])

    def offset_between(self, a: Any, b: Any) -> Array:
        return np.append(a[:3] * (b[3] - a[3]), np.zeros(3))

    def place(self, target: Any) -> Array | None:
        return target[:3] * target[3]


PLANE = PlaneKind()
