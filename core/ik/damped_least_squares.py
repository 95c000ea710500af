"""Damped least squares: the smallest change of pose that goes to the goal, steady near singular poses."""

from __future__ import annotations

from core.ik import damped_least_squares_kernel
from core.ik.problem import Problem, packed_arguments
from core.ik.solver import Solver
from core.kernels import serving


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Take damped Gauss-Newton steps; see ``damped_least_squares_kernel.solve``."""
    kernels = serving(damped_least_squares_kernel)
    return int(kernels.run(*packed_arguments(problem), tolerance, max_iterations))


DAMPED_LEAST_SQUARES = Solver(
    "damped_least_squares",
    "Damped least squares",
    "Exact and quick: every joint moves a little.",
    run,
    100,
    secondary=True,
    character="smooth",
)
