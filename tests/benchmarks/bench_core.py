"""Forward kinematics and picking: compiled, plain, and Pinocchio in the same process."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.formats.bundled import bundled_folder
from core.kernels import uncompiled
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton import Skeleton
from core.skeleton.scr.reader import load_skeleton
from tests.benchmarks.peers import Pinocchio
from tests.benchmarks.timing import interleaved

POSES = 10_000
PLAIN_POSES = 500
SINGLE = 2_000


def random_poses(skeleton: Skeleton, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    limits = np.clip(skeleton.limits, -np.pi, np.pi)
    q = np.zeros((count, skeleton.nq))
    q[:, 3:] = rng.uniform(limits[:, 0], limits[:, 1], (count, skeleton.n_dofs))
    return q


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    human = load_skeleton(bundled_folder() / "human.scr")
    arm = load_skeleton(bundled_folder() / "arm7.scr")
    for skeleton in (arm, human):
        measure_forward(report, skeleton)
    measure_picking(report, human)


def measure_forward(report: Callable[..., None], skeleton: Skeleton) -> None:
    """Forward kinematics of one pose and of many, and the point Jacobian."""
    name = skeleton.name
    q = random_poses(skeleton, POSES)
    peer = Pinocchio(skeleton)
    worst = max(float(np.abs(peer.frames(pose) - forward_kinematics(skeleton, pose)).max()) for pose in q[:50])
    report(f"{name}: largest difference from Pinocchio's frames", worst, "m")

    with uncompiled():
        plain = interleaved([lambda: forward_kinematics(skeleton, q[:PLAIN_POSES])])[0] / PLAIN_POSES
        plain_one = interleaved([lambda: [forward_kinematics(skeleton, pose) for pose in q[:100]]])[0] / 100
    ours, theirs = interleaved([lambda: forward_kinematics(skeleton, q), lambda: peer.many(q)])
    other = f"Pinocchio in a Python loop {1e6 * theirs / POSES:.2f} us, ratio {theirs / ours:.1f}"
    note = f"{POSES / ours:,.0f} poses/s; {other}"
    report(f"{name}: forward kinematics, {POSES} poses in one call, a pose", 1e6 * ours / POSES, "us", note)
    note = f"compiled is {plain * POSES / ours:.0f} times as fast"
    report(f"{name}: the same, uncompiled, a pose", 1e6 * plain, "us", note)
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
    report(f"{name}: the same, uncompiled", 1e6 * plain_one, "us")
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


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name}: {value:.4g} {unit}" + (f"  ({note})" if note else "")))
