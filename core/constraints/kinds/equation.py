"""A function of joint values and of places of parts stays zero: constraints that need not be geometric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.equation_names import (
    figures_in,
    joints_in,
    mirrored_equations,
    parts_in,
    renamed_in,
    renamed_joints_in,
    same_joint,
)
from core.constraints.equations import (
    EquationResidual,
    check_outside,
    checked_equations,
    outside_values,
    read_equations,
    values_kept,
)
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import Residual
from core.skeleton.skeleton import Rerooted, Skeleton


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
    takes_mutual = True

    @property
    def pose_dependent(self) -> bool:
        return False  # it only needs to know the figure

    def checked_target(self, value: Any, what: str) -> str:
        return read_equations(value, what)

    def target_at(self, lock: LockTerms, places: Places) -> Any:
        return values_kept(places.skeleton, places.q, places.index(lock.joint))

    def residuals_at(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        return (_residual(lock, places),)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        residual = _residual(lock, places)
        left = -residual.missing(places.q)
        return Deviation(None, left) if residual.angular else Deviation(left, None)

    def away(self, lock: LockTerms, places: Places) -> Array:
        # In the units of the text: an offset is added to it as a number.
        residual = _residual(lock, places)
        values = np.degrees(residual.value(places.q)) if residual.angular else residual.value(places.q)
        return np.append(values, np.zeros(max(6 - len(values), 0)))

    def eased_target(self, target: Any, offset: Array) -> str:
        # Where the part is without it, the left side is larger than the right one by the offset.
        return ";".join(
            f"{part} + ({value:.17g})" for part, value in zip(str(target).split(";"), offset.tolist(), strict=False)
        )

    def renamed_target(self, target: Any, name: Callable[[str], str | None]) -> Any:
        return renamed_joints_in(target, name)

    def parts_in(self, target: Any) -> tuple[tuple[str | None, str], ...]:
        return parts_in(target)

    def figures_in(self, target: Any) -> tuple[str, ...]:
        return figures_in(target)

    def joined_target(self, target: Any, inner: Callable[[str | None, str], str]) -> Any:
        return renamed_in(target, lambda figure, joint: (None, inner(figure, joint)))

    def parted_target(self, target: Any, outer: Callable[[str], tuple[str | None, str]]) -> Any:
        return renamed_in(target, lambda _, joint: outer(joint))

    def refigured_target(self, target: Any, figure: str, new: str, joint: Callable[[str], str]) -> Any:
        return renamed_in(target, lambda whose, name: (new, joint(name)) if whose == figure else (whose, name))

    def check_figure(self, target: Any, s: Skeleton) -> None:
        checked_equations(target, s)

    def check_others(self, target: Any, others: Callable[[str], Skeleton]) -> None:
        check_outside(target, others)

    def outlives(self, target: Any, old: Skeleton, new: Skeleton) -> bool:
        # Another root turns joints round: their values are then those of other joints, and frames are others.
        related = (isinstance(new, Rerooted) and new.original is old) or (
            isinstance(old, Rerooted) and old.original is new
        )
        names = set(joints_in(target))
        return not related or all(same_joint(old, new, name) for name in names)

    def mirrored_in(self, target: Any, s: Skeleton) -> Any:
        return mirrored_equations(target, s)


def _residual(lock: LockTerms, places: Places) -> EquationResidual:
    return EquationResidual(lock.target, places.skeleton, outside_values(lock.target, places))


EQUATION = EquationKind()
