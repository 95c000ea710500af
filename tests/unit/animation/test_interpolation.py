"""Motion between keys, value by value: translations, slides and single hinges."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Sequence
from core.errors import SequenceError
from core.skeleton import Dof, Joint, Skeleton


def figure(lo: float = -1.0, hi: float = 1.0) -> Skeleton:
    dofs = (Dof("hinge", (1, 0, 0), lo, hi),)
    slide = (Dof("slide", (0, 1, 0), -np.inf, np.inf),)
    return Skeleton("f", [Joint("a", -1, dofs=dofs, mass=1.0), Joint("b", 0, offset=(0, 1, 0), dofs=slide)])


def curve(frames, values, interp="spline", **limits) -> Sequence:
    sequence = Sequence(figure(**limits), fps=10)
    for frame, value in zip(frames, values, strict=True):
        sequence.set_key(frame, [value, 2 * value, -value, value, value], interp)
    return sequence


def test_without_keys_the_figure_rests():
    sequence = Sequence(figure(lo=0.25))
    assert np.array_equal(sequence.pose_at(3.0), [0, 0, 0, 0.25, 0])
    assert sequence.poses([0.0, 1.0]).shape == (2, 5)
    assert sequence.poses([]).shape == (0, 5)


def test_held_before_the_first_and_after_the_last_key():
    sequence = curve([5, 10], [0.25, 0.5])
    for time, frame in ((-7.0, 5), (0.49, 5), (0.5, 5), (1.0, 10), (1.01, 10), (1e9, 10)):
        assert np.array_equal(sequence.pose_at(time), sequence.keys.at(frame).q)
    single = curve([5], [0.25])
    assert np.array_equal(single.pose_at(0.0), single.keys[0].q)
    assert np.array_equal(single.pose_at(9.0), single.keys[0].q)


@pytest.mark.parametrize("fps", [10, 24, 25, 29.97, 30, 60, 119.88, 1e-3, 1e4])
def test_exact_at_keys_for_every_frame_rate(fps):
    rng = np.random.default_rng(3)
    frames = np.sort(rng.choice(100000, 300, replace=False))
    sequence = curve(frames, rng.uniform(-1, 1, 300))
    sequence.fps = fps
    assert np.array_equal(sequence.poses(frames / fps), [key.q for key in sequence.keys])
    assert all(np.array_equal(sequence.pose_at(f / fps), sequence.keys.at(f).q) for f in frames[:50])


def test_linear_is_a_line():
    sequence = curve([0, 10, 14], [0.0, 0.8, -0.4], "linear")
    for frame in np.linspace(0, 14, 57):
        expected = np.interp(frame, [0, 10, 14], [0.0, 0.8, -0.4])
        assert np.allclose(sequence.pose_at_frame(frame), expected * np.array([1, 2, -1, 1, 1]), atol=1e-15)


def test_even_keys_give_catmull_and_roms_spline():
    p = np.array([0.1, 0.5, 0.2, 0.4])
    sequence = curve([0, 10, 20, 30], p)
    for u in np.linspace(0.01, 0.99, 11):
        basis = 0.5 * np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]])
        expected = np.array([1, u, u * u, u**3]) @ basis @ p
        assert np.isclose(sequence.pose_at_frame(10 + 10 * u)[3], expected, atol=1e-15)


def test_a_straight_motion_stays_straight_at_uneven_keys():
    frames = np.array([0, 1, 9, 30, 33])
    sequence = curve(frames, frames / 100)
    asked = np.linspace(0, 33, 200)
    assert np.allclose(sequence.poses(asked / 10)[:, 3], asked / 100, atol=1e-15)


def test_velocity_is_continuous_at_uneven_keys():
    frames, values = [0, 3, 20, 22, 50], [0.0, 0.6, -0.5, 0.3, 0.9]
    sequence = curve(frames, values)
    e = 1e-6
    for i in (1, 2, 3):
        q = [sequence.pose_at_frame(frames[i] + d) for d in (-e, 0.0, e)]
        assert np.allclose((q[1] - q[0]) / e, (q[2] - q[1]) / e, atol=1e-5)
        # The free columns have the chord's slope exactly; limits may only make a slope gentler.
        chord = (values[i + 1] - values[i - 1]) / (frames[i + 1] - frames[i - 1])
        assert np.isclose((q[2] - q[0])[4] / (2 * e), chord, atol=1e-6)


def test_a_spline_stays_within_limits_without_a_kink():
    frames, values = [0, 10, 20, 30, 40], [-1.0, 1.0, 1.0, -1.0, 0.9]
    sequence = curve(frames, values)
    dense = sequence.poses(np.linspace(0, 4, 4001))
    assert dense[:, 4].max() > 1.01, "the free column overshoots, else this test shows nothing"
    assert dense[:, 3].max() <= 1.0 and dense[:, 3].min() >= -1.0
    speed = np.diff(dense[:, 3]) / 0.01
    assert np.abs(np.diff(speed)).max() < 0.02


def test_keys_outside_the_limits_are_met_all_the_same():
    sequence = curve([0, 10, 20], [0.0, 1.7, 0.5])
    assert sequence.pose_at_frame(10)[3] == 1.7
    q = sequence.poses(np.linspace(0, 2, 500))[:, 3]
    assert q.max() <= 1.7 and np.abs(np.diff(q)).max() < 0.05


def test_the_answer_does_not_depend_on_what_was_asked_before():
    rng = np.random.default_rng(1)
    frames = np.arange(0, 200, 10)
    sequence = curve(frames, rng.uniform(-1, 1, 20))
    times = rng.uniform(0, 20, 200)
    whole = sequence.poses(times)
    other = curve(frames, [key.q[0] for key in sequence.keys])
    assert np.array_equal(whole, [other.pose_at(time) for time in times])
    assert np.array_equal(whole, sequence.poses(times))


def test_an_edit_gives_the_same_as_a_new_sequence():
    rng = np.random.default_rng(2)
    sequence = curve(np.arange(0, 200, 10), rng.uniform(-1, 1, 20))
    times = np.linspace(0, 20, 333)
    edits = (
        lambda: sequence.set_key(50, rng.uniform(-1, 1, 5)),
        lambda: sequence.set_key(55, rng.uniform(-1, 1, 5), "linear"),
        lambda: sequence.delete([0, 100]),
        lambda: sequence.slide(150, 190, 300),
        lambda: sequence.stretch(0, 60, 0.9),
    )
    for edit in edits:
        sequence.poses(times)
        edit()
        fresh = Sequence(sequence.skeleton, 10, keys=sequence.keys)
        assert np.array_equal(sequence.poses(times), fresh.poses(times))


def test_times_must_be_finite():
    with pytest.raises(SequenceError, match="finite"):
        curve([0], [0.0]).pose_at(float("nan"))


def test_returned_poses_are_the_callers_own():
    sequence = curve([0, 10], [0.0, 1.0])
    for time in (0.0, 0.5, 1.0, 5.0):
        sequence.pose_at(time)[:] = 99
        assert np.abs(sequence.pose_at(time)).max() <= 2
