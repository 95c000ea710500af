"""Singular values carried along with a moving arm against decompositions from scratch; drift; the null-space term."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.formats.bundled import bundled_folder
from core.ik import CRITERIA, Goal, solve
from core.kinematics import IncrementalSvd, forward_kinematics, manipulability_ellipsoid, point_jacobian
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from tests.benchmarks.timing import interleaved
from tests.support.figures import chain
from tests.support.kernels import kernels_in_use

STEPS = 300
DRIFT_STEPS = 10_000
STEP = 2e-3
"""How far a joint turns between two decompositions, at most [rad]: a second's turn in 500 steps."""


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    with kernels_in_use("compiled"):
        arm = load_skeleton(bundled_folder() / "arm7.scr")
        for skeleton in (arm, chain(50, 0.02), chain(200, 0.01)):
            measure_updates(report, skeleton)
        measure_drift(report, arm)
        joint = len(arm.joints) - 1
        q = np.concatenate([np.zeros(3), np.full(arm.n_dofs, 0.4)])
        each = interleaved([lambda: [manipulability_ellipsoid(arm, q, joint) for _ in range(STEPS)]])[0] / STEPS
        report(f"{arm.name}: manipulability ellipsoid", 1e6 * each, "us")
        measure_criteria(report, arm)


def waving(skeleton: Skeleton, count: int) -> list[np.ndarray]:
    """Jacobians of the last joint while all joints wave, each at its own speed, through straight in the middle."""
    rng = np.random.default_rng(0)
    speed = rng.uniform(0.3, 1.0, skeleton.n_dofs)
    joint = len(skeleton.joints) - 1
    q = np.zeros(skeleton.nq)
    found = []
    for t in range(count):
        q[3:] = np.sin(speed * STEP * (t - count // 2))
        found.append(np.ascontiguousarray(point_jacobian(skeleton, q, joint, (0.0, 0.1, 0.0))[:, 3:]))
    return found


def measure_updates(report: Callable[..., None], skeleton: Skeleton) -> None:
    """One update against numpy's decomposition and against our own from scratch."""
    jacobians = waving(skeleton, STEPS)
    kept: list[IncrementalSvd] = []

    def carried() -> None:
        kept[:] = [IncrementalSvd(jacobians[0])]
        for J in jacobians[1:]:
            kept[0].update(J)

    def fresh() -> None:
        for J in jacobians:
            IncrementalSvd(J)

    def theirs() -> None:
        for J in jacobians:
            np.linalg.svd(J, full_matrices=False)

    ours, scratch, numpy = (each / STEPS for each in interleaved([carried, fresh, theirs]))
    name = f"{skeleton.name} of {skeleton.n_dofs} DOF, 6 x {skeleton.n_dofs}"
    report(f"{name}: numpy.linalg.svd", 1e6 * numpy, "us")
    report(
        f"{name}: Jacobi rotations from scratch",
        1e6 * scratch,
        "us",
        f"numpy takes {numpy / scratch:.1f} times as long",
    )
    note = f"numpy takes {numpy / ours:.1f} times as long, from scratch {scratch / ours:.1f}"
    report(f"{name}: update of the one before", 1e6 * ours, "us", note)


def measure_drift(report: Callable[..., None], skeleton: Skeleton) -> None:
    """What 10,000 updates leave behind, with and without fresh starts."""
    jacobians = waving(skeleton, DRIFT_STEPS)
    for period in (500, DRIFT_STEPS + 1):
        kept = IncrementalSvd(jacobians[0], period=period)
        residual = off = 0.0
        rotations = []
        for J in jacobians[1:]:
            kept.update(J)
            rotations.append(kept.rotations)
            residual = max(residual, kept.drift.residual)
            off = max(off, float(np.abs(kept.singular_values - np.linalg.svd(J, compute_uv=False)).max()))
        how = f"fresh every {period} updates" if period < DRIFT_STEPS else "never fresh by period"
        note = f"{np.mean(rotations):.1f} rotations each, {kept.fresh_starts} fresh starts, values to {off:.1e}"
        report(f"{skeleton.name}: drift |J - U S V^T| / |J| in {DRIFT_STEPS} updates, {how}", residual, "", note)


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
