"""Recordings under locks that they walk away from: the motion stays continuous, and what is given up is reported."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Key, LockStrip, Sequence
from core.animation.locks.giving_up import ROOT_STEP, pose_steps
from core.animation.locks.spans import GIVEN_UP, lock_spans
from core.constraints import Lock, bind
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

FEET = ("LeftAnkle", "RightAnkle")


@pytest.fixture(scope="module")
def dancer(data_folder) -> Sequence:
    """2,998 frames at 100 Hz; both feet are locked from frame 300 to 700, while she steps away from 450 on."""
    sequence = load(data_folder / "bvh" / "louise_optitrack.bvh").sequences[0]
    stand = sequence.pose_at_frame(300)
    sequence.locks.strips = [LockStrip(bind(Lock(foot, "pose"), sequence.skeleton, stand), 300, 700) for foot in FEET]
    return sequence


def test_a_recording_goes_on_without_a_jump_where_its_locks_cannot_be_kept(dancer):
    frames = np.arange(280.0, 740.0)
    held, free = dancer.poses_at_frames(frames), dancer.interpolated_at_frames(frames)
    steps, own = pose_steps(dancer.skeleton, held), pose_steps(dancer.skeleton, free)
    # Held whatever it takes, the root goes 44 cm from one frame to the next, and more than 2 cm fifty times.
    with_force = pose_steps(dancer.skeleton, dancer.locks.holding._plainly(frames, free))
    assert with_force.root.max() > 0.3 and (with_force.root > 0.02).sum() > 50
    assert steps.root.max() < own.root.max() + ROOT_STEP / 2
    assert (steps.turns - own.turns).max() < np.radians(10.0)
    # Where she stands, the feet are held as exactly as ever.
    left = np.zeros((100, 2))
    stand = np.arange(320.0, 420.0)
    dancer.locks.holding.held(stand, dancer.interpolated_at_frames(stand), left)
    assert left.max() < 1e-9 and (dancer.locks.holding.kept(stand) == 1.0).all()


@pytest.mark.verify
def test_what_is_given_up_is_flagged_with_what_it_would_have_cost(dancer):
    spans = lock_spans(dancer)
    assert [span.kind for span in spans] == [GIVEN_UP]
    span = spans[0]
    assert 420 < span.first < 478 and 700 <= span.last < 740 and len(span.strips) == 2
    assert span.worst > 0.3 and "Released" in span.text and "LeftAnkle" in span.text
    # The residual there is what the pose has, not what the solver would have reached.
    active, report = dancer.locks.report(600)
    assert len(active) == 2 and report.residuals.max() > 0.5


@pytest.mark.verify
def test_poses_are_the_same_in_any_order(dancer):
    frames = np.concatenate((np.arange(440.0, 500.0, 0.75), [650.25, 699.5, 700.0, 701.0, 310.0]))
    whole = dancer.poses_at_frames(frames)
    again = Sequence(dancer.skeleton, dancer.fps, keys=dancer.keys)
    again.locks.strips = dancer.locks.strips
    for i in np.random.default_rng(0).permutation(len(frames)):
        assert np.array_equal(again.pose_at_frame(frames[i]), whole[i])


def test_an_edit_far_away_leaves_it_as_it_was_and_one_inside_counts(dancer):
    edited = Sequence(dancer.skeleton, dancer.fps, keys=dancer.keys)
    edited.locks.strips = dancer.locks.strips
    frames = np.arange(440.0, 500.0)
    before = edited.poses_at_frames(frames)
    key = edited.keys.at(1500)
    edited.set_key(1500, key.q + 0.1)
    assert np.array_equal(edited.poses_at_frames(frames), before)
    edited.fps = 30.0  # the same steps take longer
    assert not np.array_equal(edited.poses_at_frames(frames), before)


def human_walk(dense: bool) -> Sequence:
    s = load_skeleton(bundled_folder() / "human.scr")
    q = s.rest_pose()
    for side in ("left", "right"):
        for joint, angle in (("thigh", 0.3), ("shank", 0.6), ("foot", 0.3)):
            dof = s.first_dof[s.joint_index(f"{side} {joint}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    sequence = Sequence(s)
    sway = [q + np.eye(s.nq)[0] * 0.03 * np.sin(0.2 * f) for f in range(61)]
    sequence.set_keys([Key(f, sway[f], "linear") for f in range(0, 61, 1 if dense else 10)])
    sequence.locks.strips = [LockStrip(bind(Lock(foot, "pose"), s, q), 0) for foot in ("left foot", "right foot")]
    return sequence


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dense", [False, True])
def test_what_can_be_held_is_held_in_recordings_too(dense):
    sequence = human_walk(dense)
    frames = np.linspace(0, 60, 121)
    left = np.zeros((121, 2))
    sequence.locks.holding.held(frames, sequence.interpolated_at_frames(frames), left)
    assert left.max() <= 1e-9 and (sequence.locks.holding.kept(frames) == 1.0).all()
    assert lock_spans(sequence) == ()


def test_keys_by_hand_are_held_as_they_were():
    """Two poses far apart: nobody recorded what is between, so what locks do there is flagged, not given up."""
    sequence = human_walk(False)
    keys = [key if key.frame < 30 else key.changed(q=key.q + np.eye(len(key.q))[2] * 2.0) for key in sequence.keys]
    sequence.set_keys(keys)
    assert sequence.locks.holding.giving_up is None
    kinds = {span.kind for span in lock_spans(sequence)}
    assert kinds and GIVEN_UP not in kinds


def test_feet_that_are_locked_while_they_stand_are_held_in_real_recordings(data_folder):
    sequence = load(data_folder / "bvh" / "cmu_12_01_walk.bvh").sequences[0]
    s, frames = sequence.skeleton, np.arange(524.0)
    places = forward_kinematics(s, sequence.interpolated_at_frames(frames))[:, :, :3, 3]
    strips = []
    for foot in ("LeftFoot", "RightFoot"):
        speed = np.linalg.norm(np.diff(places[:, s.joint_index(foot)], axis=0), axis=1) * sequence.fps
        edges = np.flatnonzero(np.diff(np.concatenate(([False], speed < 0.15, [False])).astype(int)))
        for first, last in edges.reshape(-1, 2).tolist():
            if last - first > 0.25 * sequence.fps:
                stand = sequence.pose_at_frame((first + last) // 2)
                strips.append(LockStrip(bind(Lock(foot, "pose"), s, stand), first, last))
    assert len(strips) >= 3
    sequence.locks.strips = strips
    assert (sequence.locks.holding.kept(frames) == 1.0).all()
