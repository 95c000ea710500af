"""Knees of motion that is cleaned up: they bend to their own side, however nearly straight a recording has them."""

from __future__ import annotations

import numpy as np

from core.animation.cleaning.knees import legs_ready
from core.animation.contacts.feet import figure_feet
from core.animation.contacts.phases import FLAT, ON_HEEL, SWING, Phase, without_moments
from core.formats import load
from core.kinematics import forward_kinematics


def test_knees_that_were_straight_all_bend_forward_and_the_root_goes_along(data_folder):
    motion = load(data_folder / "bvh/z_up_zombie.bvh", up="auto", height=1.75).sequences[0]
    s, poses = motion.skeleton, motion.poses_at_frames(np.arange(330.0, 345.0))
    feet = figure_feet(s)
    frames = forward_kinematics(s, poses)
    places = [frames[:, foot.joint].copy() for foot in feet]
    for place in places:
        place[:, 1, 3] += 0.012  # as a foot that stands a little higher: from here to the hip it is less far
    made = legs_ready(s, feet, places, poses, motion.fps, 0.005)
    went = np.linalg.norm(made[:, :3] - poses[:, :3], axis=1)
    assert 0.001 < went.max() <= 0.005 + 1e-12
    after = forward_kinematics(s, made)
    for foot, place in zip(feet, places, strict=True):
        assert np.abs(after[:, foot.joint] - place).max() < 0.003
    knee = 3 + s.first_dof[s.joint_index("LeftLeg")]
    was, now = np.degrees(poses[:, knee]), np.degrees(made[:, knee])
    assert was.min() < -2.0 and was.max() > 0.5  # some of them bend back
    assert now.min() > 0.0
    assert np.abs(np.diff(now)).max() < 8.0


def test_a_heel_that_touches_for_one_frame_beside_a_swing_swings():
    phases = [Phase(FLAT, 0, 9), Phase(ON_HEEL, 10, 10), Phase(SWING, 11, 20)]
    assert without_moments(phases) == [Phase(FLAT, 0, 9), Phase(SWING, 10, 20)]
    rolls = [Phase(FLAT, 0, 9), Phase(ON_HEEL, 10, 11), Phase(SWING, 12, 20)]
    assert without_moments(rolls) == rolls
