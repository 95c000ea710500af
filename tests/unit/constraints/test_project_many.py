"""Many poses at once are projected as one by one, and locks get new targets without being packed again."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from core.constraints import Lock, LockSolver, bind, solve_locks
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "human.scr")
STANDING = MAN.rest_pose()
LOCKS = [
    Lock("left foot", "pose", weight=(0.5, 1.0)),
    Lock("right hand", "position", axes=(True, False, True)),
    Lock("head", "aim", other=("right hand", (0, 0, 0))),
    Lock("right foot", "orientation", axes=(False, True, False)),
    Lock("left hand", "plane"),
    Lock("left hand", "distance", other=("head", (0, 0, 0)), weight=0.5),
]


def bent_poses(number, size=0.05):
    rng = np.random.default_rng(3)
    poses = STANDING + size * rng.normal(size=(number, MAN.nq))
    poses[:, 3:] = np.clip(poses[:, 3:], *MAN.limits.T)
    return poses


@pytest.mark.parametrize(("locks", "method"), [(LOCKS[1:5], "hold"), (LOCKS, "hold"), (LOCKS[1:2], "lagrange")])
def test_many_poses_come_out_as_one_by_one(locks, method):
    bound = [bind(lock, MAN, STANDING) for lock in locks]
    poses = bent_poses(6)
    poses[2] = solve_locks(MAN, poses[2], [replace(lock, weight=1.0) for lock in bound]).q
    solver = LockSolver(MAN, bound, method=method)
    found, left, used = solver.project_many(poses, poses, 1e-8, {})
    assert found[2].tobytes() == poses[2].tobytes() and used[2] == 0 and used[0] > 0
    for i, pose in enumerate(poses):
        one = LockSolver(MAN, bound, method=method).project(pose)
        if i != 2:
            assert found[i].tobytes() == one.q.tobytes() and used[i] == one.iterations
            assert np.array_equal(left[i], one.residuals)


def test_a_new_target_is_written_into_the_rows_that_there_are(monkeypatch):
    bound = [bind(lock, MAN, STANDING) for lock in LOCKS]
    goal, other = bent_poses(2)
    solver = LockSolver(MAN, bound)
    solver.project(other), solver.residuals(other)

    def packs(*_):
        raise AssertionError("packed again")

    targets = [bind(replace(lock, target=None), MAN, goal).target for lock in bound]
    fresh = LockSolver(MAN, [replace(lock, target=target) for lock, target in zip(bound, targets, strict=True)])
    expected = fresh.project(other)
    assert np.abs(fresh.residuals(goal).residuals).max() < 1e-12
    with monkeypatch.context() as patched:
        patched.setattr(sys.modules[LockSolver.__module__], "pack_rows", packs)
        for number, target in enumerate(targets):
            solver.set_target(number, target)
        found = solver.project(other)
    assert found.q.tobytes() == expected.q.tobytes() and np.array_equal(found.errors, expected.errors)
    solver.set_target(3, None)  # nothing is held but where the part stands: the rows are made anew
    assert solver.project(other).residuals[3] < 1e-9


def test_targets_may_differ_from_pose_to_pose():
    hand = MAN.joint_index("right hand")
    place = forward_kinematics(MAN, STANDING)[hand, :3, 3]
    targets = place + 0.02 * np.random.default_rng(1).normal(size=(5, 3))
    poses = np.tile(STANDING, (5, 1))
    solver = LockSolver(MAN, [Lock("right hand", "position", target=place)])
    found, left, _ = solver.project_many(poses, poses, 1e-9, {0: targets})
    assert np.abs(forward_kinematics(MAN, found)[:, hand, :3, 3] - targets).max() <= 1e-9 and left.max() <= 1e-9
