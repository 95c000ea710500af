"""Kernels of inverse kinematics, compiled and not: against each other, dense algebra and their definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.ik import (
    Goal,
    ccd_kernel,
    damped_least_squares_kernel,
    jacobian_transpose_kernel,
    nodes_kernel,
    problem,
)
from core.ik.problem import Problem
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.spatial import so3
from tests.oracles.steps import damped_step, pull
from tests.support.figures import chain, fork, random_figure, random_pose

ccd_compiled = load(ccd_kernel)
damped_least_squares_compiled = load(damped_least_squares_kernel)
jacobian_transpose_compiled = load(jacobian_transpose_kernel)
nodes_compiled = load(nodes_kernel)

SEEDS = range(8)
BOTH = [
    (ccd_compiled, ccd_kernel),
    (jacobian_transpose_compiled, jacobian_transpose_kernel),
    (damped_least_squares_compiled, damped_least_squares_kernel),
]


def random_problem(seed: int) -> Problem:
    """One to three goals of all kinds on a random tree, every other one with scales, some with the root free."""
    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=14, scaled=seed % 2 == 1)
    q = random_pose(skeleton, rng)
    goals = []
    for _ in range(1 + seed % 3):
        kind = rng.integers(3)
        goals.append(
            Goal(
                int(rng.integers(1, 14)),
                rng.normal(size=3) * 0.2,
                None if kind == 1 else rng.normal(size=3),
                None if kind == 0 else so3.exp(rng.normal(size=3)),
                float(rng.uniform(0.2, 2.0)),
            )
        )
    base = (None, problem.WORLD)[seed // 4 % 2]
    weights = rng.uniform(0.0, 1.0, skeleton.nq) if seed % 4 == 2 else None
    return problem.build(skeleton, q, tuple(goals), base, weights)


def arguments(p: Problem) -> tuple[Any, ...]:
    return p.nodes, p.aims, p.x, p.work


def state(p: Problem) -> np.ndarray:
    parts = (p.x, p.work.X, p.work.R, p.work.P, p.work.O, p.work.E)
    return np.concatenate([part.ravel() for part in parts])


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_errors_columns_and_slope(seed: int) -> None:
    one, two = random_problem(seed), random_problem(seed)
    results = []
    for module, p in ((nodes_compiled, one), (nodes_kernel, two)):
        module.frames(*arguments(p))
        results.append(module.errors(p.aims, p.work))
        module.columns(p.nodes, p.aims, p.work)
        results.append((module.slope(*arguments(p)),))
    assert results[0] == pytest.approx(results[2], abs=1e-12, rel=1e-12)
    assert results[1] == pytest.approx(results[3], abs=1e-12)
    assert np.abs(state(one) - state(two)).max() < 1e-12
    assert np.abs(one.work.J - two.work.J).max() < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_one_sweep_of_descent(seed: int) -> None:
    one = random_problem(seed)
    two = random_problem(seed)
    for module, p in ((ccd_compiled, one), (ccd_kernel, two)):
        module.run(*problem.packed_arguments(p), 0.0, 1)
    assert np.abs(state(one) - state(two)).max() < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_one_damped_step(seed: int) -> None:
    one = random_problem(seed)
    two = random_problem(seed)
    for p, nodes in ((one, nodes_compiled), (two, nodes_kernel)):
        nodes.frames(*arguments(p))
        nodes.errors(p.aims, p.work)
        nodes.columns(p.nodes, p.aims, p.work)
    x = one.x.copy()
    damped_least_squares_compiled.run(*problem.packed_arguments(one), 1e-9, 1)
    step = damped_step(two, damped_least_squares_kernel.FIRST_DAMPING)
    assert np.abs(one.work.s[damped_least_squares_kernel.STEP] - step).max() < 1e-11
    moved = x + step
    nodes_kernel.clamp(one.nodes, moved)
    assert np.abs(one.x - moved).max() < 1e-11 or np.array_equal(one.x, x)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocity_of_the_pull(seed: int) -> None:
    one = random_problem(seed)
    two = random_problem(seed)
    velocity = np.zeros(len(one.x))
    errors = jacobian_transpose_kernel.pull(*arguments(two), velocity)
    assert np.abs(velocity - pull(two)).max() < 1e-12
    rate = jacobian_transpose_kernel.fastest_rate(two.nodes, two.aims, two.work)
    jacobian_transpose_compiled.run(*problem.packed_arguments(one), 1e-9, 0)
    assert np.abs(one.work.s[jacobian_transpose_kernel.HERE] - velocity).max() < 1e-12
    assert one.work.score == pytest.approx(errors, rel=1e-12)
    # No rate is faster, and the bound is no more than the rank too high.
    weights = np.repeat(two.aims.weight[:, :2], 3, axis=1).ravel()
    fastest = np.linalg.norm(np.sqrt(weights)[:, None] * two.work.J * np.sqrt(two.nodes.gain), 2) ** 2
    assert fastest <= rate * (1.0 + 1e-12) and rate <= fastest * np.count_nonzero(weights) * (1.0 + 1e-12)


def test_chebyshev_steps_damp_what_is_too_fast() -> None:
    for stages in range(1, jacobian_transpose_kernel.MOST_STAGES + 1):
        w_0, w_1, reach = jacobian_transpose_kernel.STAGES[stages]
        z = np.linspace(0.0, reach, 2001)
        P = np.polynomial.Chebyshev.basis(stages)(w_0 - w_1 * z) * jacobian_transpose_kernel.DAMPING
        slope = -w_1 * np.polynomial.Chebyshev.basis(stages).deriv()(w_0) * jacobian_transpose_kernel.DAMPING
        assert P[0] == pytest.approx(1.0) and slope == pytest.approx(-1.0)
        fast = z >= (w_0 - 1.0) / w_1
        assert np.abs(P[fast]).max() <= jacobian_transpose_kernel.DAMPING * (1.0 + 1e-9)
        assert reach > 0.7 * stages**2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("both", BOTH, ids=lambda both: both[1].__name__.split(".")[-1])
def test_a_few_steps_of_each_solver(seed: int, both: tuple[Any, Any]) -> None:
    one = random_problem(seed)
    two = random_problem(seed)
    counts = [module.run(*problem.packed_arguments(p), 1e-7, 4) for module, p in zip(both, (one, two), strict=True)]
    assert counts[0] == counts[1]
    assert np.abs(state(one) - state(two)).max() < 1e-10
    assert one.work.used[0] == two.work.used[0]
    assert one.work.trace[:4] == pytest.approx(two.work.trace[:4], rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_arrays_and_blocks_give_the_same(seed: int) -> None:
    """What ``unpack`` finds in the blocks is what Python's views show, whatever was put in their place."""
    for module in (nodes_compiled, nodes_kernel):
        one, two = random_problem(seed), random_problem(seed)
        lower = np.maximum(one.nodes.lower, -0.3)
        one, two = (p._replace(nodes=p.nodes._replace(lower=lower)) for p in (one, two))
        module.frames(*arguments(one))
        found = module.errors(one.aims, one.work), module.evaluate(*problem.packed_arguments(two))
        assert found[0] == pytest.approx(found[1], rel=1e-13)
        assert np.abs(state(one) - state(two)).max() < 1e-14 and np.abs(one.work.J - two.work.J).max() < 1e-14


def test_cosines_and_sines_of_all_angles() -> None:
    p = problem.build(chain(400, 0.01), np.zeros(403), (Goal("j399", position=(1, 1, 1)),), None, None)
    rng = np.random.default_rng(0)
    quarter = 0.5 * np.pi * np.arange(-8.0, 8.0)
    for x in (
        rng.uniform(-4, 4, 400), rng.normal(0, 1e-9, 400), rng.uniform(-1e5, 1e5, 400), rng.uniform(-1e9, 1e9, 400),
        np.resize(np.concatenate([quarter, quarter + 1e-9, quarter * (1 + 2e-16)]), 400), np.zeros(400),
    ):  # fmt: skip
        nodes_compiled.frames(p.nodes, p.aims, x, p.work)
        assert np.abs(p.work.spin - [np.cos(x), np.sin(x)]).max() < 4e-16
    assert (p.work.spin[0] == 1.0).all() and not p.work.spin[1].any()


def test_clamping_with_a_cone() -> None:
    rng = np.random.default_rng(0)
    skeleton = fork()
    joints = list(skeleton.joints)
    joints[0] = replace(joints[0], cone=0.7)
    coned = Skeleton("coned", joints)
    p = problem.build(coned, np.zeros(coned.nq), (Goal("head", position=(0, 1, 0)),), None, None)
    for _ in range(50):
        x = rng.uniform(-1.2, 1.2, len(p.x))
        a, b = x.copy(), x.copy()
        nodes_compiled.clamp(p.nodes, a)
        nodes_kernel.clamp(p.nodes, b)
        assert np.abs(a - b).max() < 1e-12
        assert np.cos(a[0]) * np.cos(a[1]) >= np.cos(0.7)
        if np.cos(x[0]) * np.cos(x[1]) < np.cos(0.7):
            assert a[0] * x[1] == pytest.approx(a[1] * x[0])
            assert np.arccos(np.cos(a[0]) * np.cos(a[1])) == pytest.approx(0.7, abs=1e-9)
        lower, upper = nodes_kernel.bounds(p.nodes, 0, a)
        assert lower - 1e-9 <= a[0] <= upper + 1e-9


@pytest.mark.parametrize("best", [-3.0, -1.0, 0.5, 2.9])
@pytest.mark.parametrize("value", [-1.5, 0.2, 1.0])
@pytest.mark.parametrize("limits", [(-1.5, 1.0), (-np.inf, np.inf), (-np.inf, 1.0), (-3.5, 3.0)])
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_choice_at_the_limits(best: float, value: float, limits: tuple[float, float], weight: float) -> None:
    a = ccd_compiled.choose(best, weight, value, *limits)
    assert a == pytest.approx(ccd_kernel.choose(best, weight, value, *limits), abs=1e-14)
    assert limits[0] - 1e-15 <= value + a <= limits[1] + 1e-15
    if weight == 1.0:
        # One sinusoid with its top at `best`: no allowed angle may be better.
        allowed = np.linspace(max(limits[0], value - 7), min(limits[1], value + 7), 2001) - value
        assert np.cos(a - best) >= np.cos(allowed - best).max() - 1e-9


@pytest.mark.parametrize("scaled", [False, True])
def test_nodes_are_the_figure(scaled: bool) -> None:
    for seed in range(6):
        skeleton = random_figure(seed, joints=14, scaled=scaled)
        rng = np.random.default_rng(seed)
        q = random_pose(skeleton, rng)
        point = rng.normal(size=3)
        for base in (None, problem.WORLD, int(skeleton.joints[13].parent)):
            p = problem.build(skeleton, q, (Goal(13, point, (0, 0, 0), np.eye(3)),), base, None)
            nodes_compiled.frames(*arguments(p))
            X = forward_kinematics(skeleton, q)[13]
            assert p.work.P[0] * p.size == pytest.approx((X @ [*point, 1.0])[:3], abs=1e-12)
            if not scaled:
                assert np.abs(p.work.O[0] - X[:3, :3]).max() < 1e-12


def test_merit_falls_along_the_jacobian() -> None:
    for seed in SEEDS:
        p = random_problem(seed)
        nodes_compiled.frames(*arguments(p))
        nodes_compiled.errors(p.aims, p.work)
        nodes_compiled.columns(p.nodes, p.aims, p.work)
        weights = np.repeat(p.aims.weight[:, :2], 3, axis=1).ravel()
        gradient = -2.0 * p.work.J.T @ (weights * p.work.E)
        x = p.x.copy()
        for k in range(len(x)):
            ends = []
            for h in (1e-6, -1e-6):
                p.x[:] = x
                p.x[k] += h
                nodes_compiled.frames(*arguments(p))
                ends.append(nodes_compiled.errors(p.aims, p.work)[0])
            assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(gradient[k], abs=2e-7)


def test_rotation_error_is_the_logarithm() -> None:
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-9, 1e-6, 1.0, np.pi - 1e-7, 3.0):
        axis = rng.normal(size=3)
        current = so3.exp(rng.normal(size=3))
        wanted = so3.exp(axis / np.linalg.norm(axis) * angle) @ current
        found = nodes_compiled.rotation_error(wanted[None].copy(), current[None].copy(), 0)
        assert np.abs(np.array(found) - axis / np.linalg.norm(axis) * angle).max() < 1e-8
