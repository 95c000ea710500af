"""Parts of sequences, and other rates: the motion stays the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.resampling import MOST_KEYS, resampled
from core.errors import SequenceError
from tests.support.figures import fork, random_pose
from tests.support.layered import random_layers


@pytest.fixture
def sequence() -> Sequence:
    made = Sequence(fork(), fps=30, name="Jump", menu="Mine", loop=True)
    rng = np.random.default_rng(3)
    for frame, interp in ((0, "spline"), (6, "linear"), (12, "spline"), (30, "spline"), (45, "linear")):
        made.set_key(frame, random_pose(made.skeleton, rng, 0.6), interp)
    return made


def same_motion(a: Sequence, b: Sequence, shift: float = 0.0, within: float = 1e-9) -> None:
    times = np.linspace(0, b.keys[-1].frame / b.fps, 60)
    assert b.poses(times) == pytest.approx(a.poses(times + shift), abs=within)


def test_the_whole_at_the_same_rate_is_the_same(sequence: Sequence) -> None:
    made = resampled(sequence, 0, 45)
    assert made.keys == sequence.keys and made is not sequence
    assert (made.name, made.menu, made.fps, made.range, made.loop) == ("Jump", "Mine", 30, (0, 45), True)
    same_motion(sequence, made)


@pytest.mark.parametrize(
    ("fps", "frames"), [(60, (0, 12, 24, 60, 90)), (10, (0, 2, 4, 10, 15)), (20, (0, 4, 8, 20, 30))]
)
def test_keys_that_fall_on_frames_stay_keys(sequence: Sequence, fps: float, frames: tuple[int, ...]) -> None:
    made = resampled(sequence, 0, 45, fps)
    assert made.keys.frames == frames and [key.interp for key in made.keys] == [key.interp for key in sequence.keys]
    same_motion(sequence, made)


def test_keys_that_fall_between_frames_are_taken_down_pose_by_pose(sequence: Sequence) -> None:
    made = resampled(sequence, 0, 45, 24)
    assert made.keys.frames == tuple(range(37))
    times = np.arange(37) / 24
    assert made.poses(times) == pytest.approx(sequence.poses(times), abs=1e-12)
    same_motion(sequence, made, within=0.03)


def test_a_recording_is_thinned(sequence: Sequence) -> None:
    dense = resampled(sequence, 0, 45, 117)
    assert len(dense.keys) == 176
    thin = resampled(dense, 0, 175, 39)
    assert thin.keys.frames == tuple(range(59)) and [key.q.tolist() for key in thin.keys] == [
        key.q.tolist() for key in dense.keys[::3]
    ]


def test_a_stretch_between_keys_gets_keys_at_its_ends(sequence: Sequence) -> None:
    made = resampled(sequence, 6, 12)
    assert made.keys.frames == (0, 6)
    made = resampled(sequence, 8, 40)
    assert made.keys.frames == (0, 4, 22, 32) and made.keys[0].interp == "linear"
    for frame in (0, 4, 22, 32):
        assert made.pose_at_frame(frame) == pytest.approx(sequence.pose_at_frame(frame + 8), abs=1e-12)
    same_motion(sequence, made, shift=8 / 30, within=0.35)  # the spline next to the new keys runs a little differently
    times = np.linspace(0, 4 / 30, 20)
    off = np.abs(made.poses(times) - sequence.poses(times + 8 / 30)).max(axis=0)
    joints = CompoundJoints(sequence.skeleton, pairs=True)
    pairs = np.isin(np.arange(len(off)), joints.columns[len(joints) - joints.pairs :])
    assert off[~pairs].max() < 1e-9  # a straight piece stays so
    assert off.max() < 2e-3  # but for what a joint with two axes leaves out of its arc: a part has an arc of its own


def test_the_range_goes_along(sequence: Sequence) -> None:
    sequence.set_range(10, 40)
    assert resampled(sequence, 0, 45, 60).range == (20, 80)
    assert resampled(sequence, 20, 30).range == (0, 10)
    assert resampled(sequence, 5, 45).range == (5, 35)


def test_beyond_the_last_key_there_is_nothing_new(sequence: Sequence) -> None:
    sequence.set_range(0, 60)
    made = resampled(sequence, 0, 60)
    assert made.keys == sequence.keys and made.range == (0, 60)


def test_what_makes_no_sense_is_refused(sequence: Sequence) -> None:
    for first, last, fps in ((5, 4, None), (-1, 4, None), (0, 4, 0.0), (0, 4, np.nan), (0.5, 4, None)):
        with pytest.raises(SequenceError):
            resampled(sequence, first, last, fps)
    sequence.set_key(2**31 - 1, sequence.keys[0].q)
    with pytest.raises(SequenceError, match=str(MOST_KEYS)):
        resampled(sequence, 0, 2**31 - 1, 7.3)
    with pytest.raises(SequenceError, match="end at frame"):
        resampled(sequence, 0, 2**31 - 1, 60)


def test_layers_go_along_at_other_rates_and_in_parts(sequence: Sequence) -> None:
    """What they add stays with the motion: as layers where their keys fall on frames, else in the keys."""
    (layer,) = random_layers(sequence, 1, 3)
    own = [key.moved(frame) for key, frame in zip(layer.keys, (6, 18, 45), strict=True)]
    layer = replace(layer, keys=layer.keys.checked(own), weights=((0, 0.5), (30, 1.0)))
    sequence.layers = [layer]
    plain = sequence.base_at_frames(np.arange(46.0))
    assert np.abs(sequence.poses_at_frames(np.arange(46.0)) - plain).max() > 0.01
    for fps in (30, 60, 10):
        made = resampled(sequence, 0, 45, fps)
        assert made.layers[0].keys.frames == tuple(frame * fps // 30 for frame in (6, 18, 45))
        same_motion(sequence, made)
    baked = resampled(sequence, 0, 45, 24)
    assert not baked.layers
    times = np.arange(37) / 24
    assert baked.poses(times) == pytest.approx(sequence.poses(times), abs=1e-12)
    part = resampled(sequence, 12, 30)
    assert part.layers[0].keys.frames == (0, 6, 18) and part.layers[0].weights[0][0] == 0
    for frame in (0, 6, 18):
        offset = sequence.layered.offset_of(layer, frame + 12)
        assert part.layered.offset_of(part.layers[0], frame) == pytest.approx(offset, abs=1e-12)
    ends = np.array([0.0, 18.0])
    assert part.poses_at_frames(ends) == pytest.approx(sequence.poses_at_frames(ends + 12.0), abs=1e-9)
