"""Implicit (backward) Euler."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from core.arrays import Array
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.implicit import implicit_stage

if TYPE_CHECKING:
    from core.dynamics.system import System


class BDF1(Integrator):
    """``M(x1) (x1 - x0 - h v0) = h^2 f(x1, v1)``, ``v1 = (x1 - x0) / h``: first order, loses energy, never blows up."""

    name: ClassVar[str] = "bdf1"
    label: ClassVar[str] = "Implicit Euler"
    description: ClassVar[str] = "Stable whatever the springs; loses energy. Takes no limits."
    reductions: ClassVar[bool] = True

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        x1, v1, _ = implicit_stage(system, t + h, (t, x), x + h * v, x, v, 1.0 / h)
        return x1, v1
