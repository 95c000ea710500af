"""Edits of the pose at one of several selected keys: all of them take the change, as one step."""

from __future__ import annotations

import numpy as np
import pytest

from app.document import Document
from app.document.content.key_selection import KeySelection
from app.document.gestures.reshape_gesture import ReshapeGesture
from core.animation.key import Key
from core.constraints import Lock
from core.kinematics import forward_kinematics
from core.skeleton.cones import cones_of
from tests.support.layered import poses_at_random

FRAMES = (0, 10, 20, 30, 40)


@pytest.fixture
def document(qapp, skeletons_folder):
    document = Document()
    assert document.files.open(skeletons_folder / "human.scr")
    document.sequence.set_keys(poses_at_random(document.skeleton, FRAMES, seed=24, reach=1.0, middle=0.2))
    document.model.forget_poses()
    return document


def choose(document, frames, channels=None):
    document.session.keys.selected = KeySelection(dict.fromkeys(frames, channels), document.sequence.channels.all)


def turns(document, joint):
    """World rotations of a joint and its parent at the keys."""
    skeleton, found = document.skeleton, []
    i = skeleton.joint_index(joint)
    for key in document.sequence.keys:
        X = forward_kinematics(skeleton, key.q)
        found.append(X[skeleton.joints[i].parent][:3, :3].T @ X[i][:3, :3])
    return np.array(found)


def compound(document):
    """A channel that turns about three axes, its columns, and the joint's name."""
    channels = document.sequence.channels
    number = next(n for n, own in enumerate(channels.compounds) if n > 1 and own is not None)
    return channels.names[number], channels.compounds[number]


def test_a_drag_turns_a_joint_alike_in_its_parent_at_all_selected_keys_as_one_step(document):
    name, columns = compound(document)
    choose(document, FRAMES)
    document.set_frame(20)
    before, state = turns(document, name), document.state_json()
    gesture = document.posing.begin_gesture("Turn")
    q = document.pose.copy()
    q[columns] += [0.05, -0.04, 0.06]
    gesture.set_pose(q)
    shown = document.sequence.keys
    assert all(a.q.tobytes() != q.tobytes() for a in shown if a.frame != 20)  # live, before the end
    assert gesture.commit()
    assert document.stack.count() == 1
    assert document.stack.undoText().endswith("in 5 keys")
    after = turns(document, name)
    offsets = after @ np.swapaxes(before, 1, 2)
    np.testing.assert_allclose(offsets, np.broadcast_to(offsets[2], offsets.shape), atol=1e-12)
    assert np.abs(offsets[2] - np.eye(3)).max() > 0.01
    others = np.setdiff1d(np.arange(document.skeleton.nq), columns)
    document.history.undo()
    assert document.state_json() == state
    old = document.sequence.keys
    document.history.redo()
    for a, b in zip(old, document.sequence.keys, strict=True):
        assert a.q[others].tobytes() == b.q[others].tobytes()


def test_in_betweens_have_the_offset_that_the_keys_have(document):
    _, columns = compound(document)
    choose(document, FRAMES)
    document.set_frame(15)  # no key there: none is made
    q = document.pose.copy()
    q[columns] += [0.05, -0.04, 0.06]
    assert document.posing.set(q)
    assert document.sequence.keys.frames == FRAMES
    np.testing.assert_allclose(document.model.keyed_pose(15), q, atol=1e-9)


def test_fewer_and_fewer_around_the_selection(document):
    document.session.keys.falloff = 20
    choose(document, (10, 20))
    document.set_frame(10)
    q, before = document.pose.copy(), [key.q[1] for key in document.sequence.keys]
    q[1] += 0.1
    document.posing.set(q)
    moved = np.array([key.q[1] for key in document.sequence.keys]) - before
    np.testing.assert_allclose(moved, [0.05, 0.1, 0.1, 0.05, 0.0], atol=1e-12)


def test_limits_and_cones_hold_and_esc_brings_everything_back(document):
    skeleton = document.skeleton
    choose(document, FRAMES)
    document.set_frame(0)
    state = document.state_json()
    gesture = document.posing.begin_gesture("Bend")
    finite = np.flatnonzero(np.isfinite(skeleton.limits).all(axis=1))
    for share in (0.7, 1.0):
        q = document.pose.copy()
        q[3 + finite] = gesture.start[3 + finite] * (1 - share) + share * skeleton.limits[finite, 1]
        gesture.set_pose(q)
        for key in document.sequence.keys:
            if key.frame:
                assert (key.q[3:] <= skeleton.limits[:, 1]).all()
                assert (key.q[3:] >= skeleton.limits[:, 0]).all()
                cones = cones_of(skeleton)
                assert (cones.swing_cosines(key.q) >= cones.cosines - 1e-9).all()
    gesture.cancel()
    assert document.state_json() == state
    assert document.stack.count() == 0


def test_only_what_is_selected_takes_part(document):
    name, columns = compound(document)
    choose(document, FRAMES, [name])
    document.set_frame(20)
    q, old = document.pose.copy(), document.sequence.keys
    q[columns] += 0.05
    q[1] += 0.1  # the root's place is not selected
    document.posing.set(q)
    for a, b in zip(old, document.sequence.keys, strict=True):
        assert a.q[1] == b.q[1]
        assert (a.q[columns] != b.q[columns]).all()
    q = document.pose.copy()
    q[1] += 0.1  # nothing of this is selected: an edit of this frame alone
    document.posing.set(q)
    assert [a.q[1] == b.q[1] for a, b in zip(old, document.sequence.keys, strict=True)] == [True] * 2 + [False] + [
        True
    ] * 2


@pytest.mark.parametrize("how", ["off", "one", "outside", "unkeyed"])
def test_otherwise_the_frame_alone_is_edited(document, how):
    choose(document, (10,) if how == "one" else (10, 20))
    document.session.keys.together = how != "off"
    document.session.keys.auto = how != "unkeyed"
    document.set_frame(30 if how == "outside" else 10)
    old, q = {key.frame: key.q.tobytes() for key in document.sequence.keys}, document.pose.copy()
    q[1] += 0.1
    document.posing.set(q)
    changed = {key.frame for key in document.sequence.keys if key.q.tobytes() != old[key.frame]}
    assert changed == (set() if how == "unkeyed" else {document.frame})


def test_all_keys_of_a_long_recording_follow(document):
    skeleton, rng = document.skeleton, np.random.default_rng(5)
    rest = skeleton.rest_pose()
    document.sequence.set_keys([Key(i, rest + rng.uniform(-0.01, 0.01, skeleton.nq)) for i in range(1500)])
    document.model.forget_poses()
    choose(document, range(1500))
    document.set_frame(700)
    before = np.array([key.q[1] for key in document.sequence.keys])
    gesture = document.posing.begin_gesture("Lower")
    q = document.pose.copy()
    q[1] -= 0.13
    gesture.set_pose(q)
    now = np.array([key.q[1] for key in document.sequence.keys])
    assert (now[650:750] != before[650:750]).all()  # those nearby at once
    assert gesture.commit()
    after = np.array([key.q[1] for key in document.sequence.keys])
    np.testing.assert_allclose(after, before - 0.13, atol=1e-12)


@pytest.mark.parametrize(("kind", "amount"), [("exaggerate", 1.5), ("smooth", 1.0), ("overlap", 2.0)])
def test_a_locked_foot_stays_whatever_is_done_to_all_keys(qapp, skeletons_folder, kind, amount):
    """Locks are held over what keys say, at keys and between them."""
    document = Document()
    assert document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    skeleton, sequence = document.skeleton, document.sequence
    foot = skeleton.joint_index("right foot")

    def places(poses):
        return np.array([forward_kinematics(skeleton, q)[foot, :3, 3] for q in poses])

    along = places(sequence.poses_at_frames(np.arange(33.0)))
    start = int(np.argmin(np.linalg.norm(along[8:] - along[:-8], axis=1)))  # it stands
    frames, target = np.arange(start, start + 8.01, 0.25), along[start + 4]
    assert document.locks.add(Lock("right foot", "position", target=target), start, start + 8)
    before = sequence.base_at_frames(frames)
    gesture = ReshapeGesture(document, dict.fromkeys(sequence.keys.frames))
    assert gesture.show(kind, amount)
    gesture.commit()
    after = document.sequence.base_at_frames(frames)
    assert np.abs(after - before).max() > 0.01
    free, held = (np.linalg.norm(places(poses) - target, axis=1) for poses in (after, sequence.poses_at_frames(frames)))
    assert held.max() < 1e-6 and free.max() > 0.005


@pytest.mark.verify
def test_very_many_keys_are_reshaped_nearby_while_the_slider_moves_and_all_of_them_in_the_end(document):
    sequence = document.sequence
    poses = sequence.base_at_frames(np.arange(400.0) % 40.0)
    sequence.set_keys(Key(frame, q) for frame, q in enumerate(poses))
    document.model.forget_poses()
    document.set_frame(300)
    before = sequence.keys
    gesture = ReshapeGesture(document, dict.fromkeys(sequence.keys.frames))
    assert gesture.show("smooth", 1.0)
    live = [a is not b for a, b in zip(before, document.sequence.keys, strict=True)]
    assert not live[0] and live[300] and 200 < sum(live) <= 256
    gesture.commit()
    assert document.stack.count() == 1
    changed = [a.q.tobytes() != b.q.tobytes() for a, b in zip(before, document.sequence.keys, strict=True)]
    assert changed[1] and sum(changed) > 380
    document.history.undo()
    assert all(a.q.tobytes() == b.q.tobytes() for a, b in zip(before, document.sequence.keys, strict=True))
