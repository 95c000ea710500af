"""Cyclic-coordinate descent: one degree of freedom at a time, from the tip to the base."""

from __future__ import annotations

from core.ik import ccd_kernel
from core.ik.problem import Problem, packed_arguments
from core.ik.solver import Solver
from core.kernels import serving


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Sweep until the goals are met; see ``ccd_kernel.solve``.

    Source: Welman (1993) section 4.2, with several goals section 5.4.
    """
    kernels = serving(ccd_kernel)
    return int(kernels.run(*packed_arguments(problem), tolerance, max_iterations))


CCD = Solver(
    "ccd",
    "CCD",
    "One joint after the other, from the tip to the base, each as well as it can. A drag then keeps what the goal "
    "leaves free near the pose at the press.",
    run,
    500,
    character="fast, joint by joint",
)
