"""Symplectic (semi-implicit) Euler."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from core.arrays import Array
from core.dynamics.integrators.base import Integrator
from core.dynamics.integrators.velocity_level import constrained_velocities

if TYPE_CHECKING:
    from core.dynamics.system import System


class SymplecticEuler(Integrator):
    """``v1 = v0 + h vdot(x0, v0)``, ``x1 = x0 + h v1``: first order; forces at the step's start.

    Functions of time are taken at its end, as linearly implicit steps do. Where constraints are to hold, velocities are
    found with them (Sueda 2.99, 2.105).
    """

    name: ClassVar[str] = "symplectic_euler"
    label: ClassVar[str] = "Symplectic Euler"
    description: ClassVar[str] = "Quick and simple; stiff springs need small steps."
    reductions: ClassVar[bool] = True
    limits: ClassVar[bool] = True
    meets: ClassVar[bool] = True
    early_charts = True

    @classmethod
    def works_by(cls, formulation: str, constrained: bool) -> str | None:
        return "recursive" if constrained else formulation

    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        if not system.scene.constraints and system.contact is None:
            v = v + h * system.acceleration(t + h, x, v)
            return x + h * v, v
        state = system.state(t + h, x, v)
        M, force = system.explicit(state, x, v)
        v = constrained_velocities(system, state, M, M @ v + h * force, h, "ahead")
        return x + h * v, v
