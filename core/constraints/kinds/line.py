"""A point of a part stays on a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.constraints.checks import frozen, numbers, unit
from core.constraints.kinds.kind import Deviation, Kind, moved_point
from core.constraints.kinds.plane import UP
from core.constraints.primitives import PointRows, Primitive
from core.skeleton.skeleton import Array

if TYPE_CHECKING:
    from core.constraints.lock import Lock
    from core.constraints.places import Places


def across(direction: Array) -> Array:
    """Return two unit vectors at right angles to a unit vector and to each other, as rows, shape (2, 3)."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first)])


class LineKind(Kind):
    """Welman's line constraint. Bound to a pose it is the upright line through the point."""

    name = "line"
    title = "Line"
    description = "Keeps a point of the part on a line, such as a rung."
    target_shape = (2, 3)

    def checked_target(self, value: Any, what: str) -> Array:
        given = numbers(value, (2, 3), what)
        return frozen(np.array([given[0], unit(given[1], f"{what}'s direction")]))

    def target_at(self, lock: Lock, places: Places) -> Array:
        return np.array([places.point(lock.joint, lock.point), UP])

    def primitives(self, lock: Lock) -> tuple[Primitive, ...]:
        return (PointRows(across(lock.target[1]), lock.target[0]),)

    def deviation(self, lock: Lock, places: Places) -> Deviation:
        start, direction = lock.target
        away = places.point(lock.joint, lock.point) - start
        return Deviation(away - direction * (direction @ away), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return np.array([moved_point(motion, target[0]), motion[:3, :3] @ target[1]])

    def place(self, target: Any) -> Array | None:
        return target[0]


LINE = LineKind()
