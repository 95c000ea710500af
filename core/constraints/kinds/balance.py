"""The centre of mass stays above the parts that bear the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.constraints.balance import MARGIN, half_planes, imbalance
from core.constraints.checks import joint_name, number
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.constraints.half_planes import HalfPlanesConstraint
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import CenterRows, Primitive
from core.errors import LockError


class BalanceKind(Kind):
    """Centre of mass inside the support polygon, by at least the target [m]; see Phillips and Badler (1991)."""

    name = "balance"
    title = "Balance"
    description = "Keeps the centre of mass above the feet."
    target_shape = ()
    needs_target = False

    def checked_target(self, value: Any, what: str) -> float:
        margin = number(value, what)
        if margin < 0.0:
            raise LockError(f"{what} is {margin:g}; a margin must be 0 or more")
        return margin

    def checked_other(self, value: Any, where: str) -> tuple[int | str, ...] | None:
        if value is None:
            return None
        if not isinstance(value, (tuple, list)) or not value:
            raise LockError(f"{where}: other is {value!r}; it must be the joints that bear the figure, or None")
        return tuple(joint_name(joint, f"{where}: one of other") for joint in value)

    def target_at(self, lock: LockTerms, places: Places) -> float:
        return MARGIN

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        return (CenterRows(MARGIN if lock.target is None else lock.target, lock.other),)

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        # The polygon stays as it is now for as long as the block does.
        normals, bounds = half_planes(self.primitives(lock)[0], lock, options.places, options.locks)  # type: ignore[arg-type]
        return (HalfPlanesConstraint(network.center_of_mass(), normals, bounds, **options(lock.weight)),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        return Deviation(imbalance(lock, locks, places), None)

    def mirrored_target(self, target: Any) -> float:
        return target


BALANCE = BalanceKind()
