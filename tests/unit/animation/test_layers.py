"""Layers added to a motion: the kernel against plain arrays, what stays as it is, limits, and offsets themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation.key import Key
from core.animation.layers.edits import TOLERANCE, keyed, merged_down, new_layer
from core.animation.layers.layer import Layer
from core.animation.layers.offsets import offset_between, scaled_offset, turns_of, with_offset
from core.animation.sequence import Sequence
from core.animation.sorted_keys import Keys
from core.errors import SequenceError
from core.formats import load
from core.kernels import uncompiled
from core.skeleton import load_skeleton
from core.skeleton.cones import cones_of
from tests.support.layered import keyed_at_random, random_layers

FIGURES = ("human", "horse", "spider", "bird", "arm7", "joints", "formulas")
TIMES = np.linspace(-3.0, 65.0, 137)


@pytest.fixture(params=FIGURES)
def sequence(request, skeletons_folder):
    return keyed_at_random(load_skeleton(skeletons_folder / f"{request.param}.scr"), [0, 9, 20, 38, 60], 3)


def test_the_kernel_says_what_arrays_say(sequence):
    base = sequence.poses_at_frames(TIMES)
    sequence.layers = random_layers(sequence, 5, 6, seed=2, size=0.1)
    found = sequence.poses_at_frames(TIMES)
    np.testing.assert_allclose(found, sequence.layered.added_plainly(TIMES, base), atol=1e-12)
    assert np.abs(found - base).max() > 0.05
    one_by_one = np.array([sequence.pose_at_frame(frame) for frame in TIMES[:9]])
    np.testing.assert_array_equal(one_by_one, found[:9])


@pytest.mark.sampled(3)
def test_the_text_of_the_kernel_says_the_same(sequence):
    sequence.layers = random_layers(sequence, 3, 4)
    some = TIMES[::17]
    compiled = sequence.poses_at_frames(some)
    with uncompiled():
        np.testing.assert_allclose(sequence.poses_at_frames(some), compiled, atol=1e-12)


@pytest.mark.sampled(3)
def test_limits_and_cones_hold_as_far_as_the_keys_do(sequence):
    skeleton, base = sequence.skeleton, sequence.poses_at_frames(TIMES)
    sequence.layers = random_layers(sequence, 5, 6, seed=4, size=0.9)
    found = sequence.poses_at_frames(TIMES)
    assert (found[:, 3:] <= np.maximum(skeleton.limits[:, 1], base[:, 3:])).all()
    assert (found[:, 3:] >= np.minimum(skeleton.limits[:, 0], base[:, 3:])).all()
    cones = cones_of(skeleton)
    least = np.minimum(cones.cosines, cones.swing_cosines(base))
    assert (cones.swing_cosines(found) >= least - 1e-9).all()


@pytest.mark.sampled(3)
def test_nothing_added_leaves_every_bit(sequence):
    base = sequence.poses_at_frames(TIMES).tobytes()
    layers = random_layers(sequence, 3, 4)
    zero = Key(5, np.zeros(sequence.skeleton.nq))
    for none in (
        [replace(layer, muted=True) for layer in layers],
        [replace(layer, weight=0.0, weights=()) for layer in layers],
        [layer.with_keys([zero]) for layer in layers],
        [layer.with_keys([]) for layer in layers],
    ):
        sequence.layers = none
        assert sequence.poses_at_frames(TIMES).tobytes() == base


@pytest.mark.sampled(3)
def test_a_layer_with_eases_or_whole_turns_goes_the_long_way_round(sequence):
    layers = random_layers(sequence, 2, 5)
    turned = layers[0].with_keys([Key(0, np.zeros(sequence.skeleton.nq)), Key(40, np.full(sequence.skeleton.nq, 4.0))])
    base = sequence.base_at_frames(TIMES)
    sequence.layers = (turned, layers[1])
    found, plain = sequence.layered.added(TIMES, base), sequence.layered.added_plainly(TIMES, base)
    np.testing.assert_allclose(found, plain, atol=1e-12)


def test_offsets_are_undone_halved_and_carried_to_other_poses(sequence):
    skeleton, rng = sequence.skeleton, np.random.default_rng(8)
    a, b, c = rng.uniform(-0.6, 0.6, (3, 20, skeleton.nq))
    offset = offset_between(skeleton, a, b)
    np.testing.assert_allclose(with_offset(skeleton, a, offset), b, atol=1e-12)
    half = scaled_offset(skeleton, offset, 0.5)
    middle = with_offset(skeleton, a, half)
    again = with_offset(skeleton, middle, half)
    turns = turns_of(skeleton)
    for joint in range(len(turns)):
        own = turns.columns[joint]
        R = [turns.axes.taken(np.array([joint])).rotations(q[:, own][:, None]) for q in (again, b)]
        assert (np.abs((R[0] * R[1]).sum(axis=-1)) > 1.0 - 1e-12).all()
    back = with_offset(skeleton, with_offset(skeleton, c, offset), offset_between(skeleton, offset, 0.0 * offset))
    np.testing.assert_allclose(back, c, atol=1e-11)


def test_layers_are_added_under_locks_and_through_cycles(skeletons_folder):
    sequence = keyed_at_random(load_skeleton(skeletons_folder / "human.scr"), [0, 20, 40])
    sequence.layers = random_layers(sequence, 2, 4)
    inside = sequence.poses_at_frames([10.0])
    sequence.cycles = ("hold", "repeat")
    np.testing.assert_allclose(sequence.poses_at_frames([50.0]), inside, atol=1e-12)


def test_a_range_that_ends_with_the_last_key_ends_with_that_of_a_layer(sequence):
    layer = Layer("a", "A", Keys(sequence.skeleton).checked([Key(90, np.zeros(sequence.skeleton.nq))]))
    sequence.layers = [layer]
    assert sequence.range == (0, 90)
    with pytest.raises(SequenceError, match="id"):
        sequence.layers = [layer, layer]


@pytest.mark.verify
def test_merging_adds_no_key_that_the_tolerance_does_not_need(skeletons_folder):
    """An arm that a constant offset turns against its limits has corners: they need keys, but each of those."""
    sequence = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]
    skeleton = sequence.skeleton
    q = sequence.pose_at_frame(16)
    arm = skeleton.first_dof[skeleton.joint_index("right upper arm")] + 3
    wanted = q.copy()
    wanted[arm : arm + 3] += -0.9, 1.1, 0.8
    layer = keyed(new_layer(skeleton, "Layer"), 16, offset_between(skeleton, q, wanted), ["right upper arm"])
    sequence.layers = (replace(layer, weight=0.79),)
    frames = np.arange(33.0)
    before = sequence.layered.added(frames, sequence.base_at_frames(frames))
    keys, _ = merged_down(sequence, layer.id)
    more = set(keys.frames) - set(sequence.keys.frames)
    off = {}
    for frame in more:
        trial = Sequence(skeleton, loop=sequence.loop, keys=[key for key in keys if key.frame != frame])
        off[frame] = np.abs(trial.base_at_frames(frames) - before).max()
    assert 0 < len(more) < 16 and min(off.values()) > TOLERANCE
    assert np.abs(Sequence(skeleton, loop=sequence.loop, keys=keys).base_at_frames(frames) - before).max() <= TOLERANCE


def test_merging_onto_a_recording_keeps_every_frame(skeletons_folder):
    skeleton = load_skeleton(skeletons_folder / "human.scr")
    sequence = keyed_at_random(skeleton, list(range(0, 400)))
    sequence.layers = random_layers(sequence, 1, 4, size=0.1)
    frames = np.arange(400.0)
    before = sequence.poses_at_frames(frames)
    keys, layers = merged_down(sequence, sequence.layers[0].id)
    sequence.set_keys(keys)
    sequence.layers = layers
    np.testing.assert_allclose(sequence.poses_at_frames(frames), before, atol=1e-12)
    assert len(keys) <= 403


def test_keys_of_layers_go_along_where_whole_keys_go(skeletons_folder):
    """An offset stays with the pose that it was made for."""
    sequence = keyed_at_random(load_skeleton(skeletons_folder / "arm7.scr"), [0, 10, 20, 40], 3)
    (layer,) = random_layers(sequence, 1, 3)
    own = Keys(layer.skeleton, [key.moved(frame) for key, frame in zip(layer.keys, (10, 15, 40), strict=True)])
    sequence.layers = [replace(layer, keys=own, weights=((0, 0.5), (20, 1.0)))]
    before = sequence.poses_at_frames(np.arange(41.0))
    sequence.move({frame: frame + 7 for frame in (0, 10, 20, 40)})
    np.testing.assert_array_equal(sequence.poses_at_frames(np.arange(7.0, 48.0)), before)
    sequence.move({frame + 7: frame for frame in (0, 10, 20, 40)})
    sequence.move({10: 12, 20: 24})
    assert sequence.layers[0].keys.frames == (12, 18, 40) and sequence.layers[0].weights == ((0, 0.5), (24, 1.0))
    np.testing.assert_array_equal(sequence.pose_at_frame(12), before[10])
    sequence.move({24: 30}, ripple=True)
    assert sequence.layers[0].keys.frames == (12, 21, 46)
    sequence.move({12: 44})  # past others: what lay about it goes there in proportion, and keys stay in order
    frames = sequence.layers[0].keys.frames
    assert list(frames) == sorted(frames) and 44 in frames
    kept = sequence.layers[0]
    sequence.move({0: 1}, channels=["wrist"])
    assert sequence.layers[0] is kept  # a part alone takes no layer along
