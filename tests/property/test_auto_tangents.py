"""Automatic tangents: values stay between those of the two keys, smoothly, and are Catmull-Rom's where those do so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import Key, Sequence, Shape
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.samples import channel_slopes
from core.formats import load, save
from core.formats.project import Project
from core.skeleton import Dof, Joint, Skeleton
from core.spatial import quaternion as quat
from tests.support.counts import examples

FREE = (-np.inf, np.inf)
SETTINGS = {"deadline": None, "derandomize": True}
GAPS = st.integers(1, 40)
# Repeated values as often as others: equal neighbours are what this is about.
VALUES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, -1.0]), st.floats(-3.0, 3.0).map(lambda x: round(x, 6)))


def figure(limits: tuple[float, float] = FREE) -> Skeleton:
    ball = tuple(Dof("hinge", axis, *FREE) for axis in np.eye(3))
    knee, rod = (Dof("hinge", (1, 0, 0), *limits),), (Dof("slide", (0, 1, 0), *FREE),)
    parts = [Joint("ball", 0, offset=(0, 1, 0), dofs=ball), Joint("knee", 1, dofs=knee), Joint("rod", 1, dofs=rod)]
    return Skeleton("f", [Joint("root", -1, mass=1.0), *parts])


KNEE, ROD, COLUMNS = 6, 7, (0, 1, 2, 6, 7)


def keyed(gaps: list[int], rows: list[list[float]], interp: str | None = None, **shape: float) -> Sequence:
    s = figure()
    q = np.zeros((len(rows), s.nq))
    q[:, COLUMNS] = rows
    how = {} if interp is None else {"shape": Shape(interp, **shape)}
    frames = np.cumsum([0, *gaps])
    return Sequence(s, keys=[Key(int(frame), pose, **how) for frame, pose in zip(frames, q, strict=False)])


MOTIONS = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(GAPS, min_size=n - 1, max_size=n - 1),
        st.lists(st.lists(VALUES, min_size=5, max_size=5), min_size=n, max_size=n),
    )
)


@pytest.mark.verify
@settings(max_examples=examples(150), **SETTINGS)
@given(MOTIONS)
def test_values_stay_between_those_of_the_two_keys(motion):
    s = keyed(*motion)
    assert {key.interp for key in s.keys} == {"auto"}, "new keys have automatic tangents"
    for a, b in zip(s.keys, s.keys[1:], strict=False):
        q = s.poses_at_frames(np.linspace(a.frame, b.frame, 61))
        assert (q >= np.minimum(a.q, b.q)).all() and (q <= np.maximum(a.q, b.q)).all()
        still = a.q == b.q
        assert (q[:, still] == a.q[still]).all(), "between equal keys nothing moves"


@settings(max_examples=examples(100), **SETTINGS)
@given(MOTIONS)
def test_velocity_is_continuous_at_keys(motion):
    s = keyed(*motion)
    inner = s.keys.frames[1:-1]
    for name in ("", "knee", "rod") if inner else ():
        come, leave = channel_slopes(s, name, inner)
        assert np.allclose(come, leave, atol=1e-4)  # of differences over a thousandth of a frame


@pytest.mark.verify
@settings(max_examples=examples(150), **SETTINGS)
@given(MOTIONS)
def test_catmull_rom_where_that_stays_in_range(motion):
    gaps, rows = motion
    s, spline = keyed(gaps, rows), keyed(gaps, rows, "spline")
    h, p = np.array(gaps, dtype=float)[:, None], np.array(rows)
    chord = np.diff(p, axis=0) / h
    slopes = np.concatenate((chord[:1], (p[2:] - p[:-2]) / (h[1:] + h[:-1]), chord[-1:]))
    # The inner Bezier points of Catmull-Rom's own spans, a third of the tangent from the keys.
    first, second = p[:-1] + slopes[:-1] * h / 3.0, p[1:] - slopes[1:] * h / 3.0
    low, high = np.minimum(p[:-1], p[1:]), np.maximum(p[:-1], p[1:])
    fits = (first >= low) & (first <= high) & (second >= low) & (second <= high)
    for i in range(len(h)):
        at = np.linspace(s.keys.frames[i], s.keys.frames[i + 1], 33)
        ours, theirs = s.poses_at_frames(at)[:, COLUMNS], spline.poses_at_frames(at)[:, COLUMNS]
        around = fits[max(i - 1, 0) : i + 2].all(axis=0)
        assert np.allclose(ours[:, around], theirs[:, around], rtol=0.0, atol=1e-12)


def test_catmull_rom_overshoots_between_equal_keys_and_automatic_tangents_do_not():
    rows = [[0.0] * 5, [1.0] * 5, [1.0] * 5, [0.0] * 5]
    at = np.linspace(10, 20, 101)
    over = keyed([10, 10, 10], rows, "spline").poses_at_frames(at)[:, COLUMNS]
    assert over.max() > 1.1
    assert (keyed([10, 10, 10], rows).poses_at_frames(at)[:, COLUMNS] == 1.0).all()
    # What the animator set is kept: tension, and slopes of one's own.
    own = keyed([10, 10, 10], rows, "kochanek_bartels", tension=-1.0).poses_at_frames(at)[:, COLUMNS]
    assert own.max() > 1.2
    s = keyed([10, 10, 10], rows)
    slope = {"knee": Shape("free", slopes_in=(0.2,), slopes_out=(0.2,))}
    s.set_keys([key.changed(shapes=slope) if key.frame == 10 else key for key in s.keys])
    q = s.poses_at_frames(at)
    assert q[:, KNEE].max() > 1.2 and (q[:, ROD] == 1.0).all()


def angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 2.0 * np.linalg.norm(quat.arc(*np.broadcast_arrays(a, b)), axis=-1)


@pytest.mark.verify
@settings(max_examples=examples(150), **SETTINGS)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.4, 0.6]))
def test_rotations_do_not_swing_past_their_keys(seed, size):
    rng = np.random.default_rng(seed)
    s = figure()
    joints = CompoundJoints(s)
    frames = np.cumsum(rng.integers(1, 30, 7))
    q = np.zeros((7, s.nq))
    q[:, 3:6] = np.clip(rng.normal(scale=size, size=(7, 3)), -1.2, 1.2)
    q[4, 3:6] = q[3, 3:6]
    s = Sequence(s, keys=[Key(int(frame), pose) for frame, pose in zip(frames, q, strict=True)])
    for i in range(6):
        poses = s.poses_at_frames(np.linspace(frames[i], frames[i + 1], 41))
        turned = joints.rotations(poses[:, None, 3:6])[:, 0]
        whole = angle(turned[0], turned[-1])
        assert angle(turned[0], turned).max() <= whole + 1e-7 and angle(turned[-1], turned).max() <= whole + 1e-7
        if i == 3:
            assert np.allclose(poses, q[3], atol=1e-12), "between equal keys it holds still"
    e = 1e-4
    for frame in frames[1:-1]:
        there = joints.rotations(s.poses_at_frames([frame - e, frame, frame + e])[:, None, 3:6])[:, 0]
        # Half angular velocities on both sides, in the axes of the key.
        assert np.allclose(-quat.arc(there[1], there[0]), quat.arc(there[1], there[2]), atol=1e-6)


def test_rotations_at_even_keys_are_squads():
    """Chords of one length: no tangent is touched, whatever the angle between them."""
    s = figure()
    q = np.zeros((5, s.nq))
    for i, axis in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]):
        q[i + 1] = q[i]
        q[i + 1, 3:6] += 0.4 * np.array(axis)
    frames = np.linspace(0, 40, 161)
    ours, squad = (
        Sequence(s, keys=[Key(10 * i, pose, how) for i, pose in enumerate(q)]).poses_at_frames(frames)
        for how in ("auto", "spline")
    )
    assert np.abs(np.diff(ours, axis=0)).max() > 0.0
    assert np.allclose(ours, squad, atol=1e-13)


def test_files_of_before_keep_their_motion(tmp_path):
    """Their keys say "spline", or nothing at all, which meant the same; new ones say "auto"."""
    import json

    rows = [[0.0] * 5, [1.0] * 5, [1.0] * 5, [0.0] * 5]
    old = keyed([10, 10, 10], rows, "spline")
    file = tmp_path / "old.seq"
    save(Project([old.skeleton], [old]), file)
    record = json.loads(file.read_text())
    assert {key.pop("interp") for key in record["sequences"][0]["keys"]} == {"spline"}
    file.write_text(json.dumps(record))
    again = load(file).sequences[0]
    at = np.linspace(0, 30, 91)
    assert {key.interp for key in again.keys} == {"spline"}
    assert np.array_equal(again.poses_at_frames(at), old.poses_at_frames(at))
    new = keyed([10, 10, 10], rows)
    save(Project([new.skeleton], [new]), file)
    assert {key["interp"] for key in json.loads(file.read_text())["sequences"][0]["keys"]} == {"auto"}
    assert np.array_equal(load(file).sequences[0].poses_at_frames(at), new.poses_at_frames(at))
