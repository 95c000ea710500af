"""The whole window, driven as a person would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.look.theme import current_theme
from app.process import crash_guard
from app.widgets.frames.tool_button import ToolButton
from app.window.main_window import MainWindow
from core.constraints import Lock
from core.errors import PoseError


def keys(window: MainWindow, *names: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for name in names:
        QTest.keyClick(window, name, modifier)


def test_opening_shows_what_is_open(window: MainWindow) -> None:
    assert "walk.seq" in window.windowTitle() and "human" in window.status.about.text()
    assert window.action_table["play"].isEnabled() and not window.action_table["undo"].isEnabled()


def test_a_sitting_with_the_keyboard(window: MainWindow) -> None:
    document = window.document
    frames = [key.frame for key in document.sequence.keys]
    keys(window, Qt.Key.Key_End)
    assert document.frame == document.sequence.range[1]
    keys(window, Qt.Key.Key_Home, Qt.Key.Key_Period)
    assert document.frame == frames[1]
    keys(window, Qt.Key.Key_Comma, Qt.Key.Key_Right)
    assert document.frame == 1
    keys(window, Qt.Key.Key_S)
    assert document.sequence.keys.at(1) is not None
    keys(window, Qt.Key.Key_S, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert document.sequence.keys.at(1) is None
    keys(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert document.sequence.keys.at(1) is not None
    keys(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert [key.frame for key in document.sequence.keys] == frames
    keys(window, Qt.Key.Key_F2)
    assert window.area.kind == "front"
    keys(window, Qt.Key.Key_E)
    assert document.session.tools.tool == "rotate"


@pytest.mark.verify
def test_space_plays_in_real_time_and_pauses(window: MainWindow, qtbot) -> None:
    keys(window, Qt.Key.Key_Space)
    assert window.document.session.playback.playing
    qtbot.wait(700)
    keys(window, Qt.Key.Key_Space)
    assert not window.document.session.playback.playing
    stats = window.player.stats
    due = 0.7 * window.document.sequence.fps
    assert abs(stats.shown + stats.dropped - due) <= 0.35 * due + 3  # the clock rules; the machine may be slow to start


@pytest.mark.verify
def test_space_belongs_to_a_focused_button(window: MainWindow) -> None:
    button = next(b for b in window.timeline.transport.findChildren(ToolButton) if b.icon_name == "loop")
    button.setFocus(Qt.FocusReason.TabFocusReason)
    looped = window.document.session.playback.loop
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not window.document.session.playback.playing
    assert window.document.session.playback.loop != looped
    QTest.keyClick(button, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)  # simulates from everywhere
    simulates = window.document.physics.running
    window.document.physics.forget()
    assert simulates and window.document.session.playback.loop != looped


def test_a_bad_file_is_one_line_with_details_and_changes_nothing(window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "bad.scr"
    bad.write_text('define skeleton "x"\n joint "a"\n joint "a"\nend skeleton\n', encoding="utf-8")
    before = window.document.state_json()
    window.open_files([bad])
    assert window.document.state_json() == before
    assert "bad.scr:3" in window.errors.text and "\n" not in window.errors.text
    assert "Traceback" not in window.errors.details


def test_a_file_dropped_on_the_window_opens(window: MainWindow, skeletons_folder: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(skeletons_folder / "stickman.scr"))])
    drop = QDropEvent(
        QPointF(300, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(drop)
    assert window.document.skeleton.name == "stickman"


def test_unkeyed_pose_is_marked_and_dropped_on_scrubbing_as_one_step(window: MainWindow) -> None:
    document = window.document
    document.session.keys.auto = False
    before = document.state_json()
    q = np.array(document.pose)
    q[5] += 0.1
    document.posing.set(q)
    assert document.pending
    posed = document.state_json()
    keys(window, Qt.Key.Key_Right)
    assert not document.pending and "Undo" in window.status.state.text
    keys(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert document.state_json() == posed
    keys(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert document.state_json() == before


@pytest.mark.verify
def test_theme_and_size_change_without_harm(window: MainWindow, qtbot) -> None:
    keys(window, Qt.Key.Key_T, modifier=Qt.KeyboardModifier.ControlModifier)
    assert current_theme().name == "light"
    window.resize(1024, 680)
    qtbot.wait(300)
    assert window.width() == 1024 and window.area.compact
    work = window.area.work_view
    assert work.width() >= 480 and work.height() >= 320
    ground = window.grab().toImage().pixelColor(4, window.toolbar.y() + 60)
    assert ground.lightness() > 140


def test_an_unexpected_exception_is_one_line_and_the_document_lives(window: MainWindow) -> None:
    import sys

    before = window.document.state_json()
    try:
        raise RuntimeError("a slot went wrong")
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)
    assert "unharmed" in window.errors.text and "Traceback" not in window.errors.details
    assert window.document.state_json() == before
    assert crash_guard.describe(PoseError("pose has shape (3,)"))[0] == "pose has shape (3,)"


def test_keys_are_dragged_on_the_dope_sheet_as_one_step(window: MainWindow, qtbot) -> None:
    model, sheet, document = window.timeline.model, window.timeline.sheet, window.document
    frames = [key.frame for key in document.sequence.keys]
    start = QPointF(sheet.track_x(frames[-1]), 9).toPoint()
    steps = document.stack.count()
    QTest.mousePress(sheet, Qt.MouseButton.LeftButton, pos=start)
    for by in (8, 20, 3 * model.pixels):
        QTest.mouseMove(sheet, start + QPointF(by, 0).toPoint())
    QTest.mouseRelease(sheet, Qt.MouseButton.LeftButton, pos=start + QPointF(3 * model.pixels, 0).toPoint())
    assert [key.frame for key in document.sequence.keys] == [*frames[:-1], frames[-1] + 3]
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert [key.frame for key in document.sequence.keys] == frames


def test_keys_never_merge_when_dragged(window: MainWindow) -> None:
    model = window.timeline.model
    frames = [int(frame) for frame in model.frames]
    model.select([frames[1]])
    model.set_shift(frames[2] - frames[1])
    assert frames[1] + model.shift not in frames[2:]
    model.cancel()


@pytest.mark.verify
def test_box_selects_and_delete_deletes(window: MainWindow) -> None:
    sheet, model, document = window.timeline.sheet, window.timeline.model, window.document
    frames = [int(frame) for frame in model.frames]
    left = QPointF(sheet.track_x(frames[2]) - 12, 4).toPoint()
    right = QPointF(sheet.track_x(frames[4]) + 6, 60).toPoint()
    QTest.mousePress(sheet, Qt.MouseButton.LeftButton, pos=left)
    QTest.mouseMove(sheet, (left + right) / 2)
    QTest.mouseMove(sheet, right)
    QTest.mouseRelease(sheet, Qt.MouseButton.LeftButton, pos=right)
    assert model.selected.frames == tuple(frames[2:5]) and model.selected.whole
    QTest.keyClick(sheet, Qt.Key.Key_Delete)
    assert [key.frame for key in document.sequence.keys] == frames[:2] + frames[5:]
    document.history.undo()
    assert [key.frame for key in document.sequence.keys] == frames


def test_ruler_scrubs(window: MainWindow) -> None:
    ruler = window.timeline.ruler
    place = QPointF(ruler.track_x(17), 10).toPoint()
    QTest.mouseClick(ruler, Qt.MouseButton.LeftButton, pos=place)
    assert window.document.frame == 17


def test_key_map_window_lists_and_filters(window: MainWindow) -> None:
    from app.dialogs.key_map_window import KeyMapWindow

    shown = KeyMapWindow(window.key_map.choice, window.action_table.names(), window)
    shown.filter("redo")
    visible = [
        head.child(k).text(0)
        for i in range(shown.tree.topLevelItemCount())
        if (head := shown.tree.topLevelItem(i)) is not None
        for k in range(head.childCount())
        if not head.child(k).isHidden()
    ]
    assert visible == ["Redo"]
    shown.close()


def test_there_is_one_key_map_window(window: MainWindow) -> None:
    from app.dialogs.key_map_window import KeyMapWindow

    window.action_table["key_map"].trigger()
    window.action_table["key_map"].trigger()
    (shown,) = window.findChildren(KeyMapWindow)
    assert shown.isVisible()
    shown.close()


def test_the_keyboard_moves_the_camera(window: MainWindow) -> None:
    camera = window.area.host.cameras["perspective"]
    distance, yaw = camera.distance, camera.yaw
    keys(window, Qt.Key.Key_Plus)
    assert camera.distance < distance
    keys(window, Qt.Key.Key_Minus)
    assert camera.distance == pytest.approx(distance)
    keys(window, Qt.Key.Key_Right, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert camera.yaw != yaw
    keys(window, Qt.Key.Key_F2)
    front = window.area.host.cameras["front"]
    target = front.target
    keys(window, Qt.Key.Key_Up, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert front.target[1] > target[1] and front.target[0] == target[0]


def test_the_view_has_the_keyboard_at_first(window: MainWindow) -> None:
    assert window.focusWidget() is window.area.work_view


def test_linear_keys_are_marked_and_ticked(window: MainWindow) -> None:
    document, sheet = window.document, window.timeline.sheet
    document.set_frame(8)
    before = sheet.grab().toImage()
    window.action_table["interpolate_linear"].trigger()
    assert document.sequence.keys.at(8).interp == "linear"
    assert window.action_table["interpolate_linear"].isChecked()
    assert not window.action_table["interpolate_spline"].isChecked()
    assert sheet.grab().toImage() != before
    document.history.undo()
    assert window.action_table["interpolate_spline"].isChecked()
    assert sheet.grab().toImage() == before


def test_a_key_has_a_menu_for_all_selected_keys(window: MainWindow) -> None:
    document, model = window.document, window.timeline.model
    frames = [int(frame) for frame in model.frames[1:4]]
    model.select(frames)
    window.keys.show_menu(window.mapToGlobal(window.rect().center()), frames[1])
    menu = QApplication.activePopupWidget()
    assert menu is not None and next(action.text() for action in menu.actions()) == "3 keys"
    menu.close()
    window.action_table["interpolate_linear"].trigger()
    assert [document.sequence.keys.at(frame).interp for frame in frames] == ["linear"] * 3


def test_a_click_on_empty_track_does_not_leave_the_frame(window: MainWindow) -> None:
    document, sheet, model = window.document, window.timeline.sheet, window.timeline.model
    model.select([int(model.frames[1])])
    QTest.mouseClick(sheet, Qt.MouseButton.LeftButton, pos=QPointF(sheet.track_x(30), 27).toPoint())
    assert document.frame == 0 and not model.selected


def test_up_to_offers_only_what_lies_above(window: MainWindow) -> None:
    window.document.selection.set(["right hand"])
    names = [action.text() for action in window.toolbar.base_menu().actions()]
    assert "Chest" in names and "Right forearm" in names and "Right thigh" not in names and "Right hand" not in names


def test_a_message_goes_when_something_is_done_after_it(window: MainWindow) -> None:
    window.show_message("info", "Something happened")
    assert window.status.state.text == "Something happened"
    window.document.keys.delete([window.document.sequence.keys[1].frame])
    assert window.status.state.text != "Something happened"


def test_f6_goes_round_the_regions(window: MainWindow) -> None:
    seen = []
    for _ in range(7):
        keys(window, Qt.Key.Key_F6)
        focus = window.focusWidget()
        seen.append(next((r for r in (window.toolbar, *window.panels) if r.isAncestorOf(focus)), focus))
        assert getattr(focus, "focus_ring", focus is window.area.work_view)
        assert focus is window.timeline.sheet or focus.visibleRegion().boundingRect() == focus.rect()
        lit = [dock for dock in window.workbench.docks if any(tab.lit for tab in dock.titleBarWidget()._tabs)]
        assert lit == [dock for dock in window.workbench.docks if dock.isAncestorOf(focus)]
    shown = [panel for panel in window.panels if panel.isVisible()]
    assert len(shown) == 4
    assert set(seen) == {window.toolbar, window.area.work_view, window.timeline.sheet, *shown}


def test_space_says_why_nothing_plays_and_plays_what_locks_move(window: MainWindow) -> None:
    document = window.document
    document.keys.delete([key.frame for key in document.sequence.keys])
    document.sequences.set_range(0, None)
    assert window.action_table["play"].isEnabled()
    keys(window, Qt.Key.Key_Space)
    assert not document.session.playback.playing and "nothing to play" in window.status.state.text
    assert document.locks.add(Lock("right foot", "position"), 0, 24)
    assert window.timeline.transport.last.value == 24
    keys(window, Qt.Key.Key_Space)
    assert document.session.playback.playing
    keys(window, Qt.Key.Key_Space)
