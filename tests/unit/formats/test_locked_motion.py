"""Motion files, parts of sequences and other rates have the locks in their poses."""

import numpy as np
import pytest

from core.animation import LockStrip, Sequence, TargetKey
from core.animation.resampling import resampled
from core.constraints import Lock, bind
from core.formats import Project, bundled_folder, load, save
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

ARM = load_skeleton(bundled_folder() / "arm7.scr")
TIP = len(ARM.joints) - 1


def places(sequence, frames):
    return forward_kinematics(sequence.skeleton, sequence.poses_at_frames(frames))[:, -1, :3, 3]


@pytest.fixture
def held():
    """An arm whose tip stays where it is at its first key."""
    sequence = Sequence(ARM, 30, name="Held")
    for frame, share in ((0, 0.5), (10, 0.8), (20, 0.55)):
        q = ARM.rest_pose()
        q[3:] = share * np.array([1, 0.8, 0.6, -0.9, 0.5, 0.7, 0.3])
        sequence.set_key(frame, q)
    lock = bind(Lock(TIP, "position"), ARM, sequence.keys[0].q)
    assert np.abs(places(sequence, [5]) - lock.target).max() > 0.02
    sequence.locks.strips = [LockStrip(lock, 0, 20)]
    return sequence


@pytest.mark.parametrize("name", ["held.bvh", "held.amc"])
def test_other_programs_files_get_the_held_poses(held, tmp_path, name):
    save(Project([ARM], [held]), tmp_path / name)
    back = load(tmp_path / name).sequences[0]
    found = places(back, range(21))
    assert np.abs(found - found[0]).max() < 1e-4
    held.locks.holds = False
    save(Project([ARM], [held]), tmp_path / f"free-{name}")
    free = places(load(tmp_path / f"free-{name}").sequences[0], range(21))
    assert np.abs(free - free[0]).max() > 0.02


def test_a_part_at_twice_the_rate_keeps_its_strips_and_a_motion_taken_down_its_poses(held):
    target = held.locks.strips[0].lock.target
    twice = resampled(held, 10, 20, 60)
    assert [(strip.start, strip.end) for strip in twice.locks.strips] == [(0, 20)] and twice.keys.frames == (0, 20)
    assert np.abs(places(twice, np.linspace(0, 20, 9)) - target).max() <= 2e-9
    odd = resampled(held, 0, 20, 45.5)
    assert odd.locks.strips == () and np.abs(places(odd, odd.keys.frames) - target).max() <= 2e-9
    same = resampled(held, 0, 20)
    assert same.locks.strips == held.locks.strips
    path = tuple(TargetKey(f, target) for f in (0, 20))
    held.locks.strips = [LockStrip(held.locks.strips[0].lock, 0, None, 4, 0, targets=path)]
    assert [key.frame for key in resampled(held, 0, 10, 60).locks.strips[0].targets] == [0, 20]
    assert resampled(held, 0, 20).locks.strips[0].end is None
