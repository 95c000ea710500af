"""Followers while posing: poses, in-betweens, inverse kinematics and drags of a spine whose vertebrae share a bend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.ik import Goal, solve
from core.ik.unlocked import SOLVERS
from core.kinematics import forward_kinematics
from core.posing.drag_session import DragSession
from core.posing.pose_edit import edited_pose
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.following import followed, following_dofs, following_rates, follows_of

LAST = "vertebra 10"


@pytest.fixture(scope="module")
def spine() -> Skeleton:
    return load_skeleton(Path(__file__).parents[3] / "skeletons" / "mechanisms" / "spine.scr")


def bent(spine: Skeleton, bend: float) -> np.ndarray:
    q = spine.rest_pose()
    leaders = [k for k in range(spine.nq - 3) if k not in following_dofs(spine)]
    q[[3 + k for k in leaders]] = bend, 0.5 * bend
    return followed(spine, q)


def test_many_poses_are_followed_as_one_is(spine: Skeleton) -> None:
    rng = np.random.default_rng(3)
    poses = rng.normal(scale=0.1, size=(5, spine.nq))
    together = followed(spine, poses)
    for row, pose in zip(together, poses, strict=True):
        np.testing.assert_allclose(followed(spine, pose), row, atol=1e-15)
    assert np.abs(together - poses).max() > 0.01
    assert followed(spine, together).tobytes() == together.tobytes()


def test_rates_are_those_of_finite_differences(spine: Skeleton) -> None:
    q = bent(spine, 0.07)
    rates, step = following_rates(spine, q), 1e-6
    for k in range(spine.nq):
        if k >= 3 and k - 3 in following_dofs(spine):
            assert not rates[:, k].any()
            continue
        ends = [followed(spine, q + sign * step * np.eye(spine.nq)[k]) for sign in (1.0, -1.0)]
        np.testing.assert_allclose(rates[:, k], (ends[0] - ends[1]) / (2 * step), atol=1e-8)


def test_what_lies_between_keys_follows(spine: Skeleton) -> None:
    sequence = Sequence(spine)
    sequence.set_key(0, bent(spine, -0.1))
    sequence.set_key(10, bent(spine, 0.15))
    poses = sequence.poses_at_frames(np.arange(0.0, 10.5, 0.5))
    np.testing.assert_allclose(followed(spine, poses), poses, atol=1e-15)
    assert np.ptp(poses[:, [3 + dof for dof in following_dofs(spine)]], axis=0).min() > 0.005
    # Also of keys that say otherwise, as of files of others.
    wrong = spine.rest_pose()
    wrong[-1] += 0.1
    sequence.set_key(20, wrong)
    np.testing.assert_allclose(sequence.pose_at_frame(20), followed(spine, wrong), atol=1e-15)


def test_an_edit_of_a_leader_takes_all_along(spine: Skeleton) -> None:
    before, after = bent(spine, 0.0), bent(spine, 0.12)
    q = before.copy()
    lead = min({k for _, leaders, _ in follows_of(spine) for k in leaders} - following_dofs(spine))
    q[3 + lead] = after[3 + lead]
    np.testing.assert_array_equal(edited_pose(spine, before, q), followed(spine, q))
    assert np.abs(edited_pose(spine, before, q) - q).max() > 0.01


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_every_solver_bends_the_spine_as_one(spine: Skeleton, solver: str) -> None:
    joint = spine.joint_index(LAST)
    start = bent(spine, 0.02)
    wanted = forward_kinematics(spine, bent(spine, 0.16))[joint, :3, 3]
    result = solve(spine, start, Goal(LAST, position=wanted), solver)
    assert result.converged and result.reason == "reached"
    np.testing.assert_allclose(forward_kinematics(spine, result.q)[joint, :3, 3], wanted, atol=2e-4)
    np.testing.assert_allclose(followed(spine, result.q), result.q, atol=1e-15)
    # Beyond what the spine's bend allows it comes near, inside the limits of what leads.
    far = solve(spine, start, Goal(LAST, position=wanted + np.array([2.0, -1.0, 2.0])), solver)
    assert not far.converged and far.error < np.linalg.norm([2.0, 1.0, 2.0]) + 0.5
    np.testing.assert_allclose(followed(spine, far.q), far.q, atol=1e-15)


def test_a_drag_bends_the_spine_as_one(spine: Skeleton) -> None:
    joint = spine.joint_index(LAST)
    goal = forward_kinematics(spine, bent(spine, 0.12))[joint]
    for mode in ("part", "body"):
        drag = DragSession(spine, bent(spine, 0.0), LAST, (0.0, 0.0, 0.0), mode)
        for share in np.linspace(0.1, 1.0, 10):
            place = forward_kinematics(spine, bent(spine, 0.12 * share))[joint, :3, 3]
            q = drag.move_to(place)
            np.testing.assert_allclose(followed(spine, q), q, atol=1e-15)
        while drag.behind:
            q = drag.again()
        np.testing.assert_allclose(forward_kinematics(spine, q)[joint, :3, 3], goal[:3, 3], atol=1e-3)
