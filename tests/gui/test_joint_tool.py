"""Moving joints in the views."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.skeleton.segment import rest_frames
from tests.gui.skeleton_support import ALT, CTRL, LEFT, NONE, SHIFT, Key, at, ball, click, drag, edited, place, press


@pytest.fixture
def editing(window: MainWindow) -> MainWindow:
    return edited(window)


def test_a_click_selects_and_a_drag_is_one_step_that_carries_the_children(editing: MainWindow) -> None:
    document = editing.document
    before, steps = document.state_json(), document.stack.count()
    elbow, wrist = place(editing, "left forearm"), place(editing, "left hand")
    click(editing, ball(editing, "left forearm"))
    assert document.skeleton.joints[document.selection.joints[-1]].name == "left forearm"
    assert document.stack.count() == steps
    drag(editing, ball(editing, "left forearm"), QPoint(60, -40))
    assert document.stack.count() == steps + 1 and document.stack.undoText() == "Move left forearm"
    pixel = editing.area.work_view.pixel_size(elbow)
    moved = place(editing, "left forearm") - elbow
    assert moved == pytest.approx((60 * pixel, 40 * pixel, 0.0), abs=1e-9)
    assert place(editing, "left hand") - wrist == pytest.approx(moved, abs=1e-9)
    document.history.undo()
    assert document.state_json() == before


@pytest.mark.verify
def test_what_is_shown_while_dragging_is_what_comes_of_it(editing: MainWindow) -> None:
    document, scene = editing.document, editing.area.host.scene
    state = document.state_json()
    drag(editing, ball(editing, "left shank"), QPoint(50, 10), drop=False)
    assert document.state_json() == state and document.session.preview is not None
    shown = scene.poses.copy()
    offset = editing.skeleton.panel.form.offset.value
    QTest.mouseRelease(editing.area.work_view, LEFT, NONE, ball(editing, "left shank"))
    assert document.session.preview is None
    assert scene.poses == pytest.approx(shown, abs=1e-12)
    assert offset == pytest.approx(document.skeleton.joints[document.selection.joints[-1]].offset)


@pytest.mark.verify
def test_escape_puts_a_joint_back_and_leaves_no_step(editing: MainWindow) -> None:
    document = editing.document
    before, steps = document.state_json(), document.stack.count()
    drag(editing, ball(editing, "left forearm"), QPoint(70, 0), drop=False)
    press(editing, Key.Key_Escape)
    assert document.session.preview is None
    QTest.mouseRelease(editing.area.work_view, LEFT, NONE, QPoint(10, 10))
    assert document.state_json() == before and document.stack.count() == steps
    drag(editing, ball(editing, "left foot"), QPoint(70, 0))
    moved = document.state_json()
    drag(editing, ball(editing, "left forearm"), QPoint(70, 0), drop=False)
    editing.action_table["undo"].trigger()  # while it lasts Undo gives the drag up, not the step before it
    assert document.session.preview is None and document.state_json() == moved != before


@pytest.mark.verify
def test_shift_and_the_switch_leave_the_children(editing: MainWindow) -> None:
    document = editing.document
    hand = place(editing, "left hand")
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0), held=SHIFT)
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    assert place(editing, "left forearm")[0] > 0.1
    document.history.undo()
    press(editing, Key.Key_C, SHIFT)
    assert not document.session.tools.carry_children and not editing.action_table["carry_children"].isChecked()
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0))
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    document.history.undo()
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0), held=SHIFT)  # now Shift carries them
    assert place(editing, "left hand")[0] > hand[0] + 0.05
    press(editing, Key.Key_C, SHIFT)


@pytest.mark.verify
def test_axes_fine_and_the_grid(editing: MainWindow) -> None:
    document = editing.document
    start = place(editing, "left shank")
    pixel = editing.area.work_view.pixel_size(start)
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), keys=(Key.Key_X,))
    assert place(editing, "left shank") - start == pytest.approx((60 * pixel, 0.0, 0.0), abs=1e-9)
    document.history.undo()
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), keys=(Key.Key_X, Key.Key_X))  # again lets go
    assert place(editing, "left shank") - start == pytest.approx((60 * pixel, -30 * pixel, 0.0), abs=1e-9)
    document.history.undo()
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), held=CTRL)
    assert place(editing, "left shank") - start == pytest.approx((6 * pixel, -3 * pixel, 0.0), abs=1e-9)
    document.history.undo()
    press(editing, Key.Key_G, SHIFT)
    assert document.session.tools.snap
    drag(editing, ball(editing, "left shank"), QPoint(47, 23))
    placed = place(editing, "left shank")
    from app.tools.joint_picking import grid_step

    step = grid_step(editing.area.work_view, placed)
    assert placed[:2] / step == pytest.approx(np.round(placed[:2] / step), abs=1e-6)
    assert placed[2] == pytest.approx(start[2], abs=1e-9)  # the depth of a parallel view stays
    press(editing, Key.Key_G, SHIFT)


@pytest.mark.verify
def test_a_mere_click_moves_nothing_and_goes_deeper_the_second_time(window: MainWindow, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "stickman.scr")
    window.skeleton.set_mode("skeleton")
    skeleton = window.document.skeleton
    frames = rest_frames(skeleton)[:, :3, 3]
    together = [
        i for i in range(len(frames)) if np.linalg.norm(frames - frames[i], axis=1).round(6).tolist().count(0) > 1
    ]
    spot = at(window, frames[together[0]]) if together else ball(window, skeleton.joint_names[1])
    steps = window.document.stack.count()
    click(window, spot)
    first = window.document.selection.joints
    click(window, spot)
    assert len(first) == 1 and window.document.stack.count() == steps
    if together:
        assert window.document.selection.joints != first and window.document.selection.joints[0] in together


@pytest.mark.verify
def test_a_click_on_the_body_takes_its_joint(editing: MainWindow) -> None:
    skeleton, scene = editing.document.skeleton, editing.area.host.scene
    head = skeleton.joint_index("head")
    top = scene.points(scene.poses, (head,))[:, 1].max()
    spot = scene.poses[head, :3, 3].copy()
    spot[1] = 0.5 * (top + spot[1]) + 0.02
    click(editing, at(editing, spot))
    assert editing.document.selection.joints == (head,)
    click(editing, QPoint(12, 300))
    assert editing.document.selection.joints == ()


@pytest.mark.verify
def test_nudges_in_a_row_are_one_step(editing: MainWindow) -> None:
    document = editing.document
    document.selection.set(["left foot"])
    start, steps = place(editing, "left foot"), document.stack.count()
    for _ in range(3):
        press(editing, Key.Key_Right, ALT)
    assert place(editing, "left foot") - start == pytest.approx((0.03, 0.0, 0.0), abs=1e-9)
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert place(editing, "left foot") == pytest.approx(start)
