"""What goals leave free brings the pose nearer to another one."""

from __future__ import annotations

from core.arrays import Array
from core.ik import near_kernel
from core.ik.bending import narrowed
from core.ik.problem import Problem, evaluate, packed_arguments
from core.kernels import serving

MOST = 16
"""Most steps; a pose that is a drag's event away is there after three."""


def draw(problem: Problem, near: Array, tolerance: float) -> None:
    """Bring the values of a problem as near to a pose as its goals and limits allow; see ``near_kernel.draw``.

    Hinges that bend one way stay on their side.

    Args:
        problem: As a solver left it; ``x`` is changed in place, ``work`` holds its frames and errors at the end.
        near: The pose, shape (nq,).
        tolerance: [W].
    """
    structure, nodes = problem.structure, problem.nodes
    lower, upper = narrowed(structure.bends, problem.x, nodes.lower, nodes.upper)
    held = problem._replace(nodes=nodes._replace(lower=lower, upper=upper))
    values = near[structure.q_index] / structure.unit
    aims, unmet = problem.aims, problem.work.score[1] > tolerance
    goals = (aims.target.copy(), aims.wanted.copy()) if unmet else None
    serving(near_kernel).run(*packed_arguments(held), values, tolerance, MOST)
    if goals is not None:
        aims.target[:], aims.wanted[:] = goals
        evaluate(problem, problem.x)
