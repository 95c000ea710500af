"""What a person does to locks in an order nobody planned: the window stays true to its document."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.panels import LocksPanel
from app.timeline.strips import shape as item
from app.window.main_window import MainWindow
from tests.gui.lock_support import LEFT, NONE, glyph, lock_part, mouse_drag
from tests.gui.test_lock_strips import drag, frames, press_at

CONTROL = Qt.KeyboardModifier.ControlModifier


def locks_panel(window: MainWindow) -> LocksPanel:
    return next(panel for panel in window.panels if isinstance(panel, LocksPanel))


@pytest.fixture
def foot(window: MainWindow) -> str:
    """A lock of the right foot from frame 4 on, selected, its editor open."""
    window.document.set_frame(4)
    key = lock_part(window.document, "right foot", "position")
    window.document.session.locks.selected = key
    panel = locks_panel(window)
    window.workbench.dock_of(panel).show()
    panel.open_editor(key)
    QTest.qWait(30)
    return key


def test_the_selected_lock_goes_with_undo_and_comes_back_with_redo(window: MainWindow, foot: str) -> None:
    panel = locks_panel(window)
    window.action_table["undo"].trigger()
    assert not window.document.locks.strips and panel.opened == "" and not panel.editor.isVisible()
    window.document.session.tools.tool = "lock"
    assert window.area.host.toolbox.locks.selected_strip is None
    at = window.document.stack.index()
    QTest.keyClick(window.area.work_view, Qt.Key.Key_Delete)
    assert window.document.stack.index() == at, "nothing to remove"
    window.action_table["redo"].trigger()
    assert panel.list.rows[foot].isChecked() and window.area.host.toolbox.locks.selected_strip.id == foot


@pytest.mark.verify
def test_another_theme_leaves_the_lock_selected_and_its_editor_open(window: MainWindow, foot: str) -> None:
    panel = locks_panel(window)
    before = panel.editor.grab().toImage().pixelColor(40, 2).lightness()
    window.action_table["toggle_theme"].trigger()
    QTest.qWait(30)
    after = panel.editor.grab().toImage().pixelColor(40, 2).lightness()
    assert panel.editor.isVisible() and panel.opened == foot and window.document.session.locks.selected == foot
    assert before < 90 < 160 < after


@pytest.mark.verify
def test_another_file_has_no_selected_lock(window: MainWindow, foot: str, skeletons_folder) -> None:
    window.document.session.locks.hovered = foot
    assert window.document.files.open(skeletons_folder / "library" / "Gestures" / "wave.seq")
    QTest.qWait(50)
    panel, tool = locks_panel(window), window.area.host.toolbox.locks
    assert panel.opened == "" and not panel.editor.isVisible() and not panel.list.rows
    assert tool.selected_strip is None and tool.over_mark is None
    window.document.session.tools.tool = "lock"
    keys = len(window.document.sequence.keys)
    QTest.keyClick(window.area.work_view, Qt.Key.Key_Delete)
    assert not window.document.stack.canUndo() and len(window.document.sequence.keys) == keys


@pytest.mark.verify
def test_keys_deleted_under_a_strip_leave_it_held(window: MainWindow, foot: str) -> None:
    document = window.document
    target = np.array(document.locks.strip(foot).lock.target)
    before = document.state_json()
    window.timeline.model.select([key.frame for key in document.sequence.keys])
    window.timeline.sheet.setFocus()
    QTest.keyClick(window.timeline.sheet, Qt.Key.Key_Delete)
    assert not document.sequence.keys and [strip.id for strip in document.locks.strips] == [foot]
    for frame in (0, 4, 20):
        document.set_frame(frame)
        QTest.qWait(20)
    assert np.isfinite(document.pose).all()
    window.action_table["undo"].trigger()
    assert document.state_json() == before
    assert np.allclose(document.locks.strip(foot).lock.target, target)


@pytest.mark.verify
def test_playing_ends_the_drag_of_a_target_as_one_step(window: MainWindow, foot: str) -> None:
    document, area = window.document, window.area
    before, steps = document.state_json(), document.stack.index()
    mouse_drag(area, glyph(area, foot), QPointF(20.0, -30.0), release=False)
    QTest.keyClick(area.work_view, Qt.Key.Key_Space)
    QTest.qWait(120)
    assert document.session.playback.playing
    for x in (100, 140):  # the hand that still holds the button moves nothing any more
        QTest.mouseMove(area.work_view, QPoint(x, 200))
    QTest.mouseRelease(area.work_view, LEFT, NONE, QPoint(140, 200))
    window.player.pause()
    assert document.gesture is None and not area.host.toolbox.active and document.stack.index() == steps + 1
    window.action_table["undo"].trigger()
    assert document.state_json() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", [item.START, item.END, item.BODY, item.EASE_IN, item.WEIGHT])
def test_escape_in_the_middle_of_a_strips_drag_puts_it_back(window: MainWindow, foot: str, part: str) -> None:
    document, tracks = window.document, window.timeline.locks
    document.locks.edit(foot, end=20, ease_in=4.0)
    window.timeline.show_tab("locks")
    QTest.qWait(30)
    before, steps = document.state_json(), document.stack.index()
    start = press_at(tracks, document.locks.strip(foot), part)
    by = frames(window, 3.0) if part != item.WEIGHT else QPointF(0.0, 9.0)
    drag(tracks, start, by, release=False)
    assert document.state_json() != before, "the drag has begun"
    QTest.keyClick(tracks, Qt.Key.Key_Escape)
    assert document.state_json() == before
    QTest.mouseMove(tracks, (start + by * 2.0).toPoint())
    QTest.mouseRelease(tracks, LEFT, NONE, (start + by * 2.0).toPoint())
    assert document.state_json() == before and document.stack.index() == steps and document.gesture is None


@pytest.mark.verify
def test_undo_in_the_middle_of_a_targets_drag_takes_back_the_drag_only(window: MainWindow, foot: str) -> None:
    document, area = window.document, window.area
    before, steps = document.state_json(), document.stack.index()
    mouse_drag(area, glyph(area, foot), QPointF(20.0, -30.0), release=False)
    assert document.state_json() != before
    QTest.keyClick(area.work_view, Qt.Key.Key_Z, CONTROL)
    assert document.state_json() == before, "the drag alone"
    QTest.mouseMove(area.work_view, glyph(area, foot))
    QTest.mouseRelease(area.work_view, LEFT, NONE, glyph(area, foot))
    assert document.state_json() == before and document.stack.index() == steps and document.gesture is None
    assert document.session.locks.selected == foot and not area.host.toolbox.active
