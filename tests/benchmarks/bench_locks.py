"""Locks: a drag sample beside mink's, how the time grows with the locks, in-betweens, balance, conflicts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from core.constraints import Lock, LockSolver, bind, solve_locks
from core.ik import Goal
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from tests.benchmarks.timing import each, one_thread
from tests.support.lock_figures import person60, person200, standing, ten_locks, three_locks

Report = Callable[..., None]

SAMPLES = 300
REACH = 0.35
"""How far the hand is dragged, [m]."""
TRIAL = {(60, 3): 64.0, (60, 10): 138.0, (200, 3): 107.0, (200, 10): 545.0}
"""What a sample of throw-away kernels took on a loaded machine, [us]."""
ACCURACIES = ((1e-6, 1e-3), (1e-9, 1e-6))
"""What mink is asked for, of locks and drag, [m]; ours comes to the second of them, and nearer, by itself."""
COUNTS = (1, 2, 5, 10, 20, 40)


def hand_path(s: Skeleton, q: np.ndarray, samples: int = SAMPLES) -> np.ndarray:
    """Return places for the right hand, shape (samples, 3): forward and up by 0.35 m and back, round a loop."""
    start = forward_kinematics(s, q)[s.joint_index("right hand"), :3, 3]
    turn = 2.0 * np.pi * np.arange(1, samples + 1) / samples
    out = 0.5 * REACH * (1.0 - np.cos(turn))
    side = 0.1 * np.sin(turn)
    return np.asarray(start + np.column_stack([-side, 0.6 * out, 0.8 * out]))


class _Ours:
    """A drag of the right hand by ``LockSolver``, sample after sample."""

    def __init__(self, s: Skeleton, q: np.ndarray, locks: list[Lock], path: np.ndarray, firm: bool):
        self.solver = LockSolver(s, locks, goals=[Goal("right hand", position=path[0])])
        self.start = q if firm else None
        self.q0, self.path = q, path

    def run(self) -> tuple[float, float, float]:
        """Do the whole drag; return the median time of a sample [s], the worst residual and drag error, [m]."""
        q, taken, worst, off = self.q0, [], 0.0, []
        for place in self.path:
            goals, begin = place[None], time.perf_counter()
            result = self.solver.solve(q, goal_positions=goals, start=self.start)
            taken.append(time.perf_counter() - begin)
            q = result.q
            worst = max(worst, float(np.max(result.residuals)))
            off.append(result.goal_error)
        return float(np.median(taken)), worst, float(np.median(off))


def _drags(report: Report) -> None:
    from tests.benchmarks.lock_peers import MinkLocks

    for size, make in ((60, person60), (200, person200)):
        s = make()
        q = standing(s)
        path = hand_path(s, q)
        for count, locks_of in ((3, three_locks), (10, ten_locks)):
            locks = locks_of(s, q)
            for firm in (True, False):
                ours = _Ours(s, q, locks, path, firm)
                ours.run()
                best, worst, off = min((ours.run() for _ in range(5)), key=lambda found: found[0])
                name = f"{size} joints, {count} locks, drag sample, {'firm' if firm else 'putty'}"
                note = f"trial {TRIAL[size, count]:g}; lock {worst:.1e} m, drag {1000 * off:.2g} mm"
                report(name, 1e6 * best, "us", note)
        try:
            peer = MinkLocks(s, three_locks(s, q), s.joint_index("right hand"))
        except ImportError as error:
            report(f"mink, {size} joints: {error}", 0.0, "")
            continue
        ours = _Ours(s, q, three_locks(s, q), path, False)
        poses = [q] * (1 + len(ACCURACIES))
        times: list[list[float]] = [[] for _ in poses]
        missed, steps = np.zeros(len(ACCURACIES), dtype=int), np.zeros(len(ACCURACIES), dtype=int)
        samples = 60 if size == 60 else 20
        for place in path[:samples]:
            for _ in range(5):
                begin = time.perf_counter()
                result = ours.solver.solve(poses[0], goal_positions=place[None], start=None)
                times[0].append(time.perf_counter() - begin)
            poses[0] = result.q
            for k, (held, met) in enumerate(ACCURACIES, start=1):
                begin = time.perf_counter()
                poses[k], reached, taken = peer.drag(poses[k], place, held, met)
                times[k].append(time.perf_counter() - begin)
                missed[k - 1] += not reached
                steps[k - 1] += taken
        medians = [float(np.median(own)) for own in times]
        for k, (held, met) in enumerate(ACCURACIES, start=1):
            accuracy = f"locks to {held:g} m, drag to {met:g} m"
            note = f"{steps[k - 1] / samples:.1f} steps, {missed[k - 1]} of {samples} missed"
            report(f"mink, {size} joints, 3 locks, {accuracy}", 1e6 * medians[k], "us", note)
            asked = f"asked {10 if size == 60 else 100}; ours is at the finer accuracy"
            report(f"mink / ours, {size} joints", medians[k] / medians[0], "times", asked)


def many_locks(s: Skeleton, q: np.ndarray, count: int) -> list[Lock]:
    """Return so many plane locks of parts all over the body, one row each; the planes are oblique, so all can hold."""
    names = [name for name in s.joint_names if name != "pelvis" and "clavicle" not in name]
    rng = np.random.default_rng(11)
    frames = forward_kinematics(s, q)
    made = []
    for k in range(count):
        name, normal = names[(7 * k) % len(names)], rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        made.append(Lock(name, "plane", target=(*normal, float(normal @ frames[s.joint_index(name), :3, 3]))))
    return made


def _growth(report: Report) -> None:
    s = person60()
    q = standing(s)
    rng = np.random.default_rng(3)
    starts = [q + np.concatenate([rng.normal(0.0, 0.01, 3), rng.normal(0.0, 0.02, s.n_dofs)]) for _ in range(20)]
    tasks = []
    for count in COUNTS:
        solver = LockSolver(s, many_locks(s, q, count))
        tasks.append([partial(solver.project, start) for start in starts])
    medians = [float(np.median(own)) for own in each(tasks, 9)]
    for count, taken in zip(COUNTS, medians, strict=True):
        report(f"60 joints, projection onto {count} locks", 1e6 * taken, "us")
    slope = np.polyfit(np.log(COUNTS), np.log(medians), 1)[0]
    late = np.polyfit(np.log(COUNTS[3:]), np.log(medians[3:]), 1)[0]
    report("growth of it with the locks, log-log slope from 1 to 40", slope, "", f"from 10 to 40: {late:.2f}")


def _balance(report: Report) -> None:
    for size, make in ((60, person60), (200, person200)):
        s = make()
        q = standing(s)
        path = hand_path(s, q)
        for count, locks_of in ((3, three_locks), (10, ten_locks)):
            plain = locks_of(s, q)
            kept = [*plain, bind(Lock(0, "balance", target=0.02), s, q)]
            drags = [_Ours(s, q, locks, path, True) for locks in (plain, kept)]
            times = np.array([[drag.run()[0] for drag in drags] for _ in range(7)])
            ratio = float(np.median(times[:, 1] / times[:, 0]))
            report(f"{size} joints, {count} locks, with balance / without", ratio, "times", "asked 1.25")


def _conflicts(report: Report) -> None:
    from core.constraints.conflicts import find_conflict
    from tests.support.lock_conflicts import cases

    given = list(cases(100))
    for fixes, name in ((False, "set"), (True, "set and tried ways out")):
        taken, sizes = [], []
        for s, q, locks in given:
            begin = time.perf_counter()
            conflict = find_conflict(s, q, locks, fixes=fixes)
            taken.append(time.perf_counter() - begin)
            sizes.append(0 if conflict is None else len(conflict.locks))
        report(f"conflict among 12 locks, 100 cases, {name}: median", 1e3 * float(np.median(taken)), "ms")
        asked = "" if fixes else "asked 60"
        report("the same: 95th percentile", 1e3 * float(np.percentile(taken, 95)), "ms", asked)
    report("mean size of the set", float(np.mean(sizes)), "locks")


def _between(report: Report) -> None:
    from core.animation import LockStrip, Sequence

    s = person60()
    q = standing(s)
    locks = three_locks(s, q)[:2]
    rng = np.random.default_rng(4)
    other = q.copy()
    other[:3] += [0.05, -0.08, 0.1]
    other[3:] += rng.normal(0.0, 0.05, s.n_dofs)
    other = solve_locks(s, np.concatenate([other[:3], np.clip(other[3:], *s.limits.T)]), locks).q
    sequence = Sequence(s, fps=30)
    sequence.set_key(0, q)
    sequence.set_key(60, other)
    times = np.arange(481) / 240.0
    free = each([[partial(sequence.poses, times)]], 5)[0][0] / len(times)
    sequence.locks.strips = tuple(LockStrip(lock, 0, None) for lock in locks)
    held = each([[partial(sequence.poses, times)]], 5)[0][0] / len(times)
    sequence.locks.holds = False
    off = each([[partial(sequence.poses, times)]], 5)[0][0] / len(times)
    report("in-between, 2 feet locked, 60 joints", 1e6 * held, "us", "trial 20 to 33")
    report("in-between, no locks", 1e6 * free, "us")
    report("in-between, switched off / no locks", off / free, "times")


def run(report: Report) -> None:
    """Measure and report."""
    with one_thread():
        for part in (_drags, _growth, _balance, _between, _conflicts):
            try:
                part(report)
            except ImportError as error:
                report(f"not measured: {error}", 0.0, "")
