"""Selected keys reshaped: exaggerated, smoothed, delayed joint by joint; by hand, what stays, and what comes back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.animation import Sequence
from core.animation.key import Key
from core.animation.reshaping import EXAGGERATE, KINDS, OVERLAP, SMOOTH, columns_of, reshaped
from core.errors import SequenceError
from core.skeleton import load_skeleton
from core.skeleton.cones import cones_of
from tests.support.layered import keyed_at_random, poses_at_random

FRAMES = [0, 6, 10, 20, 25, 40]


@pytest.fixture(scope="module")
def arm(skeletons_folder):
    return load_skeleton(skeletons_folder / "arm7.scr")


@pytest.fixture(scope="module")
def human(skeletons_folder):
    return load_skeleton(skeletons_folder / "human.scr")


def all_of(sequence, kind, amount, frames=None, names=None, stopped=None):
    """Return the poses of all keys after whole keys at some frames, or some channels of them, were reshaped."""
    parts = dict.fromkeys(sequence.keys.frames if frames is None else frames, names)
    keys = reshaped(sequence, parts, columns_of(sequence, parts), kind, amount, stopped)
    assert [key.frame for key in keys] == list(sequence.keys.frames)
    return np.array([key.q for key in keys])


def poses(sequence):
    return np.array([key.q for key in sequence.keys])


def near_rest(skeleton, seed=0):
    """Return keys near the middle of all limits, where nothing stops them."""
    return Sequence(skeleton, keys=poses_at_random(skeleton, FRAMES, seed, reach=0.3, middle=0.3))


def test_hinges_are_exaggerated_about_their_mean_and_the_root_about_its_straight_way(arm):
    sequence = near_rest(arm)
    before, after = poses(sequence), all_of(sequence, EXAGGERATE, 1.5)
    joints = before[:, 3:]
    assert np.allclose(after[:, 3:], joints.mean(axis=0) + 1.5 * (joints - joints.mean(axis=0)), atol=1e-12)
    share = (np.array(FRAMES) / 40.0)[:, None]
    straight = before[0, :3] + share * (before[-1, :3] - before[0, :3])
    assert np.allclose(after[:, :3], straight + 1.5 * (before[:, :3] - straight), atol=1e-12)
    assert np.allclose(after[[0, -1], :3], before[[0, -1], :3], atol=1e-15)
    gone = all_of(sequence, EXAGGERATE, 0.0)
    assert np.allclose(gone[:, 3:], joints.mean(axis=0), atol=1e-12)


def test_smoothing_draws_keys_toward_the_way_between_their_neighbours(arm):
    sequence = near_rest(arm)
    expected = poses(sequence)
    for _ in range(4):
        inner = expected.copy()
        for i in range(1, 5):
            share = (FRAMES[i] - FRAMES[i - 1]) / (FRAMES[i + 1] - FRAMES[i - 1])
            between = expected[i - 1] + share * (expected[i + 1] - expected[i - 1])
            inner[i] = expected[i] + 0.5 * 0.6 * (between - expected[i])
        expected = inner
    after = all_of(sequence, SMOOTH, 0.6)
    assert np.allclose(after, expected, atol=1e-12)
    assert (after[[0, -1]] == poses(sequence)[[0, -1]]).all()
    some = all_of(sequence, SMOOTH, 1.0, frames=[10])
    assert (np.delete(some, 2, axis=0) == np.delete(poses(sequence), 2, axis=0)).all()


def test_joints_lag_one_after_the_other_and_the_root_leads(arm):
    sequence = near_rest(arm)
    after = all_of(sequence, OVERLAP, 1.5)
    assert (after[:, :3] == poses(sequence)[:, :3]).all()
    depth, level = {-1: 0}, {}
    for i, joint in enumerate(arm.joints):
        has = any(d == i for d in arm.dof_joints)
        depth[i] = depth[joint.parent] + (has and joint.parent >= 0)
        level[i] = depth[i]
    for column in range(3, arm.nq):
        lag = 1.5 * level[arm.dof_joints[column - 3]]
        wanted = sequence.base_at_frames(np.array(FRAMES) - lag)[:, column]
        assert np.allclose(after[:, column], wanted, atol=1e-12)
    assert max(level.values()) >= 3


def test_a_loop_that_is_delayed_stays_a_loop(human):
    sequence = Sequence(
        human, keys=[*poses_at_random(human, [0, 8, 16, 24], 3), Key(32, poses_at_random(human, [0], 3)[0].q)]
    )
    sequence.cycles = ("repeat", "repeat")
    after = all_of(sequence, OVERLAP, 2.0)
    assert np.allclose(after[0, 3:], after[-1, 3:], atol=1e-9)
    assert np.abs(after[0] - poses(sequence)[0]).max() > 0.01


@given(seed=st.integers(0, 30), kind=st.sampled_from(sorted(set(KINDS) - {"breakdown"})))
def test_at_rest_every_bit_stays_and_limits_hold_elsewhere(human, seed, kind):
    sequence, stopped = keyed_at_random(human, FRAMES, seed), set()
    inner = FRAMES[1:-1]
    assert all_of(sequence, kind, KINDS[kind].rest, inner).tobytes() == poses(sequence).tobytes()
    after = all_of(sequence, kind, KINDS[kind].most, inner, stopped=stopped)
    before = poses(sequence)
    lo, hi = np.minimum(human.limits[:, 0], before[:, 3:]), np.maximum(human.limits[:, 1], before[:, 3:])
    assert (after[:, 3:] >= lo - 1e-12).all() and (after[:, 3:] <= hi + 1e-12).all()
    cones = cones_of(human)
    assert (cones.swing_cosines(after) >= np.minimum(cones.cosines, cones.swing_cosines(before)) - 1e-9).all()
    assert (after[[0, -1]] == before[[0, -1]]).all()


@given(seed=st.integers(0, 30), factor=st.floats(0.3, 1.0))
def test_rotations_calmed_and_exaggerated_by_the_inverse_come_back(human, seed, factor):
    sequence = near_rest(human, seed)
    before = poses(sequence)
    calm = Sequence(human)
    parts = dict.fromkeys(FRAMES)
    calm.set_keys(reshaped(sequence, parts, columns_of(sequence, parts), EXAGGERATE, factor))
    again = all_of(calm, EXAGGERATE, 1.0 / factor)
    # The mean of the calmed rotations is theirs only nearly.
    assert np.abs(again - before).max() < 0.02


def test_only_what_is_selected_changes(human):
    sequence = keyed_at_random(human, FRAMES, 5)
    arm = frozenset(name for name in sequence.channels.names if name.startswith("right ") and "hand" in name)
    assert arm
    mask = sequence.channels.mask(arm)
    for kind, amount in ((EXAGGERATE, 2.0), (SMOOTH, 1.0), (OVERLAP, 3.0)):
        after = all_of(sequence, kind, amount, FRAMES[1:5], arm)
        changed = after != poses(sequence)
        assert changed[1:5][:, mask].any() and not changed[:, ~mask].any() and not changed[[0, 5]].any()


def test_too_few_keys_are_refused_with_what_would_be_right(arm):
    sequence = near_rest(arm)
    for kind, frames, names, words in (
        (EXAGGERATE, [6], None, "select two or more"),
        (SMOOTH, [0], None, "no key at either side"),
        (OVERLAP, [6, 10], [""], "only the root is selected"),
        ("breakdown", FRAMES, None, "leave one at either side"),
        ("melt", [6], None, "there are breakdown"),
    ):
        with pytest.raises(SequenceError, match=words):
            all_of(sequence, kind, 0.7, frames, None if names is None else frozenset(names))
