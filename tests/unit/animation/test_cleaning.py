"""Cleaning of captured motion: filters that keep what is meant, spikes and dropouts found where they were put."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.animation.channels import channels_of
from core.animation.cleaning.faults import DROPOUT, SPIKE, Fault, FaultOptions, find_faults, without_faults
from core.animation.cleaning.filtering import filtered
from core.animation.cleaning.filters import FILTERS, ORDER, Butterworth, SavitzkyGolay
from core.animation.cleaning.signals import signals_of, with_signal
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array
from core.errors import SequenceError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.spatial import quaternion as quat

MAN = load_skeleton(bundled_folder() / "human.scr")
CHANNELS = channels_of(MAN)
RATE = 60.0
COMPOUND = next(n for n, there in enumerate(CHANNELS.compound) if n > 1 and there)
HINGE = next(
    n for n, columns in enumerate(CHANNELS.columns) if n and len(columns) == 1 and CHANNELS.compounds[n] is None
)


def motion(frames: int = 240) -> Array:
    """Poses that sway below 2 Hz, every value in its own way, shape (frames, nq)."""
    t, rng = np.arange(frames)[:, None] / RATE, np.random.default_rng(5)
    speed, phase = rng.uniform(0.3, 2.0, MAN.nq), rng.uniform(0.0, 6.0, MAN.nq)
    return MAN.rest_pose() + 0.1 * np.sin(2.0 * np.pi * speed * t + phase)


def recorded(poses: Array) -> Sequence:
    return Sequence(MAN, RATE, "clip", keys=[Key(frame, q) for frame, q in enumerate(poses)])


def poses_of(keys: tuple[Key, ...]) -> Array:
    return np.array([key.q for key in keys])


def farthest(a: Array, b: Array) -> float:
    X, Y = (np.asarray(forward_kinematics(MAN, q)) for q in (a, b))
    return float(np.linalg.norm(X[..., :3, 3] - Y[..., :3, 3], axis=-1).max())


# -- signals ---------------------------------------------------------------------------------------------------------


def test_signals_hold_the_whole_motion():
    poses = motion(30)
    made = MAN.rest_pose() + np.zeros_like(poses)
    for signal in signals_of(MAN, poses):
        made = with_signal(MAN, made, signal, signal.values)
    assert farthest(made, poses) < 1e-12


def test_a_rotation_goes_on_through_turns_and_signs():
    poses = np.tile(MAN.rest_pose(), (100, 1))
    poses[:, CHANNELS.columns[COMPOUND][0]] = np.linspace(0.0, 9.0, 100)
    (signal,) = signals_of(MAN, poses, frozenset([CHANNELS.names[COMPOUND]]))
    assert (np.abs(np.diff(signal.values, axis=0)) < 0.1).all()
    assert np.allclose(signal.apart(signal.values[1:], signal.values[:-1]), 9.0 / 99.0, atol=1e-12)


# -- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frequency", [0.5, 3.0, 6.0, 12.0])
def test_butterworth_damps_each_frequency_as_its_formula_says(frequency):
    cutoff, rate = 6.0, 2000.0  # at a high rate the filter of samples is the continuous one
    t = np.arange(20_000) / rate
    values = np.sin(2.0 * np.pi * frequency * t)[:, None]
    made = Butterworth(cutoff)(values, rate)
    middle = slice(5000, 15_000)
    gain = 1.0 / (1.0 + (frequency / cutoff) ** (2 * ORDER))
    assert np.abs(made[middle] - gain * values[middle]).max() < 1e-3  # in phase, too


def test_cubics_go_through_savitzky_and_golay_unchanged():
    t = np.linspace(-1.0, 2.0, 90)[:, None]
    cubic = 0.3 * t**3 - t * t + 2.0 * t - 1.0
    assert np.abs(SavitzkyGolay(0.25)(cubic, RATE) - cubic).max() < 1e-12


@pytest.mark.parametrize("filter", [Butterworth(5.0), SavitzkyGolay(0.3)])
def test_noise_goes_and_the_motion_stays(filter):
    clean = motion()
    noise = np.random.default_rng(1).normal(0.0, 0.02, clean.shape)
    made = poses_of(filtered(recorded(clean + noise), 0, len(clean) - 1, filter))
    middle = slice(20, -20)
    assert np.sqrt(np.mean((made - clean)[middle] ** 2)) < 0.6 * 0.02
    assert farthest(made, clean) < 0.6 * farthest(clean + noise, clean)


@pytest.mark.parametrize("filter", [Butterworth(4.0), SavitzkyGolay(0.4)])
def test_filters_do_not_care_which_way_the_figure_faces(filter):
    turned = quat.from_axis_angle(np.array([0.0, 0.6, 0.8]), np.array(2.0))
    rotations = quat.exp(np.random.default_rng(2).normal(0.0, 0.2, (80, 3)))
    made = filter(rotations, RATE)
    other = filter(quat.multiply(turned, rotations), RATE)
    assert np.abs(quat.normalize(quat.multiply(turned, made)) - quat.normalize(other)).max() < 1e-12


def test_a_joint_that_goes_through_gimbal_lock_is_not_thrown_about():
    columns = CHANNELS.columns[COMPOUND]
    poses = np.tile(MAN.rest_pose(), (120, 1))
    u = np.linspace(0.0, 1.0, 120)
    poses[:, columns[1]] = np.pi / 2 * np.sin(np.pi * u) * 0.999
    poses[:, columns[0]], poses[:, columns[2]] = 0.8 * u, -0.8 * u
    (before,) = signals_of(MAN, poses, frozenset([CHANNELS.names[COMPOUND]]))
    made = poses_of(filtered(recorded(poses), 0, 119, Butterworth(8.0), frozenset([CHANNELS.names[COMPOUND]])))
    (after,) = signals_of(MAN, made, frozenset([CHANNELS.names[COMPOUND]]))
    assert before.apart(before.values, after.values).max() < 0.02


def test_only_chosen_channels_change_and_a_joint_at_rest_stays_to_the_last_bit():
    poses = motion()
    poses[:, CHANNELS.columns[HINGE]] = 0.25
    name = CHANNELS.names[COMPOUND]
    keys = filtered(recorded(poses), 0, 239, Butterworth(1.0), frozenset([name]))
    changed = (poses_of(keys) != poses).any(axis=0)
    assert set(CHANNELS.of_value[changed].tolist()) == {COMPOUND}
    every = poses_of(filtered(recorded(poses), 0, 239, Butterworth(1.0)))
    assert (every[:, CHANNELS.columns[HINGE]] == 0.25).all()


def test_a_stretch_joins_what_is_before_and_after_it_without_a_jump():
    noise = np.random.default_rng(3).normal(0.0, 0.03, (240, MAN.nq))
    poses = motion() + noise
    sequence = recorded(poses)
    made = poses_of(filtered(sequence, 80, 160, Butterworth(4.0)))
    assert np.array_equal(made[:81], poses[:81]) and np.array_equal(made[160:], poses[160:])
    steps = np.abs(np.diff(made, axis=0))
    assert steps[76:90].max() < np.abs(np.diff(poses, axis=0)).max()
    assert (
        np.abs(np.diff(made[100:140], n=2, axis=0)).mean() < 0.2 * np.abs(np.diff(poses[100:140], n=2, axis=0)).mean()
    )


def test_sparse_keys_stay_where_they_are():
    poses = motion()
    sequence = Sequence(MAN, RATE, keys=[Key(frame, poses[frame]) for frame in range(0, 240, 12)])
    keys = filtered(sequence, 0, 228, Butterworth(1.0))
    assert [key.frame for key in keys] == [key.frame for key in sequence.keys]
    assert not np.array_equal(poses_of(keys), poses_of(tuple(sequence.keys)))


def test_values_stay_inside_limits():
    lo, hi = MAN.limits[:, 0], MAN.limits[:, 1]
    poses = motion()
    poses[:, 3:] = np.clip(poses[:, 3:] + np.random.default_rng(4).normal(0.0, 0.5, poses[:, 3:].shape), lo, hi)
    made = poses_of(filtered(recorded(poses), 0, 239, SavitzkyGolay(0.2)))
    outside = np.maximum(lo - made[:, 3:], made[:, 3:] - hi).max()
    assert outside < 1e-12


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "6", True])
@pytest.mark.parametrize("name", FILTERS)
def test_numbers_that_make_no_filter_are_refused(name, value):
    with pytest.raises(SequenceError, match="must be more than 0"):
        FILTERS[name](value)


@pytest.mark.parametrize(
    ("first", "last", "message"), [(3, 5, "at least 5"), (9, 2, "backwards"), (0, 2_000_000, "the most")]
)
def test_ranges_that_cannot_be_cleaned_are_refused(first, last, message):
    with pytest.raises(SequenceError, match=message):
        filtered(recorded(motion(20)), first, last, Butterworth(6.0))
    with pytest.raises(SequenceError, match="no keys"):
        find_faults(Sequence(MAN), 0, 20)


# -- faults ----------------------------------------------------------------------------------------------------------


def test_smooth_motion_has_no_faults_and_neither_have_the_walks_of_the_library():
    assert find_faults(recorded(motion()), 0, 239) == []
    paths = sorted((bundled_folder() / "library" / "Walks and runs").glob("*.seq"))[:3]
    assert paths
    for path in paths:
        sequence = load(path).sequences[0]
        assert find_faults(sequence, *sequence.range) == []


@pytest.mark.verify
@given(
    channel=st.integers(1, len(CHANNELS) - 1),
    frame=st.integers(40, 190),
    length=st.integers(1, 4),
    size=st.floats(0.5, 1.5),
)
def test_a_spike_is_found_where_it_was_put_and_filled(channel, frame, length, size):
    clean = motion()
    poses = clean.copy()
    poses[frame : frame + length, CHANNELS.columns[channel][0]] += size
    sequence = recorded(poses)
    faults = find_faults(sequence, 0, 239)
    assert [(fault.kind, fault.channel, fault.first, fault.last) for fault in faults] == [
        (SPIKE, CHANNELS.names[channel], frame, frame + length - 1)
    ]
    assert abs(faults[0].size - size) < 0.35 * size
    made = poses_of(without_faults(sequence, faults))
    own = CHANNELS.columns[channel]
    assert np.abs(made[:, own] - clean[:, own]).max() < 0.02
    rest = np.ones(len(poses), dtype=bool)
    rest[frame : frame + length] = False
    assert np.array_equal(made[rest], poses[rest])


@pytest.mark.verify
@given(channel=st.integers(1, len(CHANNELS) - 1), frame=st.integers(40, 150), length=st.integers(12, 40))
def test_a_dropout_is_found_where_it_was_put_and_filled(channel, frame, length):
    clean = motion()
    clean[:, CHANNELS.columns[channel]] += np.arange(240)[:, None] * 0.006  # it goes on while it is not seen
    poses, own = clean.copy(), CHANNELS.columns[channel]
    poses[frame : frame + length, own] = poses[frame - 1, own]
    leap = np.abs(poses[frame + length, own] - poses[frame - 1, own]).max()
    sequence = recorded(poses)
    faults = [fault for fault in find_faults(sequence, 0, 239) if fault.kind == DROPOUT]
    if leap < 0.2:  # it happens to come back to where it was last seen: nothing leaps
        return
    assert [(fault.channel, fault.first, fault.last) for fault in faults] == [
        (CHANNELS.names[channel], frame, frame + length - 1)
    ]
    name = frozenset([CHANNELS.names[channel]])
    (made,) = signals_of(MAN, poses_of(without_faults(sequence, faults)), name)
    (meant,) = signals_of(MAN, clean, name)
    steps, usual = (signal.apart(signal.values[1:], signal.values[:-1]) for signal in (made, meant))
    assert steps.max() < 2.0 * usual.max()


def test_the_same_value_at_every_key_is_a_joint_at_rest():
    poses = np.tile(MAN.rest_pose(), (100, 1))
    poses[50:] += 0.3
    assert find_faults(recorded(poses), 0, 99) == []


def test_faults_at_an_end_cannot_be_filled_and_bounds_must_be_numbers():
    sequence = recorded(motion())
    with pytest.raises(SequenceError, match="cut these frames off"):
        without_faults(sequence, [Fault(SPIKE, CHANNELS.names[1], 0, 2, 1.0)])
    with pytest.raises(SequenceError, match="angle is -1"):
        FaultOptions(angle=-1.0)
    assert without_faults(sequence, []) == tuple(sequence.keys)
