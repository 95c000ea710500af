"""Cyclic-coordinate descent: one degree of freedom at a time, from the tip to the base."""

from __future__ import annotations

from core import compiled
from core.ik.problem import Problem, packed_arguments
from core.ik.solver import Solver


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Sweep until the goals are met; see ``ccd_plain.solve``.

    Source: Welman (1993) section 4.2, with several goals section 5.4.
    """
    kernels = compiled.kernels("core.ik.ccd")
    return int(kernels.run(*packed_arguments(problem), tolerance, max_iterations))


CCD = Solver(
    "ccd",
    "CCD",
    "Like pulling a chain of loose links: the joints near the hand move first.",
    run,
    500,
)
