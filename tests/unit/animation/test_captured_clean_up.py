"""Clean-up of captured motion: feet stand to rounding, between frames too, and the root stays within 2 cm."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation.cleaning.clean import Choices, cleaned
from core.animation.contacts.phases import FLAT
from core.animation.joining.trial import slides
from core.animation.locks.giving_up import pose_steps
from core.animation.reduction.reduce import reduced
from core.formats import load
from core.kinematics import forward_kinematics

CLIPS: dict[str, dict[str, object]] = {
    "asfamc/02_03.amc": {},
    "bvh/walk01.bvh": {},
    "bvh/cmu_jumping_jacks.bvh": {},
    "bvh/cmu_12_01_walk.bvh": {"first": 1},
    "asfamc/01_01.amc": {"first": 1800, "last": 2110},
    "bvh/louise_optitrack.bvh": {"first": 400, "last": 900},
    "bvh/z_up_zombie.bvh": {"up": "auto", "height": 1.75},
}
"""A run, walks, hops, a turn on the toes between two jumps, someone who gets on a bicycle, and steps that drag."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", CLIPS)
def test_feet_of_captured_motion_stand(data_folder, name: str):
    motion = load(data_folder / name, **CLIPS[name]).sequences[0]
    last = motion.keys[-1].frame
    done = cleaned(motion, Choices(fill=(), filter=None, floor=0.0))
    made, standing, s = done.sequence, done.standing, motion.skeleton
    frames = np.arange(0.0, last + 0.5, 0.5)
    poses = made.poses_at_frames(frames)
    assert slides(made, frames, poses) < 1e-6
    before, after = motion.poses_at_frames(frames[::2]), poses[::2]
    assert np.linalg.norm(after[:, :3] - before[:, :3], axis=1).max() <= 0.02
    # The same by where joints are: each foot that stands flat does not move at all.
    X = forward_kinematics(s, poses)
    flat = held = 0
    for path in standing.paths.feet:
        for phase in path.phases:
            till = max(phase.first, phase.last - 1)  # then the lock that leads on has it, which may roll
            flat += (till - phase.first + 1) * (phase.kind == FLAT)
            strip = [each for each in standing.strips if each.covers(phase.first) and each.covers(till)]
            if phase.kind == FLAT and any(s.joint_index(each.lock.joint) == path.joint for each in strip):
                own = X[2 * phase.first : 2 * till + 1, path.joint]
                assert np.abs(own - own[0]).max() < 1e-6
                held += till - phase.first + 1
    assert flat > 0 and held >= 0.7 * flat
    # Nothing is thrown about for that: a knee that is nearly straight turns far for a centimetre, and must not flip.
    was, now = (pose_steps(s, each).turns for each in (before, after))
    assert (now - was).max() < np.radians(8.0)


@pytest.mark.verify
@pytest.mark.parametrize("name", ["bvh/cmu_12_01_walk.bvh", "asfamc/02_03.amc"])
def test_a_cleaned_recording_needs_a_key_in_ten_frames(data_folder, name: str):
    motion = load(data_folder / name, **CLIPS[name]).sequences[0]
    made = cleaned(motion).sequence
    found = reduced(made, 0, made.keys[-1].frame, 3.0)
    assert found.share <= 0.1 and found.off <= 3e-3


@pytest.mark.verify
@pytest.mark.parametrize(("name", "most"), [("bvh/cmu_12_01_walk.bvh", 0.1), ("asfamc/02_03.amc", 0.12)])
def test_few_whole_poses_do_for_a_cleaned_recording(data_folder, name: str, most: float):
    made = cleaned(load(data_folder / name).sequences[0]).sequence
    last = made.keys[-1].frame
    found = reduced(made, 0, last, 3.0, whole_poses=True)
    assert found.frames_after <= most * (last + 1) and found.off <= 3e-3
