"""What the mouse drags in the timeline moves by actions, too: keys, curves, strips, markers and beats."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.locks.panel import LocksPanel
from core.audio.record import AudioRecord


@pytest.fixture
def do(window):
    """Return what triggers an action of the menus."""
    return lambda *names: [window.action_table[name].trigger() for name in names]


def frames(window) -> list[int]:
    return [key.frame for key in window.document.sequence.keys]


def _hinge(window) -> int:
    return next(i for i, each in enumerate(window.document.skeleton.joints) if len(each.dofs) == 1)


def test_selected_keys_move_stretch_and_ripple_by_a_frame(window, do):
    model, before = window.timeline.model, frames(window)
    assert len(before) > 3
    window.document.set_frame(before[-1])
    do("select_key_here")
    assert model.selected.frames == (before[-1],)
    do("move_later", "move_later")
    assert frames(window)[-1] == before[-1] + 2
    do("move_earlier")
    assert frames(window)[-1] == before[-1] + 1
    window.document.history.undo()
    window.document.history.undo()
    window.document.history.undo()
    assert frames(window) == before

    window.document.set_frame(before[1])
    do("select_keys_after")
    assert model.selected.frames == tuple(before[1:])
    do("end_later")
    assert frames(window)[1] == before[1] and frames(window)[-1] == before[-1] + 1
    window.document.history.undo()
    do("start_later")
    assert frames(window)[1] == before[1] + 1 and frames(window)[-1] == before[-1]
    window.document.history.undo()

    model.select([before[1]])
    do("ripple_later")
    assert frames(window) == before[:1] + [frame + 1 for frame in before[1:]]
    window.document.history.undo()


@pytest.mark.verify
def test_keys_are_selected_without_a_box(window, do):
    model, before = window.timeline.model, frames(window)
    model.select([])
    window.document.set_frame(before[0])
    do("select_next_key", "select_next_key")
    assert model.selected.frames == tuple(before[:3]) and window.document.frame == before[2]
    do("select_key_here")
    assert model.selected.frames == tuple(before[:2])
    do("select_keys_before")
    assert model.selected.frames == tuple(before[:3])
    model.select([])
    do("move_later")
    assert "Select keys" in window.status.state.text and frames(window) == before


def test_the_keys_of_the_timeline_belong_to_it_alone(window):
    """Ctrl and an arrow moves keys in the dope sheet; in a view Alt and an arrow nudges, in the sheet it ripples."""
    before = frames(window)
    window.timeline.model.select([before[-1]])
    window.timeline.sheet.setFocus()
    QTest.keyClick(window.timeline.sheet, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert frames(window)[-1] == before[-1] + 1
    QTest.keyClick(window.timeline.sheet, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert frames(window) == before


@pytest.mark.verify
def test_arrows_mean_parts_in_the_view_and_rows_in_the_timeline(window):
    document, view, sheet = window.document, window.area.work_view, window.timeline.sheet
    window.activateWindow()
    view.setFocus()
    hand = document.skeleton.joint_index("right hand")
    document.selection.set((hand,))
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert document.selection.joints == (document.skeleton.joints[hand].parent,)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert document.selection.joints == (hand,)
    before = document.pose.copy()
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert not np.allclose(document.pose, before)
    document.history.undo()
    sheet.setFocus()
    QTest.keyClick(sheet, Qt.Key.Key_Down)
    assert sheet.cursor_row.shown and document.selection.joints == (hand,)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)


def test_a_lock_is_selected_moved_eased_weighed_and_copied(window, do):
    document, board = window.document, window.timeline.board
    document.set_frame(4)
    document.locks.set((), "No locks")
    document.locks.lock_parts(["left foot"], "position")
    document.set_frame(20)
    document.selection.set((document.skeleton.joint_names.index("left foot"),))
    do("unlock", "next_strip")

    def strip():
        return board.strip(board.selected)

    start, end = strip().start, strip().end
    assert window.timeline.locks.hasFocus() and end is not None
    do("move_later", "end_later", "start_later", "start_earlier")
    assert (strip().start, strip().end) == (start + 1, end + 2)
    eases = strip().eases
    do("ease_in_longer", "ease_in_longer", "ease_out_longer", "ease_out_shorter")
    assert strip().eases == (eases[0] + 2, eases[1])
    do("lower_selected", "lower_selected", "raise_selected")
    assert strip().lock.weight == pytest.approx(0.9)
    first = strip()
    do("duplicate_strip")
    copy = strip()
    assert copy.id != first.id and copy.start > first.end and copy.end - copy.start == first.end - first.start
    do("ripple_later")
    assert strip().start == copy.start + 1 and board.strip(first.id) == first
    do("remove_strip")
    assert [each.id for each in document.locks.strips] == [first.id]
    do("edit_lock")
    panel = next(panel for panel in window.panels if isinstance(panel, LocksPanel))
    assert panel.isAncestorOf(window.focusWidget()), "the lock's editor has the keyboard"


@pytest.mark.verify
def test_curves_are_moved_and_their_tangents_tilted(window, do):
    document, timeline = window.document, window.timeline
    document.selection.set((5,))
    timeline.show_tab("curves")
    model = timeline.curves.model
    row = model.editable[0]
    model.select({row.id: model.key_frames(row)[1:2]})
    at, value = int(model.points[row.id][0]), float(model.key_values(row, model.points[row.id])[0])
    do("raise_selected")
    assert float(model.key_values(row, np.array([at]))[0]) > value
    do("lower_selected", "move_later")
    assert model.points[row.id].tolist() == [at + 1]
    do("tangents_flat")
    one = np.array([at + 1])
    assert float(model.samples.slopes(model.motion, row, one).leave[0]) == pytest.approx(0.0, abs=1e-9)
    do("steeper_tangents")
    assert float(model.samples.slopes(model.motion, row, one).leave[0]) > 0.0
    before = model.scale.span
    do("zoom_in_values")
    assert model.scale.span[1] - model.scale.span[0] < before[1] - before[0]
    do("curve_alone")
    assert [each.id for each in model.rows if each.id not in model.hidden] == [row.id]
    do("curve_alone", "fit_curves")
    timeline.show_tab("keys")


@pytest.mark.verify
def test_markers_and_beats_move_by_a_frame(window, do):
    document, timeline = window.document, window.timeline
    document.markers.add(5, "step")
    document.set_frame(5)
    timeline.model.select([])
    timeline.markers.setFocus()
    do("move_later", "move_later")
    assert [marker.frame for marker in document.sequence.markers] == [7] and document.frame == 7
    do("delete_marker")
    assert document.sequence.markers == ()

    fps = document.sequence.fps
    music = AudioRecord("nothing.wav", beats=(10 / fps, 20 / fps, 30 / fps), tempo=None)
    document.music.set(music, text="Load music")
    document.set_frame(0)
    do("next_beat", "next_beat")
    assert timeline.audio.selected == 1 and document.frame == 20
    timeline.audio.setFocus()
    do("move_later")
    assert timeline.audio.music.beats[1] * fps == pytest.approx(21)
    do("ripple_later")
    assert [beat * fps for beat in timeline.audio.music.beats] == pytest.approx([11, 22, 31], abs=0.01)
    do("delete_beat")
    assert len(timeline.audio.music.beats) == 2
    do("music_later")
    assert timeline.audio.music.offset * fps == pytest.approx(1)
    document.set_frame(50)
    do("add_beat")
    assert len(timeline.audio.music.beats) == 3
    document.music.set(None, text="Remove music")


def test_a_name_of_the_script_is_completed_by_its_command_and_by_its_key(window, do):
    timeline = window.timeline
    window.activateWindow()
    do("complete_name")
    editor = timeline.script.editor
    assert timeline.transport.tabs.current == "script" and editor.hasFocus() and editor.popup.isVisible()
    editor.popup.hide()
    QTest.keyClick(editor, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert editor.popup.isVisible() and timeline.script.keys.text() == "Ctrl+Space completes"
    editor.popup.hide()
    timeline.show_tab("keys")


def test_the_timeline_is_zoomed_moved_and_its_rows_opened(window, do):
    model, document = window.timeline.model, window.document
    document.set_frame(10)
    width, here = model.pixels, model.x(10)
    do("zoom_in_time")
    assert model.pixels == pytest.approx(1.2 * width) and model.x(10) == pytest.approx(here)
    left = model.left
    do("pan_later")
    assert model.left > left
    do("pan_earlier", "zoom_out_time", "next_row", "next_row")
    assert window.timeline.sheet.hasFocus()
    rows = len(model.rows)
    do("open_row")
    opened = len(model.rows)
    do("close_row")
    assert opened > rows == len(model.rows)
    for focus, key in ((window.area.work_view, Qt.Key.Key_Return), (window.timeline.sheet, Qt.Key.Key_Escape)):
        focus.setFocus()
        do("go_to_frame")
        assert window.timeline.transport.frame.isAncestorOf(window.focusWidget())
        QTest.keyClick(window.focusWidget(), key)
        assert focus.hasFocus(), "the keyboard goes back to where it was"


@pytest.mark.verify
def test_a_part_is_turned_and_the_figure_nudged_by_steps(window, do):
    document = window.document
    joint = _hinge(window)
    document.selection.set((joint,))
    at = 3 + document.skeleton.first_dof[joint]
    before, steps = document.pose.copy(), document.stack.index()
    dof = document.skeleton.joints[joint].dofs[0]
    low, high = dof.lo, dof.hi
    way, back = ("on", "back") if before[at] + np.radians(16) < high else ("back", "on")
    do(f"turn_1_{way}")
    assert abs(document.pose[at] - before[at]) == pytest.approx(np.radians(15), abs=0.02)
    do("fine_steps", f"turn_1_{back}", "fine_steps")
    assert abs(document.pose[at] - before[at]) == pytest.approx(np.radians(13.5), abs=0.02)
    assert document.stack.index() == steps + 1, "turns in a row are one step"
    do("turn_3_on")
    assert "1 angle only" in window.status.state.text
    assert low <= document.pose[at] <= high

    before = document.pose.copy()
    do("nudge_figure_up")
    moved = document.pose - before
    assert np.linalg.norm(moved[:3]) == pytest.approx(0.01, abs=2e-3)


@pytest.mark.verify
def test_limits_are_typed_in_skeleton_mode(window, do):
    document = window.document
    joint = _hinge(window)
    document.selection.set((joint,))
    do("joint_limits")
    assert document.session.mode == "skeleton" and "lower limit" in window.focusWidget().accessibleName()
    document.session.mode = "pose"
