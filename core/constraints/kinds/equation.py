"""A function of joint values and of places of parts stays zero: constraints that need not be geometric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.equations import (
    EquationResidual,
    checked_equations,
    joints_in,
    mirrored_equations,
    read_equations,
    renamed_joints_in,
    same_joint,
    values_kept,
)
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import Residual
from core.skeleton.skeleton import Rerooted, Skeleton

_ROOM = 3


class EquationKind(Kind):
    """The target is a text, see ``core.constraints.equations``; Welman (1993) 7.2.1 asks for such constraints.

    Bound to a pose it keeps the values of its joint as they are there.
    """

    name = "equation"
    title = "Equation"
    description = "Keeps an equation between joint values and places of parts."
    of_figure = True
    holds_position = False
    holds_orientation = True
    importance = 1
    held, missed = "equation", "cannot be kept"
    target_shape = ()
    by_equation = True

    @property
    def pose_dependent(self) -> bool:
        return False  # it only needs to know the figure

    def checked_target(self, value: Any, what: str) -> str:
        return read_equations(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Any:
        return values_kept(places.skeleton, places.q, places.index(lock.joint))

    def residuals_at(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        return (EquationResidual(lock.target, places.skeleton),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        residual = EquationResidual(lock.target, places.skeleton)
        left = np.zeros(3)
        values = residual.value(places.q)
        left[: min(len(values), _ROOM)] = values[:_ROOM]
        left[0] = np.copysign(np.linalg.norm(values), left[0]) if len(values) > _ROOM else left[0]
        return Deviation(None, left) if residual.angular else Deviation(left, None)

    def away(self, lock: LockTerms, places: Places) -> Array:
        # In the units of the text: an offset is added to it as a number.
        residual = EquationResidual(lock.target, places.skeleton)
        values = np.degrees(residual.value(places.q)) if residual.angular else residual.value(places.q)
        return np.append(values, np.zeros(max(6 - len(values), 0)))

    def eased_target(self, target: Any, offset: Array) -> str:
        # Where the part is without it, the left side is larger than the right one by the offset.
        return ";".join(
            f"{part} + ({value:.17g})" for part, value in zip(str(target).split(";"), offset.tolist(), strict=False)
        )

    def renamed_target(self, target: Any, name: Callable[[str], str | None]) -> Any:
        return renamed_joints_in(target, name)

    def check_figure(self, target: Any, s: Skeleton) -> None:
        checked_equations(target, s)

    def outlives(self, target: Any, old: Skeleton, new: Skeleton) -> bool:
        # Another root turns joints round: their values are then those of other joints, and frames are others.
        related = (isinstance(new, Rerooted) and new.original is old) or (
            isinstance(old, Rerooted) and old.original is new
        )
        names = set(joints_in(target))
        return not related or all(same_joint(old, new, name) for name in names)

    def mirrored_in(self, target: Any, s: Skeleton) -> Any:
        return mirrored_equations(target, s)


EQUATION = EquationKind()
