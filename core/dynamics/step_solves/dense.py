"""A step solved by the Cholesky factor of its whole matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.arrays import Array
from core.dynamics import redmax
from core.dynamics.step_solves.base import StepEquations

if TYPE_CHECKING:
    from core.dynamics.state import State
    from core.dynamics.system import System


def dense_step(system: System, state: State, x: Array, v: Array, moving: Array, h: float) -> StepEquations:
    """Return the equations of a step with their matrix; time grows with the cube of its size. See ``StepSolve``.

    Source: Sueda 2.77, 2.79.
    """
    M, force, terms, braking = system.linearized(state, x, v, moving, h)
    A = M
    if terms is not None and braking is not None:
        A = M + terms
        force = force + braking
    right = M @ v + h * force
    return StepEquations(A, right, lambda: redmax.solve(A, right))
