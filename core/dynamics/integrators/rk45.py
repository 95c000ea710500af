"""Dormand and Prince's adaptive Runge-Kutta method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics.integrators.base import Integrator
from core.dynamics.system import within_reach
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.system import System

_LONGEST = 10.0
"""Longest step in rows: so that it does not pass over a short push without a look."""


class RK45(Integrator):
    """scipy's ``RK45``, the method of ``solve_ivp``: chooses its own steps, rows come from its dense output.

    Args:
        rtol: Relative tolerance of a step.
        atol: Absolute tolerance of a step, in the units of coordinates and rates.
    """

    name: ClassVar[str] = "rk45"
    label: ClassVar[str] = "Runge-Kutta 4(5), adaptive"
    description: ClassVar[str] = "As precise as requested, with adaptive steps; takes no limits."
    reductions: ClassVar[bool] = True

    def __init__(self, rtol: float = 1e-8, atol: float = 1e-10) -> None:
        for value, what in ((rtol, "rtol"), (atol, "atol")):
            if not (np.isfinite(value) and value > 0.0):
                raise DynamicsError(f"{what} is {value!r}; it must be a finite number greater than 0")
        self.rtol = rtol
        self.atol = atol
        self._solver: Any = None
        self._dense: Any = None

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._solver = self._dense = None
        self._first: float | None = None

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        end = t + h
        if not len(x):
            return x, v
        if self._solver is None:
            self._start(system, t, x, v, h)
        solver = self._solver
        while solver.t < end:
            solver.step()
            self._dense = None
            if solver.status == "failed":
                self._failed(system, solver.t, solver.y[len(x) :])
        if self._dense is None:
            self._dense = solver.dense_output()
        y = self._dense(end)
        return y[: len(x)], y[len(x) :]

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:
        if self._solver is not None:
            self._first = self._solver.h_abs
        self._solver = None

    def _start(self, system: System, t: float, x: Array, v: Array, h: float) -> None:
        """Start a solver in this state; it goes on until it is asked no more."""
        n = len(x)

        def rates(t: float, y: Array) -> Array:
            if not within_reach(y[:n], y[n:]).all():
                return np.full_like(y, np.nan)  # a step too long: the solver tries a shorter one
            return np.concatenate([y[n:], system.acceleration(t, y[:n], y[n:])])

        longest = _LONGEST * h
        first = None if self._first is None else min(self._first, longest)
        self._solver = scipy.integrate.RK45(
            rates, t, np.concatenate([x, v]), np.inf, longest, self.rtol, self.atol, first_step=first
        )
        self._dense = None

    def _failed(self, system: System, t: float, v: Array) -> None:
        """Raise what to say where even the shortest step is not precise enough.

        Raises:
            DynamicsError: Always; names the time and the body that moves fastest.
        """
        fastest = system.owner(int(np.argmax(np.abs(v))))
        raise DynamicsError(f"{self.name} finds no step short enough at t = {t:g} s; {fastest} moves fastest")
