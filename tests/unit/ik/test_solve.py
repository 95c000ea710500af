"""What every solver must do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.ik import SOLVERS, Goal, problem, solve
from core.ik.jacobian_transpose import link_lengths
from core.kernels import uncompiled
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton, read_scr
from core.spatial import so3
from tests.support.figures import arm7, chain, fork, hinge, random_figure, random_pose, slide

NAMES = [solver.name for solver in SOLVERS]
TIP = np.array([0.0, 0.2, 0.0])
every_solver = pytest.mark.parametrize("solver", NAMES)


def place(skeleton: Skeleton, q: np.ndarray, joint: int | str, point: np.ndarray = TIP) -> np.ndarray:
    return (forward_kinematics(skeleton, q)[skeleton.joint_index(joint)] @ [*point, 1.0])[:3]


def inside(skeleton: Skeleton, q: np.ndarray) -> bool:
    return bool((q[3:] >= skeleton.limits[:, 0]).all() and (q[3:] <= skeleton.limits[:, 1]).all())


@every_solver
def test_reaches_what_can_be_reached(solver: str) -> None:
    skeleton = arm7()
    rng = np.random.default_rng(7)
    reached = 0
    for _ in range(40):
        q, wanted = random_pose(skeleton, rng, 1.0), random_pose(skeleton, rng, 2.0)
        q[:3] = wanted[:3] = 0.0
        target = place(skeleton, wanted, "j6")
        result = solve(skeleton, q, Goal("j6", TIP, target), solver)
        assert np.linalg.norm(place(skeleton, result.q, "j6") - target) == pytest.approx(result.error, abs=1e-12)
        assert inside(skeleton, result.q)
        assert result.converged == (result.error <= 1e-4)
        reached += result.converged
    assert reached >= 39


@every_solver
def test_reaches_nearby_frames(solver: str) -> None:
    skeleton = arm7()
    rng = np.random.default_rng(8)
    reached = 0
    for _ in range(20):
        q = random_pose(skeleton, rng, 1.2)
        near = q + rng.normal(0.0, 0.15, q.shape)
        q[:3] = near[:3] = 0.0
        X = forward_kinematics(skeleton, near)[7]
        goal = Goal("j6", TIP, place(skeleton, near, "j6"), X[:3, :3])
        tolerance = 5e-3 if solver == "jacobian_transpose" else 1e-3
        result = solve(skeleton, q, goal, solver, tolerance=tolerance)
        turned = so3.angle_between(forward_kinematics(skeleton, result.q)[7, :3, :3], X[:3, :3])
        if result.converged:
            assert turned * 1.4 <= 2 * tolerance
        before = np.linalg.norm(place(skeleton, q, "j6") - goal.position)
        assert result.error < before + 1.5 * so3.angle_between(forward_kinematics(skeleton, q)[7, :3, :3], X[:3, :3])
        reached += result.converged
    assert reached >= {"ccd": 12, "jacobian_transpose": 18}.get(solver, 20)


@every_solver
def test_rotation_alone(solver: str) -> None:
    skeleton = arm7()
    wanted = so3.exp([0.4, -0.8, 0.3])
    result = solve(skeleton, np.full(10, 0.2), Goal("j6", rotation=wanted), solver)
    assert result.converged
    assert so3.angle_between(forward_kinematics(skeleton, result.q)[7, :3, :3], wanted) < 1e-4


@every_solver
@pytest.mark.parametrize("distance", [1.7, 50.0])
def test_out_of_reach_stretches_toward_the_goal(solver: str, distance: float) -> None:
    skeleton = arm7()
    direction = np.array([0.6, 0.64, 0.48])
    shoulder = np.array([0.0, 0.2, 0.0])
    q = np.full(10, 0.3)
    q[:3] = 0.0
    result = solve(skeleton, q, Goal("j6", TIP, shoulder + distance * direction), solver)
    assert not result.converged
    hand = place(skeleton, result.q, "j6") - shoulder
    assert result.error - (distance - 1.4) < 0.02
    assert hand @ direction / np.linalg.norm(hand) > math.cos(math.radians(8.0))


@every_solver
def test_limits_hold_exactly_and_the_start_is_clamped(solver: str) -> None:
    skeleton = arm7(limit=0.4)
    rng = np.random.default_rng(9)
    for _ in range(20):
        q = rng.uniform(-3, 3, 10)
        result = solve(skeleton, q, Goal("j6", TIP, rng.normal(size=3)), solver, max_iterations=60)
        assert inside(skeleton, result.q)
        assert np.array_equal(result.q[:3], q[:3])


@every_solver
def test_a_goal_at_the_limit_is_reached(solver: str) -> None:
    skeleton = arm7(limit=1.0)
    wanted = np.array([0, 0, 0, 0.5, 1.0, -0.3, 1.0, 0.2, 1.0, 0.0])
    result = solve(skeleton, np.full(10, 0.1) * [0, 0, 0, 1, 1, 1, 1, 1, 1, 1],
                   Goal("j6", TIP, place(skeleton, wanted, "j6")), solver, tolerance=1e-3)  # fmt: skip
    assert result.converged and inside(skeleton, result.q)


@every_solver
def test_where_it_is_already_nothing_moves(solver: str) -> None:
    skeleton = arm7()
    q = np.linspace(-0.5, 0.6, 10)
    result = solve(skeleton, q, Goal("j6", TIP, place(skeleton, q, "j6")), solver)
    assert result.converged and result.iterations == 0 and np.array_equal(result.q, q)
    assert result.q is not q


@every_solver
def test_a_goal_on_the_joint_itself(solver: str) -> None:
    skeleton = chain(2, 0.5)
    result = solve(skeleton, np.array([0, 0, 0, 0.3, 0.4]), Goal("j1", (0, 0.5, 0), (0, 0.5, 0)), solver, base="j1")
    assert np.isfinite(result.q).all() and np.isfinite(result.error)
    result = solve(skeleton, np.array([0, 0, 0, 0.3, 0.4]), Goal("j0", (0, 0.5, 0), (0, 0, 0)), solver)
    assert np.isfinite(result.q).all() and result.error == pytest.approx(0.5)


@every_solver
def test_zero_length_segments(solver: str) -> None:
    joints = [Joint("a", -1, dofs=(hinge("z"),))]
    for i in range(5):
        joints.append(Joint(f"b{i}", i, offset=[0, 0.3 * (i % 2), 0], dofs=(hinge("zx"[i % 2]),)))
    skeleton = Skeleton("folded", joints)
    q = np.array([0.0] * 3 + [0.2] * 6)
    result = solve(skeleton, q, Goal("b4", (0, 0.2, 0), (0.3, 0.4, 0.2)), solver)
    assert result.converged
    lone = Skeleton("point", [Joint("a", -1, dofs=(hinge("z"), hinge("x")))])
    result = solve(lone, np.full(5, 0.1), Goal("a", (0, 0, 0), (1, 0, 0)), solver)
    assert result.error == pytest.approx(np.linalg.norm([0.9, 0.1, 0.1])) and not result.converged


@every_solver
def test_slides_and_hinges_together(solver: str) -> None:
    joints = [
        Joint("rail", -1, dofs=(slide("x", -1.0, 1.0),)),
        Joint("mast", 0, offset=[0, 0.5, 0], dofs=(slide("y", 0.0, 0.6), hinge("y"))),
        Joint("boom", 1, offset=[0, 0.2, 0], dofs=(hinge("z", -1.5, 1.5),)),
    ]
    crane = Skeleton("crane", joints)
    wanted = np.array([0, 0, 0, 0.7, 0.4, 0.8, -0.9])
    target = place(crane, wanted, "boom", np.array([0.8, 0, 0]))
    result = solve(crane, crane.rest_pose(), Goal("boom", (0.8, 0, 0), target), solver)
    assert result.converged and inside(crane, result.q)
    far = solve(crane, crane.rest_pose(), Goal("boom", (0.8, 0, 0), (9.0, 0.7, 0.0)), solver)
    assert far.q[3] == 1.0 and inside(crane, far.q)


@every_solver
def test_two_goals_on_two_branches(solver: str) -> None:
    skeleton = fork()
    rng = np.random.default_rng(10)
    for _ in range(5):
        wanted = random_pose(skeleton, rng, 0.5)
        wanted[:3] = 0.0
        goals = [Goal(f"{side} hand", (0.1, 0, 0), place(skeleton, wanted, f"{side} hand", np.array([0.1, 0, 0])))
                 for side in ("left", "right")]  # fmt: skip
        result = solve(skeleton, np.zeros(skeleton.nq), goals, solver, tolerance=1e-3)
        assert result.converged
        for goal in goals:
            assert np.linalg.norm(place(skeleton, result.q, goal.joint, goal.point) - goal.position) <= 1e-3


@every_solver
def test_weights_decide_between_goals_that_conflict(solver: str) -> None:
    skeleton = chain(1)
    for weight, side in ((100.0, 1.0), (0.01, -1.0)):
        goals = [Goal("j0", (0, 1, 0), (0.6, 0.8, 0), weight=weight), Goal("j0", (0, 1, 0), (-0.6, 0.8, 0))]
        tip = place(skeleton, solve(skeleton, [0, 0, 0, 0.1], goals, solver).q, "j0", np.array([0, 1, 0]))
        assert tip[0] * side > 0.55


@every_solver
def test_a_goal_of_weight_zero_is_ignored(solver: str) -> None:
    skeleton = arm7()
    result = solve(skeleton, np.zeros(10), [Goal("j6", TIP, (9, 9, 9), weight=0.0)], solver)
    assert result.converged and not result.q.any()


@every_solver
def test_base_stops_the_motion(solver: str) -> None:
    skeleton = fork()
    q = np.full(skeleton.nq, 0.1)
    result = solve(skeleton, q, Goal("left hand", (0.1, 0, 0), (0.4, 0.5, 0.2)), solver, base="left shoulder")
    moved = np.flatnonzero(result.q != q)
    allowed = [3 + k for k, joint in enumerate(skeleton.dof_joints) if "left" in skeleton.joints[joint].name]
    assert len(moved) and set(moved) <= set(allowed)


@every_solver
def test_world_frees_the_root_translation(solver: str) -> None:
    skeleton = fork()
    goal = Goal("left hand", (0.1, 0, 0), (5.0, 2.0, -3.0))
    q = np.zeros(skeleton.nq)
    assert not solve(skeleton, q, goal, solver).converged
    result = solve(skeleton, q, goal, solver, base="world")
    assert result.converged
    assert np.linalg.norm(place(skeleton, result.q, "left hand", np.array([0.1, 0, 0])) - goal.position) <= 1e-4


@every_solver
def test_responsiveness_zero_does_not_move(solver: str) -> None:
    skeleton = arm7()
    weights = np.ones(10)
    weights[[4, 6]] = 0.0
    result = solve(skeleton, np.full(10, 0.2), Goal("j6", TIP, (0.4, 0.9, 0.5)), solver, weights=weights)
    assert result.q[4] == 0.2 and result.q[6] == 0.2
    joints = [replace(joint, weight=0.0) if joint.name == "j3" else joint for joint in skeleton.joints]
    result = solve(Skeleton("stiff", joints), np.full(10, 0.2), Goal("j6", TIP, (0.4, 0.9, 0.5)), solver)
    assert result.q[6] == 0.2


@pytest.mark.parametrize("solver", ["jacobian_transpose", "pseudoinverse", "damped_least_squares"])
def test_resistance_makes_a_joint_move_less(solver: str) -> None:
    skeleton = arm7()
    joints = [replace(joint, resistance=100.0) if joint.name == "j3" else joint for joint in skeleton.joints]
    q = np.array([0, 0, 0, 0.1, 0.5, 0.1, 0.6, 0.1, 0.5, 0.0])
    goal = Goal("j6", TIP, (0.2, 1.0, 0.6))
    free, stiff = solve(skeleton, q, goal, solver), solve(Skeleton("stiff", joints), q, goal, solver)
    assert free.converged and stiff.converged
    assert abs(stiff.q[6] - q[6]) < 0.3 * abs(free.q[6] - q[6])


@every_solver
def test_a_straight_arm_bends_when_pulled_inward(solver: str) -> None:
    """Welman figure 4.2: the pull points straight down the arm and no joint helps at first order."""
    skeleton = arm7()
    result = solve(skeleton, np.zeros(10), Goal("j6", TIP, (0.0, 1.2, 0.0)), solver)
    assert result.converged


@every_solver
def test_long_chains(solver: str) -> None:
    skeleton = chain(400, 0.01)
    rng = np.random.default_rng(11)
    q = np.concatenate([np.zeros(3), rng.normal(0, 0.05, 400)])
    result = solve(skeleton, q, Goal("j399", (0, 0.01, 0), (1.0, 1.5, 0.5)), solver)
    assert result.converged
    assert np.linalg.norm(place(skeleton, result.q, "j399", np.array([0, 0.01, 0])) - [1.0, 1.5, 0.5]) <= 1e-4


@every_solver
@pytest.mark.parametrize("power", [-10, 10])
def test_scale_changes_no_bit_of_the_angles(solver: str, power: int) -> None:
    s = 2.0**power
    q = np.array([0.1, -0.2, 0.3, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    big_q = q * ([s] * 3 + [1.0] * 7)
    for target in ((0.5, 0.6, 0.4), (2.0, 3.0, 1.0)):
        for rotation in (None, so3.exp([0.3, 0.2, 0.1])):
            small = solve(arm7(), q, Goal("j6", TIP, target, rotation), solver, max_iterations=30)
            goal = Goal("j6", TIP * s, np.array(target) * s, rotation)
            large = solve(arm7(scale=s), big_q, goal, solver, tolerance=1e-4 * s, max_iterations=30)
            assert np.array_equal(large.q[3:], small.q[3:])
            assert large.error == small.error * s and large.iterations == small.iterations


@every_solver
@pytest.mark.parametrize("s", [1e-3, 1e3])
def test_scale_changes_the_angles_by_rounding_only(solver: str, s: float) -> None:
    q = np.array([0.1, -0.2, 0.3, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    # Stretched toward what it cannot reach, an arm's error is flat: its angles hold half as many digits or less.
    for target, most in (((0.5, 0.6, 0.4), 1e-9), ((-0.4, 0.9, 0.3), 1e-9), ((2.0, 3.0, 1.0), 1e-4)):
        small = solve(arm7(), q, Goal("j6", TIP, target), solver, max_iterations=30)
        goal = Goal("j6", TIP * s, np.array(target) * s)
        large = solve(arm7(scale=s), q * ([s] * 3 + [1.0] * 7), goal, solver, tolerance=1e-4 * s, max_iterations=30)
        assert np.abs(large.q[3:] - small.q[3:]).max() < most
        assert large.error == pytest.approx(small.error * s, rel=1e-9, abs=1e-9 * s)


@every_solver
def test_same_input_same_bits(solver: str) -> None:
    skeleton = random_figure(5, joints=20)
    q = random_pose(skeleton, np.random.default_rng(0))
    goal = Goal(19, (0.1, 0, 0), (0.5, 0.5, 0.5), so3.exp([1.0, 0.2, 0.1]))
    first = solve(skeleton, q, goal, solver)
    for fresh in (skeleton, random_figure(5, joints=20)):
        again = solve(fresh, q, goal, solver)
        assert np.array_equal(first.q, again.q) and first.error == again.error


@every_solver
def test_scaled_figures(solver: str) -> None:
    base = arm7()
    joints = [replace(j, scale=np.array([1.2, 0.7, 1.5])) if j.name in ("j1", "j3") else j for j in base.joints]
    skeleton = Skeleton("squashed", joints)
    rng = np.random.default_rng(12)
    reached = 0
    for _ in range(10):
        q, wanted = random_pose(skeleton, rng, 0.8), random_pose(skeleton, rng, 1.2)
        q[:3] = wanted[:3] = 0.0
        target = place(skeleton, wanted, "j6")
        result = solve(skeleton, q, Goal("j6", TIP, target), solver, tolerance=1e-3)
        assert np.linalg.norm(place(skeleton, result.q, "j6") - target) == pytest.approx(result.error, abs=1e-9)
        reached += result.converged
    assert reached >= 9


@every_solver
def test_cones_hold(solver: str) -> None:
    joints = [
        Joint("root", -1),
        Joint("shoulder", 0, dofs=(hinge("x", -0.6, 0.6), hinge("z", -0.6, 0.6), hinge("y")), cone=0.6),
        Joint("elbow", 1, offset=[0, 0.5, 0], dofs=(hinge("x", 0.0, 2.4),)),
    ]
    skeleton = Skeleton("coned", joints)
    rng = np.random.default_rng(13)
    pressed = 0
    for _ in range(20):
        q = rng.uniform(-0.6, 0.6, skeleton.nq)
        result = solve(skeleton, q, Goal("elbow", (0, 0.5, 0), rng.normal(size=3)), solver)
        tilt = math.acos(math.cos(result.q[3]) * math.cos(result.q[4]))
        assert tilt <= 0.6 + 1e-9 and inside(skeleton, result.q)
        pressed += tilt > 0.59
    assert pressed >= 3


def test_a_chain_without_degrees_of_freedom_stays() -> None:
    skeleton = Skeleton("fixed", [Joint("a", -1), Joint("b", 0, offset=[0, 1, 0])])
    for solver in NAMES:
        result = solve(skeleton, np.zeros(3), Goal("b", position=(0, 1.5, 0)), solver)
        assert result.error == pytest.approx(0.5) and not result.converged and not result.q.any()


@every_solver
def test_uncompiled_kernels_serve_as_well(solver: str) -> None:
    skeleton = arm7()
    goal = Goal("j6", TIP, (0.5, 0.7, 0.4))
    q = np.full(10, 0.2)
    fast = solve(skeleton, q, goal, solver)
    with uncompiled():
        slow = solve(skeleton, q, goal, solver)
    assert slow.converged and np.abs(slow.q - fast.q).max() < 1e-6


@every_solver
def test_cones_hold_for_a_ball_after_a_hinge(solver: str) -> None:
    text = (
        'define skeleton "s"\njoint "base"\njoint "arm"\nend skeleton\n'
        'define joint "arm"\noffset 0 0.2 0\nhinge x -170 170\nball y 40\nend joint\n'
    )
    skeleton = read_scr(text)
    rng = np.random.default_rng(14)
    leaning = 0
    for _ in range(20):
        result = solve(skeleton, rng.normal(size=7), Goal("arm", (0, 1, 0), rng.normal(size=3)), solver)
        lean = math.cos(result.q[4]) * math.cos(result.q[5])
        assert lean >= math.cos(math.radians(40.0)) - 1e-9
        leaning += lean < math.cos(math.radians(39.9))
    assert leaning > 3


def test_the_roots_length_is_that_of_its_longest_child() -> None:
    joints = [Joint("root", -1, dofs=(hinge("z"),)), Joint("long", 0, offset=[0.0, 0.7, 0.0], dofs=(hinge("x"),))]
    joints += [Joint("short", 0, offset=[0.1, 0.0, 0.0], dofs=(hinge("z"),)), Joint("tip", 2, offset=[0.3, 0.0, 0.0])]
    skeleton = Skeleton("uneven", joints)
    p = problem.build(skeleton, np.zeros(skeleton.nq), (Goal("tip", position=(0, 1, 0)),), None, None)
    assert link_lengths(p) * p.size == pytest.approx([0.7, 0.3])
