"""Drag on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.forces.base import Derivatives, Force, Load, coefficient
from core.dynamics.forces.implicit import DragTerm
from core.errors import DynamicsError
from core.spatial import se3, so3

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel


@dataclass(frozen=True, eq=False)
class BodyDamping(Force):
    """Brakes a body as a whole: its wrench at B's origin is ``-d`` times its twist, or that beside another body's.

    Attributes:
        body: By index or name.
        damping: ``d``, 0 or more; the same number for turning [N m s/rad] and for moving [N s/m].
        other: The body that it is braked against, which gets the opposite wrench; -1 or "world" is the world.

    Source: Sueda 1.9.1.
    """

    label: ClassVar[str] = "Body damping"
    description: ClassVar[str] = "Brakes a body, turning and moving, as thick air would."

    body: int | str
    damping: float
    other: int | str = "world"

    def __post_init__(self) -> None:
        object.__setattr__(self, "damping", coefficient(self.damping, f"the damping on body {self.body!r}"))

    def check(self, model: Multibody) -> None:
        if model.index(self.body) == self._against(model):
            raise DynamicsError(f"the damping on body {self.body!r} is against the body itself; it must be another one")

    def _against(self, model: TreeModel) -> int:
        return body_index(model, self.other)

    def _apart(self, state: State, body: int, other: int) -> tuple[Array, Array, Array]:
        """Return the adjoint that brings twists of the other body to B, its twist there, and the wrench on the body."""
        A = se3.adjoint(se3.inverse(state.poses[body]) @ state.poses[other])
        carried = A @ state.twists[other]
        return A, carried, -self.damping * (state.twists[body] - carried)

    def add(self, state: State, load: Load) -> None:
        i, o = state.model.index(self.body), self._against(state.model)
        if o == WORLD:
            load.wrenches[i] -= self.damping * state.twists[i]
            return
        A, _, wrench = self._apart(state, i, o)
        load.wrenches[i] += wrench
        load.wrenches[o] -= A.T @ wrench

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        i, o, d = state.model.index(self.body), self._against(state.model), self.damping
        derivatives.damp(i, i, d * np.eye(6))
        if o == WORLD:
            return
        A, carried, wrench = self._apart(state, i, o)
        derivatives.damp(i, o, -d * A)
        derivatives.damp(o, i, -d * A.T)
        derivatives.damp(o, o, d * A.T @ A)
        # A changes by -ad(e) A as the body is displaced by e, by A ad(e) as the other one is.
        own, others = d * se3.ad(carried), -d * A @ se3.ad(state.twists[o])
        derivatives.stiffen(i, i, own)
        derivatives.stiffen(i, o, others)
        derivatives.stiffen(o, i, A.T @ (_dual_bracket(wrench) - own))
        derivatives.stiffen(o, o, -_dual_bracket(A.T @ wrench) - A.T @ others)

    def implicit(self, terms: ImplicitTerms) -> bool:
        terms.drags.append(DragTerm(terms.model.index(self.body), self._against(terms.model), self.damping))
        return True


def _dual_bracket(wrench: Array) -> Array:
    """Return the matrix M with ``M e = ad(e)^T wrench``, wrench [t; f], shape (6, 6)."""
    t, f = so3.hat(wrench[:3]), so3.hat(wrench[3:])
    return np.block([[t, f], [f, np.zeros((3, 3))]])
