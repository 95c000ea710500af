"""The door to holding locks: checks what it is given, runs a solver, reports what holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.constraints.bind import bind_in
from core.constraints.hold import Held, hold
from core.constraints.lock import Lock
from core.constraints.methods import OTHER_METHODS, LockProblem, find_method
from core.constraints.places import Figures, Places
from core.constraints.row_values import row_values
from core.constraints.rows import AIM, AXIS, DISTANCE, MASS, POINT, ROTATION, Rows, across, rows_of_goals, rows_of_locks
from core.errors import GoalError, JointError, LockError, PoseError
from core.kinematics.goal import LARGEST, Goal, finite
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Array, Skeleton

HOLD = "hold"
METHODS = (HOLD, *OTHER_METHODS)
MOST = 60
"""Steps that ``max_iterations=None`` stands for."""
MOST_DRAG = 8


@dataclass(frozen=True, eq=False)
class LockResult:
    """What a solver of locks found.

    Attributes:
        q: Pose inside all limits, shape (nq,); a new array.
        residuals: Largest part of each lock's residual, [m] or [rad], shape (n,); 0 for a lock of weight 0.
        held: Whether every lock of weight 1 is within the tolerance.
        iterations: Steps taken.
        position_residuals: [m], NaN for locks that hold no place, shape (n,).
        angle_residuals: [rad], NaN for locks that hold no orientation, shape (n,).
        errors: From where each part is to where it should be, world: way [m] and rotation vector [rad], shape (n, 6).
        blocked: Degrees of freedom, ``q`` index minus 3, at a limit while a lock is not held.
        goal_error: Largest position error [m] or angle [rad] of the goals, 0 without goals.
        locks: The locks as they were held, bound.
    """

    q: Array
    residuals: Array
    held: bool
    iterations: int = 0
    position_residuals: Array = field(default_factory=lambda: np.zeros(0))
    angle_residuals: Array = field(default_factory=lambda: np.zeros(0))
    errors: Array = field(default_factory=lambda: np.zeros((0, 6)))
    blocked: tuple[int, ...] = ()
    goal_error: float = 0.0
    locks: tuple[Lock, ...] = ()


def solve_locks(
    s: Skeleton,
    q: Any,
    locks: Iterable[Lock],
    *,
    goals: Goal | Iterable[Goal] = (),
    start: Any = None,
    tolerance: float = 1e-9,
    max_iterations: int | None = None,
    method: str = "hold",
    fixed: Iterable[int] = (),
    goal_dofs: Iterable[int] | None = None,
    root_weight: float = 1.0,
    comfort: float = 0.0,
    figures: Figures | None = None,
) -> LockResult:
    """Return the pose near ``q`` that keeps the locks, and what is left of them.

    ``q`` is clamped into its limits first; limits are never left. Locks that cannot be kept together are kept as well
    as they can, in the sense of least squares. The same arguments give the same bits.

    Args:
        s: The figure.
        q: Pose to start from, shape (nq,), [m] and [rad].
        locks: What must hold; a lock without a target holds what it has in ``q``.
        goals: Where parts should go as far as the locks let them: a drag.
        start: Pose that the figure is drawn back to, shape (nq,): at the press of a drag, so that dragging out and
            back comes home. None: the pose ``q`` itself; a drag then stays where it was led, like putty.
        tolerance: Largest residual of a lock of weight 1 that counts as held, [m]; angles are times the figure's size.
        max_iterations: Most steps; None for 60, and 8 of a drag.
        method: ``"hold"``; or one of Welman's: ``"lagrange"`` (section 5.2) and ``"ccd"`` (5.4), which take neither
            ``start`` nor ``comfort``.
        fixed: ``q`` indices that nothing may move.
        goal_dofs: ``q`` indices that may move for the goals; None is all.
        root_weight: Multiplies the willingness of the root's degrees of freedom, above 0.
        comfort: How much joints are drawn to the middle of their range, 0..1.
        figures: Other figures that locks name, ``{name: (skeleton, pose)}``.

    Raises:
        LockError: If a lock names what is not there.
        GoalError: If a number is NaN, infinite or absurd.
        PoseError: If a pose has the wrong shape or holds NaN or infinity.
    """
    solver = LockSolver(
        s, locks, goals=goals, goal_dofs=goal_dofs, fixed=fixed, root_weight=root_weight, comfort=comfort,
        tolerance=tolerance, max_iterations=max_iterations, figures=figures, q=q, method=method,
    )  # fmt: skip
    return solver.solve(q, start=start)


def lock_residuals(s: Skeleton, q: Any, locks: Iterable[Lock], figures: Figures | None = None) -> LockResult:
    """Return what is left of the locks in a pose, which stays as it is; see ``solve_locks``."""
    return LockSolver(s, locks, figures=figures, q=q).residuals(q)


class LockSolver:
    """Solves for the same locks again and again; see ``solve_locks`` for the arguments.

    Args:
        s: The figure.
        locks: The locks. One without a target is bound to ``q``.
        q: Pose for binding, shape (nq,); None for the rest pose.
    """

    def __init__(
        self,
        s: Skeleton,
        locks: Iterable[Lock],
        goals: Goal | Iterable[Goal] = (),
        goal_dofs: Iterable[int] | None = None,
        fixed: Iterable[int] = (),
        root_weight: float = 1.0,
        comfort: float = 0.0,
        tolerance: float = 1e-9,
        max_iterations: int | None = None,
        figures: Figures | None = None,
        q: Any = None,
        method: str = HOLD,
    ):
        self.skeleton = s
        if method not in METHODS:
            raise GoalError(f'no method "{method}"; valid are {", ".join(METHODS)}')
        self.method = method
        self.tolerance = _above(tolerance, "tolerance")
        self.root_weight = _above(root_weight, "root_weight")
        self.comfort = float(finite(comfort, (), "comfort"))
        if not 0.0 <= self.comfort <= 1.0:
            raise GoalError(f"comfort is {self.comfort:g}; it must lie in 0..1")
        if max_iterations is not None and (isinstance(max_iterations, bool) or int(max_iterations) < 0):
            raise GoalError(f"max_iterations is {max_iterations!r}; it must be a whole number, 0 or more")
        self.max_iterations = max_iterations
        self.figures: Mapping[str, tuple[Skeleton, Any]] = figures or {}
        self.goals = (goals,) if isinstance(goals, Goal) else tuple(goals)
        if not all(isinstance(goal, Goal) for goal in self.goals):
            raise GoalError(f"goals is {goals!r}; it must be Goal")
        given = tuple(locks)
        if not all(isinstance(lock, Lock) for lock in given):
            raise LockError(f"locks is {given!r}; it must be Lock")
        self.fixed = _indices(s, fixed, "fixed")
        self.goal_dofs = None if goal_dofs is None else _indices(s, goal_dofs, "goal_dofs")
        pose = s.rest_pose() if q is None else _pose(s, q)
        places = Places(s, pose, self.figures)
        self.locks: tuple[Lock, ...] = tuple(bind_in(lock, places) for lock in given)
        self._rows: list[Rows] | None = None

    def set_target(self, number: int, target: Any) -> None:
        """Give lock ``number`` another target."""
        from dataclasses import replace

        locks = list(self.locks)
        locks[number] = replace(locks[number], target=target)
        self.locks, self._rows = tuple(locks), None

    def solve(self, q: Any, goal_positions: Any = None, start: Any = None) -> LockResult:
        """Return the pose that keeps the locks and meets the goals as far as they let it.

        Args:
            q: Pose to start from, shape (nq,).
            goal_positions: New places for the goals, shape (number of goals, 3), [m].
            start: See ``solve_locks``.
        """
        pose = _pose(self.skeleton, q)
        if goal_positions is not None:
            self._move_goals(goal_positions)
        rest = None if start is None else _pose(self.skeleton, start)
        return self._solve(pose, rest, self.goals)

    def project(self, q: Any, start: Any = None) -> LockResult:
        """Return the nearest pose that keeps the locks; goals count for nothing."""
        pose = _pose(self.skeleton, q)
        return self._solve(pose, None if start is None else _pose(self.skeleton, start), ())

    def residuals(self, q: Any) -> LockResult:
        """Return what is left of the locks in a pose, which stays as it is."""
        pose = np.array(self.skeleton.check_pose(q))
        return self._report(Held(pose, 0), self._lock_rows(pose), ())

    def _solve(self, pose: Array, rest: Array | None, goals: Sequence[Goal]) -> LockResult:
        locks = self._lock_rows(pose)
        wanted = _goal_rows(self.skeleton, goals, Places(self.skeleton, pose))
        if self.method != HOLD:
            problem = LockProblem(
                self.skeleton, pose, self.locks, tuple(goals), self.tolerance, self.max_iterations, self.fixed,
                self.goal_dofs, self.root_weight, self.figures,
            )  # fmt: skip
            return self._report(Held(*find_method(self.method)(problem)), locks, wanted)
        found = hold(
            self.skeleton, pose, locks, wanted, rest, self.tolerance, self.max_iterations or MOST,
            MOST_DRAG if self.max_iterations is None else self.max_iterations,
            self.fixed, self.goal_dofs, self.root_weight, self.comfort,
        )  # fmt: skip
        return self._report(found, locks, wanted)

    def _lock_rows(self, pose: Array) -> list[Rows]:
        if self._rows is None:
            _, self._rows = rows_of_locks(self.locks, Places(self.skeleton, pose, self.figures))
        return self._rows

    def _move_goals(self, positions: Any) -> None:
        from dataclasses import replace

        places = finite(positions, (len(self.goals), 3), "goal_positions")
        self.goals = tuple(replace(goal, position=place) for goal, place in zip(self.goals, places, strict=True))

    def _report(self, found: Held, locks: Sequence[Rows], goals: Sequence[Rows]) -> LockResult:
        s, number = self.skeleton, len(self.locks)
        places = Places(s, found.q, self.figures)
        errors, parts = np.zeros((number, 6)), np.full((2, number), np.nan)
        for lock, bound in enumerate(self.locks):
            parts[0, lock] = 0.0 if bound.rule.holds_position else np.nan
            parts[1, lock] = 0.0 if bound.rule.holds_orientation else np.nan
        held = True
        size = _size(s)
        for rows in locks:
            part, way, length = _missing(rows, places)
            errors[rows.lock, 3 * part : 3 * part + 3] += way
            parts[part, rows.lock] = math.hypot(np.nan_to_num(parts[part, rows.lock]), length)
            held &= rows.weight < 1.0 or length * (size if part else 1.0) <= self.tolerance
        goal_error = max((_missing(rows, places)[2] for rows in goals), default=0.0)
        lower, upper = s.limits[:, 0], s.limits[:, 1]
        pressed = np.flatnonzero((found.q[3:] <= lower) | (found.q[3:] >= upper))
        return LockResult(
            q=found.q,
            residuals=np.nan_to_num(parts).max(axis=0, initial=0.0),
            held=bool(held),
            iterations=found.iterations,
            position_residuals=parts[0],
            angle_residuals=parts[1],
            errors=errors,
            blocked=() if held else tuple(int(k) for k in pressed),
            goal_error=goal_error,
            locks=self.locks,
        )


def _missing(rows: Rows, places: Places) -> tuple[int, Array, float]:
    """Return whether rows are angles (1) or lengths (0), the way in the world that is missing, and its length."""
    C = row_values([rows], places)[0]
    if rows.inequality:
        C = np.maximum(C, 0.0)
    length = float(np.linalg.norm(C))
    if rows.form in (POINT, MASS):
        return 0, -C @ rows.directions, length
    if rows.form == ROTATION:
        return 1, -C, length
    if rows.form in (AXIS, AIM):
        # The rows say where the direction lies, told in the part's frame; the axis must turn there.
        turn = np.cross(rows.axis, C @ across(rows.axis))
        return 1, places.rotation(rows.joint) @ turn, length
    if rows.form == DISTANCE:
        away = places.point(rows.joint, rows.point)
        away -= rows.other_point if rows.other < 0 else places.point(rows.other, rows.other_point)
        return 0, -C[0] * away / (float(np.linalg.norm(away)) or 1.0), length
    return int(rows.angular), np.zeros(3), length


def _goal_rows(s: Skeleton, goals: Sequence[Goal], places: Places) -> list[Rows]:
    try:
        return rows_of_goals(goals, places)
    except JointError as error:
        raise GoalError(str(error)) from None


def _size(s: Skeleton) -> float:
    from core.skeleton.tree import pack

    return pack(s).size or 1.0


def _pose(s: Skeleton, q: Any) -> Array:
    """Return ``q`` inside its limits; a new array."""
    pose = np.array(s.check_pose(q))
    if pose.ndim != 1 or np.abs(pose).max(initial=0.0) > LARGEST:
        raise PoseError(f"pose holds {np.abs(pose).max():g}; its numbers may be at most {LARGEST:g}")
    return clamp_pose(s, pose)


def _above(value: Any, what: str) -> float:
    number = float(finite(value, (), what))
    if not number > 0.0:
        raise GoalError(f"{what} is {number:g}; it must be above 0")
    return number


def _indices(s: Skeleton, values: Iterable[int], what: str) -> tuple[int, ...]:
    found = tuple(sorted({int(value) for value in values}))
    if found and not 0 <= found[0] <= found[-1] < s.nq:
        raise GoalError(f"{what} is {found}; q indices run from 0 to {s.nq - 1}")
    return found
