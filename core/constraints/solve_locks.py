"""Holding locks: checks what it is given, runs a solver, reports what holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints import kept_solvers
from core.constraints.bind import bind_in
from core.constraints.checks import above, indices
from core.constraints.hold import functions, rows_kernel, solver_kernel
from core.constraints.hold.bent_start import bent_start, unheld_joints
from core.constraints.hold.between import Bounds, between
from core.constraints.hold.functions import FunctionHold
from core.constraints.hold.masses import fold_masses
from core.constraints.hold.packed import CALL, DRAG, EQUATION, LOOK, MASS, PROJECT
from core.constraints.hold.packed_equations import same_equations
from core.constraints.hold.packing import Packed, pack_rows, put_rows
from core.constraints.hold.pose_steps_kernel import BETTER, NOW
from core.constraints.hold.rows import Rows, rows_of_goals, rows_of_locks
from core.constraints.lock import Lock
from core.constraints.lock_result import LockResult, report
from core.constraints.methods import OTHER_METHODS, LockProblem, find_method
from core.constraints.places import Figures, Places
from core.errors import GoalError, JointError, LockError, PoseError
from core.kernels import serving
from core.kinematics.goal import LARGEST, Goal, finite
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints, pack

__all__ = ["METHODS", "LockResult", "LockSolver", "lock_residuals", "solve_locks"]

HOLD = "hold"
METHODS = (HOLD, *OTHER_METHODS)
MOST = 60
"""Steps that ``max_iterations=None`` stands for."""
MOST_DRAG = 8

_NOTHING = np.zeros(0)


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
        root_weight: Multiplies the mobility of the root's degrees of freedom, above 0.
        comfort: How much joints are drawn to the middle of their range, 0..1.
        figures: Other figures that locks name, ``{name: (skeleton, pose)}``.

    Raises:
        LockError: If a lock names what is not there.
        GoalError: If a number is NaN, infinite or absurd.
        PoseError: If a pose has the wrong shape or holds NaN or infinity.
    """
    settings = {"goal_dofs": goal_dofs, "fixed": fixed, "root_weight": root_weight, "comfort": comfort}
    settings |= {"tolerance": tolerance, "max_iterations": max_iterations}
    with kept_solvers.borrowed(LockSolver, s, locks, goals, settings, q, figures, method) as solver:
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
        self.tolerance = above(tolerance, "tolerance")
        self.root_weight = above(root_weight, "root_weight")
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
        self.fixed = indices(s, fixed, "fixed")
        self.goal_dofs = None if goal_dofs is None else indices(s, goal_dofs, "goal_dofs")
        self._lower, self._upper = np.full(s.nq, -np.inf), np.full(s.nq, np.inf)
        self._lower[3:], self._upper[3:] = s.limits.T
        self._coned = any(joint.cone is not None for joint in s.joints)
        pose = s.rest_pose() if q is None else self._pose(q)
        self._places = places = Places(s, pose, self.figures)
        self.locks: tuple[Lock, ...] = tuple(bind_in(lock, places) for lock in given)
        holds = ("holds_position", "holds_orientation")
        self._none = np.array([[0.0 if getattr(lock.rule, what) else np.nan for lock in self.locks] for what in holds])
        self._rows: list[Rows] | None = None
        self._problems: dict[bool, Packed] = {}
        self._goal_rows(self.goals)

    def set_target(self, number: int, target: Any) -> None:
        """Give lock ``number`` another target.

        Raises:
            LockError: If it makes no sense.
        """
        lock = replace(self.locks[number], target=target)
        self.locks = (*self.locks[:number], lock, *self.locks[number + 1 :])
        if self._rows is not None and (target is None or not self._retarget(number)):
            self._problems.clear()
            self._rows = None

    def _retarget(self, number: int) -> bool:
        """Write a lock's new target into the rows that there are; return whether they could be kept."""
        rows = self._rows
        if rows is None or any(entry.form in (MASS, CALL) for entry in rows):  # what these hold hangs on other locks
            return False
        fresh = rows_of_locks(self.locks[number : number + 1], self._places)[1]
        places = [i for i, entry in enumerate(rows) if entry.lock == number]
        if [(rows[i].form, rows[i].size) for i in places] != [(entry.form, entry.size) for entry in fresh]:
            return False
        pairs = [(rows[i], entry) for i, entry in zip(places, fresh, strict=True)]
        if any(new.form == EQUATION and not same_equations(old, new) for old, new in pairs):
            return False
        for i, entry in zip(places, fresh, strict=True):
            rows[i] = entry._replace(lock=number)
        order = [i for hard in (True, False) for i, entry in enumerate(rows) if (entry.weight >= 1.0) == hard]
        for problem in self._problems.values():
            for i in places:
                put_rows(problem, order.index(i), rows[i])
        return True

    def solve(self, q: Any, goal_positions: Any = None, start: Any = None, bounds: Bounds | None = None) -> LockResult:
        """Return the pose that keeps the locks and meets the goals as far as they let it.

        Args:
            q: Pose to start from, shape (nq,).
            goal_positions: New places for the goals, shape (number of goals, 3), [m]; goals without a place stay.
            start: See ``solve_locks``.
            bounds: Least and largest value of each pose value, shape (nq,) each, on top of the limits.
        """
        pose = self._pose(q)
        if goal_positions is not None:
            self._move_goals(goal_positions)
        with between(self._problem(pose, bool(self.goals)) if bounds and self.method == HOLD else None, bounds):
            return self._solve(pose, None if start is None else self._pose(start), bool(self.goals))

    def project(self, q: Any, start: Any = None) -> LockResult:
        """Return the nearest pose that keeps the locks; goals count for nothing."""
        return self._solve(self._pose(q), None if start is None else self._pose(start), False)

    def project_many(
        self, poses: Array, starts: Array, kept: float, targets: Mapping[int, Sequence[Any]], most: int = MOST
    ) -> tuple[Array, Array, Ints]:
        """Project many poses, one by one as ``project`` does, but with less ado, and none is bent to get going.

        Args:
            poses: The poses, shape (m, nq).
            starts: What is projected instead of them, shape (m, nq).
            kept: A pose of which no lock has more left, soft ones too, stays as it is, [m]; angles are times the
                figure's size.
            targets: Targets that locks have in each pose: by the lock's number m of them; the last ones stay.
            most: Most steps, in place of ``max_iterations``; of those toward soft locks 8 at most.

        Returns:
            Poses, shape (m, nq); the largest part of each lock's residual, [m] or [rad], shape (m, number of locks);
            steps taken, shape (m,).
        """
        number, nq = len(self.locks), self.skeleton.nq
        result, left, used = np.array(starts), np.zeros((len(poses), number)), np.zeros(len(poses), dtype=np.int64)
        out = np.empty(nq + 8 * number + 3)
        lengths, angles = out[nq + 6 * number : nq + 7 * number], out[nq + 7 * number : nq + 8 * number]
        drag = min(most, MOST_DRAG)
        for i in range(len(poses)):
            for k, given in targets.items():
                if i == 0 or given[i] is not given[i - 1]:
                    self.set_target(k, given[i])
            pose = poses[i]
            problem = self._problem(pose, False) if self.method == HOLD else None
            if problem is None:
                found = self.residuals(pose)
                lengths[:], angles[:] = np.nan_to_num(found.position_residuals), np.nan_to_num(found.angle_residuals)
                size = pack(self.skeleton).size or 1.0
            else:
                size = problem.size
                tolerance = self.tolerance / size
                self._hold(problem, pose, _NOTHING, out, tolerance, most, drag, LOOK)
            if max(lengths.tolist(), default=0.0) <= kept and size * max(angles.tolist(), default=0.0) <= kept:
                result[i] = pose
            elif problem is None:
                found = self.project(starts[i])
                lengths[:], angles[:] = np.nan_to_num(found.position_residuals), np.nan_to_num(found.angle_residuals)
                if found.iterations:
                    result[i], used[i] = found.q, found.iterations
            else:
                start = self._pose(starts[i])
                mode, drawn = (DRAG, start) if problem.drag else (PROJECT, _NOTHING)
                self._hold(problem, start, drawn, out, tolerance, most, drag, mode)
                if out[-1] > 0.0:
                    result[i], used[i] = out[:nq], out[-1]
            np.maximum(lengths, angles, out=left[i])
        return result, left, used

    def residuals(self, q: Any) -> LockResult:
        """Return what is left of the locks in a pose, which stays as it is."""
        pose = np.array(self.skeleton.check_pose(q))
        return self._run(self._problem(pose, bool(self.goals)), pose, _NOTHING, LOOK, 0)

    def _solve(self, pose: Array, start: Array | None, with_goals: bool) -> LockResult:
        if self.method != HOLD:
            goals = self.goals if with_goals else ()
            found, used = find_method(self.method)(
                LockProblem(
                    self.skeleton, pose, self.locks, goals, self.tolerance, self.max_iterations, self.fixed,
                    self.goal_dofs, self.root_weight, self.figures,
                )
            )  # fmt: skip
            return self._report(found, used, self._lock_rows(pose), self._goal_rows(goals))
        most = MOST if self.max_iterations is None else self.max_iterations
        drag = MOST_DRAG if self.max_iterations is None else self.max_iterations
        problem = self._problem(pose, with_goals)
        if start is None:
            start = pose if problem.drag and not with_goals else _NOTHING
        result = self._run(problem, pose, start, DRAG if problem.drag else PROJECT, most, drag)
        return result if result.held or problem.drag else self._bent(problem, pose, start, most, result)

    def _bent(self, problem: Packed, pose: Array, start: Array, most: int, failed: LockResult) -> LockResult:
        """Return what a projection finds once straight elbows and knees are bent; what it found if that is no better.

        Only for single poses: from one of a motion to the next, what is bent must not jump.
        """
        joints = unheld_joints(self.skeleton, self.locks, failed.residuals, self.tolerance)
        missing = float(failed.residuals.max(initial=0.0)) / problem.size
        bent = bent_start(self.skeleton, pose, joints, missing, self.locks, self.fixed)
        if bent is None:
            return failed
        found = self._run(problem, bent, start if len(start) else pose, PROJECT, most)
        better = found.held or found.residuals.max() < BETTER * failed.residuals.max()
        return replace(found, iterations=failed.iterations + found.iterations) if better else failed

    def _run(self, problem: Packed, pose: Array, start: Array, mode: int, most: int, drag: int = 0) -> LockResult:
        """Run the kernel, and return what it found."""
        number, nq = problem.locks, len(pose)
        out = np.empty(nq + 8 * number + 3)
        tolerance = self.tolerance / problem.size
        self._hold(problem, pose, start, out, tolerance, most, drag, mode)
        at = nq + 6 * number
        worst, goal_error, used = out[-3:].tolist()
        position, angle = out[at : at + number], out[at + number : at + 2 * number]
        held = worst <= tolerance
        return LockResult(
            out[:nq], np.maximum(position, angle), held, int(used), position + self._none[0], angle + self._none[1],
            out[nq:at].reshape(number, 6), () if held else self._pressed(problem), goal_error, self.locks,
        )  # fmt: skip

    def _hold(
        self, problem: Packed, pose: Array, start: Array, out: Array, tolerance: float, most: int, drag: int, mode: int
    ) -> None:
        """Run the kernel; if the legs cannot keep the balance, all joints do."""
        h = problem.hold
        hold: Any = functions.hold if isinstance(h, FunctionHold) else serving(solver_kernel).hold
        if problem.masses is not None:
            fold_masses(self.skeleton, h, problem.masses, pose)
        hold(h, pose, start, out, tolerance, most, drag, mode)
        if problem.by_legs and mode != LOOK and out[-3] > tolerance:
            mask = h.mask
            kept = mask[problem.by_legs, :].copy()
            mask[problem.by_legs, :] = 1.0
            hold(h, pose, start, out, tolerance, most, drag, mode)
            mask[problem.by_legs, :] = kept

    def _pressed(self, problem: Packed) -> tuple[int, ...]:
        """Return the degrees of freedom whose limits keep the locks from being held."""
        h: Any = problem.hold
        kernels = functions if isinstance(h, FunctionHold) else serving(rows_kernel)
        kernels.evaluate(h, NOW)
        kernels.columns(h, NOW)
        hard = int(h.state.hard_count)
        C, x = h.C[NOW, :hard], h.x[NOW]
        slope = np.where(h.uneven[:hard] != 0.0, np.maximum(C, 0.0), C) @ h.J[:hard]
        most = 1e-3 * np.abs(slope).max(initial=0.0)
        down, up = (slope > most) & (x <= h.lower), (slope < -most) & (x >= h.upper)
        index = h.q_index[(down | up) & (h.gain > 0.0)]
        return tuple(sorted(int(k) - 3 for k in index if k >= 3))

    def _problem(self, pose: Array, with_goals: bool) -> Packed:
        """Return the packed problem, with or without the goals."""
        if with_goals not in self._problems:
            locks, goals = self._lock_rows(pose), self._goal_rows(self.goals if with_goals else ())
            self._problems[with_goals] = pack_rows(
                self.skeleton, locks, goals, len(self.locks), self.fixed, self.goal_dofs, self.root_weight, self.comfort
            )
        return self._problems[with_goals]

    def _lock_rows(self, pose: Array) -> list[Rows]:
        if self._rows is None:
            _, self._rows = rows_of_locks(self.locks, Places(self.skeleton, pose, self.figures))
        return self._rows

    def _goal_rows(self, goals: Sequence[Goal]) -> list[Rows]:
        try:
            return rows_of_goals(goals, self.skeleton)
        except JointError as error:
            raise GoalError(str(error)) from None

    def _move_goals(self, positions: Any) -> None:
        places = finite(positions, (len(self.goals), 3), "goal_positions")
        problem = self._problems.get(True)
        if problem is None:
            self.goals = tuple(
                goal if goal.position is None else replace(goal, position=place)
                for goal, place in zip(self.goals, places, strict=True)
            )
            return
        for number, e in problem.goals:
            problem.hold.target[e] = places[number] / problem.size

    def _pose(self, q: Any) -> Array:
        """Return ``q`` inside its limits; a new array."""
        pose = np.array(q, dtype=np.float64) if isinstance(q, np.ndarray) else np.array(self.skeleton.check_pose(q))
        if pose.shape != (self.skeleton.nq,) or not (pose.max() <= LARGEST and pose.min() >= -LARGEST):
            self.skeleton.check_pose(pose)
            raise PoseError(f"pose holds {np.abs(pose).max():g}; its numbers may be at most {LARGEST:g}")
        np.maximum(pose, self._lower, out=pose)
        np.minimum(pose, self._upper, out=pose)
        return clamp_pose(self.skeleton, pose) if self._coned else pose

    def _report(self, pose: Array, used: int, locks: Sequence[Rows], goals: Sequence[Rows]) -> LockResult:
        return report(self.skeleton, pose, used, self.locks, locks, goals, self._none, self.tolerance, self.figures)
