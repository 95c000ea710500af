"""Frames, the pending pose, keys, sequences, selection, and what is reported about them."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

from app.document import Document
from core.animation import Sequence
from core.errors import JointError
from core.skeleton import Skeleton, load_skeleton


def bent(document: Document, value: float) -> np.ndarray:
    q = document.pose.copy()
    q[4] = value
    return q


def test_an_empty_document_has_nothing_and_says_so(qapp):
    document = Document()
    messages = []
    document.message.connect(lambda *message: messages.append(message))
    assert document.skeleton is None and document.sequence is None
    assert document.pose.shape == (0,)
    assert document.time == 0.0
    assert document.files.title == "Untitled"
    assert not document.keys.set()
    assert not document.sequences.set_fps(24)
    assert not document.posing.set(np.zeros(3))
    assert not document.sequences.add()
    assert len(messages) == 4
    assert all(level == "warning" and "figure" in text for level, text, _ in messages)
    document.set_frame(4)
    assert document.frame == 4
    assert document.stack.count() == 0


def test_scrubbing_drops_the_pending_pose_as_one_step_with_a_message(document, heard):
    document.session.keys.auto = False
    document.set_frame(12)
    document.posing.set(bent(document, 0.5))
    pending = document.state_json()
    heard.clear()
    document.set_frame(20)
    assert (document.frame, document.pending) == (20, False)
    assert document.pose[4] == 0.0
    assert heard.messages == [("info", "Unkeyed pose at frame 12 dropped · Undo brings it back", "")]
    document.set_frame(30)
    assert document.stack.count() == 2
    document.history.undo()
    assert (document.frame, document.pending) == (12, True)
    assert document.pose[4] == 0.5
    assert document.state_json() == pending
    document.history.redo()
    assert (document.frame, document.pending) == (20, False)


def test_setting_a_key_takes_the_pending_pose_in_one_step(document):
    document.session.keys.auto = False
    document.set_frame(5)
    document.posing.set(bent(document, 0.5))
    assert document.keys.set()
    assert not document.pending
    assert document.sequence.keys.at(5).q[4] == 0.5
    document.history.undo()
    assert document.pending
    assert document.sequence.keys == ()


def test_setting_a_key_elsewhere_leaves_the_pending_pose(document):
    document.posing.set(bent(document, 0.25))
    document.session.keys.auto = False
    document.posing.set(bent(document, 0.5))
    assert document.keys.set(9)
    assert document.pending
    assert document.sequence.keys.at(9).q[4] == 0.25


def test_a_key_that_changes_nothing_is_no_step(document):
    document.keys.set()
    document.keys.set()
    assert document.stack.count() == 1


def test_zero_and_minus_zero_are_different_poses(document):
    document.keys.set()
    before = document.state_json()
    document.posing.set(bent(document, -0.0))
    assert document.stack.count() == 2
    assert document.state_json() != before
    document.history.undo()
    assert document.state_json() == before


def test_moving_keys_onto_others_is_refused_and_said(document, heard):
    for frame in (0, 5, 10):
        document.set_frame(frame)
        document.posing.set(bent(document, 0.1 * frame + 0.1))
    before = document.state_json()
    heard.clear()
    assert not document.keys.move({0: 5})
    assert document.state_json() == before
    assert heard.messages[0][0] == "warning" and "frame 5" in heard.messages[0][1]
    assert document.keys.move({0: 5, 5: 0})
    assert [key.q[4] for key in document.sequence.keys] == pytest.approx([0.6, 0.1, 1.1])
    document.history.undo()
    assert document.state_json() == before


def test_deleting_keys(document, heard):
    for frame in (0, 5, 10):
        document.set_frame(frame)
        document.keys.set()
    document.keys.delete()
    assert document.sequence.keys.frames == (0, 5)
    assert not document.keys.delete([5, 6])
    assert "frame 6" in heard.messages[-1][1]
    assert document.sequence.keys.frames == (0, 5)
    document.keys.delete([0, 5])
    assert document.sequence.keys.frames == ()


def test_interpolation_turns_clip_stretch_and_slide(document):
    for frame in (0, 4, 8):
        document.set_frame(frame)
        document.posing.set(bent(document, 0.1 * frame + 0.1))
    assert document.keys.set_interpolation([0, 4], "linear")
    assert document.keys.set_turns([8], True)
    assert [key.interp for key in document.sequence.keys] == ["linear", "linear", "auto"]
    assert not document.keys.set_interpolation([0], "cubic")
    assert not document.keys.set_interpolation([1], "linear")
    assert document.keys.insert_clip(20, document.keys.copy(0, 8))
    assert document.sequence.keys.frames == (0, 4, 8, 20, 24, 28)
    assert document.sequence.keys.at(28).turns
    assert document.keys.stretch(20, 28, 0.5)
    assert document.sequence.keys.frames == (0, 4, 8, 20, 22, 24)
    assert document.keys.slide(20, 24, 3)
    assert document.sequence.keys.frames == (0, 4, 8, 23, 25, 27)
    assert not document.keys.slide(23, 27, -15)


@pytest.mark.parametrize(
    ("edit", "good", "bad"),
    [
        ("sequences.set_fps", (24,), (0,)),
        ("sequences.set_fps", (29.97,), (float("nan"),)),
        ("sequences.set_range", (3, 40), (5, 4)),
        ("sequences.set_range", (2, None), (-1, None)),
        ("sequences.rename", ("Walk",), ("  ",)),
        ("sequences.set_menu", ("Walks",), ("",)),
        ("sequences.set_loop", (True,), None),
        ("figures.set_joint_value", (1, "weight", 0.5), (1, "weight", 1.5)),
        ("figures.set_joint_value", (1, "resistance", 4.0), (1, "resistance", 0.0)),
        ("figures.set_joint_value", ("torso", "weight", 0.5), ("tail", "weight", 0.5)),
        ("figures.set_joint_value", (0, "resistance", 2.0), (0, "mass", 2.0)),
        ("figures.set_joint_values", ({1: {"weight": 0.5}}, "Set"), ({1: {"weight": 0.4}, 2: {"weight": 2.0}}, "Set")),
    ],
)
def test_values_are_checked_before_they_are_pushed(document, heard, edit, good, bad):
    before = document.state_json()
    if bad is not None:
        assert not attrgetter(edit)(document)(*bad)
        assert document.stack.count() == 0
        assert [message[0] for message in heard.messages] == ["warning"]
        assert document.state_json() == before
    assert attrgetter(edit)(document)(*good)
    assert document.stack.count() == 1
    after = document.state_json()
    assert after != before
    assert attrgetter(edit)(document)(*good)
    assert document.stack.count() == 1, "the same value again is no step"
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after


def test_a_pose_that_does_not_fit_is_refused(document, heard):
    assert not document.posing.set(np.zeros(4))
    assert "shape" in heard.messages[0][1]
    assert document.stack.count() == 0


def test_sequences_are_added_shown_and_undone(document):
    document.posing.set(bent(document, 0.5))
    assert document.sequences.add(name="Second")
    assert document.sequence.name == "Second"
    assert document.pose[4] == 0.0
    assert document.sequences.show(0)
    assert document.pose[4] == 0.5
    assert not document.sequences.show(2)
    document.history.undo()
    document.history.undo()
    assert len(document.sequences.all) == 1


def test_loading_the_same_kind_of_figure_keeps_the_keys(document, skeletons_folder, tmp_path):
    document.posing.set(bent(document, 0.5))
    text = (skeletons_folder / "stickman.scr").read_text(encoding="utf-8")
    other = tmp_path / "mine.scr"
    other.write_text("# mine\n" + text, encoding="utf-8")
    first = document.skeleton
    assert document.files.load_figure(other)
    assert document.files.title == "Untitled — mine.scr •"
    assert len(document.figures.all) == 1 and document.skeleton is not first
    assert document.sequence.skeleton is document.skeleton
    assert document.pose[4] == 0.5
    document.history.undo()
    assert document.skeleton is first and document.sequence.skeleton is first


def test_loading_another_figure_puts_it_beside(document, skeletons_folder):
    document.selection.set(["torso"])
    document.session.view.hover = 3
    before = document.state_json()
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    assert len(document.figures.all) == 2
    assert document.pose.shape == (load_skeleton(skeletons_folder / "arm7.scr").nq,)
    assert document.selection.joints == () and document.session.view.hover is None
    after = document.state_json()
    assert document.sequences.show(0)
    assert document.skeleton is document.figures.all[0]
    document.history.undo()
    assert document.state_json() == after
    document.history.undo()
    assert document.state_json() == before


def test_selection_by_name_index_and_way(document, heard):
    document.selection.set(["torso", 0, "torso"])
    torso = document.skeleton.joint_index("torso")
    assert document.selection.joints == (torso, 0)
    heard.clear()
    document.selection.set([torso, 0])
    assert heard.changes == []
    document.selection.set([2, torso], "toggle")
    assert document.selection.joints == (0, 2)
    document.selection.set([3, 0], "add")
    assert document.selection.joints == (0, 2, 3)
    document.selection.set([2], "remove")
    assert document.selection.joints == (0, 3)
    with pytest.raises(JointError, match="no joint"):
        document.selection.set(["tail"])
    assert document.stack.count() == 0


def test_each_edit_reports_each_kind_once_in_order(document, heard):
    document.set_frame(3)
    assert heard.kinds == ["frame", "pose"]
    heard.clear()
    document.posing.set(bent(document, 0.5))
    assert heard.kinds == ["keys", "pose", "file"]
    assert heard.changes[0].frames == (3,)
    heard.clear()
    document.posing.set(bent(document, 0.6))
    assert heard.kinds == ["keys", "pose"]
    heard.clear()
    document.stack.setIndex(0)
    assert heard.kinds == ["keys", "pose", "file"]
    heard.clear()
    document.set_frame(3)
    assert heard.changes == []


def test_the_document_is_whole_when_it_reports(document, skeletons_folder):
    seen = []
    document.changed.connect(
        lambda change: seen.append(
            (len(document.pose), document.skeleton.nq, document.stack.count(), document.files.title)
        )
    )
    document.keys.set()
    assert document.files.open(skeletons_folder / "arm7.scr")
    assert all(length == nq for length, nq, _, _ in seen)
    assert {row[2:] for row in seen[-7:]} == {(0, "Untitled — arm7.scr")}


def test_played_poses_are_cached_and_never_stale(document):
    for frame, value in ((0, 0.0), (10, 1.0)):
        document.set_frame(frame)
        document.posing.set(bent(document, value))
    document.set_frame(5)
    half = document.pose
    assert document.model.keyed_pose(5) is half
    document.keys.set_interpolation([0], "linear")
    assert np.array_equal(document.pose, document.sequence.pose_at_frame(5))
    document.keys.move({10: 20})
    assert np.array_equal(document.pose, document.sequence.pose_at_frame(5))
    assert not np.array_equal(document.pose, half)


@pytest.mark.parametrize("frames", [4, np.int64(4), [4], np.array([4]), (frame for frame in (4,))])
def test_keys_are_deleted_at_one_frame_or_several(document, frames):
    assert document.keys.set(0) and document.keys.set(4)
    assert document.keys.delete(frames)
    assert document.sequence.keys.frames == (0,)


def test_keys_of_another_figure_are_not_pasted(document, heard):
    joints = [replace(joint, name=f"other {joint.name}", mirror=None) for joint in document.skeleton.joints]
    other = Sequence(Skeleton("other", joints))
    other.set_key(0, document.skeleton.rest_pose())
    assert not document.keys.insert_clip(5, other.copy(0, 0))
    assert document.sequence.keys == () and "of another figure" in heard.messages[-1][1]


def test_a_document_that_goes_takes_its_steps_along(document, heard):
    """Steps know their document, so Python lets go of both at once; Qt must not delete a step after Python has."""
    document.posing.set(bent(document, 0.5))
    document.posing.set(bent(document, 0.7))
    document.history.undo()
    indices = []
    document.stack.indexChanged.connect(indices.append)
    document.__del__()
    assert document.stack.count() == 0
    assert not indices
