"""A spring and a damper between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.dynamics.forces.base import coefficient
from core.dynamics.forces.path_force import PathForce
from core.dynamics.forces.path_kernel import SPRING


@dataclass(frozen=True, eq=False)
class SpringDamper(PathForce):
    """A spring that keeps its length, and a damper beside it: ``tension = k (l - L) + d dl/dt``.

    It pulls where it is longer than at rest, and pushes where it is shorter. Through more than two points it is led, as
    a cable in its sheath. With a stiffness of 0 it is a damper alone.

    Attributes:
        bodies, points: As ``PathForce`` has them.
        stiffness: ``k``, 0 or more, [N/m].
        rest_length: ``L``, 0 or more, [m].
        damping: ``d``, 0 or more, [N s/m].

    Source: Sueda 1.65, whose k and d are ``k L`` and ``d L`` here (1.66 has the elastic part with the other sign).
    """

    label: ClassVar[str] = "Spring and damper"
    description: ClassVar[str] = "Keeps two points of bodies as far apart as its length."
    law: ClassVar[int] = SPRING

    stiffness: float
    rest_length: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stiffness", "rest_length", "damping"):
            what = f"the {name.replace('_', ' ')} of {self._place}"
            object.__setattr__(self, name, coefficient(getattr(self, name), what))

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.stiffness, self.rest_length, self.damping
