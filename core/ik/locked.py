"""Inverse kinematics with locks: a solver proposes with its own character, the projection holds.

Also Welman's own way, a penalty method: locks as persistent goals of cyclic-coordinate descent (1993, section 5.4),
taken up after each edit in the order of section 6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.bind import bind_in
from core.constraints.lock import Lock
from core.constraints.methods import LockProblem
from core.constraints.network.from_locks import helping_elements
from core.constraints.places import Places
from core.constraints.solve_locks import LockResult, solve_locks
from core.errors import GoalError
from core.ik.ccd import CCD
from core.ik.damped_least_squares import DAMPED_LEAST_SQUARES
from core.ik.diagnosis import REACHED
from core.ik.goal import Goal, Result
from core.ik.root_under_locks import upright_goal
from core.ik.unlocked import distance_left, solve_unlocked
from core.kinematics.chain import ancestry
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

WORLD = "world"
HELD_BY_LOCKS = "locks"
"""Reason of a result: the goal was in reach, but the locks keep the figure from it."""
LOCK_TOLERANCE = 1e-9  # [m]
SWEEPS = 20
"""Sweeps of cyclic-coordinate descent over the locks that ``max_iterations=None`` stands for."""


def solve_locked(
    s: Skeleton, q: Array, goals: tuple[Goal, ...], solver: str, base: int | str | None, tolerance: float,
    max_iterations: int | None, weights: Array | None, locks: Sequence[Any], secondary: Any, nudge: bool,
) -> Result:  # fmt: skip
    """Return :func:`core.ik.solve` with locks.

    The solver's pose, found as if nothing was locked, is what the locks' solver then draws the figure to. Damped least
    squares without weights or a second criterion have nothing of their own to propose; there the locks' solver drags.

    Args:
        s: The figure.
        q: Pose to start from, checked and inside its limits, shape (nq,).
        goals: The goals.
        solver: Name of the solver.
        base: As in ``solve``; None moves the whole figure, root translation included.
        tolerance: As in ``solve``.
        max_iterations: As in ``solve``.
        weights: As in ``solve``; those that are 0 do not move for the locks either.
        locks: The locks; one without a target holds what it has in ``q``.
        secondary: As in ``solve``.
        nudge: As in ``solve``.

    Raises:
        GoalError: If ``locks`` holds something else.
        LockError: If a lock names what is not there.
    """
    if not all(isinstance(lock, Lock) for lock in locks):
        raise GoalError(f"locks is {locks!r}; it must be Lock")
    bound = tuple(locks)
    if not all(lock.bound for lock in bound):
        places = Places(s, q)
        bound = tuple(bind_in(lock, places) for lock in bound)
    base = WORLD if base is None else base
    at_first, _ = distance_left(s, q, goals, base, tolerance)
    plain = solver == DAMPED_LEAST_SQUARES.name and secondary is None and weights is None
    proposal = None
    if not plain:
        proposal = solve_unlocked(s, q, goals, solver, base, tolerance, max_iterations, weights, secondary, nudge)
    still = () if weights is None else tuple(int(k) for k in np.flatnonzero(np.asarray(weights) == 0.0))
    movable = _movable(s, goals, base)
    turns = movable is None or any(3 <= k < 3 + s.first_dof[1] for k in movable)
    upright = upright_goal(s, q, goals) if turns else None
    kept = goals if upright is None else (*goals, upright)
    wanted: dict[str, Any] = {"goals": kept, "goal_dofs": movable, "fixed": still, "tolerance": LOCK_TOLERANCE}

    def error(pose: Array) -> float:
        return distance_left(s, pose, goals, base, tolerance)[0]

    found, spent = _held(s, q, bound, proposal, tolerance, wanted, error)
    left, met = distance_left(s, found.q, goals, base, tolerance)
    if met:
        why: tuple[str, tuple[int, ...], float] = REACHED, (), 0.0
    else:
        free = proposal or solve_unlocked(s, q, goals, solver, base, tolerance, max_iterations, nudge=nudge)
        why = (HELD_BY_LOCKS, (), 0.0) if free.converged else (free.reason, free.blocked, free.short)
    errors = np.array([at_first, min(at_first, left)])
    return Result(found.q, left, spent, met, errors, *why, residuals=found.residuals, held=found.held)


def _held(
    s: Skeleton,
    q: Array,
    locks: tuple[Lock, ...],
    proposal: Result | None,
    tolerance: float,
    wanted: dict[str, Any],
    error: Callable[[Array], float],
) -> tuple[LockResult, int]:
    """Return the pose that keeps the locks, drawn to the proposal, goals met where they can be; and the steps.

    ``error`` says by how much a pose misses the goals, [m].
    """
    if proposal is None:
        found = solve_locks(s, q, locks, **wanted)
        return found, found.iterations
    found = solve_locks(s, proposal.q, locks, start=proposal.q, **wanted)
    if not found.held:
        # What was proposed may be too far from what can be held.
        near = solve_locks(s, q, locks, start=proposal.q, **wanted)
        found = near if near.held or near.residuals.max() < found.residuals.max() else found
    spent = proposal.iterations + found.iterations
    missed = error(found.q) if proposal.converged else 0.0
    if missed > tolerance:
        # The pull to the proposal keeps the goal a little short of its place; let it go for the rest of the way.
        more = solve_locks(s, found.q, locks, **wanted)
        spent += more.iterations
        if error(more.q) < missed and more.held >= found.held:
            found = more
    return found, spent


def _movable(s: Skeleton, goals: tuple[Goal, ...], base: int | str) -> tuple[int, ...] | None:
    """Return the pose values between the base and the goals' joints; None is all."""
    if base == WORLD:
        return None
    top, found = s.joint_index(base), set()
    for goal in goals:
        up = ancestry(s, s.joint_index(goal.joint))
        for joint in up[: up.index(top) + 1]:
            found |= set(range(3 + s.first_dof[joint], 3 + s.first_dof[joint + 1]))
    return tuple(sorted(found))


# -- Welman's penalty method -----------------------------------------------------------------------------------------


def hold_by_ccd(problem: LockProblem) -> tuple[Array, int]:
    """Return the pose after an edit and some sweeps of cyclic-coordinate descent over the locks, and the sweeps taken.

    First the goals are dragged to, locks or not; then the locks are goals and nothing else is. What the sweeps leave
    is drift: more of them leave less. A lock that leaves something free, such as a plane, is a goal at the nearest
    place it allows, found anew before each sweep; two parts of a pair meet half-way, and a part goes to what carries
    it. Balance is about no part and is left out. Locks are kept by all joints: which ones may help is not known to the
    method.

    Source: Welman (1993) sections 5.4 and 6.3.
    """
    s, q, used = problem.skeleton, problem.q, 0
    most = SWEEPS if problem.max_iterations is None else problem.max_iterations
    if not most:
        return q.copy(), 0
    tolerance = max(problem.tolerance, 1e-12)
    free = np.ones(s.nq)
    free[list(problem.fixed)] = 0.0
    if problem.goals:
        chain = free.copy()
        if problem.goal_dofs is not None:
            chain[[k for k in range(s.nq) if k not in set(problem.goal_dofs)]] = 0.0
        dragged = solve_unlocked(s, q, problem.goals, CCD.name, WORLD, tolerance, most, chain)
        q, used = dragged.q, dragged.iterations
    free[helping_elements(s, [0])] *= min(problem.root_weight, 1.0)
    # What was dragged stays where it is; else the locks would take a dragged pelvis straight back.
    for goal in problem.goals:
        if s.joint_index(goal.joint) == 0:
            free[:3] = 0.0
            if goal.rotation is not None or goal.point.any():
                free[helping_elements(s, [0])] = 0.0
    sweeps = 0
    while sweeps < most:
        goals, moving = lock_goals(problem.locks, Places(s, q, problem.figures))
        if not goals:
            break
        result = solve_unlocked(s, q, goals, CCD.name, WORLD, tolerance, 1 if moving else most - sweeps, free)
        sweeps += max(result.iterations, 1)
        same, q = np.array_equal(result.q, q), result.q
        if same or not moving:
            break
    fixed = list(problem.fixed)
    q[fixed] = problem.q[fixed]
    return q, used + sweeps


def lock_goals(locks: Sequence[Lock], places: Places) -> tuple[list[Goal], bool]:
    """Return goals at the nearest places that bound locks allow, and whether these move when the parts do."""
    goals: list[Goal] = []
    moving = False
    for lock in locks:
        if lock.rule.of_figure or max(lock.weights) == 0.0:
            continue
        away, turned = lock.rule.deviation(lock, places, locks)
        here, second = places.point(lock.joint, lock.point), lock.second
        moving |= lock.kind not in ("position", "orientation", "pose") or lock.axes is not None
        rotation = None if turned is None else so3.exp(-turned) @ places.rotation(lock.joint)
        # What carries a part is no goal: to turn it half-way back would move the place that the part goes to.
        if away is not None and turned is None and second is not None and second[0] is None:
            away = 0.5 * away
            there = places.point(second[1], second[2])
            goals.append(Goal(second[1], second[2], there + away, weight=lock.weights[0]))
        position = None if away is None else here - away
        goals.append(Goal(lock.joint, lock.point, position, rotation, lock.weights))
    return goals, moving
