"""A force on a point of a body, given in the world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics.forces.force import Derivatives, Force, Load, vector
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """Pushes a point of a body with a force that is given in the world.

    A constant force stores the energy ``-f . x`` (``x`` the point in the world); one that is a function of time stores
    none.

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

    def energy(self, state: State) -> float:
        if callable(self.force):
            return 0.0
        X_WB = state.poses[state.model.index(self.body)]
        return -float(self._at(state.t) @ (X_WB[:3, :3] @ self.point + X_WB[:3, 3]))

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        i = state.model.index(self.body)
        derivatives.stiffen(i, i, wrench_stiffness(self.point, state.poses[i, :3, :3].T @ self._at(state.t)))

    def _at(self, t: float) -> Array:
        if callable(self.force):
            return vector(self.force(t), f"the force on body {self.body!r} at {t:g} s")
        return np.asarray(self.force)


def wrench_at(point: ArrayLike, force: Array) -> Array:
    """Return the wrench ``[p x f; f]`` of a force at a point, both in B, shape (6,) (Sueda 1.31)."""
    p = np.asarray(point)
    return np.concatenate([so3.hat(p) @ force, force])


def wrench_stiffness(point: ArrayLike, force: Array) -> Array:
    """Return how that wrench changes with displacements of B while the force stays put in the world, shape (6, 6).

    ``R^T a`` changes by ``[R^T a] w`` (Sueda 1.34), so that ``K = [[p][f] 0; [f] 0]`` (1.33), not yet symmetric.
    """
    K = np.zeros((6, 6))
    turned = so3.hat(force)
    K[:3, :3] = so3.hat(np.asarray(point)) @ turned
    K[3:, :3] = turned
    return K
