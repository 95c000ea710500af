"""An axis of a part points at a point of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import unit
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.kinds.orientation import between
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.aim import AimConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import AimRows, Primitive
from core.errors import LockError


class AimKind(Kind):
    """The target is the axis in the part's frame. Bound to a pose it is the one that points at the other now."""

    name = "aim"
    title = "Aim"
    description = "Keeps the part pointing at another point, as the eyes follow a hand."
    takes_other = True
    holds_position = False
    holds_orientation = True

    def checked_target(self, value: Any, what: str) -> Array:
        return unit(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Array:
        return places.rotation(lock.joint).T @ _direction(lock, places)

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (AimRows(lock.target),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        eye, turned = network.point(lock.joint, lock.point), network.orientation(lock.joint)
        return (AimConstraint(eye, turned, options.second(lock, network), lock.target, **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        return Deviation(None, between(_direction(lock, places), places.rotation(lock.joint) @ lock.target))

    def reframed_target(self, target: Any, frame: Array) -> Array:
        return frame[:3, :3] @ target


def _direction(lock: LockTerms, places: Places) -> Array:
    figure, joint, point = lock.second  # type: ignore[misc]  # such a lock has one
    sight = places.point(joint, point, figure) - places.point(lock.joint, lock.point)
    length = float(np.linalg.norm(sight))
    if length == 0.0:
        raise LockError(
            f'aim lock of joint "{lock.joint}": its point and the one it aims at are at the same place; '
            "they must be apart"
        )
    return sight / length


AIM = AimKind()
