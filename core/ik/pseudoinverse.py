"""Pseudoinverse: the smallest change of pose that goes to the goal, exact away from singular poses."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.ik import pseudoinverse_kernel
from core.ik.problem import Problem, packed_arguments
from core.ik.solver import Solver
from core.kernels import serving


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Take pseudoinverse steps; see ``pseudoinverse_kernel.solve``.

    Source: Welman (1993) section 3.2.
    """
    kernels = serving(pseudoinverse_kernel)
    return int(kernels.run(*packed_arguments(problem), scratch(problem), tolerance, max_iterations))


def scratch(problem: Problem) -> Array:
    """Return scratch memory for the decomposition of the problem's Jacobian, shape (m, K + m + 1)."""
    m = 3 * int(np.count_nonzero(problem.aims.weight[:, :2]))
    return np.empty((m, len(problem.x) + m + 1))


PSEUDOINVERSE = Solver(
    "pseudoinverse",
    "Pseudoinverse",
    "Exact: the smallest motion that gets there; what is left free can serve a second aim.",
    run,
    100,
    secondary=True,
    character="exact",
)
"""Pseudoinverse with damped small singular values."""
