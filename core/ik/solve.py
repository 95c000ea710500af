"""Inverse kinematics, with locks or without: what the editor, scripts and other parts of ``core`` call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from core.errors import GoalError
from core.ik.goal import Goal, Result
from core.ik.locked import solve_locked
from core.ik.options import Secondary
from core.ik.unlocked import (
    SOLVERS,
    checked_criterion,
    checked_weights,
    count,
    find_solver,
    positive,
    solve_unlocked,
    start_pose,
)
from core.skeleton.skeleton import Skeleton

__all__ = ["SOLVERS", "find_solver", "solve"]


def solve(
    s: Skeleton,
    q: ArrayLike,
    goals: Goal | Iterable[Goal],
    solver: str = "damped_least_squares",
    base: int | str | None = None,
    tolerance: float = 1e-4,
    max_iterations: int | None = None,
    weights: ArrayLike | None = None,
    locks: Sequence[Any] = (),
    secondary: Secondary | None = None,
    nudge: bool = True,
    bounds: tuple[ArrayLike, ArrayLike] | None = None,
    near: ArrayLike | None = None,
    spare_steps: int | None = None,
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
        near: Pose, shape (nq,), to which the freedom that the goals leave brings the result as near as it can, each
            value as its joint's responsiveness and resistance let it, never at the goals' expense. A solver that runs
            out of iterations leaves its pose as it is. Not with locks.
        spare_steps: Most iterations that lower the second criterion; None: until it no longer falls. Not with locks.

    Returns:
        The pose and how good it is.

    Raises:
        GoalError: If a number is NaN, infinite or absurd, or the solver, base or a goal's joint is unknown.
        PoseError: If ``q`` has the wrong shape.
    """
    held = tuple(locks)
    if not held:
        how = weights, secondary, nudge, bounds, near, spare_steps
        return solve_unlocked(s, q, goals, solver, base, tolerance, max_iterations, *how)
    chosen = find_solver(solver)
    wanted = (goals,) if isinstance(goals, Goal) else tuple(goals)
    if not wanted or not all(isinstance(goal, Goal) for goal in wanted):
        raise GoalError(f"goals is {goals!r}; it must be one or more Goal")
    if secondary is not None:
        checked_criterion(s, chosen, secondary)
    pose = start_pose(s, q)
    factors = checked_weights(s, weights)
    limit = positive(tolerance, "tolerance")
    most = None if max_iterations is None else count(max_iterations)
    return solve_locked(s, pose, wanted, solver, base, limit, most, factors, held, secondary, nudge)
