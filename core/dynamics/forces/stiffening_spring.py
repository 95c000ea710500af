"""A spring in a joint that grows stiffer the farther it is bent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.joint_coordinates import add_matrix, add_torque, per_coordinate
from core.dynamics.forces.joint_spring import stretch_of
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel


@dataclass(frozen=True, eq=False)
class StiffeningSpring(Force):
    """Pulls the coordinates of a joint back to where they rest, ``tau = -(k s + c s^3)`` with ``s = q - rest``.

    Attributes:
        joint: The body that the joint carries, by index or name.
        stiffness: ``k`` at rest, one for all coordinates or one each, shape (n,), 0 or more [N m/rad] or [N/m].
        hardening: ``c``, likewise, [N m/rad^3] or [N/m^3].
        rest: As ``JointSpring`` has it.

    Source: Sueda 2.5 (2.72 to 2.75, with a stiffness ``k + 3 c s^2`` that is that of the present place).
    """

    label: ClassVar[str] = "Stiffening spring"
    description: ClassVar[str] = "Pulls a joint back to where it rests, ever more stiffly."
    conservative: ClassVar[bool] = True

    joint: int | str
    stiffness: ArrayLike
    hardening: ArrayLike
    rest: ArrayLike = 0.0

    def check(self, model: Multibody) -> None:
        k, c, _ = self._numbers(model)
        for values, what in ((k, "stiffness"), (c, "hardening")):
            if values.min(initial=0.0) < 0.0:
                raise DynamicsError(
                    f"the {what} of a spring on joint {self.joint!r} is {values.tolist()}; 0 or more is expected"
                )

    def add(self, state: State, load: Load) -> None:
        k, c, s = self._state(state)
        add_torque(state, state.model.index(self.joint), -(k + c * s * s) * s, load.tau)

    def energy(self, state: State) -> float:
        k, c, s = self._state(state)
        return float(((0.5 * k + 0.25 * c * s * s) * s * s).sum())

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        k, c, s = self._state(state)
        add_matrix(state, state.model.index(self.joint), -(k + 3.0 * c * s * s), derivatives.joint_stiffness)

    def implicit(self, terms: ImplicitTerms) -> bool:
        own = terms.coordinates(self.joint)
        if own is None:
            return False
        return terms.add_stiffening(own, *self._numbers(terms.model))

    def _numbers(self, model: TreeModel) -> tuple[Array, Array, Array]:
        k, c, rest = (
            per_coordinate(model, self.joint, value, f"the {what} of a spring")
            for value, what in ((self.stiffness, "stiffness"), (self.hardening, "hardening"), (self.rest, "rest"))
        )
        return k, c, rest

    def _state(self, state: State) -> tuple[Array, Array, Array]:
        k, c, rest = self._numbers(state.model)
        return k, c, stretch_of(state, state.model.index(self.joint), rest)
