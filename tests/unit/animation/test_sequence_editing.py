"""Keys in a sequence: setting, deleting, copying, inserting, stretching, sliding, and what collides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation import Clip, Key, Sequence
from core.errors import KeyCollision, PoseError, SequenceError
from core.skeleton import Dof, Joint, Skeleton


def figure() -> Skeleton:
    hinge = Dof("hinge", (1, 0, 0), -1.0, 2.0)
    slide = Dof("slide", (0, 1, 0), -np.inf, np.inf)
    return Skeleton("arm", [Joint("base", -1), Joint("elbow", 0, offset=(0, 1, 0), dofs=(hinge, slide))])


def pose(value: float) -> np.ndarray:
    return np.array([value, 2 * value, 3 * value, value / 100, value])


@pytest.fixture
def sequence() -> Sequence:
    made = Sequence(figure(), name="wave")
    for frame in (30, 0, 10, 20):
        made.set_key(frame, pose(frame))
    return made


def test_keys_are_sorted_and_read_only(sequence):
    assert sequence.keys.frames == (0, 10, 20, 30)
    with pytest.raises(ValueError, match="read-only"):
        sequence.keys[0].q[0] = 1.0
    q = pose(5)
    sequence.set_key(5, q)
    q[:] = 0
    assert np.array_equal(sequence.keys.at(5).q, pose(5))
    assert sequence.keys.at(6) is None


def test_setting_a_key_again_keeps_what_is_not_given(sequence):
    sequence.set_keys([Key(4, pose(1), "linear", True, "arm", {"mark": [1]})])
    key = sequence.set_key(4, pose(2))
    assert (key.interp, key.turns, key.part, dict(key.extra)) == ("linear", True, "arm", {"mark": [1]})
    assert np.array_equal(key.q, pose(2))
    assert sequence.set_key(4, pose(2), "spline", turns=False).interp == "spline"
    assert len(sequence.keys) == 1


@pytest.mark.parametrize("frame", [-1, 1.5, "3", None, float("nan"), float("inf"), True, 2**40])
def test_bad_frames_are_refused(sequence, frame):
    with pytest.raises(SequenceError, match="frame"):
        sequence.set_key(frame, pose(0))
    assert sequence.keys.frames == (0, 10, 20, 30)


def test_bad_poses_and_interpolations_are_refused(sequence):
    with pytest.raises(PoseError, match="shape"):
        sequence.set_key(5, [1, 2])
    with pytest.raises(PoseError, match=r"elbow\.x"):
        sequence.set_key(5, [0, 0, 0, np.nan, 0])
    with pytest.raises(SequenceError, match="valid are auto, spline, linear"):
        sequence.set_key(5, pose(0), "cubic")
    with pytest.raises(PoseError):
        sequence.set_keys([Key(0, np.zeros(4))])
    assert sequence.keys.frames == (0, 10, 20, 30)


def test_delete_takes_one_or_many_and_is_whole(sequence):
    sequence.delete(10)
    sequence.delete([0, 30])
    assert sequence.keys.frames == (20,)
    with pytest.raises(SequenceError, match="no key at frame 7, 9"):
        sequence.delete([20, 9, 7])
    assert sequence.keys.frames == (20,)


def test_copy_and_insert(sequence):
    clip = sequence.copy(10, 25)
    assert [key.frame for key in clip.keys] == [0, 10] and clip.length == 15
    sequence.insert(40, clip)
    assert sequence.keys.frames == (0, 10, 20, 30, 40, 50)
    assert np.array_equal(sequence.keys.at(50).q, pose(20))
    with pytest.raises(KeyCollision, match="frame 20"):
        sequence.insert(10 + 10, Clip.of(sequence.keys, 0, 0, sequence.skeleton))
    assert sequence.keys.frames == (0, 10, 20, 30, 40, 50)


def test_insert_can_make_room(sequence):
    sequence.insert(10, sequence.copy(0, 10), make_room=True)
    assert sequence.keys.frames == (0, 10, 20, 21, 31, 41)
    assert [key.q[0] for key in sequence.keys] == [0, 0, 10, 10, 20, 30]


def test_insert_refuses_a_clip_of_another_figure(sequence):
    with pytest.raises(PoseError):
        sequence.insert(50, Clip((Key(0, np.zeros(9)),), 0))


def test_slide(sequence):
    sequence.slide(10, 20, 5)
    assert sequence.keys.frames == (0, 15, 25, 30)
    sequence.slide(15, 25, 100)
    assert sequence.keys.frames == (0, 30, 115, 125)
    with pytest.raises(KeyCollision, match="frame 0"):
        sequence.slide(30, 30, -30)
    with pytest.raises(SequenceError, match="-5"):
        sequence.slide(0, 0, -5)
    with pytest.raises(SequenceError, match="backwards"):
        sequence.slide(5, 0, 1)
    assert sequence.keys.frames == (0, 30, 115, 125)


def test_stretch_rounds_and_names_collisions(sequence):
    sequence.stretch(10, 30, 1.25)
    assert sequence.keys.frames == (0, 10, 23, 35)
    sequence.stretch(0, 35, 0.5)
    assert sequence.keys.frames == (0, 5, 12, 18)
    with pytest.raises(KeyCollision, match="frame 0"):
        sequence.stretch(0, 18, 0.01)
    for factor in (0.0, -1.0, float("nan"), float("inf"), 1e300):
        with pytest.raises(SequenceError, match="factor"):
            sequence.stretch(0, 18, factor)
    assert sequence.keys.frames == (0, 5, 12, 18)


def test_move_swaps_and_collides(sequence):
    sequence.move({0: 10, 10: 0})
    assert [key.q[0] for key in sequence.keys] == [10, 0, 20, 30]
    with pytest.raises(KeyCollision, match="frames 20, 30"):
        sequence.move({0: 30, 10: 20})
    with pytest.raises(SequenceError, match="no key at frame 5"):
        sequence.move({5: 6})


def test_range_duration_and_rate(sequence):
    assert sequence.range == (0, 30) and sequence.duration == 1.0
    sequence.range = (10, 70)
    assert sequence.range == (10, 70) and sequence.duration == 2.0
    sequence.fps = 60
    assert sequence.duration == 1.0 and sequence.keys.frames == (0, 10, 20, 30)
    with pytest.raises(SequenceError, match="backwards"):
        sequence.set_range(5, 4)
    for fps in (0, -1, float("nan"), "30", True):
        with pytest.raises(SequenceError, match="positive number"):
            sequence.fps = fps
    assert Sequence(figure()).range == (0, 0)


def test_failed_edits_leave_the_motion_alone(sequence):
    times = np.linspace(-0.5, 1.5, 50)
    before = sequence.poses(times)
    for edit in (lambda: sequence.slide(0, 0, 10), lambda: sequence.delete(3), lambda: sequence.move({0: 20})):
        with pytest.raises((KeyCollision, SequenceError)):
            edit()
    assert np.array_equal(sequence.poses(times), before)


@pytest.mark.parametrize("by", [0.5, float("nan"), float("inf"), "1", None])
def test_slides_by_whole_frames_only(sequence, by):
    before = sequence.keys
    with pytest.raises(SequenceError, match="whole frames"):
        sequence.slide(0, 10, by)
    assert sequence.keys == before


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf"), "2", None])
def test_stretches_by_positive_numbers_only(sequence, factor):
    before = sequence.keys
    with pytest.raises(SequenceError, match="stretch factor"):
        sequence.stretch(0, 10, factor)
    assert sequence.keys == before


@pytest.mark.parametrize("frame", [None, 10.5, "10", -1])
def test_deletes_at_frames_only(sequence, frame):
    with pytest.raises(SequenceError):
        sequence.delete(frame)


def test_insert_refuses_a_clip_of_other_joints(sequence):
    clip = sequence.copy(0, 10)
    skeleton = sequence.skeleton
    renamed = [replace(joint, name=f"other {joint.name}", mirror=None) for joint in skeleton.joints]
    other = Sequence(Skeleton("other", renamed))
    with pytest.raises(PoseError, match='"other": joint'):
        other.insert(0, clip)
    assert other.keys == ()
