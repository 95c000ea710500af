"""Inverse kinematics as bounded minimisation: objective, gradient, cones, stiffness, and its ways out of dead ends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

from core.ik import Goal, nodes_kernel, optimization_kernel, problem, solve
from core.ik.optimization_kernel import GRADIENT, POINT, UNIT
from core.ik.problem import Problem
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton
from core.spatial import so3
from tests.support.figures import arm7, chain, hinge, random_figure, random_pose

nodes_compiled = load(nodes_kernel)
optimization_compiled = load(optimization_kernel)

NAME = "optimization"


def random_problem(seed: int) -> tuple[Problem, np.ndarray]:
    """Three goals of all kinds on a random tree, and a point of its variables."""
    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=14, scaled=seed % 2 == 1)
    goals = (
        Goal(13, rng.normal(size=3) * 0.2, rng.normal(size=3), so3.exp(rng.normal(size=3)), 0.7),
        Goal(9, rng.normal(size=3) * 0.2, rng.normal(size=3)),
        Goal(6, rotation=so3.exp(rng.normal(size=3)), weight=1.6),
    )
    p = problem.build(skeleton, random_pose(skeleton, rng), goals, None, None)
    p.work.s[UNIT] = rng.uniform(0.3, 1.5, len(p.x))
    return p, p.x / p.work.s[UNIT]


@pytest.mark.parametrize("seed", range(6))
def test_the_objective_compiled_and_not(seed: int) -> None:
    p, z = random_problem(seed)
    found = []
    for module in (optimization_compiled, optimization_kernel):
        value = module.evaluate(p.nodes, p.aims, z, p.work, 3.0)
        found.append(np.array([value, *p.work.s[GRADIENT], *p.work.s[POINT], *p.work.E]))
    assert np.abs(found[0] - found[1]).max() < 1e-11
    assert found[0][1 + len(z) : 1 + 2 * len(z)] == pytest.approx(p.x, abs=1e-15)
    expected = 0.0
    for g in range(len(p.aims.node)):
        at_position, at_rotation, reach = p.aims.weight[g]
        expected += at_position * float(np.sum((p.aims.target[g] - p.work.P[g]) ** 2))
        expected += at_rotation * reach**2 * (3.0 - float(np.trace(p.aims.wanted[g].T @ p.work.O[g])))
    assert found[0][0] == pytest.approx(3.0 * expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_is_the_slope(seed: int) -> None:
    p, z = random_problem(seed)
    inside = (p.x > p.nodes.lower + 1e-4) & (p.x < p.nodes.upper - 1e-4)
    optimization_compiled.evaluate(p.nodes, p.aims, z, p.work, 1.0)
    gradient = p.work.s[GRADIENT].copy()
    for k in np.flatnonzero(inside):
        step = 1e-6 * np.eye(len(z))[k]
        ends = [optimization_compiled.evaluate(p.nodes, p.aims, z + side * step, p.work, 1.0) for side in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(gradient[k], abs=3e-7)


def test_it_is_the_merit_of_the_interface_to_leading_order() -> None:
    skeleton = arm7()
    q = np.array([0, 0, 0, *np.linspace(0.3, 0.9, 7)])
    frame = forward_kinematics(skeleton, q)[7]
    for angle in (1e-1, 1e-2, 1e-3, 1e-6):
        turned = so3.exp(np.array([0.6, 0.0, 0.8]) * angle) @ frame[:3, :3]
        goal = Goal("j6", (0, 0, 0), frame[:3, 3] + angle * 0.3, turned)
        p = problem.build(skeleton, q, (goal,), None, None)
        p.work.s[UNIT] = 1.0
        value = optimization_compiled.evaluate(p.nodes, p.aims, p.x, p.work, 1.0)
        assert value == pytest.approx(nodes_compiled.errors(p.aims, p.work)[0], rel=0.1 * angle**2 + 1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(8))
def test_what_limits_leave_is_used_as_well_as_by_another_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = arm7(limit=0.6)
    q = random_pose(skeleton, rng, 0.4)
    q[:3] = 0.0
    target = forward_kinematics(skeleton, np.array([0, 0, 0, *rng.uniform(-1.2, 1.2, 7)]))[7, :3, 3]

    def off(x: np.ndarray) -> np.ndarray:
        return np.asarray(forward_kinematics(skeleton, np.array([0, 0, 0, *x]))[7, :3, 3] - target)

    result = solve(skeleton, q, Goal("j6", position=target), NAME, tolerance=1e-7)
    other = least_squares(off, result.q[3:], bounds=(-0.6 - 1e-9, 0.6 + 1e-9), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert np.abs(result.q[3:]).max() <= 0.6
    assert result.error <= float(np.linalg.norm(other.fun)) + 1e-6


def coned_arm(cone: float) -> Skeleton:
    """A shoulder that swings inside a true cone, an elbow and a wrist."""
    ball = (hinge("x", -cone, cone), hinge("z", -cone, cone), hinge("y", -1.5, 1.5))
    joints = [Joint("shoulder", -1, dofs=ball, cone=cone)]
    joints.append(Joint("elbow", 0, offset=np.array([0.0, 0.5, 0.0]), dofs=(hinge("x", 0.0, 2.4),)))
    joints.append(Joint("hand", 1, offset=np.array([0.0, 0.4, 0.0]), dofs=(hinge("z", -0.5, 0.5),)))
    return Skeleton("coned", joints)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cone", [0.5, 0.9, 1.3])
def test_cones_hold_and_cost_nothing_that_can_be_reached(cone: float) -> None:
    skeleton = coned_arm(cone)
    rng = np.random.default_rng(4)
    for trial in range(20):
        wanted = np.zeros(skeleton.nq)
        swing, azimuth = cone * (0.5 if trial % 2 else 0.98), rng.uniform(0, 2 * math.pi)
        wanted[3] = 0.99 * swing * math.cos(azimuth)
        wanted[4] = math.copysign(math.acos(min(1.0, math.cos(swing) / math.cos(wanted[3]))), math.sin(azimuth))
        wanted[4:8] = np.clip([wanted[4], rng.uniform(-1, 1), rng.uniform(0.2, 2.0), 0.1], *skeleton.limits[1:5].T)
        assert math.cos(wanted[3]) * math.cos(wanted[4]) >= math.cos(cone) - 1e-12
        hand = forward_kinematics(skeleton, wanted)[2, :3, 3]
        start = np.array([0, 0, 0, 0.1, 0.1, 0.0, 0.4, 0.0])
        for target in (hand, 1.3 * hand, -hand):
            result = solve(skeleton, start, Goal("hand", position=target), NAME, tolerance=1e-6)
            a, b = result.q[3:5]
            assert math.cos(a) * math.cos(b) >= math.cos(cone) - 1e-12
            assert (result.q[3:] >= skeleton.limits[:, 0]).all() and (result.q[3:] <= skeleton.limits[:, 1]).all()
            assert (np.diff(result.errors) <= 0.0).all()
            if target is hand:
                assert result.converged


def test_a_stiff_joint_moves_less() -> None:
    plain = chain(7)
    moved = []
    for stiffness in (1.0, 25.0):
        joints = [replace(joint, resistance=stiffness if i == 1 else 1.0) for i, joint in enumerate(plain.joints)]
        q = np.array([0, 0, 0, 0.3, 0.4, 0.3, 0.4, -0.2, -0.3, 0.1])
        target = forward_kinematics(plain, q)[6, :3, 3] + [0.03, -0.04, 0.05]
        result = solve(Skeleton("chain", joints), q, Goal("j6", position=target), NAME, tolerance=1e-6)
        assert result.converged
        moved.append(abs(result.q[4] - q[4]))
    assert moved[1] < 0.4 * moved[0]


def test_equal_resistance_changes_nothing() -> None:
    found = []
    for stiffness in (1.0, 0.25, 16.0):
        joints = [replace(joint, resistance=stiffness) for joint in chain(5).joints]
        q = np.linspace(0.1, 0.8, 8)
        found.append(solve(Skeleton("chain", joints), q, Goal("j4", position=(0.2, 0.5, 0.1)), NAME).q.tobytes())
    assert len(set(found)) == 1


def test_a_joint_without_weight_stays() -> None:
    weights = np.ones(10)
    weights[5] = 0.0
    result = solve(arm7(), np.full(10, 0.2), Goal("j6", position=(0.7, 0.9, 0.6)), NAME, weights=weights)
    assert result.converged and result.q[5] == 0.2 and result.q[4] != 0.2


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 0, 0), (0.6, 0, 0.8)])
def test_half_a_turn_away_is_reached(axis: tuple[float, float, float]) -> None:
    # There the objective is level: it is at its top.
    skeleton = arm7()
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, -0.8, 0.3, 0.6, 0.1])
    now = forward_kinematics(skeleton, q)[7, :3, :3]
    wanted = so3.exp(np.array(axis) * math.pi) @ now
    assert solve(skeleton, q, Goal("j6", rotation=wanted), NAME).converged


def test_a_hinge_at_its_limit_goes_round_the_other_way() -> None:
    skeleton = Skeleton(
        "turret",
        [
            Joint("turret", -1, dofs=(hinge("y", -2.9, 2.9),)),
            Joint("arm", 0, offset=np.array([0.0, 0.0, 0.5]), dofs=(hinge("x", -1.0, 1.0),)),
            Joint("tip", 1, offset=np.array([0.0, 0.0, 0.5])),
        ],
    )
    target = (math.sin(2.6), 0.0, math.cos(2.6))
    start = np.array([0, 0, 0, -2.8, 0.1])
    result = solve(skeleton, start, Goal("tip", position=target), NAME)
    assert result.converged and result.q[3] == pytest.approx(2.6, abs=1e-3)
    # Where the range ends before it, the limit is the best there is.
    narrow = Skeleton("narrow", [replace(skeleton.joints[0], dofs=(hinge("y", -2.9, 0.0),)), *skeleton.joints[1:]])
    held = solve(narrow, start, Goal("tip", position=target), NAME)
    assert held.q[3] == -2.9 and not held.converged


def test_the_budget_is_kept() -> None:
    skeleton, goal = arm7(limit=0.3), Goal("j6", position=(1.0, -0.5, 0.3))
    for most in (0, 1, 3, 7):
        result = solve(skeleton, np.zeros(10), goal, NAME, max_iterations=most)
        assert result.iterations <= most and len(result.errors) == result.iterations + 1
