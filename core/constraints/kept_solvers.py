"""Solvers of locks that were made before: packing a figure's rows takes many times as long as the kernel does.

A solver is known again by the content of all that it was made from, never by which object that was: what somebody has
changed since makes another key. Whoever works with one has taken it out, so that threads never share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.constraints.hold.packed import MASS
from core.constraints.lock import Lock, lock_value
from core.kinematics.goal import Goal
from core.skeleton.skeleton import Skeleton

if TYPE_CHECKING:
    from core.constraints.solve_locks import LockSolver

Key = tuple[Any, ...]

_MOST = 16  # of a figure
_kept: WeakKeyDictionary[Skeleton, dict[Key, LockSolver]] = WeakKeyDictionary()


@contextmanager
def borrowed(
    make: type[LockSolver], s: Skeleton, locks: Iterable[Any], goals: Goal | Iterable[Any], settings: dict[str, Any],
    q: Any, figures: Any, method: str,
) -> Iterator[LockSolver]:  # fmt: skip
    """Lend a solver: one that was made for the same, but for the places of its goals, or a new one.

    Args:
        make: Makes one.
        s: The figure.
        locks: The locks.
        goals: The goals.
        settings: What else ``make`` takes.
        q: The pose that locks without a target are bound to.
        figures: Other figures.
        method: Name of the method; only those of ``"hold"`` are kept.
    """
    locks, goals = tuple(locks), (goals,) if isinstance(goals, Goal) else tuple(goals)
    for name in ("goal_dofs", "fixed"):
        settings[name] = None if settings[name] is None else tuple(settings[name])
    key = _key(locks, goals, settings) if method == "hold" and not figures else None
    solver = None if key is None else _kept.get(s, {}).pop(key, None)
    if solver is None:
        solver = make(s, locks, goals=goals, figures=figures, q=q, method=method, **settings)
    else:
        _take_over(solver, s, locks, goals)
    yield solver
    if key is not None:
        _keep(s, key, solver)


def _key(locks: tuple[Any, ...], goals: tuple[Any, ...], settings: dict[str, Any]) -> Key | None:
    """Return what decides a solver, but for the places of its goals; None if it hangs on the pose that it begins with.

    That it does where a lock means where its part stands, or another figure.
    """
    for lock in locks:
        if not isinstance(lock, Lock) or not lock.bound or lock.figures:
            return None
    if not all(isinstance(goal, Goal) for goal in goals):
        return None
    wanted = [
        (
            goal.joint, goal.point.tobytes(), goal.position is None,
            None if goal.rotation is None else goal.rotation.tobytes(), goal.weight,
        )
        for goal in goals
    ]  # fmt: skip
    # 1 and True are the same key, and only one of them may be a number of steps.
    key = (*map(lock_value, locks), None, *wanted, None, *((type(value), value) for value in settings.values()))
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _take_over(solver: LockSolver, s: Skeleton, locks: tuple[Lock, ...], goals: tuple[Goal, ...]) -> None:
    """Give a solver its figure, locks that say the same, and goals that differ in their places alone."""
    solver.skeleton, solver.locks, solver.goals = s, locks, goals
    problem = solver._problems[bool(goals)]
    assert problem is not None
    for number, e in problem.goals:
        problem.hold.target[e] = goals[number].position / problem.size


def _keep(s: Skeleton, key: Key, solver: LockSolver) -> None:
    """Put a solver where the next one finds it, unless its rows hang on the pose.

    What is kept must not hold the figure, which would then never be let go.
    """
    problem = solver._problems.get(bool(solver.goals))
    if problem is None or any(rows.form == MASS for rows in problem.rows):
        return
    solver.skeleton = solver._places = None  # type: ignore[assignment]
    own = _kept.setdefault(s, {})
    if len(own) >= _MOST:
        own.clear()
    own[key] = solver
