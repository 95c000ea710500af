"""Key reduction: cubics by least squares, tolerances measured as the motion plays, ranges, parts, ends and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Key
from core.animation.contacts.paths import lock_paths
from core.animation.reduction.cubics import evaluated, fitted, within
from core.animation.reduction.curve import Curve
from core.animation.reduction.measure import Measure
from core.animation.reduction.reduce import reduced
from core.animation.sequence import Sequence
from core.animation.shape import FREE, Shape
from core.errors import Cancelled, JointError, SequenceError
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton.segment import segment_tip
from tests.support.counts import is_quick


@pytest.fixture(scope="module")
def walk(skeletons_folder: Path) -> Sequence:
    """A walk with a key at every frame, as a recording has them."""
    found = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]
    found.locks.strips = ()
    return dense(found, 0, 24 if is_quick() else 32)


def dense(motion: Sequence, first: int, last: int) -> Sequence:
    made = Sequence(motion.skeleton, motion.fps)
    for frame, q in enumerate(motion.poses_at_frames(np.arange(first, last + 1, 0.5 if not is_quick() else 1.0))):
        made.set_key(frame, q)
    return made


def with_keys(motion: Sequence, keys) -> Sequence:
    made = Sequence(motion.skeleton, motion.fps, keys=keys)
    made.layers, made.locks.strips = motion.layers, motion.locks.strips
    return made


def apart(a: Sequence, b: Sequence, first: int, last: int) -> tuple[float, float]:
    """Return how far parts of two motions are apart at most, [m] and [rad], without the code that is tested."""
    s, frames = a.skeleton, np.arange(first, last + 1)
    F, G = (forward_kinematics(s, motion.base_at_frames(frames)) for motion in (a, b))
    tips = np.array([segment_tip(s, i) for i in range(len(s.joints))])
    ends = [np.einsum("mnij,nj->mni", X[..., :3, :3], tips) + X[..., :3, 3] for X in (F, G)]
    off = max(
        np.linalg.norm(F[..., :3, 3] - G[..., :3, 3], axis=-1).max(), np.linalg.norm(ends[0] - ends[1], axis=-1).max()
    )
    trace = np.einsum("mnij,mnij->mn", F[..., :3, :3], G[..., :3, :3])
    return float(off), float(np.arccos(np.clip((trace - 1.0) / 2.0, -1.0, 1.0)).max())


def test_the_fit_is_that_of_a_dense_solver() -> None:
    rng = np.random.default_rng(4)
    keys, samples = np.array([0, 3, 4, 11, 20]), np.cumsum(rng.normal(size=(21, 2)), axis=0)
    fixed, given = np.zeros(10, dtype=bool), np.zeros((10, 2))
    fixed[[0, 8]], given[[0, 8]] = True, samples[[0, 20]]
    found = fitted(samples, keys, fixed, given)
    columns = []
    for k in range(10):
        unit = np.zeros((10, 1))
        unit[k] = 1.0
        columns.append(evaluated(keys, unit[0::2], unit[1::2], 0, 20)[:, 0])
    B = np.array(columns).T
    free = np.linalg.lstsq(B[:, ~fixed], samples - B[:, fixed] @ given[fixed], rcond=None)[0]
    assert np.array_equal(found[fixed], given[fixed])
    assert B[:, ~fixed] @ found[~fixed] == pytest.approx(B[:, ~fixed] @ free, abs=1e-4)


def test_weights_of_a_fit_are_those_of_samples_that_are_there_more_often() -> None:
    rng = np.random.default_rng(5)
    keys, samples = np.array([0, 5, 12]), np.cumsum(rng.normal(size=(13, 2)), axis=0)
    fixed, given = np.zeros(6, dtype=bool), np.zeros((6, 2))
    weights = rng.uniform(0.01, 3.0, 13)
    found = fitted(samples, keys, fixed, given, weights)
    B = np.array([evaluated(keys, unit[0::2], unit[1::2], 0, 12)[:, 0] for unit in np.eye(6)[:, :, None]]).T
    root = np.sqrt(weights)[:, None]
    free = np.linalg.lstsq(root * B, root * samples, rcond=None)[0]
    assert B @ found == pytest.approx(B @ free, abs=1e-4)
    assert np.array_equal(fitted(samples, keys, fixed, given, np.ones(13)), fitted(samples, keys, fixed, given))


def test_what_is_fitted_beyond_limits_is_measured_as_it_plays(walk: Sequence) -> None:
    s, name = walk.skeleton, "right shank"
    knee = 3 + s.first_dof[s.joint_index(name)]
    lo, hi = s.limits[knee - 3]
    rng = np.random.default_rng(6)
    keys = np.array([0, 7, 15, 16, 30])
    knots = np.zeros((10, 1))
    knots[0::2, 0] = np.clip(rng.uniform(lo - 0.3, hi + 0.3, 5), lo, hi)
    knots[2, 0], knots[1::2, 0] = lo - 0.1, rng.normal(scale=0.4, size=5)  # one key lies outside
    limits = np.array([lo]), np.array([hi])
    made = within(keys, knots, limits)
    assert not np.array_equal(made, knots) and np.array_equal(within(keys, made, limits), made)
    written = []
    for frame, (value, slope) in zip(keys.tolist(), knots.reshape(5, 2), strict=True):
        q = s.rest_pose()
        q[knee] = value
        shape = Shape(FREE, turns=True, slopes_in=(float(slope),), slopes_out=(float(slope),))
        written.append(Key(frame, q, shapes={name: shape}))
    played = Sequence(s, 30, keys=written).base_at_frames(np.arange(31))[:, [knee]]
    assert evaluated(keys, made[0::2], made[1::2], 0, 30, limits) == pytest.approx(played, abs=1e-9)


def test_a_sample_that_is_off_at_a_key_asks_for_keys_on_either_side() -> None:
    samples = np.zeros((12, 1))
    samples[6:] = 1.0
    curve = Curve(samples, np.ones(1))
    curve.add((6, 7))
    assert curve.worst_around(6) in range(1, 6) and curve.worst_around(7) in range(8, 11)
    curve.refine(1e-3)
    assert curve.off.max() < 1e-3
    before = len(curve.keys)
    curve.thin(0.2)
    assert len(curve.keys) < before and curve.off.max() <= 0.2
    assert np.array_equal(curve.made[[0, -1]], samples[[0, -1]])


def test_every_part_stays_within_the_tolerance_at_every_frame(walk: Sequence) -> None:
    last, counts = walk.keys[-1].frame, {}
    for millimetres, degrees in ((10.0, 5.0), (3.0, 3.0)):
        parts: list[float] = []
        found = reduced(walk, 0, last, millimetres, degrees, progress=parts.append)
        made = with_keys(walk, found.keys)
        off, turned = apart(walk, made, 0, last)
        assert off <= millimetres / 1000.0 and turned <= np.radians(degrees)
        assert off == pytest.approx(found.off, abs=1e-9) and turned == pytest.approx(found.turned, abs=1e-6)
        counts[millimetres] = found.after
        # These are ordinary keys: some channels each, with slopes of their own.
        own = [len(key.keyed or walk.channels.all) for key in found.keys]
        assert sum(own) == found.after and all(key.shape_of(name).interp == FREE for key in found.keys
                                               for name in key.keyed or walk.channels.names)  # fmt: skip
        assert np.array_equal(made.base_at_frames([0, last]), walk.base_at_frames([0, last]))
    assert counts[10.0] < counts[3.0] < 0.6 * found.before
    assert found.before == len(walk.keys) * len(walk.channels) and parts[-1] == 1.0 and parts == sorted(parts)
    assert max(np.diff([0.0, *parts])) < 0.1, "it goes on at all times, and can be cancelled there"
    again = reduced(walk, 0, last, 3.0, 3.0)
    assert [key.q.tobytes() for key in again.keys] == [key.q.tobytes() for key in found.keys]


def test_whole_poses_have_all_channels_at_fewer_frames(walk: Sequence) -> None:
    last = walk.keys[-1].frame
    alone, found = (reduced(walk, 0, last, 5.0, 5.0, whole_poses=whole) for whole in (False, True))
    assert found.whole_poses and not alone.whole_poses
    assert all(key.keyed is None for key in found.keys) and len(found.keys) == found.frames_after
    assert found.after == len(walk.channels) * found.frames_after
    assert found.frames_after < alone.frames_after and alone.after < found.after < found.before
    off, turned = apart(walk, with_keys(walk, found.keys), 0, last)
    assert off <= 5e-3 and turned <= np.radians(5.0) and off == pytest.approx(found.off, abs=1e-9)

    first, names = 4, ("right upper arm", "right forearm")
    part = reduced(walk, first, last - 6, 5.0, 5.0, names, whole_poses=True)
    inside = [key for key in part.keys if first <= key.frame <= last - 6]
    keyed = [key.frame for key in inside if all(key.shape_of(name).interp == FREE for name in names)]
    assert part.after == 2 * part.frames_after == 2 * len(keyed)
    assert apart(walk, with_keys(walk, part.keys), first, last - 6)[0] <= 5e-3


def test_a_range_of_some_parts_changes_nothing_else(walk: Sequence) -> None:
    last = walk.keys[-1].frame
    first, end, names = 4, last - 6, ("right upper arm", "right forearm")
    found = reduced(walk, first, end, 5.0, 5.0, names)
    made = with_keys(walk, found.keys)
    assert found.channels == names and found.after < found.before == 2 * (end - first + 1)
    frames = np.arange(0, last + 1)
    before, after = walk.base_at_frames(frames), made.base_at_frames(frames)
    others = ~walk.channels.mask(frozenset(names))
    assert np.array_equal(before[:, others], after[:, others])
    outside = (frames <= first) | (frames >= end)
    assert np.array_equal(before[outside], after[outside])
    between = np.array([first - 0.5, end + 0.5])  # and the curves beyond the stretch go on as they did
    assert made.base_at_frames(between) == pytest.approx(walk.base_at_frames(between), abs=2e-3)
    assert apart(walk, made, first, end)[0] <= 5e-3


def test_feet_that_are_locked_stand_exactly(walk: Sequence) -> None:
    motion = with_keys(walk, walk.keys)
    motion.locks.strips = lock_paths(motion).strips
    assert motion.locks.strips
    found = reduced(motion, 0, motion.keys[-1].frame, 5.0, 5.0)
    made = with_keys(motion, found.keys)
    frames = np.arange(0, motion.keys[-1].frame + 1, 2)
    s = motion.skeleton
    feet = [s.joint_index(f"{side} foot") for side in ("left", "right")]
    before, after = (forward_kinematics(s, each.poses_at_frames(frames))[:, feet, :3, 3] for each in (motion, made))
    assert np.abs(before - after).max() < 1e-3  # swings, too, are keyed paths
    assert np.linalg.norm(before - after, axis=-1).min(axis=1).max() < 1e-6  # one of them stands


def test_the_measure_finds_how_far_a_value_reaches(walk: Sequence) -> None:
    s = walk.skeleton
    measure = Measure(s, walk.base_at_frames([0]))
    reach = measure.reaches(walk.base_at_frames([0]))
    assert reach[:3] == pytest.approx(1.0, abs=1e-6)
    elbow = 3 + s.first_dof[s.joint_index("right forearm")]
    F = forward_kinematics(s, walk.base_at_frames([0])[0])
    hand = s.joint_index("right hand")
    far = np.linalg.norm(
        F[hand, :3, :3] @ segment_tip(s, hand) + F[hand, :3, 3] - F[s.joint_index("right forearm"), :3, 3]
    )
    assert 0.5 * far < reach[elbow] <= far + 1e-6


def test_what_makes_no_sense_is_refused(walk: Sequence) -> None:
    last = walk.keys[-1].frame
    for arguments, words in (
        ((0, last, 0.0), "tolerance of 0 mm"), ((0, last, 3.0, float("nan")), "tolerance of nan degrees"),
        ((5, 6), "at least 5"), ((9, 2), "backwards"),
    ):  # fmt: skip
        with pytest.raises(SequenceError, match=words):
            reduced(walk, *arguments)
    with pytest.raises(JointError, match="tail"):
        reduced(walk, 0, last, channels=("tail",))
    with pytest.raises(SequenceError, match="no keys"):
        reduced(Sequence(walk.skeleton), 0, 20)

    def cancel(part: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        reduced(walk, 0, last, progress=cancel)
