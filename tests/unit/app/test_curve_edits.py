"""The curve editor without a window: rows, scales, edits of values and tangents, sketches, points of timings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.timeline.curves.edits import is_broken, moved_points, path_slopes, plain_path, set_points, with_many_slopes
from app.timeline.curves.model import KeyValues
from app.timeline.curves.paint import envelope
from app.timeline.curves.rows import groups_of_figure, groups_of_joints
from app.timeline.curves.samples import CurveSamples
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.sketch import few_points, merged, monotone_values, moved_speed
from app.timeline.curves.timing import moved_point, straight, with_point
from app.widgets.joints.joint_groups import joint_sections
from core.animation.channels import PLACE
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.errors import KeyCollision, SequenceError
from core.formats import load
from core.kinematics import forward_kinematics
from tests.support.coned import CONE, coned, inside, swings

FPS = 30.0


@pytest.fixture
def walk(skeletons_folder: Path) -> Sequence:
    return load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]


def column(sequence: Sequence, label: str) -> int:
    return 3 + sequence.skeleton.dof_labels.index(label)


def test_every_value_has_one_row_and_axes_differ_by_letter_and_dash(walk):
    rows = [row for group in groups_of_figure(walk.skeleton) for row in group.rows]
    values = [row.id for row in rows if not row.turned]
    assert sorted(values) == list(range(walk.skeleton.nq))
    assert len({(row.letter, row.token, row.dash) for row in rows}) == len({row.letter for row in rows}) == 4
    arm = groups_of_joints(walk.skeleton, [walk.skeleton.joint_index("right forearm")])
    assert [row.name for row in arm[0].rows] == ["Elbow flex", "Forearm turn"]
    assert (arm[0].rows[0].lower, arm[0].rows[0].upper) == pytest.approx((0.0, 150.0))
    root = groups_of_joints(walk.skeleton, [0])
    assert [row.name for row in root[0].rows] == ["Position x", "Position y", "Position z"]
    assert root[0].rows[0].unit == "length"


def test_a_position_is_the_one_in_the_world_as_in_the_joints_panel(walk):
    skeleton = walk.skeleton
    height = groups_of_joints(skeleton, [0])[0].rows[1]
    beside = joint_sections(skeleton)[0].entries[1]
    assert beside.label == height.name == "Position y"
    assert 100.0 * beside.origin == pytest.approx(height.origin) and height.origin > 50.0
    frames = np.array([key.frame for key in walk.keys])
    world = np.array([forward_kinematics(skeleton, key.q)[0, 1, 3] for key in walk.keys])
    assert world.min() > 0.5  # the pose itself has what lies between this and rest
    samples = CurveSamples()
    samples.show(walk, "token", float(frames[0]), float(frames[-1]), 8.0)
    shown = samples.values(height)[np.searchsorted(samples.frames, frames)]
    assert shown == pytest.approx(100.0 * world, abs=1e-9)
    assert height.stored(100.0 * world[2]) == pytest.approx(walk.keys[2].q[1])


def test_zoom_keeps_the_value_under_the_mouse_and_numbers_keep_their_distance():
    scale = ValueScale()
    scale.height = 200.0
    scale.fit(-20.0, 160.0)
    assert 0.0 < scale.y(160.0) < scale.y(-20.0) < 200.0
    before = scale.value(37.0)
    scale.zoom(3.3, 37.0)
    assert scale.value(37.0) == pytest.approx(before) and scale.y(before) == pytest.approx(37.0)
    for unit in np.geomspace(1e-5, 1e4, 40):
        scale.unit = float(unit)
        for degrees in (False, True):
            step, ticks = scale.ticks(degrees)
            assert step / scale.unit >= 25.9
            assert np.allclose(ticks / step, np.rint(ticks / step))


def test_keys_move_in_time_and_value_and_stop_at_limits(walk):
    elbow = column(walk, "Elbow flex")
    frames = np.array([4, 8])
    before = [walk.keys.at(frame).q[elbow] for frame in (4, 8)]
    parts = {4: frozenset({"right forearm"}), 8: frozenset({"right forearm"})}
    found = moved_points(walk, parts, {elbow: frames}, 1, {elbow: np.array([0.1, 0.2])})
    assert found.clamped == ()
    trial = Sequence(walk.skeleton, keys=found.values["keys"])
    assert [trial.keys.at(frame).q[elbow] for frame in (5, 9)] == pytest.approx([before[0] + 0.1, before[1] + 0.2])
    assert not trial.keys.keyed_at(4, "right forearm") and trial.keys.keyed_at(4, "head")
    assert trial.keys.channel_frames("head").tolist() == walk.keys.channel_frames("head").tolist()
    far = moved_points(walk, parts, {elbow: frames}, 0, {elbow: np.array([9.0, -9.0])})
    assert far.clamped == (elbow,)
    lower, upper = walk.skeleton.limits[elbow - 3]
    assert [key.q[elbow] for key in far.values["keys"] if key.frame in (4, 8)] == [upper, lower]
    with pytest.raises(KeyCollision):
        moved_points(walk, {4: None}, {elbow: frames[:1]}, 4, {elbow: np.zeros(1)})
    same = set_points(walk, {elbow: frames}, 0.5)
    assert [key.q[elbow] for key in same.values["keys"] if key.frame in (4, 8)] == [0.5, 0.5]


@pytest.mark.parametrize("side", ["come", "leave", "both"])
def test_a_tangent_of_one_coordinate_leaves_the_other_two_as_they_are(walk, side):
    poses = [walk.skeleton.rest_pose() for _ in range(5)]
    for pose, x, y, z in zip(poses, (0, 0, 0.3, 0.3, 0.1), (1, 1.2, 1.1, 1, 1), (0, 0.4, 0.4, 0.5, 1), strict=True):
        pose[:3] = x, y, z
    root = Sequence(walk.skeleton, fps=FPS, keys=[Key(10 * k, pose) for k, pose in enumerate(poses)])
    frames = np.linspace(0.0, 40.0, 161)
    before = root.poses_at_frames(frames)
    wanted = {"come": (0.05, None), "leave": (None, 0.05), "both": (0.05, 0.05)}[side]
    root.set_keys(with_many_slopes(root, {1: {20: wanted}}))
    after = root.poses_at_frames(frames)
    assert np.abs(after - before)[:, [0, 2]].max() < 1e-6  # x is flat from 20 on, z between 10 and 20
    assert np.abs(after - before)[:, 1].max() > 0.02
    # A second one keeps the first, and with the last one of them the channel is automatic again.
    root.set_keys(with_many_slopes(root, {0: {20: (0.01, 0.01)}}))
    both = root.poses_at_frames(frames)
    assert np.abs(both - after)[:, [1, 2]].max() < 1e-9 < 0.01 < np.abs(both - after)[:, 0].max()
    root.set_keys(with_many_slopes(root, {0: {20: (None, None)}}))
    root.set_keys(with_many_slopes(root, {1: {20: (None, None)}}))
    assert np.abs(root.poses_at_frames(frames) - before)[:, 1].max() < 1e-12


def test_a_tangent_taken_away_leaves_nothing_behind(walk):
    poses = [walk.skeleton.rest_pose() for _ in range(4)]
    for pose, x, y in zip(poses, (0, 0, 0.3, 0.3), (1, 1.2, 1.1, 1), strict=True):
        pose[:2] = x, y
    root = Sequence(walk.skeleton, fps=FPS, keys=[Key(10 * k, pose) for k, pose in enumerate(poses)])
    root.set_keys(with_many_slopes(root, {1: {10: (0.05, 0.05)}}))
    assert root.keys.at(10).shape_of(PLACE).interp == "free"
    root.set_keys(with_many_slopes(root, {1: {10: (None, None)}}))
    assert not root.keys.at(10).shapes


def test_tangents_are_what_was_asked_for_and_come_back_to_automatic(walk):
    elbow = column(walk, "Elbow flex")
    frames = np.array([4, 8, 12])
    automatic = path_slopes(plain_path(walk), frames, elbow)
    walk.set_keys(with_many_slopes(walk, {elbow: {8: (0.02, -0.03)}}))
    found = path_slopes(plain_path(walk), frames, elbow)
    assert found.come[1] == pytest.approx(0.02, abs=1e-6) and found.leave[1] == pytest.approx(-0.03, abs=1e-6)
    assert found.come[2] == pytest.approx(automatic.come[2], abs=1e-6)
    shape = walk.keys.at(8).shape_of("right forearm")
    assert shape.interp == "free" and is_broken(shape, 0) and not is_broken(shape, 1)
    assert walk.keys.at(8).shape_of("head").interp == "spline"
    walk.set_keys(with_many_slopes(walk, {elbow: {8: (None, None)}}))
    assert path_slopes(plain_path(walk), frames, elbow).leave == pytest.approx(automatic.leave, abs=1e-6)
    assert not walk.keys.at(8).shapes
    with pytest.raises(SequenceError, match="no key"):
        with_many_slopes(walk, {elbow: {5: (0.0, 0.0)}})


def test_slopes_of_the_path_leave_eases_and_timing_out(walk):
    elbow = column(walk, "Elbow flex")
    frames = np.array([4, 8, 12])
    plain = path_slopes(plain_path(walk), frames, elbow)
    walk.set_keys(key.changed(shape=key.shape.changed(ease="in and out")) for key in walk.keys)
    walk.timing.curves = {"*": TimingCurve(((0.0, 0.0), (10.0, 16.0), (32.0, 32.0)))}
    assert path_slopes(plain_path(walk), frames, elbow).leave == pytest.approx(plain.leave, abs=1e-9)


def test_samples_go_through_the_keys_and_steps_are_upright(walk):
    walk.set_keys(key.changed(interp="stepped") if key.frame == 8 else key for key in walk.keys)
    samples = CurveSamples()
    samples.show(walk, 0, -2.0, 40.0, 20.0)
    for group in groups_of_joints(walk.skeleton, [walk.skeleton.joint_index("right upper arm")]):
        for row in group.rows[:3]:
            values = samples.values(row)
            for key in walk.keys:
                at = int(np.searchsorted(samples.frames, key.frame))
                assert samples.frames[at] == key.frame
                assert values[at] == pytest.approx(key.q[row.id] * row.factor, abs=1e-9)
            held = values[(samples.frames >= 8) & (samples.frames < 12)]
            assert np.ptp(held) == 0.0
        turned = samples.values(group.rows[3])
        assert (turned >= 0.0).all() and turned[np.searchsorted(samples.frames, [4, 8, 16])] == pytest.approx(
            0, abs=1e-5
        )


def test_key_values_follow_any_edit(walk):
    kept, rng = KeyValues(), np.random.default_rng(3)
    for _ in range(30):
        kept.update(walk.keys)
        assert kept.frames.tolist() == list(walk.keys.frames)
        assert np.array_equal(kept.poses, np.array([key.q for key in walk.keys]).reshape(len(walk.keys), -1))
        frame = int(rng.integers(0, 40))
        if rng.random() < 0.4 and walk.keys.at(frame) is not None and len(walk.keys) > 2:
            walk.delete(frame)
        else:
            walk.set_key(frame, walk.skeleton.rest_pose() + 0.01 * rng.random(walk.skeleton.nq))


def test_a_line_of_many_points_looks_the_same_with_few():
    xs = np.sort(np.random.default_rng(1).random(20_000)) * 50.0
    ys = np.sin(xs) * 40.0 + np.random.default_rng(2).random(20_000)
    x, y = envelope(xs, ys)
    assert len(x) <= 4 * 51
    for pixel in range(50):
        inside, shown = ys[(xs >= pixel) & (xs < pixel + 1)], y[np.floor(x) == pixel]
        assert (shown.min(), shown.max()) == (inside.min(), inside.max())


@pytest.mark.parametrize("backward", [False, True])
def test_a_sketch_becomes_few_points_whose_curve_follows_it(backward):
    frames = np.linspace(0.0, 60.0, 180)
    line = 1.0 + 0.6 * np.sin(frames / 8.0)
    trembling = line + 0.02 * np.random.default_rng(4).standard_normal(len(line))
    drawn = list(zip(frames.tolist(), trembling.tolist(), strict=True))
    points = few_points(drawn[::-1] if backward else drawn, 0.06)
    assert 3 <= len(points) <= 12
    curve = SpeedCurve(points)
    assert np.abs(curve.speeds(frames) - line).max() < 0.2
    xs, ys = np.array(points).T
    assert monotone_values(xs, ys, frames) == pytest.approx(curve.speeds(frames), abs=1e-9)
    assert few_points([(3.0, 1.0), (3.2, 2.0)], 0.1) == ()
    assert merged(((0.0, 1.0), (20.0, 2.0), (40.0, 1.0)), ((10.0, 5.0), (30.0, 5.0))) == (
        (0.0, 1.0), (10.0, 5.0), (30.0, 5.0), (40.0, 1.0),
    )  # fmt: skip


def test_points_do_not_cross_whatever_is_dragged():
    rng = np.random.default_rng(5)
    points = straight(0.0, 32.0)
    points, _ = with_point(points, 10.0, 14.0)
    points, i = with_point(points, 20.0, 3.0)  # below its neighbour: kept at it
    assert points[i] == (20.0, 14.0)
    for _ in range(300):
        points = moved_point(points, int(rng.integers(0, len(points))), *(60.0 * rng.random(2) - 10.0))
        TimingCurve(points)  # raises if they crossed
    speeds = ((0.0, 1.0), (10.0, 2.0), (20.0, 1.0))
    for _ in range(300):
        speeds = moved_speed(speeds, int(rng.integers(0, 3)), float(60.0 * rng.random() - 10.0), float(rng.normal()))
        SpeedCurve(speeds)


def test_points_of_swings_stop_at_the_cones_rim():
    figure = coned()
    z, x = 4, 5  # of the left arm
    poses = np.tile(figure.rest_pose(), (2, 1))
    poses[:, [z, x]] = np.radians([(0.0, 30.0), (10.0, 10.0)])
    sequence = Sequence(figure, keys=[Key(10 * i, pose) for i, pose in enumerate(poses)])
    whole = {0: frozenset({"left arm"})}
    found = moved_points(sequence, whole, {z: np.array([0])}, 0, {z: np.array([1.0])})
    key = found.values["keys"][0]
    assert found.clamped == (z,) and key.q[x] == sequence.keys[0].q[x]
    assert swings(figure, key.q)[0] == pytest.approx(CONE, abs=1e-6)
    assert set_points(sequence, {z: np.array([0, 10])}, 0.2).clamped == ()
    both = moved_points(sequence, whole, {z: np.array([0]), x: np.array([0])}, 0, {z: np.array([0.6]), x: np.ones(1)})
    assert both.clamped == (z, x) and inside(figure, both.values["keys"][0].q)
