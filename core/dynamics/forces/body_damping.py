"""Drag on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.dynamics.forces.base import Derivatives, Force, Load, coefficient

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class BodyDamping(Force):
    """Brakes a body as a whole: its wrench at B's origin is ``-d`` times its twist.

    Attributes:
        body: By index or name.
        damping: ``d``, 0 or more; the same number for turning [N m s/rad] and for moving [N s/m].

    Source: Sueda 1.9.1.
    """

    label: ClassVar[str] = "Body damping"
    description: ClassVar[str] = "Brakes a body, turning and moving, as thick air would."

    body: int | str
    damping: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "damping", coefficient(self.damping, f"the damping on body {self.body!r}"))

    def check(self, model: Multibody) -> None:
        model.index(self.body)

    def add(self, state: State, load: Load) -> None:
        i = state.model.index(self.body)
        load.wrenches[i] -= self.damping * state.twists[i]

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        i = state.model.index(self.body)
        derivatives.damp(i, i, self.damping * np.eye(6))
