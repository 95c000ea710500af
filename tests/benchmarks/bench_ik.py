"""Inverse kinematics beside Pinocchio and mink: goals near and at the edge of reach, long chains, a dragged hand.

Each line that has to meet something says so: ``asked >= 30: met``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from core.formats.bundled import bundled_folder
from core.ik import SOLVERS, Goal, Solver, ccd_kernel, solve
from core.ik.problem import build, packed_arguments, with_room
from core.kernels import serving, uncompiled
from core.kinematics import drag_chain, forward_kinematics
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.scr.reader import load_skeleton
from core.skeleton.segment import end_effector
from tests.benchmarks.peers import EXAMPLE, Pinocchio, Reach, reachers
from tests.benchmarks.timing import each, one_thread
from tests.support.kernels import kernels_in_use

GOALS = 200
EDGE = (0.95, 0.999)
"""Parts of the reach between which edge goals lie."""
TOLERANCES = (1e-3, 1e-6)
ROUNDS = 5
PATIENCE = 1.0
"""Seconds after which a candidate has been timed enough."""
LENGTHS = (5, 10, 20, 50, 100, 200, 400)
DRAG = 60
PLAIN_EVENTS = 5

DEFAULT = "damped_least_squares"
IN_KERNEL = 30.0
THROUGH_SOLVE = {"Pinocchio": 5.0, "mink": 12.0}
SLOPE = 1.1
DRAG_MILLISECONDS = 0.2
TRIAL = {
    "ccd": ((0.0038, 200), (0.0058, 200), (0.059, 197), (0.190, 185)),
    "jacobian_transpose": ((0.0048, 200), (0.0078, 200), (0.079, 191), (0.273, 131)),
    "damped_least_squares": ((0.0028, 200), (0.0030, 200), (0.0031, 200), (0.0035, 200)),
    "Pinocchio": ((0.166, 200), (0.182, 200), (0.220, 194), (0.264, 194)),
    "mink": ((0.415, 200), (0.492, 200), (0.375, 200), (0.489, 200)),
}
"""Another machine's kernels before this program was written: milliseconds and successes of 200, cell by cell."""

Row = tuple[str, int, list[Callable[[], Any]]]


def asked(met: bool, what: str) -> str:
    """Return what is asked of a figure, and whether it is so."""
    return f"asked {what}: {'met' if met else 'MISSED'}"


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"), one_thread():
        measure_reaching(report)
        measure_chains(report)
        human = load_skeleton(bundled_folder() / "human.scr")
        for mode in ("limb", "body"):
            measure_drag(report, human, mode)


# -- reaching --------------------------------------------------------------------------------------------------------


def free_arm() -> Skeleton:
    """The seven-axis arm without limits, as in the thesis: whole turns for every joint."""
    arm = load_skeleton(bundled_folder() / "arm7.scr")
    free = [
        replace(joint, dofs=tuple(dof._replace(lo=-np.inf, hi=np.inf) for dof in joint.dofs)) for joint in arm.joints
    ]
    return Skeleton("arm7", free)


def tips(skeleton: Skeleton, joint: int, point: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """Where a point is in each pose, shape (m, 3), [m]."""
    return np.asarray((forward_kinematics(skeleton, poses)[:, joint] @ np.append(point, 1.0))[:, :3])


def arm_goals(skeleton: Skeleton, joint: int, point: np.ndarray, count: int = GOALS) -> dict[str, np.ndarray]:
    """Goals where random poses put the hand, and goals in random directions at the edge of reach, each (count, 3)."""
    rng = np.random.default_rng(0)
    poses = np.zeros((count, skeleton.nq))
    poses[:, 3:] = rng.uniform(-np.pi, np.pi, (count, skeleton.n_dofs))
    shoulder = forward_kinematics(skeleton, skeleton.rest_pose())[skeleton.joint_index("shoulder"), :3, 3]
    reach = np.linalg.norm(tips(skeleton, joint, point, skeleton.rest_pose()[None])[0] - shoulder)
    directions = rng.normal(size=(count, 3))
    directions *= (reach * rng.uniform(*EDGE, count) / np.linalg.norm(directions, axis=1))[:, None]
    return {"random": tips(skeleton, joint, point, poses), "edge": shoulder + directions}


def arm_start(skeleton: Skeleton) -> np.ndarray:
    """A pose bent a little everywhere, shape (nq,)."""
    start = np.array(skeleton.rest_pose())
    start[3:] = 0.3
    return start


def prepared(solver: Solver, skeleton: Skeleton, start: np.ndarray, goal: Goal, tolerance: float) -> Callable[[], int]:
    """Return a run of a solver alone, on a problem that is ready: the call of its compiled kernel, where it has one."""
    problem = with_room(build(skeleton, start, (goal,), None, None), solver.max_iterations)
    module = serving(f"core.ik.{solver.name}_kernel")
    arguments: tuple[Any, ...] = (problem, tolerance / problem.size, solver.max_iterations)
    run: Callable[..., int] = solver.run
    if hasattr(module, "run"):
        caught: list[tuple[Any, ...]] = []
        run = module.run
        module.run = lambda *handed: caught.append(handed) or 0
        try:
            solver.run(*arguments)
        finally:
            module.run = run
        arguments = caught[0]
    first = problem.x.copy()

    def again() -> int:
        problem.x[:] = first
        problem.work.used[0] = 0
        return run(*arguments)

    return again


def measure_reaching(report: Callable[..., None]) -> None:
    """The table of 200 random and 200 edge goals to a millimetre and a micrometre."""
    arm = free_arm()
    joint = len(arm.joints) - 1
    point = end_effector(arm, joint)
    start = arm_start(arm)
    peers = reachers(arm, joint, point)
    peers.pop(EXAMPLE)  # slower by a factor of a hundred: drawn in bench_figures
    for cell, (where, tolerance) in enumerate((w, t) for w in ("random", "edge") for t in TOLERANCES):
        goals = [Goal(joint, point, target) for target in arm_goals(arm, joint, point)[where]]
        rows = candidates(arm, start, goals, tolerance, peers)
        times = [1e6 * float(np.median(own)) for own in each([tasks for *_, tasks in rows], ROUNDS, PATIENCE)]
        report_reaching(report, f"{where} goals, {tolerance:g} m", cell, peers, rows, times)


def candidates(
    arm: Skeleton, start: np.ndarray, goals: list[Goal], tolerance: float, peers: dict[str, Reach | str]
) -> list[Row]:
    """Return rows of (name, successes, tasks): the peers, then each solver through ``solve`` and alone."""
    rows: list[Row] = []
    for name, peer in peers.items():
        if not isinstance(peer, str):
            tasks = [lambda goal=goal, peer=peer: peer(start, goal.position, tolerance) for goal in goals]
            rows.append((name, sum(task()[1] for task in tasks), tasks))
    for solver in SOLVERS:
        own = [lambda goal=goal, name=solver.name: solve(arm, start, goal, name, tolerance=tolerance) for goal in goals]
        rows.append((solver.name, sum(task().converged for task in own), own))
        rows.append((solver.name, 0, [prepared(solver, arm, start, goal, tolerance) for goal in goals]))
    return rows


def report_reaching(
    report: Callable[..., None],
    what: str,
    cell: int,
    peers: dict[str, Reach | str],
    rows: list[Row],
    times: list[float],
) -> None:
    """Print one cell of the table: ours through ``solve`` and in the kernel, with ratios to the peers and the trial."""
    theirs = {name: taken for (name, *_), taken in zip(rows, times, strict=True) if name in peers}
    for name, peer in peers.items():
        if isinstance(peer, str):
            report(f"{what}: {name}", float("nan"), "us", peer)
    for name, done, _ in rows[: len(theirs)]:
        note = f"[{done}] of {GOALS}; trial {1e3 * TRIAL[name][cell][0]:g} [{TRIAL[name][cell][1]}]"
        report(f"{what}: {name}", theirs[name], "us", note)
    ours = rows[len(theirs) :]
    for k in range(0, len(ours), 2):
        name, done, _ = ours[k]
        through, inside = times[len(theirs) + k], times[len(theirs) + k + 1]
        trial = TRIAL.get(name)
        notes = [f"[{done}] of {GOALS}"]
        if name == DEFAULT:
            notes[0] += f", {asked(done == GOALS, f'{GOALS}')}"
        for peer, taken in theirs.items():
            goal = THROUGH_SOLVE[peer]
            wanted = f", {asked(taken / through >= goal, f'>= {goal:g}')}" if name == DEFAULT else ""
            notes.append(f"{peer} / this {taken / through:.1f}{wanted}")
        report(f"{what}: {name}, solve()", through, "us", "; ".join(notes))
        notes = []
        for peer, taken in theirs.items():
            wanted = f", {asked(taken / inside >= IN_KERNEL, f'>= {IN_KERNEL:g}')}" if name == DEFAULT else ""
            old = f" (trial {TRIAL[peer][cell][0] / trial[cell][0]:.1f} [{trial[cell][1]}])" if trial else ""
            notes.append(f"{peer} / this {taken / inside:.1f}{old}{wanted}")
        report(f"{what}: {name}, solver alone", inside, "us", "; ".join(notes))


# -- long chains -----------------------------------------------------------------------------------------------------


def long_chain(count: int) -> Skeleton:
    """A chain of hinges across each other, 1 m long."""
    directions = (np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    joints = [
        Joint(
            f"j{i}",
            i - 1,
            offset=np.array([0.0, 1.0 / count if i else 0.0, 0.0]),
            dofs=(Dof("hinge", directions[i % 2], -np.inf, np.inf),),
        )
        for i in range(count)
    ]
    return Skeleton(f"chain of {count}", joints)


def measure_chains(report: Callable[..., None]) -> None:
    """What one sweep of cyclic descent costs in chains of 5 to 400 joints, and the slope of it."""
    kernel = serving(ccd_kernel).run
    sweeps = 50
    tasks, done = [], []
    for count in LENGTHS:
        skeleton = long_chain(count)
        start = np.array(skeleton.rest_pose())
        start[3:] = 0.5 / count
        goal = Goal(count - 1, (0.0, 1.0 / count, 0.0), (0.3, 2.5, 0.4))
        problem = with_room(build(skeleton, start, (goal,), None, None), sweeps)
        first, arguments = problem.x.copy(), packed_arguments(problem)

        def again(most: int, problem: Any = problem, first: np.ndarray = first, arguments: Any = arguments) -> int:
            problem.x[:] = first
            problem.work.used[0] = 0
            # Out of reach: it sweeps until it is stretched as far as it goes.
            return int(kernel(*arguments, 1e-15, most))

        done.append(again(sweeps))
        tasks.append([lambda again=again: again(sweeps), lambda again=again: again(0)])
    times = np.array([(own[0] - own[1]) / count for own, count in zip(each(tasks, 60), done, strict=True)])
    for count, taken, most in zip(LENGTHS, times, done, strict=True):
        note = f"{1e9 * taken / count:.0f} ns a joint; mean of {most} sweeps"
        report(f"CCD, one sweep of a chain of {count}", 1e6 * taken, "us", note)
    slope = float(np.polyfit(np.log(LENGTHS), np.log(times), 1)[0])
    report("CCD, slope of time a sweep over joints, both logarithmic", slope, "", asked(slope <= SLOPE, f"<= {SLOPE}"))


# -- dragging --------------------------------------------------------------------------------------------------------


def measure_drag(report: Callable[..., None], skeleton: Skeleton, mode: str) -> None:
    """The right hand led along a circle of 0.15 m, each solve starting from the pose before: what a drag does."""
    joint = skeleton.joint_index("right hand")
    chain = drag_chain(skeleton, joint, mode)
    point = end_effector(skeleton, joint)
    start = np.array(skeleton.rest_pose())
    start[list(chain.dofs)] += 0.2
    start[3:] = np.clip(start[3:], skeleton.limits[:, 0], skeleton.limits[:, 1])
    here = tips(skeleton, joint, point, start[None])[0]
    turn = 2.0 * np.pi * np.arange(1, DRAG + 1) / DRAG
    path = here + 0.15 * np.stack([np.sin(turn), 1.0 - np.cos(turn), 0.3 * np.sin(turn)], axis=1)
    columns = np.array(chain.dofs) - 3

    def ours(solver: str, events: int = DRAG) -> tuple[list[Callable[[], Any]], float]:
        """Drag once; return each event again as a task of its own, and the worst error, [m]."""
        q, worst, tasks = start, 0.0, []
        for target in path[:events]:
            goal = Goal(joint, point, target)
            tasks.append(lambda q=q, goal=goal: solve(skeleton, q, goal, solver, base=chain.base))
            result = tasks[-1]()
            q, worst = result.q, max(worst, result.error)
        return tasks, worst

    def theirs(peer: Pinocchio) -> list[Callable[[], Any]]:
        q, tasks = start.copy(), []
        for target in path:
            before = q.copy()
            tasks.append(lambda q=before, target=target: peer.closed_loop(q, joint, point, target, columns, 1e-4))
            q[3:], _ = tasks[-1]()
        return tasks

    drags = [ours(solver.name) for solver in SOLVERS]
    tasks = [own for own, _ in drags]
    try:
        tasks.append(theirs(Pinocchio(skeleton)))
    except ImportError:
        pass
    times = [1e3 * float(np.median(own)) for own in each(tasks, ROUNDS, PATIENCE)]
    what = f"human hand drag, {mode}, {len(chain.dofs)} DOF"
    if len(times) > len(SOLVERS):
        report(f"{what}: Pinocchio, an event", times[-1], "ms")
    for solver, (_, worst), taken in zip(SOLVERS, drags, times, strict=False):
        notes = [f"worst error {1e3 * worst:.3f} mm"]
        if len(times) > len(SOLVERS):
            notes.append(f"Pinocchio / this {times[-1] / taken:.1f}")
        if solver.name == DEFAULT:
            notes.append(asked(taken <= DRAG_MILLISECONDS, f"<= {DRAG_MILLISECONDS} ms"))
        report(f"{what}: {solver.name}, an event", taken, "ms", "; ".join(notes))
    with uncompiled():
        for solver in SOLVERS:
            taken = float(np.median(each([ours(solver.name, PLAIN_EVENTS)[0]], 1)[0]))
            report(f"{what}: {solver.name}, uncompiled, an event", 1e3 * taken, "ms")


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
