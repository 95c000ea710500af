"""A push on a point of a body, given in the world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Force, Load, vector
from core.dynamics.forces.implicit import PointTerm
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """Pushes a point of a body with a force that is given in the world.

    It comes from outside and stores nothing: what it does is work. A pull that has an energy, and that linearly
    implicit steps foresee, is ``DirectionalForce``.

    Attributes:
        body: By index or name.
        point: Where it acts, in B, shape (3,) [m].
        force: In the world, shape (3,) [N]; or a function of time [s] that returns it.
    """

    label: ClassVar[str] = "Force"
    description: ClassVar[str] = "Pushes a point of a body."

    body: int | str
    point: ArrayLike
    force: ArrayLike | Callable[[float], ArrayLike]

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", vector(self.point, f"the point of a force on body {self.body!r}"))
        if not callable(self.force):
            object.__setattr__(self, "force", vector(self.force, f"the force on body {self.body!r}"))

    def check(self, model: Multibody) -> None:
        model.index(self.body)
        self._at(0.0)

    def add(self, state: State, load: Load) -> None:
        i = state.model.index(self.body)
        load.wrenches[i] += wrench_at(self.point, state.poses[i, :3, :3].T @ self._at(state.t))

    def moved(self, motion: Array) -> PointForce:
        turn, given = motion[:3, :3], self.force
        if callable(given):
            return replace(self, force=lambda t: turn @ np.asarray(given(t)))
        return replace(self, force=turn @ np.asarray(given))

    def implicit(self, terms: ImplicitTerms) -> bool:
        if callable(self.force):
            return False
        terms.points.append(PointTerm(terms.model.index(self.body), np.asarray(self.point), self._at(0.0)))
        return True

    def _at(self, t: float) -> Array:
        if callable(self.force):
            return vector(self.force(t), f"the force on body {self.body!r} at {t:g} s")
        return np.asarray(self.force)


def wrench_at(point: ArrayLike, force: Array) -> Array:
    """Return the wrench ``[p x f; f]`` of a force at a point, both in B, shape (6,) (Sueda 1.31)."""
    p = np.asarray(point)
    return np.concatenate([so3.hat(p) @ force, force])
