"""Elbows and knees bend the way they bend."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from core.formats import bundled_folder
from core.ik import SOLVERS, Goal, problem, solve
from core.kernels import uncompiled
from core.kinematics import drag_chain, forward_kinematics
from core.kinematics.bends import bending_side
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from tests.support.figures import arm7, fork, hinge

NAMES = [solver.name for solver in SOLVERS]
every_solver = pytest.mark.parametrize("solver", NAMES)
both_sides = pytest.mark.parametrize("side", ["right", "left"])
LIMITS = (math.radians(-10.0), math.radians(135.0))


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def leg(sign: float = 1.0, scale: float = 1.0) -> Skeleton:
    """A leg that hangs straight down; its knee flexes to positive angles, or to negative ones if ``sign`` is -1."""
    knee = hinge(np.array([sign, 0.0, 0.0]), *sorted((sign * LIMITS[0], sign * LIMITS[1])))
    joints = [
        Joint("hips", -1, dofs=(hinge("y"),)),
        Joint("thigh", 0, offset=[0.1 * scale, 0, 0], dofs=(hinge("x", -2, 1), hinge("z", -1, 1), hinge("y", -1, 1))),
        Joint("shank", 1, offset=[0, -0.42 * scale, 0], dofs=(knee,)),
        Joint("foot", 2, offset=[0, -0.44 * scale, 0], dofs=(hinge("x", -0.6, 0.4),)),
    ]
    return Skeleton("leg", joints)


def at(s: Skeleton, q: np.ndarray, joint: int, point: np.ndarray) -> np.ndarray:
    return (forward_kinematics(s, q)[joint] @ [*point, 1.0])[:3]


def drag(
    s: Skeleton, q: np.ndarray, part: str, shift: tuple[float, float, float], steps: int, solver: str
) -> tuple[np.ndarray, float, float]:
    """Drag a part by ``shift`` [m] in equal steps; return the pose, the last error and the largest turn of a step."""
    joint = s.joint_index(part)
    point, base = end_effector(s, joint), drag_chain(s, joint, "limb").base
    start, largest, error = at(s, q, joint, point), 0.0, 0.0
    for step in range(1, steps + 1):
        goal = Goal(joint, point, start + np.array(shift) * step / steps)
        result = solve(s, q, goal, solver, base=base)
        largest = max(largest, float(np.abs(result.q - q).max()))
        q, error = result.q, result.error
    return q, error, largest


def value(s: Skeleton, q: np.ndarray, joint: str) -> float:
    """The first degree of freedom of a joint, [rad]."""
    return float(q[3 + s.first_dof[s.joint_index(joint)]])


@every_solver
@both_sides
@pytest.mark.parametrize("steps", [1, 60])
@pytest.mark.parametrize("shift", [(0.0, 0.1, 0.0), (0.0, 0.3, 0.0), (0.0, 0.35, 0.3)])
def test_a_foot_is_lifted_from_a_straight_leg(
    human: Skeleton, solver: str, side: str, steps: int, shift: tuple[float, float, float]
) -> None:
    q, error, largest = drag(human, human.rest_pose(), f"{side} foot", shift, steps, solver)
    assert error <= 1e-3
    assert value(human, q, f"{side} shank") > math.radians(45.0)
    assert steps == 1 or largest < math.radians(20.0)


@every_solver
@both_sides
@pytest.mark.parametrize("steps", [1, 60])
@pytest.mark.parametrize("shift", [(0.0, 0.35, 0.1), (0.0, 0.3, 0.3), (0.0, 0.45, 0.05)])
def test_a_hand_comes_up_from_a_hanging_arm(
    human: Skeleton, solver: str, side: str, steps: int, shift: tuple[float, float, float]
) -> None:
    q, error, largest = drag(human, human.rest_pose(), f"{side} hand", shift, steps, solver)
    assert error <= 1e-3
    assert value(human, q, f"{side} forearm") > math.radians(45.0)
    assert steps == 1 or largest < math.radians(20.0)


@every_solver
def test_a_lifted_foot_goes_back_without_overextending(human: Skeleton, solver: str) -> None:
    up, *_ = drag(human, human.rest_pose(), "left foot", (0.0, 0.2, 0.05), 30, solver)
    down, error, _ = drag(human, up, "left foot", (0.0, -0.2, -0.05), 30, solver)
    assert error <= 1e-3 and value(human, down, "left shank") >= 0.0


@every_solver
def test_an_overextended_knee_bends_the_other_way_when_the_foot_is_pulled_up(human: Skeleton, solver: str) -> None:
    q = human.rest_pose()
    q[3 + human.first_dof[human.joint_index("right shank")]] = math.radians(-10.0)
    q, error, _ = drag(human, q, "right foot", (0.0, 0.3, 0.0), 60, solver)
    assert error <= 1e-3 and value(human, q, "right shank") > math.radians(45.0)


@every_solver
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_long_side_of_the_limits_decides(solver: str, sign: float) -> None:
    s = leg(sign)
    goal = Goal("foot", (0, -0.04, 0.06), (0.1, -0.6, 0.06))
    result = solve(s, s.rest_pose(), goal, solver, base="thigh")
    assert result.error <= 1e-3 and sign * value(s, result.q, "shank") > math.radians(45.0)


@every_solver
@pytest.mark.parametrize("degrees", [0.0, -4.0])
def test_a_goal_that_is_met_moves_nothing(human: Skeleton, solver: str, degrees: float) -> None:
    q, joint = human.rest_pose(), human.joint_index("left foot")
    q[3 + human.first_dof[human.joint_index("left shank")]] = math.radians(degrees)
    point = end_effector(human, joint)
    result = solve(human, q, Goal(joint, point, at(human, q, joint, point)), solver)
    assert np.array_equal(result.q, q) and result.iterations == 0 and result.converged


@every_solver
def test_a_goal_only_an_overextended_knee_meets_is_met(solver: str) -> None:
    """With the hip held, the foot can go no other way."""
    s = leg()
    wanted = s.rest_pose()
    wanted[3 + s.first_dof[2]] = math.radians(-8.0)
    point = np.array([0.0, 0.0, 0.0])
    weights = np.ones(s.nq)
    weights[3 : 3 + s.first_dof[2]] = 0.0
    goal = Goal("foot", point, at(s, wanted, 3, point))
    result = solve(s, s.rest_pose(), goal, solver, base="thigh", weights=weights)
    assert result.error <= 1e-3
    assert value(s, result.q, "shank") == pytest.approx(math.radians(-8.0), abs=0.01)


@every_solver
def test_more_iterations_are_never_worse(human: Skeleton, solver: str) -> None:
    joint = human.joint_index("right foot")
    point = end_effector(human, joint)
    for shift in ((0.0, 0.3, 0.0), (0.0, 0.2, 0.9), (0.4, 0.02, -0.6)):
        goal = Goal(joint, point, at(human, human.rest_pose(), joint, point) + shift)
        runs = [solve(human, human.rest_pose(), goal, solver, base="right thigh", max_iterations=n) for n in range(12)]
        assert np.array_equal(runs[0].q, human.rest_pose())
        assert all(run.iterations <= n for n, run in enumerate(runs))
        assert all(more.error <= less.error + 1e-12 for less, more in pairwise(runs))


@every_solver
@pytest.mark.parametrize("power", [-10, 10])
def test_scale_changes_no_bit(solver: str, power: int) -> None:
    k = 2.0**power
    for target in ((0.1, -0.6, 0.2), (0.1, -0.88, 0.05), (0.5, -0.1, 0.9)):
        goals = [Goal("foot", np.array([0, -0.04, 0.06]) * f, np.array(target) * f) for f in (1.0, k)]
        small = solve(leg(), leg().rest_pose(), goals[0], solver, base="thigh")
        large = solve(leg(scale=k), leg().rest_pose(), goals[1], solver, base="thigh", tolerance=1e-4 * k)
        assert np.array_equal(small.q[3:], large.q[3:]) and small.iterations == large.iterations


@every_solver
def test_uncompiled_kernels_bend_as_well(solver: str) -> None:
    s, goal = leg(), Goal("foot", (0, -0.04, 0.06), (0.1, -0.7, 0.06))
    fast = solve(s, s.rest_pose(), goal, solver, base="thigh")
    with uncompiled():
        slow = solve(s, s.rest_pose(), goal, solver, base="thigh")
    assert slow.converged and np.abs(slow.q - fast.q).max() < 1e-6


def test_which_limits_are_a_bend() -> None:
    degrees = {(-10, 135): 1, (0, 150): 1, (-150, 0): -1, (-135, 10): -1, (-80, 80): 0, (-60, 180): 0, (-5, 20): 0}
    degrees |= {(20, 140): 0, (-140, -20): 0, (-35, 180): 0}
    for (lower, upper), side in degrees.items():
        assert bending_side(math.radians(lower), math.radians(upper)) == side
    assert bending_side(-math.inf, math.inf) == 0 and bending_side(0.0, math.inf) == 1


def test_which_hinges_are_bends(human: Skeleton) -> None:
    goals = tuple(Goal(name, position=(0, 0, 0)) for name in ("right toes", "left toes", "right hand", "left hand"))
    p = problem.build(human, human.rest_pose(), goals, None, None)
    bends = {human.dof_joints[p.structure.q_index[bend.node] - 3]: bend.sign for bend in p.structure.bends}
    names = ("right forearm", "left forearm", "right shank", "left shank")
    assert {human.joints[joint].name: sign for joint, sign in bends.items()} == dict.fromkeys(names, 1.0)
    # A joint at the base of the chain bends nothing, and figures without such limits are left alone.
    assert not problem.build(
        human, human.rest_pose(), goals[:1], human.joint_index("right shank"), None
    ).structure.bends
    for s, tip in ((arm7(), "j6"), (fork(), "left hand")):
        assert not problem.build(s, s.rest_pose(), (Goal(tip, position=(0, 0, 0)),), None, None).structure.bends
