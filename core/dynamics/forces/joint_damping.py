"""A damper in a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.joint_coordinates import add_matrix, add_torque, home_rates, per_coordinate
from core.dynamics.forces.joint_friction import add_friction, add_friction_terms, differentiate_friction
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel


@dataclass(frozen=True, eq=False)
class JointDamping(Force):
    """Brakes a joint by the relative angular velocity of its two bodies, ``-d (omega_i - omega_j)``, and its slides.

    That is one number: the torque is on one body as it is on the other, turned round, however the joint's axes stand
    to each other and in whatever coordinates; coordinates that are no angles are braked by their own rates, ``-d v``.
    Where each coordinate has a number of its own, each is braked by its own rate, angles as well. The damping of a root
    brakes it against the world.

    Attributes:
        joint: The body that the joint carries, by index or name.
        damping: One number, or one for each coordinate, shape (n,), 0 or more [N m s/rad] or [N s/m].

    Source: Hakenberg, intrinsic torques; Sueda 2.74, 2.78.
    """

    label: ClassVar[str] = "Joint damping"
    description: ClassVar[str] = "Brakes the motion of a joint."

    joint: int | str
    damping: ArrayLike

    def check(self, model: Multibody) -> None:
        damping = per_coordinate(model, self.joint, self.damping, "the damping")
        if damping.min(initial=0.0) < 0.0:
            raise DynamicsError(f"the damping on joint {self.joint!r} is {damping.tolist()}; 0 or more is expected")

    def add(self, state: State, load: Load) -> None:
        body, mu, own = self._parts(state.home)
        if mu:
            add_friction(state, body, mu, load.tau)
        if own.any():
            add_torque(state, body, state.home_rates_matrix(body), -own * home_rates(state, body), load.tau)

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        body, mu, own = self._parts(state.home)
        if mu:
            differentiate_friction(state, body, mu, derivatives)
        if own.any():
            add_matrix(state, body, state.home_rates_matrix(body), own, derivatives.joint_damping)

    def implicit(self, terms: ImplicitTerms) -> bool:
        body, mu, own = self._parts(terms.model)
        if own.any() and not terms.add_in_joint(body, damping=own):
            return False
        if mu:
            add_friction_terms(terms, body, mu)
        return True

    def _parts(self, model: TreeModel) -> tuple[int, float, Array]:
        """Return the body, mu of friction by angular velocity, and the dampers of single coordinates, shape (n,)."""
        body = model.index(self.joint)
        d = per_coordinate(model, self.joint, self.damping, "damping")
        if np.ndim(self.damping):
            return body, 0.0, d
        return body, float(self.damping), np.where(model.bodies[body].joint.rotary, 0.0, d)  # type: ignore[arg-type]
