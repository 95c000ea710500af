"""A damper in a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.joint_coordinates import add_matrix, add_torque, home_rates, per_coordinate
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class JointDamping(Force):
    """Brakes a joint, ``tau = -d v``.

    Attributes:
        joint: The body that the joint carries, by index or name.
        damping: One for all coordinates or one each, shape (n,), 0 or more [N m s/rad] or [N s/m].

    Source: Sueda 2.74, 2.78.
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
        body = state.model.index(self.joint)
        d = per_coordinate(state.model, self.joint, self.damping, "damping")
        add_torque(state, body, -d * home_rates(state, body), load.tau)

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        d = per_coordinate(state.model, self.joint, self.damping, "damping")
        add_matrix(state, state.model.index(self.joint), d, derivatives.joint_damping)

    def implicit(self, terms: ImplicitTerms) -> bool:
        own = terms.coordinates(self.joint)
        if own is None:
            return False
        terms.add_damper(own, per_coordinate(terms.model, self.joint, self.damping, "damping"))
        return True
