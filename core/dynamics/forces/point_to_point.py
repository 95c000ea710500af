"""A pull between two points that is as strong as they are far apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.dynamics.forces.base import coefficient
from core.dynamics.forces.path_force import PathForce
from core.dynamics.forces.path_kernel import SPRING
from core.errors import DynamicsError


@dataclass(frozen=True, eq=False)
class PointToPoint(PathForce):
    """A spring without a length: two points pull each other together with ``k`` times their distance.

    Attributes:
        bodies, points: As ``PathForce`` has them; two.
        stiffness: ``k``, 0 or more, [N/m].

    Source: Sueda 1.9.3 (1.35, 1.36; K has the other sign than 1.37 prints).
    """

    label: ClassVar[str] = "Point to point"
    description: ClassVar[str] = "Pulls two points of bodies together, the stronger the farther apart they are."
    law: ClassVar[int] = SPRING
    conservative: ClassVar[bool] = True

    stiffness: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.bodies) != 2:
            raise DynamicsError(f"{self._place} has {len(self.bodies)} points; it must have two")
        object.__setattr__(self, "stiffness", coefficient(self.stiffness, f"the stiffness of {self._place}"))

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.stiffness, 0.0, 0.0
