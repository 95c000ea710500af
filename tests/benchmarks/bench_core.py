"""Forward kinematics, picking and inverse kinematics: compiled, plain, and Pinocchio in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core import compiled
from core.formats.bundled import bundled_folder
from core.ik import SOLVERS, Goal, solve
from core.kinematics import drag_chain, forward_kinematics, point_jacobian
from core.skeleton import Skeleton
from core.skeleton.scr_reader import load_skeleton
from core.skeleton.segment import end_effector

POSES = 10_000
PLAIN_POSES = 500
SINGLE = 2_000
GOALS = 60
DRAG = 60
ROUNDS = 7


def interleaved(candidates: Sequence[Callable[[], Any]], rounds: int = ROUNDS) -> list[float]:
    """Return the median time [s] of each candidate; they take turns, so that a busy moment hits all alike."""
    times: list[list[float]] = [[] for _ in candidates]
    for _ in range(rounds):
        for k, candidate in enumerate(candidates):
            start = time.perf_counter()
            candidate()
            times[k].append(time.perf_counter() - start)
    return [float(np.median(own)) for own in times]


def random_poses(skeleton: Skeleton, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    limits = np.clip(skeleton.limits, -np.pi, np.pi)
    q = np.zeros((count, skeleton.nq))
    q[:, 3:] = rng.uniform(limits[:, 0], limits[:, 1], (count, skeleton.n_dofs))
    return q


class Peer:
    """The same figure in Pinocchio: a free-flying base is left out, the root stands still in both."""

    def __init__(self, skeleton: Skeleton):
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        self.last: list[int] = []
        self.after: list[Any] = []
        for i, joint in enumerate(skeleton.joints):
            parent = self.last[joint.parent] if joint.parent >= 0 else 0
            place = self.after[joint.parent] if joint.parent >= 0 else pin.SE3.Identity()
            place = place * pin.SE3(np.array(joint.rotation), np.array(joint.offset))
            for k, dof in enumerate(joint.dofs):
                kind = pin.JointModelRevoluteUnaligned if dof.kind == "hinge" else pin.JointModelPrismaticUnaligned
                low, high = (np.array([max(min(limit, 1e6), -1e6)]) for limit in (dof.lo, dof.hi))
                parent = self.model.addJoint(
                    parent, kind(np.array(dof.axis)), place, f"{i}.{k}", np.array([1e9]), np.array([1e9]), low, high
                )
                place = pin.SE3.Identity()
            self.last.append(parent)
            self.after.append(place)
        self.data = self.model.createData()

    def frames(self, q: np.ndarray) -> np.ndarray:
        """World frames of all joints as ``forward_kinematics`` gives them, shape (n, 4, 4)."""
        self.pin.forwardKinematics(self.model, self.data, q[3:])
        return np.array([(self.data.oMi[k] * own).homogeneous for k, own in zip(self.last, self.after, strict=True)])

    def many(self, poses: np.ndarray) -> None:
        """The bare algorithm, nothing read back."""
        for q in poses[:, 3:]:
            self.pin.forwardKinematics(self.model, self.data, q)

    def closed_loop(
        self, q: np.ndarray, joint: int, point: np.ndarray, target: np.ndarray, columns: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, bool]:
        """Closed-loop inverse kinematics as in Pinocchio's examples: damped pseudoinverse, unit steps, clamped."""
        pin, model, data = self.pin, self.model, self.data
        q = q[3:].copy()
        own = self.after[joint].act(point)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        for _ in range(200):
            pin.computeJointJacobians(model, data, q)
            oMi = data.oMi[self.last[joint]]
            e = target - oMi.act(own)
            if float(e @ e) <= tolerance * tolerance:
                return q, True
            J = pin.getJointJacobian(model, data, self.last[joint], frame)
            J = J[:3, columns] - pin.skew(oMi.rotation @ own) @ J[3:, columns]
            step = J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(3), e)
            largest = np.abs(step).max()
            q[columns] += step * min(1.0, 0.5 / largest)
            np.clip(q, low, high, out=q)
        return q, False


def reachable_goals(skeleton: Skeleton, joint: int, point: np.ndarray, poses: np.ndarray) -> np.ndarray:
    return (forward_kinematics(skeleton, poses)[:, joint] @ np.append(point, 1.0))[:, :3]


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    before = compiled.mode()
    human = load_skeleton(bundled_folder() / "human.scr")
    arm = load_skeleton(bundled_folder() / "arm7.scr")
    try:
        for skeleton in (arm, human):
            measure_forward(report, skeleton)
        measure_picking(report, human)
        compiled.use("compiled")
        measure_reaching(report, arm)
        for mode in ("limb", "body"):
            measure_drag(report, human, mode)
    finally:
        compiled.use(before)


def measure_forward(report: Callable[..., None], skeleton: Skeleton) -> None:
    """Forward kinematics of one pose and of many, and the point Jacobian."""
    name = skeleton.name
    q = random_poses(skeleton, POSES)
    peer = Peer(skeleton)
    worst = max(float(np.abs(peer.frames(pose) - forward_kinematics(skeleton, pose)).max()) for pose in q[:50])
    report(f"{name}: largest difference from Pinocchio's frames", worst, "m")

    compiled.use("plain")
    plain = interleaved([lambda: forward_kinematics(skeleton, q[:PLAIN_POSES])])[0] / PLAIN_POSES
    plain_one = interleaved([lambda: [forward_kinematics(skeleton, pose) for pose in q[:100]]])[0] / 100
    compiled.use("compiled")
    ours, theirs = interleaved([lambda: forward_kinematics(skeleton, q), lambda: peer.many(q)])
    other = f"Pinocchio in a Python loop {1e6 * theirs / POSES:.2f} us, ratio {theirs / ours:.1f}"
    note = f"{POSES / ours:,.0f} poses/s; {other}"
    report(f"{name}: forward kinematics, {POSES} poses in one call, a pose", 1e6 * ours / POSES, "us", note)
    note = f"compiled is {plain * POSES / ours:.0f} times as fast"
    report(f"{name}: the same, plain twin, a pose", 1e6 * plain, "us", note)
    some = q[:SINGLE]
    one, other, bare = interleaved(
        [
            lambda: [forward_kinematics(skeleton, pose) for pose in some],
            lambda: [peer.frames(pose) for pose in some[:200]],
            lambda: peer.many(some),
        ]
    )
    note = f"Pinocchio bare {1e6 * bare / SINGLE:.2f} us, with the frames read back {1e6 * other / 200:.1f} us"
    report(f"{name}: forward kinematics, one pose a call", 1e6 * one / SINGLE, "us", note)
    report(f"{name}: the same, plain twin", 1e6 * plain_one, "us")
    tip = len(skeleton.joints) - 1
    column = interleaved([lambda: [point_jacobian(skeleton, pose, tip, (0, 0.1, 0)) for pose in some]])[0]
    report(f"{name}: point Jacobian", 1e6 * column / SINGLE, "us")


def measure_picking(report: Callable[..., None], skeleton: Skeleton) -> None:
    """Rays at the figure, about two thirds of them hitting it."""
    from core.kinematics.picking import Picker

    picker = Picker(skeleton)
    frames = forward_kinematics(skeleton, skeleton.rest_pose())
    rng = np.random.default_rng(1)
    aims = frames[rng.integers(len(frames), size=300), :3, 3] + rng.normal(0.0, 0.05, (300, 3))
    origin = np.array([0.5, 1.2, 4.0])
    hits = sum(picker.pick(frames, origin, aim - origin) is not None for aim in aims)
    each = interleaved([lambda: [picker.pick(frames, origin, aim - origin) for aim in aims]])[0] / len(aims)
    report(f"{skeleton.name}: pick", 1e3 * each, "ms", f"{hits} of {len(aims)} rays hit")


def measure_reaching(report: Callable[..., None], skeleton: Skeleton) -> None:
    """Position goals anywhere in reach, from a bent start, by every solver and by Pinocchio's loop."""
    joint = len(skeleton.joints) - 1
    point = end_effector(skeleton, joint)
    targets = reachable_goals(skeleton, joint, point, random_poses(skeleton, GOALS))
    start = skeleton.rest_pose()
    start[3:] = 0.3
    peer = Peer(skeleton)
    columns = np.arange(skeleton.n_dofs)
    for tolerance in (1e-3, 1e-6):
        goals = [Goal(joint, point, target) for target in targets]

        def ours(solver: str, goals: list[Goal] = goals, tolerance: float = tolerance) -> int:
            return sum(solve(skeleton, start, goal, solver, tolerance=tolerance).converged for goal in goals)

        def theirs(tolerance: float = tolerance) -> int:
            return sum(peer.closed_loop(start, joint, point, target, columns, tolerance)[1] for target in targets)

        candidates = [theirs, *(lambda name=solver.name: ours(name) for solver in SOLVERS)]
        successes = [candidate() for candidate in candidates]
        times = interleaved(candidates, 5)
        each = 1e6 * times[0] / GOALS
        what = f"{skeleton.name}: Pinocchio, closed loop in Python, to {tolerance:g} m"
        report(what, each, "us", f"{successes[0]} of {GOALS}")
        for solver, done, taken in zip(SOLVERS, successes[1:], times[1:], strict=True):
            ratio = f"Pinocchio takes {times[0] / taken:.1f} times as long"
            note = f"{done} of {GOALS}; {GOALS / taken:,.0f} solves/s; {ratio}"
            report(f"{skeleton.name}: {solver.name}, to {tolerance:g} m", 1e6 * taken / GOALS, "us", note)


def measure_drag(report: Callable[..., None], skeleton: Skeleton, mode: str) -> None:
    """The right hand led along a circle of 0.15 m, each solve starting from the pose before: what a drag does."""
    joint = skeleton.joint_index("right hand")
    chain = drag_chain(skeleton, joint, mode)
    point = end_effector(skeleton, joint)
    start = skeleton.rest_pose()
    start[list(chain.dofs)] += 0.2
    start[3:] = np.clip(start[3:], skeleton.limits[:, 0], skeleton.limits[:, 1])
    here = (forward_kinematics(skeleton, start)[joint] @ np.append(point, 1.0))[:3]
    turn = 2.0 * np.pi * np.arange(1, DRAG + 1) / DRAG
    path = here + 0.15 * np.stack([np.sin(turn), 1.0 - np.cos(turn), 0.3 * np.sin(turn)], axis=1)
    peer = Peer(skeleton)
    columns = np.array(chain.dofs) - 3

    def ours(solver: str) -> float:
        q, worst = start, 0.0
        for target in path:
            result = solve(skeleton, q, Goal(joint, point, target), solver, base=chain.base)
            q, worst = result.q, max(worst, result.error)
        return worst

    def theirs() -> None:
        q = start.copy()
        for target in path:
            q[3:], _ = peer.closed_loop(q, joint, point, target, columns, 1e-4)

    times = interleaved([theirs, *(lambda name=solver.name: ours(name) for solver in SOLVERS)], 5)
    what = f"{skeleton.name}: hand drag, {mode}, {len(chain.dofs)} DOF"
    report(f"{what}, Pinocchio, an event", 1e6 * times[0] / DRAG, "us")
    for solver, taken in zip(SOLVERS, times[1:], strict=True):
        note = f"Pinocchio takes {times[0] / taken:.1f} times as long; worst error {1e3 * ours(solver.name):.3f} mm"
        report(f"{what}, {solver.name}, an event", 1e6 * taken / DRAG, "us", note)
    compiled.use("plain")
    for solver in SOLVERS:
        taken = interleaved([lambda name=solver.name: ours(name)], 1)[0]
        report(f"{what}, {solver.name}, plain twin, an event", 1e6 * taken / DRAG, "us")
    compiled.use("compiled")


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
