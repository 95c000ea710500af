"""How linearly implicit steps solve for their velocities. A new way is a function, and a line in ``STEP_SOLVES``."""

from core.dynamics.step_solves.base import StepEquations, StepSolve
from core.dynamics.step_solves.conjugate_gradients import gradient_step
from core.dynamics.step_solves.dense import dense_step

STEP_SOLVES: dict[str, StepSolve] = {
    "dense": dense_step,
    "conjugate_gradients": gradient_step,
}
"""By name, what ``LinearlyImplicit(solve=...)`` takes."""

__all__ = ["STEP_SOLVES", "StepEquations", "StepSolve"]
