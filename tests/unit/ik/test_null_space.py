"""What a second criterion does to a solve: it falls, and nothing else gets worse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import GoalError
from core.ik import SOLVERS, Goal, find_solver, problem, solve
from core.ik.criteria import CRITERIA, Posture, make_criterion
from core.kinematics import forward_kinematics, manipulability
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.clamp import clamp_pose
from core.skeleton.segment import segment_capsule
from core.spatial import so3
from tests.support.figures import arm7, fork, hinge, random_pose

TIP = np.array([0.0, 0.2, 0.0])
NAMES = [kind.name for kind in CRITERIA]
TAKERS = [solver.name for solver in SOLVERS if solver.secondary]
both_solvers = pytest.mark.parametrize("solver", ["pseudoinverse", "damped_least_squares"])
every_criterion = pytest.mark.parametrize("name", NAMES)


def hand(s: Skeleton, q: np.ndarray) -> np.ndarray:
    return (forward_kinematics(s, q)[s.joint_index("j6")] @ [*TIP, 1.0])[:3]


def secondary_for(name: str, s: Skeleton, q: np.ndarray, plain: np.ndarray) -> object:
    if name == "pose":
        return (name, q)
    if name == "obstacles":
        elbow = forward_kinematics(s, plain)[4, :3, 3]
        return (name, [(elbow + np.array([0.02, 0.03, 0.01]), 0.08)])
    return name


def value(s: Skeleton, q: np.ndarray, goals: tuple[Goal, ...], secondary: object) -> tuple[float, np.ndarray]:
    p = problem.build(s, q, goals, None, None)
    return make_criterion(s, secondary).evaluate(
        Posture(s, q, p.structure.q_index, goals, p.structure.top, p.size)
    )  # fmt: skip


@both_solvers
@every_criterion
@pytest.mark.parametrize("limit", [np.pi, 1.5])
def test_the_criterion_falls_and_the_goal_holds(solver: str, name: str, limit: float) -> None:
    s = arm7(limit=limit)
    rng = np.random.default_rng(3)
    better = 0
    for _ in range(12):
        q, wanted = random_pose(s, rng, 1.0), random_pose(s, rng, 2.0)
        q[:3] = wanted[:3] = 0.0
        goal = Goal("j6", TIP, hand(s, wanted))
        plain = solve(s, q, goal, solver)
        secondary = secondary_for(name, s, q, plain.q)
        result = solve(s, q, goal, solver, secondary=secondary)
        before, after = (value(s, pose, (goal,), secondary)[0] for pose in (plain.q, result.q))
        assert after <= before
        better += after < 0.97 * before if before > 0.0 else after < before - 0.03
        assert result.converged >= plain.converged and result.error <= max(1e-4, plain.error)
        assert np.linalg.norm(hand(s, result.q) - goal.position) == pytest.approx(result.error, abs=1e-12)
        assert (np.abs(result.q[3:]) <= limit).all() and not result.q[:3].any()
        assert result.errors.shape == (result.iterations + 1,) and (np.diff(result.errors) <= 0.0).all()
    assert better >= 7


@both_solvers
@pytest.mark.parametrize("name", ["range", "pose", "manipulability"])
def test_it_goes_on_until_nothing_is_left_to_gain(solver: str, name: str) -> None:
    """At the end the gradient has no part left that keeps the goal and the limits."""
    s = arm7()
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    goal = Goal("j6", TIP, (0.4, 0.7, 0.4))
    secondary = secondary_for(name, s, q, q)
    start = value(s, solve(s, q, goal, solver).q, (goal,), secondary)[1]
    result = solve(s, q, goal, solver, secondary=secondary)
    from core.kinematics import point_jacobian

    def left(gradient: np.ndarray, pose: np.ndarray) -> float:
        J = point_jacobian(s, pose, "j6", TIP)[:3, 3:]
        return float(np.linalg.norm(gradient - np.linalg.pinv(J) @ (J @ gradient)))

    assert result.iterations < 300
    end = left(value(s, result.q, (goal,), secondary)[1], result.q)
    assert end < 2e-2 * max(left(start, solve(s, q, goal, solver).q), 0.1)


@both_solvers
def test_an_elbow_keeps_away_from_a_sphere(solver: str) -> None:
    s = arm7()
    q = np.array([0, 0, 0, 0.3, 0.9, 0.0, 1.2, 0.0, 0.3, 0.0])
    goal = Goal("j6", TIP, hand(s, q) + np.array([0.05, 0.05, 0.0]))
    plain = solve(s, q, goal, solver)

    def gap(pose: np.ndarray) -> float:
        X = forward_kinematics(s, pose)
        gaps = []
        for j in range(1, 8):
            capsule = segment_capsule(s, j)
            a, b = ((X[j] @ [*point, 1.0])[:3] for point in (capsule.start, capsule.end))
            points = a + np.linspace(0.0, 1.0, 200)[:, None] * (b - a)
            gaps.append(np.linalg.norm(points - center, axis=1).min() - capsule.radius - radius)
        return float(min(gaps))

    center, radius = forward_kinematics(s, plain.q)[4, :3, 3] + [0.03, 0.02, 0.05], 0.1
    assert gap(plain.q) < -0.05
    result = solve(s, q, goal, solver, secondary=("obstacles", [(center, radius)]))
    assert result.converged and gap(result.q) > 0.0


@both_solvers
def test_manipulability_rises(solver: str) -> None:
    s = arm7()
    q = np.array([0, 0, 0, 0.3, 1.6, 0.0, 0.1, 0.0, 0.1, 0.0])
    goal = Goal("j6", TIP, hand(s, np.array([0, 0, 0, 0.5, 1.0, 0.2, 1.4, 0.0, 0.2, 0.0])))
    plain = solve(s, q, goal, solver)
    result = solve(s, q, goal, solver, secondary="manipulability")
    assert result.converged
    assert manipulability(s, result.q, "j6", TIP) > 1.02 * manipulability(s, plain.q, "j6", TIP)


@both_solvers
@every_criterion
@pytest.mark.parametrize("power", [-10, 10])
def test_scale_changes_no_bit_of_the_angles(solver: str, name: str, power: int) -> None:
    by = 2.0**power
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    target = np.array([0.4, 0.7, 0.4])
    sphere = (np.array([0.3, 0.5, 0.1]), 0.2)
    results = []
    for scale in (1.0, by):
        data = {"pose": ("pose", q), "obstacles": ("obstacles", [(sphere[0] * scale, sphere[1] * scale)])}
        results.append(
            solve(arm7(scale=scale), q, Goal("j6", TIP * scale, target * scale), solver, tolerance=1e-4 * scale,
                  secondary=data.get(name, name))
        )  # fmt: skip
    assert np.array_equal(results[0].q[3:], results[1].q[3:]) and results[0].iterations == results[1].iterations


@both_solvers
@every_criterion
def test_same_input_same_bits(solver: str, name: str) -> None:
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    goal = Goal("j6", TIP, (0.4, 0.7, 0.4), so3.exp([0.1, 0.2, 0.3]), weight=0.5)
    results = [solve(s, q, goal, solver, secondary=secondary_for(name, s, q, q)) for s in (arm7(), arm7())]
    assert np.array_equal(results[0].q, results[1].q) and results[0].iterations == results[1].iterations


@both_solvers
@every_criterion
def test_a_goal_out_of_reach_is_not_given_up(solver: str, name: str) -> None:
    s = arm7(limit=2.0)
    q = np.full(10, 0.3) * ([0] * 3 + [1] * 7)
    goal = Goal("j6", TIP, (1.0, 2.0, 0.5))
    plain = solve(s, q, goal, solver)
    result = solve(s, q, goal, solver, secondary=secondary_for(name, s, q, plain.q))
    assert result.error <= plain.error and not result.converged
    assert (np.abs(result.q[3:]) <= 2.0).all()


@both_solvers
def test_two_goals_cones_and_the_root_free(solver: str) -> None:
    s = fork()
    q = random_pose(s, np.random.default_rng(1), 0.4)
    goals = [Goal(f"{side} hand", (0.1, 0, 0), (0.5 * sign, 0.6, 0.2)) for side, sign in (("left", 1), ("right", -1))]
    for name in ("range", "manipulability"):
        for base in (None, "world"):
            plain = solve(s, q, goals, solver, base=base)
            result = solve(s, q, goals, solver, base=base, secondary=name)
            assert result.converged >= plain.converged
            assert (result.q[3:] >= s.limits[:, 0]).all() and (result.q[3:] <= s.limits[:, 1]).all()
    joints = [
        Joint("root", -1),
        Joint("shoulder", 0, dofs=(hinge("x", -0.6, 0.6), hinge("z", -0.6, 0.6), hinge("y", -2, 2)), cone=0.6),
        Joint("elbow", 1, offset=[0, 0.5, 0], dofs=(hinge("x", 0.0, 2.4), hinge("y", -1, 1))),
    ]
    coned = Skeleton("coned", joints)
    for seed in range(6):
        target = np.random.default_rng(seed).normal(size=3) * 0.5
        result = solve(
            coned, np.zeros(8), Goal("elbow", (0, 0.5, 0), target), solver, secondary=("pose", np.full(8, 0.9))
        )
        assert np.cos(result.q[3]) * np.cos(result.q[4]) >= np.cos(0.6) - 1e-9
        assert np.abs(clamp_pose(coned, result.q) - result.q).max() < 1e-9


@both_solvers
def test_what_may_not_move_does_not(solver: str) -> None:
    s = arm7()
    weights = np.ones(10)
    weights[[4, 7]] = 0.0
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    result = solve(s, q, Goal("j6", TIP, (0.4, 0.7, 0.4)), solver, weights=weights, secondary="range")
    assert result.converged and np.array_equal(result.q[[4, 7]], q[[4, 7]])
    joints = [replace(joint, weight=0.0) for joint in s.joints]
    still = solve(Skeleton("still", joints), q, Goal("j6", TIP, (0.4, 0.7, 0.4)), solver, secondary="range")
    assert np.array_equal(still.q, q)


@pytest.mark.sampled(1)
@both_solvers
def test_a_bundled_human_keeps_its_elbow_on_its_side(solver: str) -> None:
    from core.formats.bundled import bundled_folder
    from core.skeleton.segment import end_effector

    s = load_skeleton(bundled_folder() / "human.scr")
    joint = s.joint_index("right hand")
    q = s.rest_pose()
    place = (forward_kinematics(s, q)[joint] @ [*end_effector(s, joint), 1.0])[:3]
    goal = Goal(joint, end_effector(s, joint), place + np.array([0.1, 0.3, 0.2]))
    for secondary in ("range", ("pose", q), "manipulability", ("obstacles", [(place, 0.05)])):
        result = solve(s, q, goal, solver, secondary=secondary)
        assert result.converged
        assert (result.q[3:] >= s.limits[:, 0]).all() and (result.q[3:] <= s.limits[:, 1]).all()


def test_iterations_are_counted_and_limited() -> None:
    s = arm7()
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    goal = Goal("j6", TIP, (0.4, 0.7, 0.4))
    before = np.inf
    for most in (0, 1, 3, 8, 12, 20, 60):
        result = solve(s, q, goal, "pseudoinverse", secondary="range", max_iterations=most)
        assert result.iterations <= most and len(result.errors) == result.iterations + 1
        if result.converged:
            now = value(s, result.q, (goal,), "range")[0]
            assert now <= before
            before = now


def test_solvers_without_room_refuse_and_name_those_with() -> None:
    assert TAKERS == ["pseudoinverse", "damped_least_squares"]
    for solver in SOLVERS:
        if not solver.secondary:
            with pytest.raises(GoalError, match='"pseudoinverse" and "damped_least_squares"'):
                solve(arm7(), np.zeros(10), Goal("j6", TIP, (0.4, 0.7, 0.4)), solver.name, secondary="range")
    assert find_solver("pseudoinverse").secondary


class Broken:
    def __init__(self, answer: object):
        self.answer = answer

    def evaluate(self, posture: Posture) -> object:
        return self.answer


@pytest.mark.parametrize("answer", [(0.0, np.zeros(2)), (np.nan, np.zeros(7)), (0.0, np.full(7, np.inf))])
def test_a_criterion_that_answers_nonsense_is_named(answer: object) -> None:
    with pytest.raises(GoalError, match="Broken"):
        solve(arm7(), np.zeros(10), Goal("j6", TIP, (0.4, 0.7, 0.4)), "pseudoinverse", secondary=Broken(answer))
