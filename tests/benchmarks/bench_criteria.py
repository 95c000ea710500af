"""The manipulability ellipsoid of an arm, and solves with second criteria: what a use of spare freedom costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.formats.bundled import bundled_folder
from core.ik import CRITERIA, Goal, solve
from core.kinematics import forward_kinematics, manipulability_ellipsoid
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from tests.benchmarks.timing import interleaved
from tests.support.kernels import kernels_in_use

STEPS = 300


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"):
        arm = load_skeleton(bundled_folder() / "arm7.scr")
        joint = len(arm.joints) - 1
        q = np.concatenate([np.zeros(3), np.full(arm.n_dofs, 0.4)])
        each = interleaved([lambda: [manipulability_ellipsoid(arm, q, joint) for _ in range(STEPS)]])[0] / STEPS
        report(f"{arm.name}: manipulability ellipsoid", 1e6 * each, "us")
        measure_criteria(report, arm)


def measure_criteria(report: Callable[..., None], skeleton: Skeleton) -> None:
    """Solves with a second criterion, from a bent start to goals anywhere in reach."""
    joint = len(skeleton.joints) - 1
    point = end_effector(skeleton, joint)
    rng = np.random.default_rng(2)
    limits = np.clip(skeleton.limits, -np.pi, np.pi)
    start = np.concatenate([np.zeros(3), np.full(skeleton.n_dofs, 0.3)])
    goals, spheres = [], []
    for _ in range(20):
        q = np.concatenate([np.zeros(3), rng.uniform(limits[:, 0], limits[:, 1])])
        goals.append(Goal(joint, point, (forward_kinematics(skeleton, q)[joint] @ np.append(point, 1.0))[:3]))
        reached = solve(skeleton, start, goals[-1], "pseudoinverse").q
        spheres.append((forward_kinematics(skeleton, reached)[joint // 2, :3, 3] + 0.03, 0.06))
    data: dict[str, Callable[[int], Any]] = {
        "pose": lambda k: ("pose", start),
        "obstacles": lambda k: ("obstacles", [spheres[k]]),
    }

    def solved(name: str | None) -> float:
        secondary = data.get(name, lambda k: name) if name else (lambda k: None)
        found = [solve(skeleton, start, goal, "pseudoinverse", secondary=secondary(k)) for k, goal in enumerate(goals)]
        return float(np.mean([result.iterations for result in found]))

    names: list[str | None] = [None, *(kind.name for kind in CRITERIA)]
    iterations = [solved(name) for name in names]
    times = interleaved([lambda name=name: solved(name) for name in names], 5)
    for name, count, each in zip(names, iterations, times, strict=True):
        what = f"with the criterion {name}" if name else "without a criterion"
        report(f"{skeleton.name}: pseudoinverse, {what}", 1e3 * each / len(goals), "ms", f"{count:.1f} iterations")
