"""Why a goal was not met."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.formats import bundled_folder
from core.ik import SOLVERS, Goal, problem, solve
from core.ik.diagnosis import reach
from core.ik.nodes_kernel import frames
from core.kinematics import drag_chain, forward_kinematics
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from tests.support.figures import arm7, chain, hinge, random_figure, random_pose, slide

NAMES = [solver.name for solver in SOLVERS]
every_solver = pytest.mark.parametrize("solver", NAMES)
FREE = (-math.inf, math.inf)


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def links(*lengths: float, limits: tuple[float, float] = FREE) -> Skeleton:
    """A planar chain that stands along y; the last length leads to the end-effector."""
    joints = [Joint("j0", -1, dofs=(hinge("z", *limits),))]
    for i, length in enumerate(lengths[:-1]):
        joints.append(Joint(f"j{i + 1}", i, offset=[0, length, 0], dofs=(hinge("z", *limits),)))
    return Skeleton("links", joints)


def test_a_goal_that_is_met_needs_no_reason() -> None:
    result = solve(arm7(), np.full(10, 0.2), Goal("j6", (0, 0.2, 0), (0.4, 0.8, 0.2)))
    assert result.converged and (result.reason, result.blocked, result.short) == ("reached", (), 0.0)


@every_solver
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_beyond_reach_is_reported_in_metres(solver: str, scale: float) -> None:
    s = links(0.5 * scale, 0.3 * scale, 0.2 * scale)
    target = np.array([0.6, 1.1, 0.0]) * scale
    result = solve(s, np.full(s.nq, 0.1) * [0, 0, 0, 1, 1, 1], Goal("j2", (0, 0.2 * scale, 0), target), solver)
    assert result.reason == "out_of_reach" and result.blocked == ()
    assert result.short == pytest.approx(np.linalg.norm(target) - scale, rel=1e-9)


@every_solver
def test_the_hole_around_a_long_segment_is_out_of_reach_too(solver: str) -> None:
    s = links(0.7, 0.2, 0.1)
    result = solve(s, [0, 0, 0, 0.1, 0.5, 0.4], Goal("j2", (0, 0.1, 0), (0.05, 0.1, 0.0)), solver)
    assert result.reason == "out_of_reach" and result.short == pytest.approx(0.4 - math.hypot(0.05, 0.1))


def span(s: Skeleton, q: np.ndarray, goal: Goal, **options: object) -> tuple[np.ndarray, float, float]:
    p = problem.build(s, q, (goal,), options.get("base"), options.get("weights"))  # type: ignore[arg-type]
    frames(p.nodes, p.aims, p.x, p.work)
    center, inner, outer = reach(p, 0)
    return center * p.size, inner * p.size, outer * p.size


def test_the_chain_reaches_out_from_the_first_joint_that_moves_its_point() -> None:
    # Two axes that meet in the shoulder: it stays where it is, however the column turns.
    center, inner, outer = span(arm7(), np.full(10, 0.3), Goal("j6", (0, 0.2, 0), (0, 0, 0)))
    assert center == pytest.approx([0.3, 0.5, 0.3]) and outer == pytest.approx(1.4 + 0.0) and inner == 0.0
    # What is held belongs to the segment before it.
    weights = np.ones(10)
    weights[[5, 6]] = 0.0
    bent = np.array([0, 0, 0, 0.2, 0.3, 0.1, 1.2, 0.3, 0.4, 0.5])
    places = forward_kinematics(arm7(), bent)[:, :3, 3]
    _, _, held = span(arm7(), bent, Goal("j6", (0, 0.2, 0), (0, 0, 0)), weights=weights)
    assert held == pytest.approx(np.linalg.norm(places[5] - places[2]) + 0.25 + 0.1 + 0.2)


def test_slides_reach_to_their_ends() -> None:
    rail = Joint("rail", -1, dofs=(slide("x", -0.4, 1.0),))
    boom = Joint("boom", 0, offset=[0, 0.5, 0], dofs=(hinge("z"), slide("y", 0.0, 0.3)))
    s = Skeleton("crane", [rail, boom])
    center, _, outer = span(s, s.rest_pose(), Goal("boom", (0, 0.2, 0), (0, 0, 0)))
    assert center == pytest.approx([0.3, 0, 0]) and outer == pytest.approx(math.hypot(0.0, 0.7) + 0.5 + 0.3 + 0.2)
    endless = Skeleton("endless", [Joint("rail", -1, dofs=(slide("x"),)), boom])
    assert span(endless, endless.rest_pose(), Goal("boom", (0, 0.2, 0), (0, 0, 0)))[2] == math.inf
    fork = span(arm7(), np.zeros(10), Goal("j6", (0, 0.2, 0), (0, 0, 0)), base=problem.WORLD)
    assert fork[2] == math.inf


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_no_pose_leaves_the_reach(seed: int, scaled: bool) -> None:
    s = random_figure(seed, joints=9, scaled=scaled)
    rng = np.random.default_rng(seed)
    goal = Goal(8, rng.normal(size=3) * 0.2, (0, 0, 0))
    q = random_pose(s, rng)
    q[:3] = 0.0
    center, inner, outer = span(s, q, goal)
    for _ in range(200):
        other = random_pose(s, rng, 3.0)
        other[:3] = 0.0
        away = np.linalg.norm((forward_kinematics(s, other)[8] @ [*goal.point, 1.0])[:3] - center)
        assert inner - 1e-9 <= away <= outer + 1e-9


@every_solver
def test_limits_are_the_reason_and_the_most_helpful_comes_first(solver: str) -> None:
    s = links(1 / 3, 1 / 3, 1 / 3, limits=(-0.3, 0.3))
    result = solve(s, s.rest_pose(), Goal("j2", (0, 1 / 3, 0), (0.8, 0.3, 0)), solver)
    assert result.reason == "limits" and sorted(result.blocked) == [0, 1, 2] and result.short == 0.0
    # Told in the order of how much nearer the point comes, for the way it goes, where each limit gives way a little.
    gains = []
    target, tip = np.array([0.8, 0.3, 0.0]), [0.0, 1 / 3, 0.0, 1.0]
    for k in result.blocked:
        turned = result.q - 1e-4 * (np.arange(s.nq) == 3 + k)
        here, there = (forward_kinematics(s, q)[2, :3] @ tip for q in (result.q, turned))
        nearer = np.linalg.norm(here - target) - np.linalg.norm(there - target)
        gains.append(nearer / np.linalg.norm(there - here))
    assert gains == sorted(gains, reverse=True) and min(gains) > 0.0


@every_solver
def test_a_limit_that_does_not_matter_is_not_named(solver: str) -> None:
    joints = [Joint("a", -1, dofs=(hinge("z", -0.5, 0.5), hinge("y", 0.0, 1.0)))]
    s = Skeleton("twist", [*joints, Joint("b", 0, offset=[0, 1, 0], dofs=(hinge("z", 0.0, 2.0),))])
    result = solve(s, s.rest_pose(), Goal("b", (0, 1, 0), (1.7, 0.2, 0)), solver)
    assert result.reason == "limits" and result.blocked[0] == 0 and 1 not in result.blocked


@every_solver
def test_a_cone_blocks_like_a_limit(solver: str) -> None:
    dofs = (hinge("x", -0.6, 0.6), hinge("z", -0.6, 0.6), hinge("y"))
    s = Skeleton("coned", [Joint("root", -1), Joint("shoulder", 0, dofs=dofs, cone=0.6)])
    target = 0.5 * np.array([2.0, 1.0, 2.0]) / 3.0
    result = solve(s, [0, 0, 0, 0.1, 0.1, 0.1], Goal("shoulder", (0, 0.5, 0), target), solver)
    assert result.reason == "limits" and set(result.blocked) <= {0, 1} and result.blocked


@pytest.mark.parametrize("solver", ["jacobian_transpose", "damped_least_squares"])
def test_a_straight_chain_says_so_if_it_may_not_be_nudged(solver: str) -> None:
    for limits in (FREE, (0.0, 2.0), (-0.5, 2.5)):
        s = links(1 / 3, 1 / 3, 1 / 3, limits=limits)
        goal = Goal("j2", (0, 1 / 3, 0), (0, 0.8, 0))
        stuck = solve(s, s.rest_pose(), goal, solver, nudge=False)
        assert stuck.reason == "straight" and not stuck.q.any() and stuck.blocked == () and stuck.short == 0.0


@every_solver
def test_goals_that_hold_each_other_are_no_straight_limb(solver: str) -> None:
    goals = [Goal("j0", (0, 1, 0), (x, 0.8, 0)) for x in (0.6, -0.6)]
    result = solve(chain(1), [0, 0, 0, 0.1], goals, solver)
    assert result.reason == "stalled" and result.blocked == ()


@every_solver
def test_too_few_iterations_are_reported(solver: str) -> None:
    q = np.full(10, 0.1)
    result = solve(arm7(), q, Goal("j6", (0, 0.2, 0), (1.0, 0.5, 0.5)), solver, max_iterations=0)
    assert result.reason == "iterations" and result.iterations == 0


@every_solver
def test_what_holds_the_human_back(human: Skeleton, solver: str) -> None:
    for part, shift, reason, name in (
        ("left hand", (0.0, 0.0, -0.45), ("limits", "out_of_reach"), "left"),
        ("right foot", (0.0, 0.1, -0.75), ("limits", "out_of_reach"), "right"),
        ("right hand", (-1.5, 0.5, 0.0), ("out_of_reach",), ""),
    ):
        joint = human.joint_index(part)
        point, base = end_effector(human, joint), drag_chain(human, joint, "limb").base
        start = (forward_kinematics(human, human.rest_pose())[joint] @ [*point, 1.0])[:3]
        result = solve(human, human.rest_pose(), Goal(joint, point, start + shift), solver, base=base)
        assert result.reason in reason and not result.converged
        assert (result.short > 0.0) == (result.reason == "out_of_reach")
        assert all(human.dof_names[k].startswith(name) for k in result.blocked)
        for k in result.blocked:
            assert np.abs(result.q[3 + k] - human.limits[k]).min() < 1e-6
        assert name == "" or result.blocked


@every_solver
def test_a_bent_chain_that_ran_out_of_steps_is_not_said_to_be_too_short(solver: str) -> None:
    s = links(0.4, 0.3, 0.3)
    goal = Goal("j2", (0, 0.3, 0), (1.003, 0.0, 0.0))
    few = solve(s, [0, 0, 0, 0.2, 0.5, 0.4], goal, solver, max_iterations=0)
    assert few.reason == "iterations" and few.short == pytest.approx(0.003, abs=1e-9)
    enough = solve(s, [0, 0, 0, 0.2, 0.5, 0.4], goal, solver)
    assert enough.reason == "out_of_reach" and enough.short == pytest.approx(0.003, abs=1e-9)
