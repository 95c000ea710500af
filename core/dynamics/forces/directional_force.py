"""A steady pull on a point of a body in a direction of the world."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Derivatives, Force, Load, coefficient, vector
from core.dynamics.forces.implicit import PointTerm
from core.dynamics.forces.point_force import wrench_at
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class DirectionalForce(Force):
    """Pulls a point of a body in one direction of the world with a strength that never changes.

    Attributes:
        body: By index or name.
        point: Where it acts, in B, shape (3,) [m].
        direction: ``a`` in the world, shape (3,); its length counts.
        stiffness: ``k``, 0 or more: the force is ``k a`` [N], its energy ``-k x . a``.

    Source: Sueda 1.9.2 (1.31 to 1.33).
    """

    label: ClassVar[str] = "Directional force"
    description: ClassVar[str] = "Pulls a point of a body in a fixed direction."
    conservative: ClassVar[bool] = True

    body: int | str
    point: ArrayLike
    direction: ArrayLike
    stiffness: float = 1.0

    def __post_init__(self) -> None:
        place = f"a directional force on body {self.body!r}"
        object.__setattr__(self, "point", vector(self.point, f"the point of {place}"))
        object.__setattr__(self, "direction", vector(self.direction, f"the direction of {place}"))
        object.__setattr__(self, "stiffness", coefficient(self.stiffness, f"the stiffness of {place}"))

    def check(self, model: Multibody) -> None:
        model.index(self.body)

    def add(self, state: State, load: Load) -> None:
        i, force = self._in_body(state)
        load.wrenches[i] += wrench_at(self.point, force)

    def moved(self, motion: Array) -> DirectionalForce:
        return replace(self, direction=motion[:3, :3] @ np.asarray(self.direction))

    def energy(self, state: State) -> float:
        X_WB = state.poses[state.model.index(self.body)]
        return -float(self._force @ (X_WB[:3, :3] @ self.point + X_WB[:3, 3]))

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        # R^T a changes by [R^T a] w (1.34), so that K = [[p][f] 0; [f] 0] (1.33), not symmetric.
        i, force = self._in_body(state)
        K = np.zeros((6, 6))
        K[3:, :3] = so3.hat(force)
        K[:3, :3] = so3.hat(self.point) @ K[3:, :3]
        derivatives.stiffen(i, i, K)

    def implicit(self, terms: ImplicitTerms) -> bool:
        terms.points.append(PointTerm(terms.model.index(self.body), np.asarray(self.point), self._force))
        return True

    @property
    def _force(self) -> Array:
        """In the world, shape (3,), [N]."""
        return self.stiffness * np.asarray(self.direction)

    def _in_body(self, state: State) -> tuple[int, Array]:
        """Return the body's index and the force in the body's axes."""
        i = state.model.index(self.body)
        return i, state.poses[i, :3, :3].T @ self._force
