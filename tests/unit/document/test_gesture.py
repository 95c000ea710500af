"""Drags: live, one step, cancelled bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from app.document import Document
from app.document.changes import KeysChanged, PoseChanged
from app.document.content.key_selection import KeySelection
from core.errors import PoseError


def moved(document: Document, by: float) -> np.ndarray:
    q = document.pose.copy()
    q[4] += by
    return q


def drag(document: Document, *steps: float) -> None:
    with document.posing.begin_gesture("Drag") as gesture:
        for by in steps:
            gesture.set_pose(moved(document, by))


def test_a_drag_with_auto_key_writes_the_key_in_one_step(document):
    document.set_frame(7)
    gesture = document.posing.begin_gesture("Drag")
    for _ in range(5):
        gesture.set_pose(moved(document, 0.1))
        assert document.stack.count() == 0
    assert document.sequence.keys.at(7).q[4] == document.pose[4]
    assert gesture.commit()
    assert document.stack.count() == 1
    assert document.sequence.keys.frames == (7,)
    assert not document.pending
    document.history.undo()
    assert document.sequence.keys == ()
    document.history.redo()
    assert document.sequence.keys.frames == (7,)


def test_two_drags_are_two_steps(document):
    drag(document, 0.1, 0.1)
    after_first = document.state_json()
    drag(document, 0.1, 0.1)
    assert document.stack.count() == 2
    document.history.undo()
    assert document.state_json() == after_first


def test_a_drag_without_auto_key_makes_a_pending_pose(document):
    document.session.keys.auto = False
    before = document.state_json()
    drag(document, 0.1, 0.2)
    assert document.pending
    assert document.sequence.keys == ()
    assert document.stack.count() == 1
    document.history.undo()
    assert document.state_json() == before


@pytest.mark.parametrize("auto_key", [True, False])
@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("pending", [True, False])
def test_a_cancelled_drag_restores_everything_and_keeps_redo(document, auto_key, keyed, pending):
    if keyed:
        document.keys.set()
    if pending:
        document.session.keys.auto = False
        document.posing.set(moved(document, 0.4))
    document.sequences.rename("Other")
    document.history.undo()
    document.session.keys.auto = auto_key
    before, steps = document.state_json(), document.stack.count()
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.1))
    gesture.set_pose(moved(document, 0.1))
    assert document.state_json() != before
    gesture.cancel()
    assert document.state_json() == before
    assert document.stack.count() == steps
    assert document.stack.canRedo()
    gesture.set_pose(moved(document, 0.1))
    assert not gesture.commit()
    assert document.state_json() == before


def test_a_drag_that_comes_back_leaves_no_step(document):
    before = document.state_json()
    start = document.pose
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.1))
    gesture.set_pose(start)
    assert not gesture.commit()
    assert document.stack.count() == 0
    assert document.state_json() == before


def test_a_drag_with_auto_key_takes_the_pending_pose_into_the_key(document):
    document.session.keys.auto = False
    drag(document, 0.3)
    document.session.keys.auto = True
    drag(document, 0.2)
    assert not document.pending
    assert document.sequence.keys.at(0).q[4] == pytest.approx(0.5)
    document.history.undo()
    assert document.pending
    assert document.pose[4] == pytest.approx(0.3)


def test_undo_on_the_stack_during_a_drag_cancels_the_drag_first(document):
    drag(document, 0.1)
    start = document.state_json()
    document.history.undo()
    empty = document.state_json()
    document.history.redo()
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.7))
    document.stack.undo()
    assert not gesture.active
    assert document.state_json() == empty
    document.stack.redo()
    assert document.state_json() == start


def test_another_edit_ends_the_drag_as_its_own_step(document):
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.1))
    assert document.sequences.rename("Walk")
    assert not gesture.active
    assert [document.stack.text(i) for i in range(2)] == ["Drag", "Rename sequence"]


def test_the_pose_given_may_go_on_changing(document):
    for auto_key in (True, False):
        document.session.keys.auto = auto_key
        q = moved(document, 0.25)
        gesture = document.posing.begin_gesture("Drag")
        gesture.set_pose(q)
        shown = document.pose.copy()
        q[:] = 9.0
        assert np.array_equal(document.pose, shown)
        gesture.commit()
        assert np.array_equal(document.pose, shown)
        assert not document.pose.flags.writeable


def test_a_bad_pose_is_refused_and_the_one_before_stays(document):
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.1))
    shown = document.pose.copy()
    bad = document.pose.copy()
    bad[5] = np.nan
    with pytest.raises(PoseError, match="must be finite"):
        gesture.set_pose(bad)
    with pytest.raises(PoseError, match="shape"):
        gesture.set_pose(np.zeros(3))
    assert np.array_equal(document.pose, shown)
    gesture.commit()


def test_live_changes_are_reported_as_live(document, heard):
    gesture = document.posing.begin_gesture("Drag")
    gesture.set_pose(moved(document, 0.1))
    live = [change.live for change in heard.changes if isinstance(change, (KeysChanged, PoseChanged))]
    assert live == [True, True]
    heard.clear()
    gesture.commit()
    assert [change.live for change in heard.changes if isinstance(change, PoseChanged)] == [False]


def test_steps_of_one_gesture_number_merge_and_others_do_not(document):
    first, second = document.gesture_id(), document.gesture_id()
    for by in (0.1, 0.1):
        document.posing.set(moved(document, by), gesture=first)
    for by in (0.1, 0.1):
        document.posing.set(moved(document, by), gesture=second)
    document.posing.set(moved(document, 0.1))
    document.posing.set(moved(document, 0.1))
    assert document.stack.count() == 4
    document.history.undo()
    document.history.undo()
    assert document.pose[4] == pytest.approx(0.4)
    document.history.undo()
    assert document.pose[4] == pytest.approx(0.2)
    document.history.undo()
    assert document.pose[4] == 0.0


def test_merged_joint_values_undo_to_the_text_of_the_file(document, skeletons_folder):
    text = (skeletons_folder / "stickman.scr").read_text(encoding="utf-8")
    gesture = document.gesture_id()
    for value in (0.9, 0.5, 0.25):
        assert document.figures.set_joint_value(1, "weight", value, gesture)
    assert document.stack.count() == 1
    assert document.skeleton.joints[1].weight == 0.25
    assert document.sequence.skeleton is document.skeleton
    document.history.undo()
    assert document.skeleton.joints[1].weight == 1.0
    assert document.model.figures[0].scr == text
    document.history.redo()
    assert document.skeleton.joints[1].weight == 0.25


def test_a_drag_that_fails_by_surprise_goes_on_from_what_it_shows(document):
    document.keys.set(0)
    document.keys.set(10)
    before = document.state_json()
    gesture = document.keys.begin_gesture("Move keys")
    assert gesture.move_keys(KeySelection({10: None}), {10: 14})
    shown = document.state_json()
    with pytest.raises(ZeroDivisionError):
        gesture._show(lambda: [1 // 0])
    assert document.state_json() == shown != before
    assert gesture.commit() and document.state_json() == shown
    document.history.undo()
    assert document.state_json() == before
