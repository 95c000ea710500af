"""How far joints may turn while a hand moves a part."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.ik import SOLVERS, Goal, solve
from core.kinematics import forward_kinematics
from core.posing.pacing import PER_CENTIMETRE, allowed_turns, joint_turns, pace_bounds, paced, straight_limbs
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3
from tests.support.figures import bent


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def test_turns_are_those_of_rotations_and_of_hinges(human: Skeleton) -> None:
    generator = np.random.default_rng(5)
    before = bent(human)
    for size in (1e-9, 1e-6, 1e-3, 0.3, 1.0):
        after = before.copy()
        after[3:] = np.clip(before[3:] + size * generator.normal(size=human.n_dofs), *human.limits.T)
        turns = joint_turns(human, before, after)
        X, Y = forward_kinematics(human, before), forward_kinematics(human, after)
        for k, joint in enumerate(human.joints):
            a, b = X[k, :3, :3], Y[k, :3, :3]
            if joint.parent >= 0:
                a, b = X[joint.parent, :3, :3].T @ a, Y[joint.parent, :3, :3].T @ b
            own = slice(3 + human.first_dof[k], 3 + human.first_dof[k + 1])
            expected = max(float(so3.angle_between(a, b)), np.abs(after[own] - before[own]).max(initial=0.0))
            assert turns[k] == pytest.approx(expected, rel=1e-6, abs=1e-14)


def test_a_straight_leg_may_bend_as_geometry_has_it(human: Skeleton) -> None:
    q, length_moved = human.rest_pose(), 0.002
    knee, elbow = human.joint_index("left shank"), human.joint_index("left forearm")
    found = {limb.hinge: (bend, length) for limb, bend, length in straight_limbs(human, q)}
    assert knee in found and elbow in found
    allowed = allowed_turns(human, q, length_moved)
    bend, length = found[knee]
    needed = 2.0 * math.acos(math.cos(bend / 2.0) - length_moved / (2.0 * length)) - bend
    assert math.degrees(needed) > 6.0 and allowed[knee] >= needed
    assert allowed[human.joint_index("left thigh")] == allowed[knee]
    assert allowed[human.joint_index("head")] == pytest.approx(PER_CENTIMETRE * 0.2)
    q[3 + human.first_dof[knee]] = math.radians(60.0)
    assert allowed_turns(human, q, length_moved)[knee] == pytest.approx(PER_CENTIMETRE * 0.2)


def test_the_pose_goes_as_far_as_it_may_and_no_further(human: Skeleton) -> None:
    generator = np.random.default_rng(8)
    for _ in range(20):
        before = bent(human)
        after = before.copy()
        after[3:] = np.clip(before[3:] + generator.normal(size=human.n_dofs), *human.limits.T)
        allowed = allowed_turns(human, before, 0.01)
        pose, short = paced(human, before, after, allowed)
        part = joint_turns(human, before, pose) / allowed
        assert short and 0.3 < part.max() <= 1.0
    near = before + 1e-4
    assert paced(human, before, near, allowed) == (near, False)
    assert np.array_equal(paced(human, before, after, allowed, lambda q: None)[0], before)


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_a_solver_keeps_to_bounds_and_still_comes_nearer(human: Skeleton, solver: str) -> None:
    q, hand = bent(human), human.joint_index("left hand")
    place = forward_kinematics(human, q)[hand, :3, 3]
    goal = Goal(hand, position=place + np.array([0.1, 0.15, 0.1]))
    lower, upper = pace_bounds(human, q, allowed_turns(human, q, 0.01))
    result = solve(human, q, goal, solver, base="left upper arm", bounds=(lower, upper))
    assert (result.q >= lower - 1e-12).all() and (result.q <= upper + 1e-12).all()
    assert (joint_turns(human, q, result.q) <= allowed_turns(human, q, 0.01) * math.sqrt(2.0)).all()
    free = solve(human, q, goal, solver, base="left upper arm")
    assert free.error < result.error < np.linalg.norm(goal.position - place) - 0.005
