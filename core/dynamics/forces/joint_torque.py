"""A torque in a joint that is a function of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.dynamics.forces.base import Force, Load
from core.dynamics.forces.joint_coordinates import add_torque, per_coordinate

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class JointTorque(Force):
    """A motor: a torque, or a force in a slide, that depends on time only.

    Attributes:
        joint: The body that the joint carries, by index or name.
        torque: Dual to the joint's rates, one for all coordinates or one each, shape (n,) [N m] or [N]; or a function
            of time [s] that returns them.
    """

    label: ClassVar[str] = "Torque"
    description: ClassVar[str] = "Drives a joint with a torque that is a function of time."

    joint: int | str
    torque: ArrayLike | Callable[[float], ArrayLike]

    def check(self, model: Multibody) -> None:
        per_coordinate(model, self.joint, self._at(0.0), "the torque")

    def add(self, state: State, load: Load) -> None:
        torque = per_coordinate(state.model, self.joint, self._at(state.t), f"the torque at {state.t:g} s")
        body = state.model.index(self.joint)
        add_torque(state, body, state.home_rates_matrix(body), torque, load.tau)

    def implicit(self, terms: ImplicitTerms) -> bool:
        return not callable(self.torque) and terms.add_in_joint(self.joint, torque=self.torque)

    def _at(self, t: float) -> ArrayLike:
        return self.torque(t) if callable(self.torque) else self.torque
