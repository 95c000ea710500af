"""Linearly implicit Euler, the step of RedMax."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from core.arrays import Array
from core.dynamics import charts, redmax
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.velocity_level import constrained_velocities
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.system import System

_JUMP = 0.25
"""Part of the kinetic energy that a change of velocities from one step to the next makes up if it is a jump."""


class LinearlyImplicit(Integrator):
    """Solves for the velocities at the end of a step with springs and dampers linearized about its start.

    ``(M + h D - h^2 K) v1 = M v0 + h (tau - bias + D v0)``, ``x1 = x0 + h v1``; ``tau`` holds the dampers at ``v0``,
    which ``h D v0`` takes out again. Constraints that are equations are rows of a KKT system, limits those of a
    quadratic program. Functions of time are taken at the end of the step.

    Args:
        approach: What limits do that are not touched yet: ``"ahead"`` stops at them, ``"touching"`` lets a step pass
            them before they act.
        velocity_terms: Where centrifugal and Coriolis forces are taken: ``"start"`` of the step, or its ``"middle"``,
            at the velocities ``1.5 v0 - 0.5 v`` of the step before, which costs nothing and keeps the energy far
            better. After a jump, as where a limit is met, one step is as from the start.
        early_charts: As of ``Integrator``; without, rotation vectors grow as long as in RedMax.

    Source: Sueda 2.77 and 2.79 (with the sign of K of 2.79), 2.99 to 2.107.
    """

    name: ClassVar[str] = "linearly_implicit"
    label: ClassVar[str] = "Linearly implicit"
    description: ClassVar[str] = "Stable with stiff springs and strong dampers; first order: take small steps."
    limits: ClassVar[bool] = True
    meets: ClassVar[bool] = True

    def __init__(
        self,
        approach: Literal["touching", "ahead"] = "ahead",
        velocity_terms: Literal["start", "middle"] = "start",
        early_charts: bool = True,
    ) -> None:
        if velocity_terms not in ("start", "middle"):
            raise DynamicsError(f'velocity_terms is {velocity_terms!r}; it must be "start" or "middle"')
        self.approach = approach
        self.velocity_terms = velocity_terms
        self.early_charts = early_charts
        self._earlier: tuple[Array, Array] | None = None

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._earlier = None

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:
        if self._earlier is not None:
            self._earlier = charts.converted_state(before, *self._earlier, system.model, x, every=True)

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        model = system.model
        state = system.state(t + h, x, v)
        load = system.load(state)
        derivatives = system.derivatives(state)
        J: Array | None = None
        M = None if system.formulation == "redmax" else model.mass_matrix(x)
        moving = self._moving(v, model.mass_matrix(x) if M is None else M) if self._earlier is not None else v
        if M is None:
            reduced = redmax.system(model, x, moving, load.tau, load.wrenches)
            M, force, J = reduced.M, reduced.f, reduced.J
        else:
            force = load.generalized(model, x) - model.bias(x, moving)
        if self.velocity_terms == "middle":
            self._earlier = x, v
        A = M
        if derivatives is not None:
            if derivatives.on_bodies and J is None:
                J = state.jacobian
            A = M + derivatives.step_terms(J, h)
            force = force + derivatives.damping_product(J, v)
        rhs = M @ v + h * force
        if system.scene.constraints or system.contact is not None:
            v = constrained_velocities(system, state, A, rhs, h, self.approach, load)
        else:
            v = redmax.solve(A, rhs)
        return x + h * v, v

    def _moving(self, v: Array, M: Array) -> Array:
        """Return the velocities in the middle of the step to come, shape (nv,); ``v`` itself after a jump."""
        assert self._earlier is not None
        change = v - self._earlier[1]
        if change @ M @ change > _JUMP * (v @ M @ v):
            return v
        return v + 0.5 * change
