"""The backward difference formula of second order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.implicit import implicit_stage

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.system import System

_ALPHA = (2.0 - math.sqrt(2.0)) / 2.0


class BDF2(Integrator):
    """``v2 = 3 / (2 h) (x2 - 4/3 x1 + 1/3 x0)``, and the same for the accelerations: second order.

    ``M(x2) (x2 - 4/3 x1 + 1/3 x0 - 8/9 h v1 + 2/9 h v0) = 4/9 h^2 f(x2, v2)``. The first step has no step before it
    and is one of SDIRK2, a diagonally implicit Runge-Kutta method with two stages.
    """

    name: ClassVar[str] = "bdf2"
    label: ClassVar[str] = "BDF2"
    description: ClassVar[str] = "Stable with stiff springs, and loses far less energy. Takes no limits."
    reductions: ClassVar[bool] = True

    def __init__(self) -> None:
        self._earlier: tuple[Array, Array] | None = None

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._earlier = None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        if self._earlier is None:
            x2, v2 = _sdirk2(system, t, x, v, h)
        else:
            x0, v0 = self._earlier
            x2, v2, _ = implicit_stage(
                system, t + h, (t, x), x + h * v, (4.0 * x - x0) / 3.0, (4.0 * v - v0) / 3.0, 1.5 / h
            )
        self._earlier = x, v
        return x2, v2

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:
        if self._earlier is not None:
            self._earlier = charts.converted_state(before, *self._earlier, system.model, x, every=True)


def _sdirk2(system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
    """Return the state after one step of SDIRK2 with ``alpha = (2 - sqrt 2) / 2`` (Alexander's, L-stable)."""
    c = 1.0 / (_ALPHA * h)
    _, v_a, a_a = implicit_stage(system, t + _ALPHA * h, (t, x), x + _ALPHA * h * v, x, v, c)
    rest = (1.0 - _ALPHA) * h
    x_1, v_1, _ = implicit_stage(system, t + h, (t, x), x + h * v, x + rest * v_a, v + rest * a_a, c)
    return x_1, v_1
