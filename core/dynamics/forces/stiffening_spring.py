"""A spring in a joint that grows stiffer the farther it is bent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.joint_coordinates import add_matrix, add_torque, per_coordinate, stretch_of
from core.dynamics.forces.stiffening_kernel import stiffening
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
        (pull, _, _), A = self._pull(state)
        add_torque(state, state.model.index(self.joint), A, -pull, load.tau)

    def energy(self, state: State) -> float:
        return float(self._pull(state)[0][2].sum())

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        (_, tangent, _), A = self._pull(state)
        add_matrix(state, state.model.index(self.joint), A, -tangent, derivatives.joint_stiffness)

    def implicit(self, terms: ImplicitTerms) -> bool:
        return terms.add_in_joint(
            self.joint, stiffness=self.stiffness, hardening=self.hardening, rest=self.rest
        )  # fmt: skip

    def _numbers(self, model: TreeModel) -> tuple[Array, Array, Array]:
        k, c, rest = (
            per_coordinate(model, self.joint, value, f"the {what} of a spring")
            for value, what in ((self.stiffness, "stiffness"), (self.hardening, "hardening"), (self.rest, "rest"))
        )
        return k, c, rest

    def _pull(self, state: State) -> tuple[tuple[Array, Array, Array], Array | None]:
        """Return pull, tangent stiffness and energy of each coordinate, shape (n,) each, and ``A`` of ``Stretch``."""
        k, c, rest = self._numbers(state.model)
        stretch = stretch_of(state, state.model.index(self.joint), rest)
        return stiffening(k, c, stretch.by), stretch.A  # type: ignore[arg-type, return-value]  # it takes arrays too
