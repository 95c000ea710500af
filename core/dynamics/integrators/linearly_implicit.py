"""Linearly implicit Euler, the step of RedMax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.velocity_level import constrained_velocities
from core.dynamics.step_solves import STEP_SOLVES
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
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
        solve: A name in ``STEP_SOLVES``: ``"dense"`` factors the whole matrix, ``"conjugate_gradients"`` takes time in
            proportion to the number of bodies, for hundreds of them.

    Source: Sueda 2.77 and 2.79 (with the sign of K of 2.79), 2.99 to 2.107.
    """

    name: ClassVar[str] = "linearly_implicit"
    label: ClassVar[str] = "Linearly implicit"
    description: ClassVar[str] = "Stable with stiff springs and strong dampers; first order: take small steps."
    reductions: ClassVar[bool] = True
    limits: ClassVar[bool] = True
    meets: ClassVar[bool] = True

    def __init__(
        self,
        approach: Literal["touching", "ahead"] = "ahead",
        velocity_terms: Literal["start", "middle"] = "start",
        early_charts: bool = True,
        solve: str = "dense",
    ) -> None:
        if velocity_terms not in ("start", "middle"):
            raise DynamicsError(f'velocity_terms is {velocity_terms!r}; it must be "start" or "middle"')
        if solve not in STEP_SOLVES:
            raise DynamicsError(f"solve is {solve!r}; it must be one of {', '.join(STEP_SOLVES)}")
        self.approach = approach
        self.velocity_terms = velocity_terms
        self.early_charts = early_charts
        self.solve = solve
        self._earlier: tuple[Array, Array] | None = None

    @classmethod
    def works_by(cls, formulation: str, constrained: bool) -> str | None:
        return formulation if formulation == "redmax" else "recursive"

    def check(self, scene: Scene, others: Sequence[type[Integrator]], contact: str | None = None) -> None:
        super().check(scene, others, contact)
        if contact is not None and self.solve != "dense":
            raise DynamicsError(f'solve="{self.solve}" does not take contact methods; "dense" does')
        if scene.reduction is not None and self.solve != "dense":
            raise DynamicsError(f'solve="{self.solve}" does not take hyper-reduced coordinates; "dense" does')

    def begin(self, system: System, x: Array, v: Array) -> None:
        self._earlier = None

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:
        if self._earlier is not None:
            self._earlier = charts.converted_state(before, *self._earlier, system.model, x, every=True)

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        state = system.state(t + h, x, v)
        moving = v if self._earlier is None else self._moving(v, system.mass_matrix(x))
        equations = STEP_SOLVES[self.solve](system, state, x, v, moving, h)
        if self.velocity_terms == "middle":
            self._earlier = x, v
        if system.scene.constraints or system.contact is not None:
            v = constrained_velocities(system, state, equations.left, equations.right, h, self.approach)
        else:
            v = equations.solve()
        return x + h * v, v

    def _moving(self, v: Array, M: Array) -> Array:
        """Return the velocities in the middle of the step to come, shape (nv,); ``v`` itself after a jump."""
        assert self._earlier is not None
        change = v - self._earlier[1]
        if change @ M @ change > _JUMP * (v @ M @ v):
            return v
        return v + 0.5 * change
