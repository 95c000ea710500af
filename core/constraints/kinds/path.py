"""A point of a part stays on a path, free to go along it."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import frozen, numbers
from core.constraints.kinds.base import Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import PathResidual, Residual
from core.errors import LockError

SHORTEST = 1e-6
"""Two points of a path in a row are at least so far apart, [m]."""
MOST = 200
"""Points that a path may have."""
REACH = 0.25
"""How far a path that is bound to a pose goes to either side, [m]."""


class PathKind(Kind):
    """Welman's point-to-path constraint (2.3.2): the path is a smooth curve through points.

    Bound to a pose it is the straight stretch from left to right through the point.
    """

    name = "path"
    title = "Path"
    description = "Keeps a point of the part on a curved path, free to go along it."
    held, missed = "{part} on its path", "does not reach its path"
    menu, done = "Lock to its path", "{part} locked to its path"
    target_shape = (2, 3)
    by_points = True

    def checked_target(self, value: Any, what: str) -> Array:
        try:
            count = len(value)
        except TypeError:
            count = 0
        if not 2 <= count <= MOST:
            raise LockError(f"{what} has {count} points; a path goes through 2 to {MOST}")
        points = numbers(value, (count, 3), what)
        if float(np.linalg.norm(np.diff(points, axis=0), axis=1).min()) < SHORTEST:
            raise LockError(f"{what} has two points in a row at one place; they must be {SHORTEST:g} m apart at least")
        return frozen(points)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        here = places.point(lock.joint, lock.point)
        aside = np.array([REACH, 0.0, 0.0])
        return np.array([here - aside, here, here + aside])

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        return (PathResidual(lock.target),)

    def mirrored_target(self, target: Any) -> Array:
        return np.asarray(super().mirrored_target(np.asarray(target)))

    def moved_target(self, target: Any, motion: Array) -> Array:
        return np.asarray(target) @ motion[:3, :3].T + motion[:3, 3]

    def place(self, target: Any) -> Array:
        return np.asarray(target[len(target) // 2])


PATH = PathKind()
