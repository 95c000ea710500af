"""Points of two parts stay together, or a fixed offset apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.point_pair import PointPairConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import PointRows, Primitive


class PointPairKind(Kind):
    """The thesis' hands on hips: ``C = p_a - p_b - offset``. Bound to a pose the points are to meet."""

    name = "point_pair"
    title = "Point pair"
    description = "Keeps two points together, such as a hand on the hip."
    takes_other = True
    needs_target = False

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return np.zeros(3)

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (PointRows(np.eye(3), _offset(lock), pair=True),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        points = network.point(lock.joint, lock.point), options.second(lock, network)
        return (PointPairConstraint(*points, _offset(lock), **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        figure, joint, point = lock.second  # type: ignore[misc]  # such a lock has one
        away = places.point(lock.joint, lock.point) - places.point(joint, point, figure)
        return Deviation(away - _offset(lock), None)

    def moved_target(self, target: Any, motion: Array) -> Array:
        return motion[:3, :3] @ target


def _offset(lock: LockTerms) -> Array:
    return np.zeros(3) if lock.target is None else lock.target


POINT_PAIR = PointPairKind()
