"""A spring in a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.forces.base import Derivatives, Force, Load
from core.dynamics.forces.joint_coordinates import Stretch, add_matrix, add_torque, per_coordinate, stretch_of
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class JointSpring(Force):
    """Pulls the coordinates of a joint back to where they rest, ``tau = -k (q - rest)``.

    Of a joint whose coordinates are not unique, a ball say, the coordinates nearest to the rest count: turned by more
    than half a turn it goes on home the other way round.

    Attributes:
        joint: The body that the joint carries, by index or name.
        stiffness: One for all coordinates or one each, shape (n,), 0 or more [N m/rad] or [N/m].
        rest: Coordinates without torque, one for all or one each, in the charts of the scene's model.

    Source: Sueda 2.72, 2.78; ``K`` with the sign of 2.79.
    """

    label: ClassVar[str] = "Spring"
    description: ClassVar[str] = "Pulls a joint back to where it rests."
    conservative: ClassVar[bool] = True

    joint: int | str
    stiffness: ArrayLike
    rest: ArrayLike = 0.0

    def check(self, model: Multibody) -> None:
        stiffness = per_coordinate(model, self.joint, self.stiffness, "the stiffness of a spring")
        per_coordinate(model, self.joint, self.rest, "the rest of a spring")
        if stiffness.min(initial=0.0) < 0.0:
            raise DynamicsError(
                f"the stiffness of a spring on joint {self.joint!r} is {stiffness.tolist()}; 0 or more is expected"
            )

    def add(self, state: State, load: Load) -> None:
        body, k, stretch = self._stretch(state)
        add_torque(state, body, stretch.A, -k * stretch.by, load.tau)

    def energy(self, state: State) -> float:
        _, k, stretch = self._stretch(state)
        return float(0.5 * k @ (stretch.by * stretch.by))

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        body, k, stretch = self._stretch(state)
        add_matrix(state, body, stretch.A, -k, derivatives.joint_stiffness)

    def implicit(self, terms: ImplicitTerms) -> bool:
        return terms.add_in_joint(self.joint, stiffness=self.stiffness, rest=self.rest)

    def _stretch(self, state: State) -> tuple[int, Array, Stretch]:
        body = state.model.index(self.joint)
        k = per_coordinate(state.model, self.joint, self.stiffness, "stiffness")
        rest = per_coordinate(state.model, self.joint, self.rest, "rest")
        return body, k, stretch_of(state, body, rest)
