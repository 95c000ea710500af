"""A steady pull on a point of a body in a direction of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike, NDArray

from core.dynamics.forces.force import Derivatives, Force, Load, coefficient, vector
from core.dynamics.forces.point_force import PointForce

if TYPE_CHECKING:
    import numpy as np

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
        self._constant().add(state, load)

    def energy(self, state: State) -> float:
        return self._constant().energy(state)

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        self._constant().differentiate(state, derivatives)

    def _constant(self) -> PointForce:
        direction: NDArray[np.float64] = self.direction  # type: ignore[assignment]
        return PointForce(self.body, self.point, self.stiffness * direction)
