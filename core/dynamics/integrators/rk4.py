"""The classical Runge-Kutta method of fourth order."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from core.arrays import Array
from core.dynamics.integrators.base import Integrator

if TYPE_CHECKING:
    from core.dynamics.system import System


class RK4(Integrator):
    """Four accelerations a step, error of fourth order."""

    name: ClassVar[str] = "rk4"
    label: ClassVar[str] = "Runge-Kutta 4"
    description: ClassVar[str] = "Precise for smooth motion; takes no limits."
    reductions: ClassVar[bool] = True

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        half = 0.5 * h
        a1 = system.acceleration(t, x, v)
        v2 = v + half * a1
        a2 = system.acceleration(t + half, x + half * v, v2)
        v3 = v + half * a2
        a3 = system.acceleration(t + half, x + half * v2, v3)
        v4 = v + h * a3
        a4 = system.acceleration(t + h, x + h * v3, v4)
        return x + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
