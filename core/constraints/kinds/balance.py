"""The centre of mass stays above the parts that bear the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.constraints.balance import MARGIN, balance_residual, imbalance
from core.constraints.checks import joint_name, number
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.kinds.target_parts import LENGTH, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import Residual
from core.errors import LockError


class BalanceKind(Kind):
    """Centre of mass inside the support polygon, by at least the target [m]; see Phillips and Badler (1991)."""

    name = "balance"
    title = "Balance"
    description = "Keeps the centre of mass above the feet."
    parts = (TargetPart(LENGTH, "Margin"),)
    of_figure = True
    importance = 0
    held = "balance"
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

    def residuals_at(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        return (balance_residual(lock, places, locks),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        return Deviation(imbalance(lock, locks, places), None)

    def mirrored_target(self, target: Any) -> float:
        return target


BALANCE = BalanceKind()
