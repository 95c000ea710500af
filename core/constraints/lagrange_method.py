"""``solve_locks(method="lagrange")``: Welman's equation of motion as a way to hold locks while something is dragged."""

from __future__ import annotations

from core.constraints.lagrange import pull, settle
from core.constraints.methods import LockProblem
from core.constraints.network.from_locks import network_of
from core.skeleton.skeleton import Array

MOST = 60
"""Steps that ``max_iterations=None`` stands for, and of a drag:"""
MOST_DRAG = 10


def solve(problem: LockProblem) -> tuple[Array, int]:
    """Return a pose that holds the locks, goals met as far as some steps bring them, and the steps taken.

    Goals and soft locks are springs. The state moves by eq. 5.7, from where locks hold to where springs are short.
    """
    s, most = problem.skeleton, problem.max_iterations
    network, _ = network_of(s, problem.q, problem.locks, problem.goals, problem.goal_dofs, problem.figures)
    figure = next(iter(network.state.figures.values()))
    figure.mobility[: 3 + s.first_dof[1]] *= problem.root_weight
    figure.mobility[list(problem.fixed)] = 0.0
    used = settle(network, problem.tolerance, MOST if most is None else most)
    used += pull(network, problem.tolerance, MOST_DRAG if most is None else max(most - used, 0))
    pose = figure.q
    pose[list(problem.fixed)] = problem.q[list(problem.fixed)]
    return pose, used
