"""Posing in larger steps, as a person does it: keys and menus, the board between keys, the history panel."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget

from app.panels import HistoryPanel, JointsPanel
from app.panels.history.panel import FRAMES, ICON, SAVED, STATE

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def posed(window):
    window.document.set_frame(12)
    window.area.work_view.setFocus()
    return window


def own(window, name):
    skeleton = window.document.skeleton
    joint = skeleton.joint_index(name)
    return slice(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])


def joint_names(window):
    return {window.document.skeleton.joints[i].name for i in window.document.selection.joints}


def press(window, text):
    QTest.keySequence(window.focusWidget(), text)


def test_keys_copy_paste_flip_and_mirror_the_pose_of_what_is_selected(posed):
    document = posed.document
    document.selection.set(["right forearm"])
    q = np.array(document.pose)
    q[own(posed, "right forearm").start] = 1.0
    document.posing.set(q)
    press(posed, "Ctrl+C")
    assert "right forearm" in posed.status.state.text
    document.set_frame(20)
    before = document.pose
    press(posed, "Ctrl+Shift+V")
    assert document.pose[own(posed, "left forearm").start] == 1.0
    document.history.undo()
    assert np.array_equal(document.pose, before)
    press(posed, "Ctrl+V")
    assert document.pose[own(posed, "right forearm").start] == 1.0
    press(posed, "M")
    assert document.pose[own(posed, "left forearm").start] == 1.0
    q = np.array(document.pose)
    q[own(posed, "right forearm").start] = 0.5
    document.posing.set(q)
    press(posed, "Ctrl+M")
    assert document.pose[own(posed, "left forearm").start] == 0.5
    assert posed.status.state.text.startswith("Flipped only right forearm and left forearm;")
    document.history.undo()
    document.history.undo()
    document.selection.set(())
    press(posed, "Ctrl+M")
    press(posed, "Ctrl+M")
    assert document.pose[own(posed, "left forearm").start] == 1.0


def test_the_timeline_keeps_these_keys_to_itself(posed):
    document = posed.document
    document.posing.copy()
    posed.timeline.tracks.setFocus()
    count = document.stack.count()
    press(posed, "Ctrl+V")
    assert document.stack.count() == count or not document.stack.undoText().startswith("Paste pose")


@pytest.mark.verify
def test_what_belongs_together_is_selected_by_key_and_menu(posed):
    document = posed.document
    document.selection.set(["right forearm"])
    press(posed, "Ctrl+G")
    assert {"right upper arm", "right forearm", "right hand"} <= joint_names(posed)
    press(posed, "Ctrl+Alt+M")
    assert {"left upper arm", "left forearm", "left hand"} <= joint_names(posed)
    assert not any("right" in name for name in joint_names(posed))
    arm = joint_names(posed)
    press(posed, "Ctrl+I")
    assert not arm & joint_names(posed) and "head" in joint_names(posed)
    document.selection.set(["left thigh"])
    press(posed, "Ctrl+Shift+G")
    assert joint_names(posed) >= {"left thigh", "left shank", "left foot"} and not any(
        "right" in name or "arm" in name for name in joint_names(posed)
    )
    posed.posing._fill_groups()
    action = posed.posing._groups.actions()[-1]
    action.trigger()
    names = dict(document.skeleton.groups)
    assert set(document.selection.joints) in [set(joints) for joints in names.values()]


@pytest.mark.verify
def test_mirror_editing_lets_a_drag_and_a_slider_move_both_sides(posed):
    document, view = posed.document, posed.area.work_view
    posed.action_table["mirror_editing"].trigger()
    assert document.session.tools.mirror_editing and posed.action_table["mirror_editing"].isChecked()
    from tests.pictures.driving import hand

    start = hand(posed)
    count = document.stack.count()
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 5):
        QTest.mouseMove(view, start.toPoint() + QPoint(3, -12) * step)
    tool = posed.area.host.toolbox.current  # of the hand's control point
    assert tool.active and "both sides" in tool.chip()
    QTest.mouseRelease(view, LEFT, pos=start.toPoint() + QPoint(12, -48))
    assert document.stack.count() == count + 1
    for part in ("upper arm", "forearm"):
        left, right = (document.pose[own(posed, f"{side} {part}")] for side in ("left", "right"))
        assert np.array_equal(np.abs(left), np.abs(right))
    joints = next(panel for panel in posed.panels if isinstance(panel, JointsPanel))
    row = joints.row(own(posed, "right shank").start)
    row.slider.edit_to(30.0)
    assert document.pose[own(posed, "left shank").start] == document.pose[own(posed, "right shank").start]


@pytest.mark.verify
def test_the_board_between_keys_is_live_escapes_and_makes_one_step(posed):
    document = posed.document
    keys = document.sequence.keys.frames
    document.set_frame((keys[2] + keys[3]) // 2)
    press(posed, "P")
    board = posed.posing._popover
    assert board.isVisible() and f"keys {keys[2]} and {keys[3]}" in board.about.text()
    slider, before, count = board.rows["breakdown"].slider, document.state_json(), document.stack.count()
    slider.begin()
    slider.move_to(100.0)
    assert np.allclose(document.pose, document.sequence.keys.at(keys[3]).q)
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    assert document.state_json() == before and board.isVisible()
    step = count + 1
    board.rows["breakdown"].slider.edit_to(80.0)
    made = np.array(document.pose)
    assert board.rows["breakdown"].value == 80.0 and document.stack.count() == step  # true of the pose, so it stays
    board.rows["breakdown"].slider.edit_to(81.0)
    assert 0.0 < np.abs(document.pose - made).max() < 0.05  # goes on from there without a jump
    document.history.undo()
    document.history.undo()
    assert board.rows["breakdown"].value == 50.0
    document.history.redo()
    assert board.rows["breakdown"].value == 80.0
    document.history.undo()
    count = document.stack.index()
    board.show_kind("lean")
    board.rows["lean"].slider.edit_to(-100.0)
    assert document.stack.count() == count + 1 and document.stack.undoText() == "Blend 100 % to the previous key"
    assert board.rows["lean"].value == 0.0  # ready for more
    document.set_frame(0)
    assert "none before" in board.about.text() or "before" in board.about.text()
    QTest.keyClick(board, Qt.Key.Key_Escape)
    assert not board.isVisible()


def test_the_history_follows_goes_anywhere_and_shares_a_dock_with_the_joints(posed):
    document = posed.document
    panel = next(panel for panel in posed.panels if isinstance(panel, HistoryPanel))
    assert isinstance(posed.workbench.docks[0].widget(), QStackedWidget) and not panel.isVisible()
    posed.action_table["show_history"].trigger()
    assert panel.isVisible() and panel.list.hasFocus()
    model = panel.model
    frames = document.sequence.keys.frames
    for frame in frames[:3]:
        document.keys.delete([frame])
    rows = [[model.index(i).data(role) for role in (int(Qt.ItemDataRole.DisplayRole), ICON, FRAMES)] for i in range(4)]
    assert rows[0][0] == "Open walk.seq" and rows[1] == ["Delete key", "trash", str(frames[0])]
    assert [model.index(i).data(STATE) for i in range(4)] == ["done", "done", "done", "now"]
    QTest.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.row_rect(1).center().toPoint())
    assert document.stack.index() == 1 and document.sequence.keys.frames == frames[1:]
    assert [model.index(i).data(STATE) for i in range(4)] == ["done", "now", "undone", "undone"]
    QTest.keyClick(panel.list, Qt.Key.Key_Down)
    assert document.stack.index() == 2
    QTest.keyClick(panel.list, Qt.Key.Key_Home)
    assert document.stack.index() == 0 and model.index(0).data(SAVED)
    gesture = document.posing.begin_gesture("Drag right hand")
    q = np.array(document.pose)
    q[5] += 0.1
    gesture.set_pose(q)
    assert model.rowCount() == 5 and model.index(1).data(STATE) == "live" and model.step_number(2) == 1
    gesture.commit()
    assert model.rowCount() == 2 and model.index(1).data(STATE) == "now"


@pytest.mark.verify
def test_undo_says_where_it_went(posed):
    document = posed.document
    frame = document.sequence.keys.frames[2]
    document.keys.delete([frame])
    document.set_frame(0)
    posed.action_table["undo"].trigger()
    assert document.frame == frame and posed.status.state.text == f"Undone: delete key · at frame {frame}"


@pytest.mark.verify
def test_it_is_said_what_is_copied(posed):
    window, action = posed, posed.action_table["copy_pose"]
    window.document.selection.set([])
    assert action.text() == "Copy pose of the whole figure"
    action.trigger()
    assert window.status.state.text == "Copied the pose of the whole figure"
    window.document.selection.set(["left hand"])
    assert action.text() == "Copy pose of left hand"
    action.trigger()
    said = window.status.state.text
    assert said == "Copied the pose of left hand; with nothing selected, the whole figure is copied"
    window.document.selection.set(["left hand", "left forearm", "left upper arm"])
    assert action.text() == "Copy pose of 3 parts"
    action.trigger()
    assert window.status.state.text.startswith("Copied the pose of 3 parts;")


@pytest.mark.verify
def test_a_refused_paste_is_not_shown_any_longer_than_it_is_true(posed):
    window, clipboard = posed, QApplication.clipboard()
    clipboard.setText("shopping list")
    window.action_table["paste_pose"].trigger()
    assert "does not contain a pose" in window.errors.text
    window.action_table["copy_pose"].trigger()  # now it does
    assert window.errors.text == ""
    window.show_message("warning", "something else")
    clipboard.setText("shopping list")
    assert window.errors.text == "something else"
