"""Baking: what was simulated as keys, of the joints that forces moved only, within a tolerance at every frame."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.channels import channels_of
from core.animation.curves.timing_curves import TimingCurve
from core.animation.hybrid_strips import HybridStrip
from core.errors import SequenceError
from core.formats import bundled_folder
from core.preview.bake import bake, baked_values, places
from core.preview.sample import ContactForces, Sample
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "stickman.scr")
ARM = ("left arm", "left hand")
MINE = frozenset(channels_of(MAN).of_joints(ARM))


def keyed() -> Sequence:
    rng = np.random.default_rng(5)
    made = Sequence(MAN)
    for frame in (0, 8, 16, 24, 40):
        made.set_key(frame, MAN.rest_pose() + rng.normal(0.0, 0.05, MAN.nq), "linear" if frame == 8 else None)
    made.hybrid_strips = [HybridStrip(ARM, 4, 30), HybridStrip(("head",), 2, 6)]
    return made


def samples_of(sequence: Sequence, first: int, last: int, names=ARM, per: int = 2) -> list[Sample]:
    """Return samples as a preview makes them: some joints swing, the others are as keyed."""
    joints = [MAN.joint_index(name) for name in names] if names else range(len(MAN.joints))
    moved = np.zeros(len(MAN.joints), dtype=np.int8)
    moved[list(joints)] = 1
    columns = 3 + np.flatnonzero(moved[np.array(MAN.dof_joints)])
    made = []
    for k in range((last - first) * per + 1):
        frame = first + k / per
        q = sequence.pose_at_frame(frame)
        u = (frame - first) / (last - first)
        q[columns] += 0.12 * (u * (1.0 - u)) ** 2 * 16.0 * np.sin(0.2 * frame + columns % 3)
        zero = np.zeros(6)
        made.append(
            Sample(
                k / 60,
                frame,
                q,
                0 * q,
                (),
                (),
                (),
                0.0,
                0.0,
                zero,
                zero[:3],
                zero[:3],
                ContactForces.none(),
                0 * q[3:],
                (),
                moved,
            )
        )
    return made


def put(sequence: Sequence, baked) -> None:
    values = baked_values(sequence, baked)
    sequence.set_keys(values["keys"])
    sequence.hybrid_strips, sequence.range = values["hybrid_strips"], values["range"]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -3e9])
def test_what_makes_no_sense_is_not_baked(wrong: float) -> None:
    sequence = keyed()
    samples = samples_of(sequence, 4, 30)
    samples[20].q.setflags(write=True)
    samples[20].q[0] = wrong
    with pytest.raises(SequenceError, match="at frame 14 the simulation has run away; bake only what comes before"):
        bake(samples, sequence)
    assert bake(samples, sequence, last=13).last == 13


def test_every_frame_becomes_a_key_of_what_forces_moved_and_nothing_else_changes():
    sequence = keyed()
    before = sequence.poses_at_frames(np.arange(0, 81) / 2)
    samples = samples_of(sequence, 4, 30)
    made = bake(samples, sequence)
    assert made.channels == MINE and [key.frame for key in made.keys] == list(range(4, 31)) and made.error == 0.0
    put(sequence, made)
    poses = sequence.poses_at_frames(np.arange(0, 81) / 2)
    mine = np.zeros(MAN.nq, dtype=bool)
    mine[np.concatenate([3 + np.arange(MAN.first_dof[j], MAN.first_dof[j + 1]) for j in map(MAN.joint_index, ARM)])] = 1
    np.testing.assert_allclose(poses[:, ~mine], before[:, ~mine], atol=1e-12)
    for sample in samples[::2]:
        np.testing.assert_allclose(sequence.pose_at_frame(sample.frame), sample.q, atol=1e-9)
    for sample in samples[1::2]:  # between frames the curve goes on as it was simulated
        np.testing.assert_allclose(sequence.pose_at_frame(sample.frame), sample.q, atol=2e-3)
    np.testing.assert_allclose(poses[70:], before[70:], atol=0.02)
    assert [(strip.parts, strip.start, strip.end) for strip in sequence.hybrid_strips] == [(("head",), 2, 4)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("tolerance", [0.02, 0.004])
def test_few_keys_stay_within_the_tolerance_at_every_frame(tolerance):
    sequence = keyed()
    samples = samples_of(sequence, 4, 30, ())
    made = bake(samples, sequence, tolerance=tolerance)
    assert made.channels is None and 2 <= len(made.keys) < 27 * (0.5 if tolerance > 0.01 else 0.9)
    again = bake(samples, sequence, tolerance=tolerance)
    assert [key.q.tobytes() for key in again.keys] == [key.q.tobytes() for key in made.keys]
    put(sequence, made)
    frames = np.arange(4, 31)
    off = places(MAN, sequence.poses_at_frames(frames)) - places(MAN, np.array([s.q for s in samples[::2]]))
    far = np.sqrt((off**2).sum(-1)).max()
    assert far <= tolerance and abs(far - made.error) < 1e-12


def test_a_part_of_it_may_be_baked_and_the_range_grows():
    sequence = keyed()
    made = bake(samples_of(sequence, 20, 60), sequence, first=30, last=55)
    assert (made.first, made.last) == (30, 55)
    sequence.range = (0, 40)
    put(sequence, made)
    assert sequence.range == (0, 55) and sequence.keys.at(40).keyed is None
    assert sequence.keys.at(45).keyed == MINE


def test_what_cannot_be_baked_is_reported():
    sequence = keyed()
    samples = samples_of(sequence, 4, 30)
    for values, message in (
        ({"first": 0}, "frames 0 to 30 were not simulated; bake two frames or more out of 4 to 30"),
        ({"first": 9, "last": 9}, "frames 9 to 9 were not simulated"),
        ({"tolerance": 0.0}, "tolerance 0.0 makes no sense"),
    ):
        with pytest.raises(SequenceError, match=message):
            bake(samples, sequence, **values)
    with pytest.raises(SequenceError, match="nothing was simulated"):
        bake([], sequence)
    still = [sample for sample in samples_of(sequence, 4, 30)]
    for sample in still:
        sample.dynamic[:] = 0
    with pytest.raises(SequenceError, match="keys moved all joints at these frames"):
        bake(still, sequence)
    sequence.timing.curves = {"*": TimingCurve(((0, 0), (10, 12), (40, 40)))}
    with pytest.raises(SequenceError, match="has timing curves"):
        bake(samples, sequence)


def test_keys_beside_it_stay():
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose()), Key(12, MAN.rest_pose()), Key(40, MAN.rest_pose())])
    put(sequence, bake(samples_of(sequence, 4, 30), sequence))
    assert sequence.keys.at(12).keyed is None and sequence.keys.at(13).keyed == MINE
    assert sequence.keys.frames == (0, *range(4, 31), 40)


def test_what_has_no_end_is_used_up_by_all_that_was_simulated_and_goes_on_after_a_part_of_it():
    sequence = keyed()
    sequence.hybrid_strips = [HybridStrip(ARM, 4, None, "stumble")]
    samples = samples_of(sequence, 4, 30)
    part, whole = bake(samples, sequence, last=20), bake(samples, sequence)
    left = baked_values(sequence, part)["hybrid_strips"]
    assert [(strip.start, strip.end) for strip in left] == [(20, None)]
    assert baked_values(sequence, whole)["hybrid_strips"] == ()
