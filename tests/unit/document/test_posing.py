"""Flip, mirror, mirror editing, poses between keys, copy and paste; Undo goes to the frame it changed."""

import json

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication

from app.document import Document
from app.document.content.key_selection import KeySelection
from app.document.posing.pose_clip import MIME, ClipError, PoseClip
from core.constraints import Lock
from core.kinematics import forward_kinematics
from core.skeleton.stance import flipped
from tests.support.changes import kind_of


@pytest.fixture
def document(qapp, skeletons_folder) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    made.set_frame(10)
    return made


def own(document: Document, name: str) -> slice:
    skeleton = document.skeleton
    joint = skeleton.joint_index(name)
    return slice(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])


def test_a_flip_exchanges_sides_in_one_step_and_twice_gives_the_same_bits(document):
    before, count = document.pose, document.stack.count()
    assert document.posing.flip()
    assert document.stack.count() == count + 1 and document.stack.undoText() == "Flip pose"
    assert np.array_equal(document.pose, flipped(document.skeleton, before))
    assert document.posing.flip() and document.pose.tobytes() == before.tobytes()
    document.posing.flip(["right forearm"])
    assert np.array_equal(document.pose[own(document, "left forearm")], before[own(document, "right forearm")])
    assert np.array_equal(document.pose[own(document, "left thigh")], before[own(document, "left thigh")])


def test_a_side_is_mirrored_onto_the_other_and_no_side_is_refused(document):
    messages = []
    document.message.connect(lambda *message: messages.append(message))
    before = document.pose
    assert not document.posing.mirror(["chest"]) and "has a side" in messages[-1][1]
    assert not document.posing.mirror(["left hand", "right hand"]) and "both sides" in messages[-1][1]
    assert document.pose is before or np.array_equal(document.pose, before)
    assert document.posing.mirror_side("left")
    again = document.pose
    assert np.array_equal(again[own(document, "right shank")], before[own(document, "left shank")])
    assert not document.posing.mirror_side("left") and "nothing changes" in messages[-1][1]


def test_mirror_editing_poses_both_sides_in_the_same_step(document):
    document.session.tools.mirror_editing = True
    count, q = document.stack.count(), np.array(document.pose)
    q[own(document, "right forearm").start] = 0.7
    gesture = document.posing.begin_gesture("Elbow")
    gesture.set_pose(q)
    assert document.pose[own(document, "left forearm").start] == 0.7
    gesture.set_pose(gesture.start)
    assert np.array_equal(document.pose, gesture.start)  # back, and so is the other side
    gesture.set_pose(q)
    gesture.commit()
    assert document.stack.count() == count + 1
    document.history.undo()
    assert np.array_equal(document.pose, gesture.start)
    document.posing.flip()  # about both sides: nothing is carried over
    assert np.array_equal(document.pose, flipped(document.skeleton, gesture.start))


def test_mirror_editing_and_flips_hold_locks(document):
    skeleton = document.skeleton
    foot = skeleton.joint_index("left foot")
    document.locks.add(Lock("left foot", "position"))
    place = forward_kinematics(skeleton, document.pose)[foot][:3, 3]
    document.session.tools.mirror_editing = True
    q = np.array(document.pose)
    q[own(document, "right shank").start] += 0.4
    document.posing.set(q)
    assert np.allclose(forward_kinematics(skeleton, document.pose)[foot][:3, 3], place, atol=1e-5)
    assert document.posing.flip()
    assert np.allclose(forward_kinematics(skeleton, document.pose)[foot][:3, 3], place, atol=1e-5)


def test_a_pose_between_keys_is_live_comes_back_and_is_one_step(document):
    keys = document.sequence.keys.frames
    frame = (keys[2] + keys[3]) // 2
    document.set_frame(frame)
    before, count = document.state_json(), document.stack.count()
    arm = ["right forearm"]
    gesture = document.posing.begin_between("breakdown", arm)
    gesture.set(1.0)
    values = own(document, "right forearm")
    assert np.array_equal(document.pose[values], document.sequence.keys.at(keys[3]).q[values])
    gesture.cancel()
    assert document.state_json() == before and document.stack.count() == count
    gesture = document.posing.begin_between("push")
    gesture.set(0.5)
    gesture.set(0.0)
    assert not gesture.commit() and document.stack.count() == count
    assert document.posing.pose_between("lean", -1.0) and document.stack.undoText() == "Blend 100 % to the previous key"
    assert np.allclose(document.pose, document.sequence.keys.at(keys[2]).q)
    document.keys.delete(document.sequence.keys.frames)
    assert document.posing.begin_between("push") is None


def test_what_limits_stop_between_keys_is_named(document):
    skeleton = document.skeleton
    column = own(document, "right forearm").start
    upper = skeleton.limits[column - 3, 1]
    document.set_frame(10)
    q = np.array(document.pose)
    q[column] = upper - 0.05
    document.posing.set(q)
    said = []
    document.message.connect(lambda level, text, details: said.append(text))
    gesture = document.posing.begin_between("push", ["right forearm"])
    for amount in (0.01, 1.0, 0.01):
        gesture.set(amount)
    gesture.cancel()
    assert [text.partition(";")[0] for text in said] == ["Limits stop Right arm elbow flex", ""]
    assert document.posing.pose_between("push", 1.0, ["right forearm"])
    assert document.pose[column] == upper and said[-1].startswith("Limits stop Right arm elbow flex")


def test_poses_are_copied_across_figures_and_pasted_on_either_side(document, skeletons_folder):
    arm = ["right upper arm", "right forearm"]
    q = np.array(document.pose)
    q[own(document, "right forearm").start] = 1.1
    document.posing.set(q)
    clip = document.posing.copy(arm)
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasFormat(MIME) and PoseClip.from_text(data.text()) == clip == PoseClip.from_mime(data)
    document.set_frame(0)
    before = document.pose
    assert document.posing.paste(flipped=True)
    assert document.pose[own(document, "left forearm").start] == 1.1
    assert np.array_equal(document.pose[own(document, "right forearm")], before[own(document, "right forearm")])
    other = Document()
    other.files.open(skeletons_folder / "woman.scr")
    assert other.posing.paste()
    assert other.pose[own(other, "right forearm").start] == 1.1
    other.files.open(skeletons_folder / "chain20.scr")
    assert not other.posing.paste()
    for text in ("", "{}", "nan", json.dumps({**json.loads(clip.to_text()), "joints": [{"joint": "x"}]})):
        with pytest.raises(ClipError):
            PoseClip.from_text(text)


def test_pasted_in_place_the_figure_stays_and_in_the_world_parts_are_turned_as_they_were(document):
    skeleton = document.skeleton
    q = np.array(document.pose)
    q[[0, 2]], q[3] = (1.0, -2.0), 1.2
    document.posing.set(q)
    clip = document.posing.copy()
    head = document.posing.copy(["head"])
    turned = forward_kinematics(skeleton, document.pose)[skeleton.joint_index("head")][:3, :3]
    document.set_frame(0)
    before = document.pose
    document.posing.paste(clip, in_place=True)
    assert np.array_equal(document.pose[[0, 2, 3]], before[[0, 2, 3]]) and document.pose[1] == q[1]
    document.posing.set(before)
    q = np.array(document.pose)
    q[3] = 1.0
    document.posing.set(q)
    document.posing.paste(head, world=True)
    found = forward_kinematics(skeleton, document.pose)[skeleton.joint_index("head")][:3, :3]
    assert np.allclose(found, turned, atol=1e-9)


def test_undo_goes_to_the_frame_it_changed_and_lights_the_parts(document):
    keys = document.sequence.keys.frames
    document.set_frame(keys[1])
    q = np.array(document.pose)
    q[own(document, "right forearm").start] += 0.2
    document.posing.set(q)
    document.set_frame(keys[4])
    document.history.undo()
    assert document.frame == keys[1]
    assert document.session.view.flash == (document.skeleton.joint_index("right forearm"),)
    document.set_frame(keys[4])
    document.history.redo()
    assert document.frame == keys[1]
    document.history.undo()
    assert document.frame == keys[1]
    document.history.redo()
    document.keys.delete([keys[2], keys[5]])
    document.set_frame(0)
    document.history.undo()
    assert document.frame == keys[2]  # the nearest of them
    document.session.view.reduced_motion = True
    document.session.view.flash = ()
    document.history.redo()
    assert document.session.view.flash == ()


def test_undo_of_what_stood_behind_the_end_stays_in_what_plays(document):
    last = document.sequence.keys.frames[-1]
    document.keys.copy(KeySelection.of_frames(document.sequence.keys.frames[-3:], document.sequence.channels.all))
    document.set_frame(last + 10)
    assert document.keys.paste(last + 10)
    for frame in (0, last + 10):
        document.set_frame(frame)
        document.history.undo()
        assert document.sequence.range[1] == last and document.frame == last
        document.history.redo()
    document.history.undo()
    document.set_frame(last + 4)
    document.keys.set()
    document.history.undo()
    assert document.frame == last + 4, "who poses behind the end is not sent away"


def test_undo_leaves_a_pending_pose_at_its_frame(document):
    document.session.keys.auto = False
    document.set_frame(5)
    q = np.array(document.pose)
    q[5] += 0.1
    document.posing.set(q)
    document.keys.delete([document.sequence.keys.frames[-1]])
    document.history.undo()
    assert document.pending and document.frame == 5


def test_going_to_a_step_passes_many_at_once(document):
    frames = document.sequence.keys.frames
    for frame in frames[:4]:
        document.keys.delete([frame])
    kinds = []
    document.changed.connect(lambda change: kinds.append(kind_of(change)))
    document.history.go_to(0)
    assert document.sequence.keys.frames == frames and kinds.count("keys") == 1
    document.history.go_to(3)
    assert len(document.sequence.keys.frames) == len(frames) - 3


def test_going_back_to_a_step_shows_the_frame_of_that_step_and_not_of_the_one_after_it(document):
    first, last = document.sequence.keys.frames[1], document.sequence.keys.frames[-1]
    for frame in (first, last):
        document.set_frame(frame)
        document.posing.set(document.skeleton.rest_pose(), "Rest")
    document.history.go_to(1)
    assert document.frame == first
    document.history.undo()  # but Undo goes to what it takes back
    document.history.redo()
    document.history.redo()
    document.history.undo()
    assert document.frame == last
