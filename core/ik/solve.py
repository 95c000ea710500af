"""The door to inverse kinematics: checks what it is given, runs a solver, reports what was reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core.errors import GoalError, JointError
from core.ik import nodes_kernel
from core.ik.ccd import CCD
from core.ik.criteria import Criterion, make_criterion
from core.ik.damped_least_squares import DAMPED_LEAST_SQUARES
from core.ik.diagnosis import MET, diagnose
from core.ik.goal import LARGEST, Goal, Result, finite
from core.ik.jacobian_transpose import JACOBIAN_TRANSPOSE
from core.ik.null_space import EXTRA_ITERATIONS, descend
from core.ik.optimization import OPTIMIZATION
from core.ik.problem import WORLD, build, least_errors, pose_limits, pose_of, release, with_room, within
from core.ik.pseudoinverse import PSEUDOINVERSE
from core.ik.running import run
from core.ik.solver import Solver
from core.kernels import serving
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Array, Skeleton

SOLVERS: tuple[Solver, ...] = (CCD, JACOBIAN_TRANSPOSE, PSEUDOINVERSE, OPTIMIZATION, DAMPED_LEAST_SQUARES)
"""Every solver, in the order menus show them."""


def solve(
    s: Skeleton,
    q: Any,
    goals: Goal | Iterable[Goal],
    solver: str = "damped_least_squares",
    base: int | str | None = None,
    tolerance: float = 1e-4,
    max_iterations: int | None = None,
    weights: Any = None,
    locks: Sequence[Any] = (),
    secondary: Any = None,
    nudge: bool = True,
    bounds: tuple[Any, Any] | None = None,
) -> Result:
    """Move a chain so that points or frames of the figure meet their goals.

    ``q`` is clamped into its limits first and the result is never outside them. Where the goals cannot be met the
    result is a pose that comes near. A pose from which no joint can help at first order (an arm stretched straight
    toward the goal) is bent a little and tried again. Elbows and knees, hinges whose limits let a straight limb bend
    to one side, bend to that side as soon as their limb must shorten, and go past straight only for a goal that
    cannot be met otherwise.

    Args:
        s: The figure.
        q: Pose to start from, shape (nq,), [m] and [rad].
        goals: One goal or several.
        solver: Name of one of ``SOLVERS``.
        base: Index or name of the joint whose own degrees of freedom are the first to move; None: every joint between
            the root and the goals, root translation fixed; ``"world"``: that one free too.
        tolerance: What counts as met, for each position and each angle times its chain's reach, [m].
        max_iterations: Most sweeps or steps; None leaves it to the solver.
        weights: Responsiveness 0..1 of each pose value, shape (nq,), on top of the joints' own; None means 1.
        locks: Locks to hold meanwhile (``core.constraints.Lock``); one without a target holds what it has in ``q``.
            The solver proposes, a projection holds, so they hold exactly where they can; then ``base`` None frees the
            root translation too, and the result has ``residuals`` and ``held``.
        secondary: What the freedom that the goals leave is used for: "range" (away from limits), "manipulability",
            ("pose", q), ("obstacles", [(center, radius), ...]) or a ``Criterion``. It is lowered until it no longer
            falls, and never at the goals' expense. The solvers "pseudoinverse" and "damped_least_squares" take it.
        nudge: Whether straight limbs may be bent to get them going. Without it a goal that pulls straight down a
            stretched chain moves nothing (Welman, figure 4.2), and the result's reason is "straight".

        bounds: Least and largest value of each pose value, shape (nq,) each, on top of the limits; ``q`` lies between
            them. Not with locks.

    Returns:
        The pose and how good it is.

    Raises:
        GoalError: If a number is NaN, infinite or absurd, or the solver, base or a goal's joint is unknown.
        PoseError: If ``q`` has the wrong shape.
    """
    chosen = find_solver(solver)
    wanted = (goals,) if isinstance(goals, Goal) else tuple(goals)
    if not wanted or not all(isinstance(goal, Goal) for goal in wanted):
        raise GoalError(f"goals is {goals!r}; it must be one or more Goal")
    criterion = None if secondary is None else _criterion(s, chosen, secondary)
    pose = _start(s, q)
    factors = _factors(s, weights)
    held = tuple(locks)
    if held:
        from core.ik.locked import solve_locked  # which builds on this module

        limit = _positive(tolerance, "tolerance")
        most = None if max_iterations is None else _count(max_iterations)
        return solve_locked(s, pose, wanted, solver, base, limit, most, factors, held, secondary, nudge)
    limit = _positive(tolerance, "tolerance")
    most = chosen.max_iterations if max_iterations is None else _count(max_iterations)
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
    spent = iterations >= most
    if criterion is not None:
        iterations += descend(problem, s, pose, wanted, criterion, scaled, room - iterations)
    merit, worst = problem.work.score.tolist()
    result = pose_of(problem, pose)
    errors = least_errors(problem)
    why = MET if worst <= scaled else diagnose(problem, scaled, spent)
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
    merit, worst = problem.work.score.tolist()
    release(problem)
    return problem.size * math.sqrt(merit), bool(worst <= tolerance / problem.size)


def find_solver(name: str) -> Solver:
    """Return the solver called ``name``.

    Raises:
        GoalError: If there is none; lists the valid names.
    """
    for solver in SOLVERS:
        if solver.name == name:
            return solver
    raise GoalError(f'no solver "{name}"; valid are {", ".join(solver.name for solver in SOLVERS)}')


def _criterion(skeleton: Skeleton, solver: Solver, secondary: Any) -> Criterion:
    """Return the second criterion, if the solver takes one."""
    if not solver.secondary:
        names = " and ".join(f'"{solver.name}"' for solver in SOLVERS if solver.secondary)
        raise GoalError(f'solver "{solver.name}" takes no secondary criterion; {names} do')
    return make_criterion(skeleton, secondary)


def _start(skeleton: Skeleton, q: Any) -> Array:
    """Return a copy of ``q`` inside its limits."""
    try:
        pose = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        pose = skeleton.check_pose(q)
    if pose.shape != (skeleton.nq,):
        skeleton.check_pose(q)
    if not (pose.max() <= LARGEST and pose.min() >= -LARGEST):  # also for NaN
        finite(pose, (skeleton.nq,), "pose")
    lower, upper, coned = pose_limits(skeleton)
    np.maximum(pose, lower, out=pose)
    np.minimum(pose, upper, out=pose)
    return clamp_pose(skeleton, pose) if coned else pose


def _factors(skeleton: Skeleton, weights: Any) -> Array | None:
    if weights is None:
        return None
    factors = finite(weights, (skeleton.nq,), "weights")
    if factors.min() < 0.0 or factors.max() > 1.0:
        raise GoalError(f"weights run from {factors.min():g} to {factors.max():g}; they must lie in 0..1")
    return factors


def _positive(value: Any, what: str) -> float:
    if type(value) is float and 0.0 < value <= LARGEST:
        return value
    number = float(finite(value, (), what))
    if number <= 0.0:
        raise GoalError(f"{what} is {number:g}; it must be above 0")
    return number


def _count(value: Any) -> int:
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
