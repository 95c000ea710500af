"""Inverse kinematics without locks: checks what it is given, runs a solver, reports what was reached."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import GoalError, JointError
from core.ik import nodes_kernel, poses_kernel
from core.ik.ccd import CCD
from core.ik.criteria import Criterion, make_criterion
from core.ik.damped_least_squares import DAMPED_LEAST_SQUARES
from core.ik.diagnosis import MET, diagnose
from core.ik.following import MOST_STEPS, moves_followers, solve_following
from core.ik.goal import LARGEST, Goal, Result, finite
from core.ik.jacobian_transpose import JACOBIAN_TRANSPOSE
from core.ik.near import draw
from core.ik.null_space import EXTRA_ITERATIONS, descend
from core.ik.optimization import OPTIMIZATION
from core.ik.problem import WORLD, build, least_errors, pose_limits, pose_of, release, with_room, within
from core.ik.pseudoinverse import PSEUDOINVERSE
from core.ik.running import run
from core.ik.solver import Solver
from core.kernels import serving
from core.kernels.functions import raise_kept
from core.skeleton.clamp import clamp_pose
from core.skeleton.following import followed, follows_of
from core.skeleton.skeleton import Skeleton

SOLVERS: tuple[Solver, ...] = (CCD, JACOBIAN_TRANSPOSE, PSEUDOINVERSE, OPTIMIZATION, DAMPED_LEAST_SQUARES)
"""Every solver, in the order menus show them."""
_BY_NAME = {solver.name: solver for solver in SOLVERS}


def solve_unlocked(
    s: Skeleton,
    q: Any,
    goals: Goal | Iterable[Goal],
    solver: str,
    base: int | str | None,
    tolerance: float,
    max_iterations: int | None,
    weights: Any = None,
    secondary: Any = None,
    nudge: bool = True,
    bounds: tuple[Any, Any] | None = None,
    near: Any = None,
    spare_steps: int | None = None,
) -> Result:
    """Return ``core.ik.solve`` without locks; arguments and errors as there."""
    chosen = find_solver(solver)
    wanted = (goals,) if isinstance(goals, Goal) else tuple(goals)
    if not wanted or not all(isinstance(goal, Goal) for goal in wanted):
        raise GoalError(f"goals is {goals!r}; it must be one or more Goal")
    criterion = None if secondary is None else checked_criterion(s, chosen, secondary)
    pose = start_pose(s, q)
    factors = checked_weights(s, weights)
    limit = positive(tolerance, "tolerance")
    drawn_to = None if near is None else finite(near, (s.nq,), "near")
    most = chosen.max_iterations if max_iterations is None else count(max_iterations)
    if moves_followers(s, wanted):
        ends = None if bounds is None else (finite(bounds[0], (s.nq,), "bounds"), finite(bounds[1], (s.nq,), "bounds"))
        steps = MOST_STEPS if max_iterations is None else most
        return solve_following(s, pose, wanted, _base(s, base), limit, steps, factors, ends)
    room = most + EXTRA_ITERATIONS if criterion is not None and max_iterations is None else most
    try:
        problem = build(s, pose, wanted, _base(s, base), factors)
    except JointError as error:
        raise GoalError(str(error)) from None

    if bounds is not None:
        problem = within(problem, bounds)
    if problem.structure.coned:
        serving(nodes_kernel).clamp(problem.nodes, problem.x)
    scaled = limit / problem.size
    problem = with_room(problem, room)
    iterations = run(problem, chosen, scaled, most, nudge)
    if len(problem.nodes.records):
        raise_kept()
    spent = iterations >= most
    if criterion is not None:
        left = room - iterations if spare_steps is None else min(room - iterations, count(spare_steps))
        iterations += descend(problem, s, pose, wanted, criterion, scaled, left)
    merit, worst = problem.work.score.tolist()
    why = MET if worst <= scaled else diagnose(problem, scaled, spent)
    if drawn_to is not None and not spent:
        draw(problem, drawn_to, scaled)
        merit, worst = problem.work.score.tolist()
    result = pose_of(problem, pose)
    if follows_of(s):
        result = followed(s, result)  # they are beside the chain: what the goals are for stays where it is
    errors = least_errors(problem)
    release(problem)
    return Result(result, problem.size * math.sqrt(merit), iterations, bool(worst <= scaled), errors, *why)


def distance_left(
    s: Skeleton, q: Array, goals: tuple[Goal, ...], base: int | str | None, tolerance: float
) -> tuple[float, bool]:
    """Return how far goals are from being met in a pose, as ``Result.error`` has it, and whether they count as met.

    What ``solve`` finds with no iterations, without asking why it is not less. Arguments are as there, and checked:
    the pose is inside its limits.

    Raises:
        GoalError: As ``solve``.
    """
    try:
        problem = build(s, q, goals, _base(s, base), None)
    except JointError as error:
        raise GoalError(str(error)) from None
    if problem.structure.coned:
        serving(nodes_kernel).clamp(problem.nodes, problem.x)
    run(problem, DAMPED_LEAST_SQUARES, tolerance / problem.size, 0, nudge=False)
    if len(problem.nodes.records):
        raise_kept()
    merit, worst = problem.work.score.tolist()
    release(problem)
    return problem.size * math.sqrt(merit), bool(worst <= tolerance / problem.size)


def find_solver(name: str) -> Solver:
    """Return the solver called ``name``.

    Raises:
        GoalError: If there is none; lists the valid names.
    """
    found = _BY_NAME.get(name)
    if found is not None:
        return found
    raise GoalError(f'no solver "{name}"; valid are {", ".join(solver.name for solver in SOLVERS)}')


def checked_criterion(skeleton: Skeleton, solver: Solver, secondary: Any) -> Criterion:
    """Return the second criterion, if the solver takes one."""
    if not solver.secondary:
        names = " and ".join(f'"{solver.name}"' for solver in SOLVERS if solver.secondary)
        raise GoalError(f'solver "{solver.name}" takes no secondary criterion; {names} do')
    return make_criterion(skeleton, secondary)


def start_pose(skeleton: Skeleton, q: Any) -> Array:
    """Return a copy of ``q`` inside its limits."""
    try:
        pose = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        pose = skeleton.check_pose(q)
    if pose.shape != (skeleton.nq,):
        skeleton.check_pose(q)
    lower, upper, coned = pose_limits(skeleton)
    if not serving(poses_kernel).clamp_values(pose, lower, upper):
        finite(q, (skeleton.nq,), "pose")
    return clamp_pose(skeleton, pose) if coned else pose


def checked_weights(skeleton: Skeleton, weights: Any) -> Array | None:
    if weights is None:
        return None
    factors = finite(weights, (skeleton.nq,), "weights")
    if factors.min() < 0.0 or factors.max() > 1.0:
        raise GoalError(f"weights run from {factors.min():g} to {factors.max():g}; they must lie in 0..1")
    return factors


def positive(value: Any, what: str) -> float:
    if type(value) is float and 0.0 < value <= LARGEST:
        return value
    number = float(finite(value, (), what))
    if number <= 0.0:
        raise GoalError(f"{what} is {number:g}; it must be above 0")
    return number


def count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise GoalError(f"max_iterations is {value!r}; it must be a whole number, 0 or more")
    return int(value)


def _base(skeleton: Skeleton, base: int | str | None) -> int | None:
    if base is None:
        return None
    if base == "world":
        return WORLD
    try:
        return skeleton.joint_index(base)
    except JointError as error:
        raise GoalError(f'{error}; or "world" for the root translation too') from None
