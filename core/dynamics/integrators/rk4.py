"""The classical Runge-Kutta method of fourth order."""

from __future__ import annotations

from collections.abc import Callable
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
        return rk4_step(system.acceleration, t, x, v, h)


def rk4_step(
    acceleration: Callable[[float, Array, Array], Array], t: float, x: Array, v: Array, h: float
) -> tuple[Array, Array]:
    """Return coordinates and rates at ``t + h``, new arrays.

    Args:
        acceleration: Returns accelerations at a time [s], coordinates and rates, shape (nv,); asked four times, in the
            order of the stages.
        t: Time at the start of the step, [s].
        x: Coordinates there, shape (nq,).
        v: Rates there, shape (nv,).
        h: The step, [s].
    """
    half = 0.5 * h
    a1 = acceleration(t, x, v)
    v2 = v + half * a1
    a2 = acceleration(t + half, x + half * v, v2)
    v3 = v + half * a2
    a3 = acceleration(t + half, x + half * v2, v3)
    v4 = v + h * a3
    a4 = acceleration(t + h, x + h * v3, v4)
    return x + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)
