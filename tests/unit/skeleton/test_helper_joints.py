"""Frames part of the way between a joint and its parent: against rotations about one axis, and how weights follow."""

from __future__ import annotations

import numpy as np
import pytest

from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.helper_joints import PARTS, helper_chains, helper_joints, shared_out, with_helpers
from core.skeleton.skin import bind_frames, skin_frames
from core.spatial.so3 import exp
from tests.support.tubes import tube


@pytest.fixture(scope="module")
def man() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def posed(man: Skeleton, *values: float) -> np.ndarray:
    """World frames with the right shoulder turned by so much about its hinges in turn, [rad]."""
    q = np.zeros(man.nq)
    at = 3 + man.first_dof[man.joint_index("right upper arm")]
    q[at : at + len(values)] = values
    return forward_kinematics(man, q)


def test_only_what_turns_far_has_helpers(man: Skeleton) -> None:
    assert [man.joint_names[i] for i in helper_joints(man).joints] == ["right upper arm", "left upper arm"]
    assert not len(helper_joints(load_skeleton(bundled_folder() / "robot.scr")).joints), "no skin follows it"
    s = tube()
    poses = bind_frames(s)
    assert not helper_chains(s) and with_helpers(s, poses) is poses


@pytest.mark.parametrize("hinge", [0, 1])
@pytest.mark.parametrize("degrees", [-60.0, 20.0, 90.0, 179.0, 181.0])
def test_helpers_turn_in_equal_parts_about_the_joint(man: Skeleton, hinge: int, degrees: float) -> None:
    arm = man.joint_index("right upper arm")
    values = [0.0, 0.0]
    values[hinge] = np.radians(degrees)
    poses = posed(man, *values)
    made = with_helpers(man, poses)
    assert made.shape == (len(man.joints) + 2 * (PARTS - 1), 4, 4)
    assert np.array_equal(made[: len(man.joints)], poses)
    axis = man.joints[arm].dofs[hinge].axis
    chain = helper_chains(man)[0]
    for k, number in enumerate(chain.tolist()[1:-1], start=1):
        expected = posed(man)[arm, :3, :3] @ exp(axis * (values[hinge] * k / PARTS))
        assert made[number, :3, :3] == pytest.approx(expected, abs=1e-7)
        assert made[number, :3, 3] == pytest.approx(poses[arm, :3, 3], abs=1e-12)


def test_nothing_jumps_where_an_arm_is_overhead(man: Skeleton) -> None:
    """Between two poses near to each other helpers move little, also where the turn passes a half turn."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        values = np.radians(rng.uniform([60.0, 0.0, -60.0], [180.0, 30.0, 60.0]))
        near = with_helpers(man, posed(man, *(values + rng.normal(size=3) * 1e-4)))
        assert np.abs(near - with_helpers(man, posed(man, *values))).max() < 3e-3


def test_many_poses_at_once_and_the_bind_pose(man: Skeleton) -> None:
    rng = np.random.default_rng(5)
    poses = np.stack([posed(man, *rng.uniform(0.0, 2.0, 3)) for _ in range(6)]).reshape(2, 3, -1, 4, 4)
    together = with_helpers(man, poses)
    for i in range(2):
        for k in range(3):
            assert together[i, k] == pytest.approx(with_helpers(man, poses[i, k]), abs=1e-14)
    still = skin_frames(man, bind_frames(man))
    assert still == pytest.approx(np.tile(np.eye(4), (len(still), 1, 1)), abs=1e-14)


def test_weights_are_shared_out_between_two_neighbours(man: Skeleton) -> None:
    chain = helper_chains(man)[0]
    parent, arm = int(chain[0]), int(chain[-1])
    share = np.linspace(0.0, 1.0, 41)
    table = np.zeros((41, len(man.joints)))
    table[:, parent], table[:, arm] = 0.6 * (1.0 - share), 0.6 * share
    table[:, man.joint_index("chest")] = 0.4
    made = shared_out(man, table)
    assert made.sum(axis=1) == pytest.approx(1.0) and made[:, man.joint_index("chest")] == pytest.approx(0.4)
    on = made[:, chain]
    assert ((on > 1e-12).sum(axis=1) <= 2).all()
    assert on @ np.arange(PARTS + 1) / PARTS == pytest.approx(0.6 * share)
    assert made[-1, arm] == pytest.approx(0.6) and made[0, parent] == pytest.approx(0.6)
