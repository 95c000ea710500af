"""Breakdown, push and relax toward neighbouring keys."""

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.breakdown import blended, broken_down, leaned, neighbours, pushed
from core.animation.channels import channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.formats.bundled import bundled_folder
from core.skeleton import load_skeleton
from core.spatial import quaternion as quat

HUMAN = load_skeleton(bundled_folder() / "human.scr")


def poses(count, seed=0):
    """Poses well inside the limits, so that the arcs between them are too."""
    random = np.random.default_rng(seed)
    lo, hi = np.clip(HUMAN.limits[:, 0], -1.0, 1.0), np.clip(HUMAN.limits[:, 1], -1.0, 1.0)
    made = random.normal(0.0, 0.25, (count, HUMAN.nq))
    made[:, 3:] = 0.5 * (lo + hi) + 0.2 * (hi - lo) * random.uniform(-1.0, 1.0, (count, len(lo)))
    return made


def test_the_ends_are_the_keys_and_what_is_between_is_what_a_linear_span_gives():
    a, q, b = poses(3)
    linear = Sequence(HUMAN, keys=[Key(0, a, "linear"), Key(10, b, "linear")])
    sequence = Sequence(HUMAN, keys=[Key(0, a), Key(4, q), Key(10, b)])
    near = neighbours(sequence, 4)
    assert broken_down(near, q, 0.0).tobytes() == a.tobytes()
    assert broken_down(near, q, 1.0).tobytes() == b.tobytes()
    assert np.allclose(broken_down(near, q, 0.4), linear.pose_at_frame(4), atol=1e-12)
    assert np.allclose(pushed(near, q, -1.0), linear.pose_at_frame(4), atol=1e-12)
    assert pushed(near, q, 0.0).tobytes() == leaned(near, q, 0.0).tobytes() == q.tobytes()
    assert leaned(near, q, -1.0).tobytes() == a.tobytes() and leaned(near, q, 1.0).tobytes() == b.tobytes()


def test_overshoot_goes_on_along_the_same_arc():
    a, b = poses(2, 4)
    joints = CompoundJoints(HUMAN)
    for amount in (-0.25, 1.25):
        made = blended(HUMAN, a, b, amount)
        first, last = (joints.rotations(q[joints.columns]) for q in (a, b))
        arc = quat.arc(first, last)
        assert np.allclose(quat.arc(first, joints.rotations(made[joints.columns])), amount * arc, atol=1e-9)
        assert np.allclose(made[:3], a[:3] + amount * (b - a)[:3])


def test_half_of_random_arcs_leave_the_limits_but_no_breakdown_does():
    lo, hi = HUMAN.limits[:, 0], HUMAN.limits[:, 1]
    random, left = np.random.default_rng(1), 0
    for _ in range(40):
        a, b = (np.concatenate([np.zeros(3), random.uniform(np.maximum(lo, -3), np.minimum(hi, 3))]) for _ in "ab")
        near = neighbours(Sequence(HUMAN, keys=[Key(0, a), Key(10, b)]), 5)
        for amount in (-0.25, 0.5, 1.25):
            free = blended(HUMAN, a, b, amount)[3:]
            left += bool(((free < lo) | (free > hi)).any())
            made = broken_down(near, a, amount)[3:]
            assert ((made >= lo) & (made <= hi)).all()
    assert left > 20


def test_the_neighbours_of_a_part_are_its_own_keys():
    a, b, c, d = poses(4, 7)
    channels = channels_of(HUMAN)
    arm = channels.of_joints(["right forearm"])
    keys = [Key(0, a), Key(4, b, keyed=arm), Key(8, c), Key(12, d, keyed=arm)]
    near, mask = neighbours(Sequence(HUMAN, keys=keys), 6), channels.mask(arm)
    assert np.array_equal(near.before, np.where(mask, b, a)) and np.array_equal(near.after, c)
    assert near.share[mask] == pytest.approx(0.5) and near.share[~mask] == pytest.approx(0.75)
    assert set(near.frames[0][mask]) == {4} and set(near.frames[0][~mask]) == {0} and set(near.frames[1]) == {8}
    late = neighbours(Sequence(HUMAN, keys=keys), 20)
    assert np.array_equal(late.before, np.where(mask, d, c)) and np.array_equal(late.before, late.after)
    assert set(late.frames[1]) == {-1}
    only = neighbours(Sequence(HUMAN, keys=keys[1:2]), 4)
    assert not only.known.any()  # a key is not its own neighbour
    q = poses(1)[0]
    assert broken_down(only, q, 0.5).tobytes() == q.tobytes()
    assert np.array_equal(broken_down(near, q, 0.5, mask)[~mask], q[~mask])


def test_full_turns_are_broken_down_by_their_angles():
    a = HUMAN.rest_pose()
    b = a.copy()
    b[3] = 2.0 * np.pi
    near = neighbours(Sequence(HUMAN, keys=[Key(0, a), Key(10, b)]), 5)
    assert broken_down(near, a, 0.25)[3] == pytest.approx(0.5 * np.pi)


def test_neighbours_of_several_frames_are_those_of_each():
    s = HUMAN
    channels, rng = channels_of(s), np.random.default_rng(5)
    sequence = Sequence(s)
    for frame in (0, 3, 4, 9, 15):
        keyed = None if frame == 4 else frozenset(rng.choice(channels.names, 9, replace=False).tolist())
        sequence.set_keys([*sequence.keys, Key(frame, s.rest_pose() + rng.normal(0.0, 0.3, s.nq), keyed=keyed)])
    frames = np.arange(-2, 19)
    several = neighbours(sequence, frames)
    for i, frame in enumerate(frames.tolist()):
        one = neighbours(sequence, frame)
        assert np.array_equal(several.frames[:, i], one.frames)
        for name in ("before", "after", "share", "known", "turns", "arcs"):
            assert np.array_equal(getattr(several, name)[i], getattr(one, name))
        keys = [key for key in sequence.keys if key.frame < frame and key.keys(channels.names[0])]
        assert one.frames[0, channels.columns[0][0]] == (keys[-1].frame if keys else -1)
    assert neighbours(sequence, frames[:0]).before.shape == (0, s.nq)
