"""Jacobian transpose: the goal pulls the figure like a rubber band."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.ik import jacobian_transpose_kernel
from core.ik.problem import Problem, packed_arguments
from core.ik.solver import Solver
from core.kernels import serving
from core.skeleton.tree import KIND_HINGE

SHORTEST = 0.05
"""Floor of a link's length, as a part of the longest reach: a joint at the tip would else turn without bound."""
_KEPT_LENGTHS = 64


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Integrate the simplified equations of motion; see ``jacobian_transpose_kernel.solve``.

    Source: Welman (1993) section 4.1.
    """
    aims, kept = problem.aims, problem.structure.lengths
    key = aims.point.tobytes() + aims.weight[:, 2].tobytes()
    lengths = kept.get(key)
    if lengths is None:
        if len(kept) >= _KEPT_LENGTHS:
            kept.clear()
        lengths = kept[key] = link_lengths(problem)
    problem = problem._replace(nodes=problem.nodes._replace(gain=problem.nodes.gain / lengths))
    kernels = serving(jacobian_transpose_kernel)
    return int(kernels.run(*packed_arguments(problem), tolerance, max_iterations))


def link_lengths(problem: Problem) -> Array:
    """Return w_i of eq. 4.11, shape (K,), [W]: the way from a hinge's compound joint to the next joint.

    At a tip it is the way to the end-effector. A slide moves the effector by what it moves itself: its w_i is 1.
    """
    length = problem.structure.link.copy()
    aims = problem.aims
    for g in range(len(aims.node)):
        reach = float(np.sqrt(aims.point[g] @ aims.point[g]))
        tip = (aims.distal[g] == 1) & (problem.structure.link == 0.0)
        length[tip] = np.maximum(length[tip], reach)
    floor = SHORTEST * float(aims.weight[:, 2].max())
    length = np.maximum(length, floor)
    return np.where(problem.nodes.kind == KIND_HINGE, length, 1.0)


JACOBIAN_TRANSPOSE = Solver(
    "jacobian_transpose",
    "Jacobian transpose",
    "Like pulling a rubber rod: the whole chain bends smoothly.",
    run,
    1000,
    character="springy",
)
