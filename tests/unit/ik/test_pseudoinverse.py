"""The pseudoinverse's steps: against numpy's own, near singular poses, at limits, compiled and not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.ik import (
    Goal,
    nodes_kernel,
    problem,
    pseudoinverse,
    pseudoinverse_kernel,
    solve,
)
from core.ik.problem import Problem, packed_arguments
from core.kernels import load
from core.kinematics import condition_number, forward_kinematics
from core.skeleton import Joint, Skeleton
from core.spatial import so3
from tests.oracles.steps import null_step, pseudoinverse_step
from tests.support.figures import arm7, chain, hinge, random_figure, random_pose

nodes_compiled = load(nodes_kernel)
pseudoinverse_compiled = load(pseudoinverse_kernel)

TIP = np.array([0.0, 0.2, 0.0])
SEEDS = range(8)
BOTH = (pseudoinverse_compiled, pseudoinverse_kernel)


def random_problem(seed: int) -> Problem:
    """One to three goals of all kinds on a random tree, every other one with scales, some with the root free."""
    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=14, scaled=seed % 2 == 1)
    q = random_pose(skeleton, rng)
    goals = []
    for k in range(1 + seed % 3):
        kind = (seed + k) % 3
        position = None if kind == 1 else rng.normal(size=3)
        rotation = None if kind == 0 else so3.exp(rng.normal(size=3))
        goals.append(Goal(int(rng.integers(1, 14)), rng.normal(size=3) * 0.2, position, rotation, 0.2 + rng.random()))
    base = (None, problem.WORLD)[seed // 4 % 2]
    weights = rng.uniform(0.0, 1.0, skeleton.nq) if seed % 4 == 2 else None
    made = problem.build(skeleton, q, tuple(goals), base, weights)
    evaluated(made)
    return made


def evaluated(p: Problem) -> Problem:
    nodes_kernel.frames(p.nodes, p.aims, p.x, p.work)
    nodes_kernel.errors(p.aims, p.work)
    nodes_kernel.columns(p.nodes, p.aims, p.work)
    return p


def arm_problem(q: np.ndarray, target: np.ndarray, rotation: np.ndarray | None = None) -> Problem:
    return evaluated(problem.build(arm7(), q, (Goal("j6", TIP, target, rotation),), None, None))


def step(module: object, p: Problem, threshold: float) -> np.ndarray:
    module.step(p.nodes, p.aims, p.x, p.work, pseudoinverse.scratch(p), threshold)  # type: ignore[attr-defined]
    return p.work.s[pseudoinverse_kernel.STEP].copy()


@pytest.mark.parametrize("module", BOTH)
@pytest.mark.parametrize("rotation", [None, so3.exp([0.4, 0.2, -0.1])])
def test_a_step_is_the_pseudoinverse_of_the_error(module: object, rotation: np.ndarray | None) -> None:
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    p = arm_problem(q, (forward_kinematics(arm7(), q)[7] @ [*TIP, 1.0])[:3] + 0.01, rotation)
    np.multiply(p.work.E, 0.01, out=p.work.E)  # a short way, so that the step is not shortened
    rows = slice(0, 6) if rotation is not None else slice(0, 3)
    wanted = np.linalg.pinv(p.work.J[rows]) @ p.work.E[rows]
    assert np.abs(wanted).max() < 0.5
    assert np.abs(step(module, p, 1e-4) - wanted).max() < 1e-12


@pytest.mark.parametrize("module", BOTH)
def test_resistance_makes_it_the_weighted_pseudoinverse(module: object) -> None:
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    base = arm7()
    K = np.array([1.0, 0.3, 2.0, 0.1, 1.0, 0.7, 0.0])
    joints = [
        replace(joint, weight=min(K[i - 1], 1.0), resistance=min(K[i - 1], 1.0) / K[i - 1] if K[i - 1] else 1.0)
        if i
        else joint
        for i, joint in enumerate(base.joints)
    ]
    target = (forward_kinematics(base, q)[7] @ [*TIP, 1.0])[:3] + 0.01
    p = evaluated(problem.build(Skeleton("graded", joints), q, (Goal("j6", TIP, target),), None, None))
    assert p.nodes.gain == pytest.approx(K)
    J, e = p.work.J[:3], p.work.E[:3]
    wanted = K * (J.T @ np.linalg.solve(J @ np.diag(K) @ J.T, e))
    assert np.abs(step(module, p, 1e-4) - wanted).max() < 1e-12
    # It is the way there that costs least, stiff joints counting more.
    moves = K > 0.0
    other = np.linalg.pinv(J) @ e
    assert np.sum(wanted[moves] ** 2 / K[moves]) < np.sum(other[moves] ** 2 / K[moves])


@pytest.mark.parametrize("module", BOTH)
def test_joint_speed_stays_bounded_near_a_singular_pose(module: object) -> None:
    """The plain pseudoinverse grows without bound as the elbow straightens; the damped one dies away."""
    skeleton = arm7()
    threshold = 0.03
    speeds, ideal = [], []
    for bend in np.geomspace(0.5, 1e-6, 40):
        q = np.array([0, 0, 0, 0.0, bend, 0.0, -2 * bend, 0.0, bend, 0.0])
        hand = (forward_kinematics(skeleton, q)[7] @ [*TIP, 1.0])[:3]
        p = arm_problem(q, hand + np.array([0.0, 1e-3, 0.0]))
        s = np.linalg.svd(p.work.J[:3], compute_uv=False)
        length = float(np.linalg.norm(step(module, p, threshold)))
        assert length <= np.linalg.norm(p.work.E[:3]) / (threshold * s[0]) * (1.0 + 1e-9)
        speeds.append(length)
        ideal.append(float(np.linalg.norm(np.linalg.pinv(p.work.J[:3]) @ p.work.E[:3])))
        if s[1] >= threshold * s[0] and s[2] >= threshold * s[0]:
            assert length == pytest.approx(ideal[-1])  # no damping before it is needed
    assert max(ideal) > 100.0 * max(speeds) and speeds[-1] < 1e-3 * max(speeds)


@pytest.mark.parametrize("module", BOTH)
def test_joints_pressed_against_a_limit_leave_the_rest_to_the_others(module: object) -> None:
    base = arm7()
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    target = (forward_kinematics(base, q)[7] @ [*TIP, 1.0])[:3] + np.array([0.02, -0.01, 0.01])
    free = step(module, arm_problem(q, target), 1e-4)
    held = int(np.argmax(np.abs(free)))
    sign = np.sign(free[held])
    lo, hi = (-math.pi, q[3 + held]) if sign > 0 else (q[3 + held], math.pi)
    joints = [
        replace(joint, dofs=(joint.dofs[0]._replace(lo=lo, hi=hi),)) if i == held + 1 else joint
        for i, joint in enumerate(base.joints)
    ]
    p = evaluated(problem.build(Skeleton("held", joints), q, (Goal("j6", TIP, target),), None, None))
    moved = step(module, p, 1e-4)
    others = np.arange(7) != held
    assert moved[held] == 0.0
    assert np.abs(moved[others] - np.linalg.pinv(p.work.J[:3, others]) @ p.work.E[:3]).max() < 1e-12


def test_a_long_way_is_walked_in_steps_of_half_a_radian() -> None:
    p = arm_problem(np.full(10, 0.3), np.array([20.0, 3.0, 1.0]))
    assert np.abs(step(pseudoinverse_compiled, p, 1e-4)).max() == pytest.approx(0.5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("threshold", [1e-4, 0.03, 10.0])
def test_a_step_is_that_of_a_singular_value_decomposition(seed: int, threshold: float) -> None:
    p = random_problem(seed)
    expected = pseudoinverse_step(p, threshold)
    for kernels in BOTH:
        assert np.abs(step(kernels, random_problem(seed), threshold) - expected).max() < 1e-7


@pytest.mark.parametrize("seed", SEEDS)
def test_projections_are_dense_ones_and_the_goals_stay(seed: int) -> None:
    p = random_problem(seed)
    gradient = np.random.default_rng(seed).normal(size=len(p.x))
    outs = np.full((2, len(p.x)), np.nan)
    for module, out in zip(BOTH, outs, strict=True):
        module.run_null_step(*packed_arguments(p), pseudoinverse.scratch(p), gradient, out)
    assert np.abs(outs - null_step(p, gradient, pseudoinverse_kernel.NULL_THRESHOLD)).max() < 1e-9
    assert gradient @ outs[0] <= 0.0
    busy = np.repeat(p.aims.weight[:, :2] > 0.0, 3, axis=1).ravel()
    s = np.linalg.svd(p.work.J[busy] * np.sqrt(p.nodes.gain), compute_uv=False)
    if s.min() > 1e-2 * s.max():
        assert np.abs(p.work.J[busy] @ outs[0]).max() < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_and_uncompiled_solve_alike(seed: int) -> None:
    results = []
    for module in BOTH:
        p = random_problem(seed)
        steps = module.run(*packed_arguments(p), pseudoinverse.scratch(p), 1e-7, 5)
        results.append((steps, np.concatenate([p.x, p.work.E, p.work.X.ravel()])))
    assert results[0][0] == results[1][0]
    assert np.abs(results[0][1] - results[1][1]).max() < 1e-8


@pytest.mark.parametrize("seed", SEEDS)
def test_the_merit_never_rises(seed: int) -> None:
    p = random_problem(seed)
    rows = pseudoinverse.scratch(p)
    merit = math.inf
    for _ in range(25):
        pseudoinverse_compiled.run(*packed_arguments(p), rows, 1e-9, 1)
        assert p.work.score[0] <= merit
        merit = float(p.work.score[0])


def test_goals_at_the_edge_of_reach_need_few_steps() -> None:
    skeleton = arm7(limit=np.inf)
    rng = np.random.default_rng(4)
    steps = []
    for _ in range(40):
        direction = rng.normal(size=3)
        target = [0.0, 0.2, 0.0] + rng.uniform(0.95, 0.999) * 1.4 * direction / np.linalg.norm(direction)
        result = solve(skeleton, np.full(10, 0.3) * ([0] * 3 + [1] * 7), Goal("j6", TIP, target), "pseudoinverse",
                       tolerance=1e-6)  # fmt: skip
        assert result.converged
        steps.append(result.iterations)
        assert condition_number(skeleton, result.q, "j6", TIP) > 2.0
    assert np.median(steps) <= 20


def test_a_figure_that_cannot_move_and_goals_without_weight() -> None:
    still = Skeleton("still", [Joint("a", -1), Joint("b", 0, offset=[0, 1, 0])])
    assert solve(still, np.zeros(3), Goal("b", position=(0, 2, 0)), "pseudoinverse").error == pytest.approx(1.0)
    none = solve(chain(3), np.zeros(6), Goal("j2", position=(5, 5, 5), weight=0.0), "pseudoinverse")
    assert none.converged and not none.q.any()
    one = Skeleton("one", [Joint("a", -1, dofs=(hinge("z"),))])
    found = solve(one, np.zeros(4), Goal("a", (0, 1, 0), (1, 0, 0)), "pseudoinverse")
    assert found.converged and found.q[3] == pytest.approx(-math.pi / 2, abs=1e-3)


def test_a_joint_that_turns_about_the_effector_is_no_help() -> None:
    """Its column is rounding, whose direction says nothing: it once kept a stuck limb from being bent."""
    skeleton = arm7()
    weights = np.zeros(10)
    weights[9] = 1.0
    for seed in range(20):
        q = random_pose(skeleton, np.random.default_rng(seed), 2.0)
        goal = Goal("j6", TIP, np.random.default_rng(seed).normal(size=3))
        p = evaluated(problem.build(skeleton, q, (goal,), None, weights))
        for module in (nodes_compiled, nodes_kernel):
            module.frames(p.nodes, p.aims, p.x, p.work)
            module.errors(p.aims, p.work)
            assert module.slope(p.nodes, p.aims, p.x, p.work) == 0.0
