"""Runs a solver on a problem: where to start it, within which limits, and what to try when it gets stuck."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel
from core.ik.bending import bent_start, may_be_straight, narrowed
from core.ik.nodes_kernel import record_start
from core.ik.problem import Problem, evaluate
from core.ik.solver import Solver
from core.ik.straight import bend_straight_chain
from core.kernels import serving
from core.skeleton.tree import KIND_HINGE

_FLAT = 1e-3
"""Slope under which a solver counts as stuck: cosine of the angle between the error and the best joint's motion."""

_NUDGE = math.radians(3.0)
_TWIST = 1e-3
"""Share of what moves an effector most up to which a hinge counts as a twist about the line to it."""
_WORTHWHILE = 0.99
"""Part of the error that another attempt must get below to be kept."""


def run(problem: Problem, solver: Solver, tolerance: float, most: int, nudge: bool = True) -> int:
    """Run ``solver`` until the goals are met, it is stuck for good or ``most`` iterations are spent.

    Args:
        problem: Its ``x`` is changed in place; its ``work`` holds the frames and errors of ``x`` at the end.
        solver: One of ``SOLVERS``.
        tolerance: [W].
        most: Most iterations in all attempts together.
        nudge: Whether limbs may be bent; if not, the solver is run once, as it is.

    Returns:
        Number of iterations.
    """
    if not nudge:
        return solver.run(problem, tolerance, most)
    if not problem.structure.bends:
        aimed = bend_straight_chain(problem, tolerance, most) if most > 0 else 0
        return aimed + _until_stuck(problem, solver, tolerance, most - aimed)
    nodes = problem.nodes
    lower, upper = narrowed(problem.structure.bends, problem.x, nodes.lower, nodes.upper)
    tight = problem._replace(nodes=nodes._replace(lower=lower, upper=upper))
    iterations = 0
    if most > 0 and may_be_straight(problem.structure.bends, problem.x):
        merit, worst = evaluate(problem, problem.x)
        record_start(problem.work, merit)
        if worst <= tolerance:
            return 0
        iterations = _from_bent_start(tight, solver, tolerance, most)
    if iterations == 0:
        iterations = _until_stuck(tight, solver, tolerance, most)
    if problem.work.score[1] > tolerance and iterations < most and _is_pressed(problem, lower, upper):
        iterations += _until_stuck(problem, solver, tolerance, most - iterations)
    return iterations


def _is_pressed(problem: Problem, lower: Array, upper: Array) -> bool:
    """Return whether a bend rests on a limit that is only there to keep it from going past straight."""
    nodes, x = problem.nodes, problem.x
    edges = ((bend.node, lower if bend.sign > 0.0 else upper) for bend in problem.structure.bends)
    return any(x[k] == edge[k] and nodes.lower[k] < x[k] < nodes.upper[k] for k, edge in edges)


def _from_bent_start(problem: Problem, solver: Solver, tolerance: float, most: int) -> int:
    """Run from a start with bent elbows and knees, and from ``x`` itself if that was not enough; keep what is better.

    Returns the iterations, 0 if nothing needs to bend.
    """
    nodes, x, work = problem.nodes, problem.x, problem.work
    before, merit = x.copy(), float(work.score[0])
    bent = bent_start(problem.structure.bends, nodes, problem.aims, x, work, tolerance)
    if bent is None:
        return 0
    # The limits follow the bend: the steepest way from a limb that is not yet past straight would straighten it.
    lower, upper = nodes.lower.copy(), nodes.upper.copy()
    for bend in problem.structure.bends:
        k = bend.node
        if bent[k] != before[k]:
            (lower if bend.sign > 0.0 else upper)[k] = bent[k]
    x[:] = bent
    held = problem._replace(nodes=nodes._replace(lower=lower, upper=upper))
    iterations = _until_stuck(held, solver, tolerance, most)
    if work.score[1] > tolerance and iterations < most:
        iterations += solver.run(problem, tolerance, most - iterations)
    if work.score[1] > tolerance:
        found, best = x.copy(), float(work.score[0])
        x[:] = before
        iterations += _until_stuck(problem, solver, tolerance, most - iterations)
        worth = 1.0 if best >= merit else _WORTHWHILE * _WORTHWHILE
        if not work.score[0] < worth * best:
            _restore(problem, found)
    return iterations


def _until_stuck(problem: Problem, solver: Solver, tolerance: float, most: int) -> int:
    """Run the solver, and once more from a bent pose if it rests where no joint can help."""
    iterations = solver.run(problem, tolerance, most)
    merit, worst = problem.work.score.tolist()
    if worst > tolerance and iterations < most and len(problem.x):
        iterations += _bend(problem, solver, tolerance, most - iterations, merit)
    return iterations


def _restore(problem: Problem, x: Array) -> None:
    """Put ``x`` back, with its frames and errors."""
    problem.x[:] = x
    evaluate(problem, problem.x)


def _bend(problem: Problem, solver: Solver, tolerance: float, most: int, merit: float) -> int:
    """Try once more from a bent pose if the solver rests where no joint can help; keep what is better.

    Returns the further iterations. The problem holds the better values, its frames and errors, at the end.
    """
    kernels = serving(nodes_kernel)
    nodes, x = problem.nodes, problem.x
    if kernels.slope(nodes, problem.aims, x, problem.work) > _FLAT:
        return 0
    before = x.copy()
    room_up = nodes.upper - x
    room_down = x - nodes.lower
    step = np.where(room_up >= room_down, np.minimum(_NUDGE, 0.5 * room_up), -np.minimum(_NUDGE, 0.5 * room_down))
    hinges = (nodes.kind == KIND_HINGE) & (nodes.weight > 0.0)
    # A twist about the line to the effector bends nothing: it would only stay in the pose.
    moves = np.where(hinges, np.abs(problem.work.J).max(axis=0, initial=0.0), 0.0)
    across = moves > _TWIST * moves.max(initial=0.0)
    x += np.where(across if across.any() else hinges, step, 0.0)
    kernels.clamp(nodes, x)
    iterations = solver.run(problem, tolerance, most)
    if not problem.work.score[0] < _WORTHWHILE * _WORTHWHILE * merit:
        _restore(problem, before)
    return iterations
