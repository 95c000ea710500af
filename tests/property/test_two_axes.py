"""Joints with two axes between keys: along the shortest arc where the key says so, else by their angles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import INTERPOLATIONS, Key, Sequence, Shape
from core.animation.breakdown import broken_down, neighbours
from core.animation.curves.compound_joints import CompoundJoints
from core.formats import load, save
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton
from core.spatial import so3
from tests.support.counts import examples

PROFILE = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
FREE = (-np.inf, np.inf)
PAN, TILT, ALONG = 3, 4, np.array([0.0, 1.0, 0.0])  # what is across both axes


def figure(lo: float = -np.inf, hi: float = np.inf, second: tuple[float, ...] = (0, 0, 1)) -> Skeleton:
    """Return a figure with a joint with two axes, and others beside it that must not notice."""
    pair = (Dof("hinge", (1, 0, 0), lo, hi), Dof("hinge", second, lo, hi))
    ball = tuple(Dof("hinge", axis, *FREE) for axis in np.eye(3))
    return Skeleton(
        "two",
        [
            Joint("root", -1, mass=1.0),
            Joint("pair", 0, dofs=pair, mass=1.0),
            Joint("ball", 1, offset=(0, 1, 0), dofs=ball, mass=1.0),
            Joint("knee", 2, offset=(0, 1, 0), dofs=(Dof("hinge", (1, 0, 0), *FREE),), mass=1.0),
        ],
    )


def sequence_of(rng: np.random.Generator, kind: str, arcs: bool, s: Skeleton, spread: float = 0.7) -> Sequence:
    frames = np.cumsum(rng.integers(2, 20, 4))
    poses = rng.uniform(-spread, spread, (4, s.nq))
    return Sequence(s, keys=[Key(int(f), q, shape=Shape(kind, arcs=arcs)) for f, q in zip(frames, poses, strict=True)])


def pointing(s: Skeleton, poses: np.ndarray) -> np.ndarray:
    """Return where what the pair swings points, unit vectors, shape (m, 3)."""
    found: np.ndarray = forward_kinematics(s, poses)[:, 1, :3, :3] @ ALONG
    return found


@PROFILE
@given(seed=SEEDS)
def test_a_linear_span_swings_as_the_shortest_arc_does(seed: int) -> None:
    s = figure()
    sequence = sequence_of(np.random.default_rng(seed), "linear", True, s)
    a, b = sequence.keys[1], sequence.keys[2]
    u = np.linspace(0.0, 1.0, 33)
    poses = sequence.poses_at_frames(a.frame + u * (b.frame - a.frame))
    ends = forward_kinematics(s, np.array([a.q, b.q]))[:, 1, :3, :3]
    turn = so3.log(ends[0].T @ ends[1])
    expected = np.array([ends[0] @ so3.exp(part * turn) @ ALONG for part in u])
    assert np.allclose(pointing(s, poses), expected, atol=1e-9)
    assert np.array_equal(poses[0], a.q) and np.array_equal(poses[-1], b.q)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", INTERPOLATIONS)
@PROFILE
@given(seed=SEEDS)
def test_nothing_else_notices_and_keys_are_met(kind: str, seed: int) -> None:
    s = figure()
    arcs, angles = (sequence_of(np.random.default_rng(seed), kind, on, s) for on in (True, False))
    frames = np.linspace(arcs.keys[0].frame, arcs.keys[-1].frame, 200)
    a, b = arcs.poses_at_frames(frames), angles.poses_at_frames(frames)
    others = [k for k in range(s.nq) if k not in (PAN, TILT)]
    assert np.array_equal(a[:, others], b[:, others])
    for key in arcs.keys:
        assert np.array_equal(arcs.pose_at_frame(key.frame), key.q)
    if kind != "stepped":
        assert np.abs(a - b).max() > 1e-6, "an arc is another path than that of the angles"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["spline", "auto", "centripetal"])
@PROFILE
@given(seed=SEEDS)
def test_splines_are_smooth_at_keys(kind: str, seed: int) -> None:
    s = figure()
    sequence = sequence_of(np.random.default_rng(seed), kind, True, s)
    h = 1e-4
    for key in sequence.keys[1:-1]:
        before, here, after = sequence.poses_at_frames(np.array([key.frame - h, key.frame, key.frame + h]))
        rates = np.array([here - before, after - here])[:, [PAN, TILT]] / h
        assert np.allclose(rates[0], rates[1], atol=2e-3 * (1.0 + np.abs(rates).max()))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", INTERPOLATIONS)
@PROFILE
@given(seed=SEEDS)
def test_limits_are_kept(kind: str, seed: int) -> None:
    s = figure(-0.6, 0.6)
    sequence = sequence_of(np.random.default_rng(seed), kind, True, s, 0.6)
    poses = sequence.poses_at_frames(np.linspace(0.0, sequence.keys[-1].frame, 400))
    assert (np.abs(poses[:, [PAN, TILT]]) <= 0.6).all()


@pytest.mark.verify
@PROFILE
@given(seed=SEEDS, amount=st.floats(0.0, 1.0))
def test_a_breakdown_is_what_a_linear_span_has(seed: int, amount: float) -> None:
    s = figure()
    for arcs in (True, False):
        sequence = sequence_of(np.random.default_rng(seed), "linear", arcs, s)
        a, b = sequence.keys[0], sequence.keys[1]
        near = neighbours(sequence, a.frame + 1)
        found = broken_down(near, sequence.pose_at_frame(a.frame + 1), amount)
        expected = sequence.poses_at_frames(np.array([a.frame + amount * (b.frame - a.frame)]))[0]
        assert np.allclose(found, expected, atol=1e-9)


def test_turns_and_oblique_axes_go_by_angle() -> None:
    s = figure()
    arcs, angles = (sequence_of(np.random.default_rng(5), "spline", on, s) for on in (True, False))
    arcs.set_keys([key.changed(shape=replace(key.shape, turns=True)) for key in arcs.keys])
    angles.set_keys([key.changed(shape=replace(key.shape, turns=True)) for key in angles.keys])
    frames = np.linspace(0.0, angles.keys[-1].frame, 99)
    assert np.array_equal(arcs.poses_at_frames(frames), angles.poses_at_frames(frames))
    assert [CompoundJoints(f, pairs=True).pairs for f in (s, figure(second=(0.6, 0.0, 0.8)))] == [1, 0]


def test_a_file_says_that_keys_take_arcs_and_one_of_before_keeps_its_motion(tmp_path) -> None:
    s = figure()
    frames = np.linspace(0.0, 40.0, 99)
    for arcs in (True, False):
        sequence = sequence_of(np.random.default_rng(8), "auto", arcs, s)
        first = sequence.keys[0]
        sequence.set_keys([first.changed(shapes={"pair": Shape("spline", arcs=not arcs)}), *sequence.keys[1:]])
        save(Project([s], [sequence]), tmp_path / "arcs.seq")
        again = load(tmp_path / "arcs.seq").sequences[0]
        assert [key.shape.arcs for key in again.keys] == [arcs] * 4 and again.keys[0].shapes["pair"].arcs is not arcs
        assert np.array_equal(again.poses_at_frames(frames), sequence.poses_at_frames(frames))
    assert '"arcs": true' in (tmp_path / "arcs.seq").read_text(encoding="utf-8")


def test_keys_of_both_kinds_in_one_motion_and_edits_find_the_new_spans() -> None:
    s = figure()
    sequence = sequence_of(np.random.default_rng(11), "spline", False, s)
    frames = np.linspace(0.0, sequence.keys[-1].frame, 120)
    before = sequence.poses_at_frames(frames)
    second = sequence.keys[1]
    sequence.change_keys({second.frame: second.changed(shape=replace(second.shape, arcs=True))})
    mixed = sequence.poses_at_frames(frames)
    assert np.array_equal(mixed, Sequence(s, keys=sequence.keys).poses_at_frames(frames)), "as made anew"
    inside = (frames > second.frame) & (frames < sequence.keys[2].frame)
    assert np.abs(mixed - before)[inside].max() > 1e-6
    sequence.change_keys({second.frame: second})
    assert np.array_equal(sequence.poses_at_frames(frames), before)
