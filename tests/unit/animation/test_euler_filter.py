"""The Euler filter: rotations stay, flips and needless turns go."""

from __future__ import annotations

import numpy as np

from core.animation.channels import channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.euler_filter import without_flips
from core.animation.key_parts import every_channel
from core.animation.sequence import Sequence
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "human.scr")


def flipped_sequence() -> Sequence:
    s = MAN
    joints, rng = CompoundJoints(s), np.random.default_rng(3)
    sequence, q = Sequence(s), s.rest_pose()
    for frame in range(8):
        q = q + np.concatenate((np.zeros(3), rng.uniform(-0.15, 0.15, s.nq - 3)))
        shown = q.copy()
        if frame % 2:  # the other triple of angles, and a turn
            values = joints.values(q)
            both = joints.both_angles(joints.rotations(values), values)
            away = np.abs(both - values).max(axis=-1)
            joints.put(shown, both[1] if away[1].max() > away[0].max() else both[0])
            shown[joints.columns[:, 0]] += 2.0 * np.pi
        sequence.set_key(frame, shown)
    return sequence


def test_rotations_stay_and_steps_between_keys_are_as_small_as_they_were_before_the_flips():
    sequence = flipped_sequence()
    s, joints = sequence.skeleton, CompoundJoints(sequence.skeleton)
    before = np.array([key.q for key in sequence.keys])
    assert np.abs(np.diff(joints.values(before), axis=0)).max() > 3.0
    keys = without_flips(sequence, every_channel(key.frame for key in sequence.keys))
    after = np.array([key.q for key in keys])
    assert np.abs(np.diff(joints.values(after), axis=0)).max() < 1.5
    for a, b in zip(before, after, strict=True):
        assert np.abs(np.array(forward_kinematics(s, a)) - np.array(forward_kinematics(s, b))).max() < 1e-12


def test_only_chosen_channels_change_and_turns_that_are_meant_stay():
    sequence = flipped_sequence()
    channels = channels_of(sequence.skeleton)
    compound = [name for name, there in zip(channels.names, channels.compound, strict=True) if there]
    keys = without_flips(sequence, {3: frozenset(compound[:1])})
    for old, new in zip(sequence.keys, keys, strict=True):
        changed = set(channels.of_value[old.q != new.q].tolist())
        assert changed <= ({channels.index(compound[0])} if old.frame == 3 else set())
    assert not np.array_equal(keys[3].q, sequence.keys[3].q)
    turning = Sequence(sequence.skeleton, keys=[key.changed(turns=True) for key in sequence.keys])
    again = without_flips(turning, every_channel(range(8)))
    assert all(np.array_equal(a.q, b.q) for a, b in zip(turning.keys, again, strict=True))


def test_a_second_time_changes_nothing():
    sequence = flipped_sequence()
    every = every_channel(range(8))
    once = Sequence(sequence.skeleton, keys=without_flips(sequence, every))
    assert all(a is b for a, b in zip(once.keys, without_flips(once, every), strict=True))
