"""Linearly implicit Euler, the step of RedMax."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.dynamics import redmax
from core.dynamics.integrators.integrator import Integrator
from core.dynamics.integrators.velocity_level import constrained_velocities

if TYPE_CHECKING:
    from core.dynamics.system import System

Array = NDArray[np.float64]


class LinearlyImplicit(Integrator):
    """Solves for the velocities at the end of a step with springs and dampers linearized about its start.

    ``(M + h D - h^2 K) v1 = M v0 + h (tau - bias + D v0)``, ``x1 = x0 + h v1``; ``tau`` holds the dampers at ``v0``,
    which ``h D v0`` takes out again. Constraints that are equations are rows of a KKT system, limits those of a
    quadratic program. Functions of time are taken at the end of the step.

    Args:
        approach: What limits do that are not touched yet: ``"ahead"`` stops at them, ``"touching"`` lets a step pass
            them before they act.

    Source: Sueda 2.77 and 2.79 (with the sign of K of 2.79), 2.99 to 2.107.
    """

    name: ClassVar[str] = "linearly_implicit"
    label: ClassVar[str] = "Linearly implicit"
    description: ClassVar[str] = "Stable with stiff springs and strong dampers; loses a little energy."
    limits: ClassVar[bool] = True

    def __init__(self, approach: Literal["touching", "ahead"] = "ahead") -> None:
        self.approach = approach

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        model = system.model
        state = system.state(t + h, x, v)
        load = system.load(state)
        derivatives = system.derivatives(state)
        J: Array | None = None
        if system.formulation == "redmax":
            reduced = redmax.system(model, x, v, load.tau, load.wrenches)
            M, force, J = reduced.M, reduced.f, reduced.J
        else:
            M = model.mass_matrix(x)
            force = load.generalized(model, x) - model.bias(x, v)
        A = M
        if derivatives is not None:
            if derivatives.on_bodies and J is None:
                J = state.jacobian
            A = M + derivatives.step_terms(J, h)
            force = force + derivatives.damping_product(J, v)
        rhs = M @ v + h * force
        if system.scene.constraints:
            v = constrained_velocities(system, state, A, rhs, h, self.approach)
        else:
            v = redmax.solve(A, rhs)
        return x + h * v, v
