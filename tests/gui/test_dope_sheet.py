"""The dope sheet under mouse and keyboard: rows, ranges, ripple, boxes, numbers, clipboard."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.timeline.sheet.picture import ROW_HEIGHT
from app.window.main_window import MainWindow
from tests.support import mouse

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CTRL, ALT = (getattr(Qt.KeyboardModifier, f"{name}Modifier") for name in ("Shift", "Control", "Alt"))


def place(window: MainWindow, name: str, frame: float) -> QPointF:
    """Return where a frame is in a row of the sheet."""
    sheet = window.timeline.sheet
    number = next(i for i, row in enumerate(sheet.model.rows) if row.name == name)
    return QPointF(sheet.track_x(frame), (number + 0.5) * ROW_HEIGHT)


def click(window: MainWindow, name: str, frame: float, modifiers=NONE) -> None:
    QTest.mouseClick(window.timeline.sheet, LEFT, modifiers, place(window, name, frame).toPoint())


def drag(window: MainWindow, start: QPointF, end: QPointF, modifiers=NONE, drop: bool = True) -> None:
    """Drag; QTest knows no modifiers of moves."""
    sheet = window.timeline.sheet
    QTest.mousePress(sheet, LEFT, modifiers, start.toPoint())
    for part in (0.5, 1.0):
        at = start + (end - start) * part
        move = QMouseEvent(QEvent.Type.MouseMove, at, sheet.mapToGlobal(at), LEFT, LEFT, modifiers)
        QApplication.sendEvent(sheet, move)
    if drop:
        QTest.mouseRelease(sheet, LEFT, modifiers, end.toPoint())


def test_rows_open_and_keys_are_picked_in_them(window: MainWindow) -> None:
    model, sheet, document = window.timeline.model, window.timeline.sheet, window.document
    frames = model.frames.tolist()
    arm = place(window, "Right arm", 0)
    QTest.mouseClick(sheet, LEFT, NONE, QPointF(28, arm.y()).toPoint())  # its chevron
    assert "Right hand" in [row.name for row in model.rows] and not document.selection.joints
    QTest.mouseClick(sheet, LEFT, NONE, QPointF(80, place(window, "Right hand", 0).y()).toPoint())
    assert [document.skeleton.joints[joint].name for joint in document.selection.joints] == ["right hand"]
    click(window, "Right hand", frames[1])
    click(window, "Right hand", frames[4], SHIFT)
    assert set(model.selected.parts.items()) == {(frame, frozenset({"right hand"})) for frame in frames[1:5]}
    click(window, "Right hand", frames[2], CTRL)
    click(window, "Summary", frames[7], CTRL)
    assert model.selected.frames == (frames[1], frames[3], frames[4], frames[7])
    assert document.session.keys.selected == model.selected
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not model.selected


def test_the_handles_of_a_box_are_seen_when_it_is_let_go(window: MainWindow) -> None:
    model, sheet = window.timeline.model, window.timeline.sheet
    frames = model.frames.tolist()
    start, end = place(window, "Summary", frames[0]) - QPointF(7, 6), place(window, "Spine", frames[3]) + QPointF(6, 4)
    drag(window, start, end, drop=False)
    sheet.grab()  # a picture of the box under way, which must not stay
    QTest.mouseRelease(sheet, LEFT, NONE, end.toPoint())
    shown = sheet.grab().toImage()
    area = [(x, y) for x in range(int(end.x()) - 8, int(end.x()) + 20) for y in range(0, sheet.height(), 4)]
    grip = [(x, y) for x, y in area if sheet.end_under(QPointF(x, y))]
    model.set_chosen(model.chosen & False)
    bare = sheet.grab().toImage()
    ratio = bare.devicePixelRatio()
    lit = [a.pixelColor(round(x * ratio), round(y * ratio)).lightness() for a in (shown, bare) for x, y in grip]
    assert grip and max(lit[: len(grip)]) > max(lit[len(grip) :]) + 80


def test_alt_ripples_escape_cancels(window: MainWindow) -> None:
    model, document = window.timeline.model, window.document
    model.zoom(1.4, 0.0)
    frames = model.frames.tolist()
    start = place(window, "Summary", frames[3])
    by = QPointF(2 * model.pixels, 0)
    drag(window, start, start + by, ALT, drop=False)
    assert model.dragging and "ripples" in window.timeline.sheet.mouse.tag
    QTest.keyClick(window.timeline.sheet, Qt.Key.Key_Escape)
    QTest.mouseRelease(window.timeline.sheet, LEFT)
    assert model.frames.tolist() == frames and not model.dragging
    drag(window, start, start + by, ALT)
    assert model.frames.tolist() == frames[:3] + [frame + 2 for frame in frames[3:]]
    document.history.undo()
    assert model.frames.tolist() == frames


def test_undo_selects_the_keys_that_were_moved_where_they_are(window: MainWindow) -> None:
    model, document = window.timeline.model, window.document
    frames = model.frames.tolist()
    model.select(frames[3:5])
    start = place(window, "Summary", frames[3])
    far = QPointF(window.timeline.model.pixels * (frames[6] - frames[3]), 0)
    drag(window, start, start + far, ALT | SHIFT)
    moved = tuple(frame + frames[6] - frames[3] for frame in frames[3:5])
    assert model.selected.frames == moved
    document.history.undo()
    assert model.selected.frames == tuple(frames[3:5])
    document.history.redo()
    assert model.selected.frames == moved
    model.select([])
    document.history.go_to(0)
    assert model.selected.frames == tuple(frames[3:5])


def test_keys_that_ripple_are_no_places_to_snap_to(window: MainWindow) -> None:
    model = window.timeline.model
    frames = model.frames.tolist()
    assert frames[4] not in {marker.frame for marker in model.marks.markers} | set(model.range)
    model.select([frames[3]])
    start = place(window, "Summary", frames[3])
    on_next = start + QPointF(model.pixels * (frames[4] - frames[3]), 0)
    drag(window, start, on_next, ALT, drop=False)
    assert model.moves.place(frames[3]) == frames[4] and model.snap is None
    QTest.keyClick(window.timeline.sheet, Qt.Key.Key_Escape)
    QTest.mouseRelease(window.timeline.sheet, LEFT)


def test_a_box_zooms(window: MainWindow) -> None:
    model, sheet = window.timeline.model, window.timeline.sheet
    drag(window, place(window, "Root", 4), place(window, "Spine", 24), CTRL | SHIFT)
    assert abs(sheet.track_x(4) - 168) < 1.0 and abs(sheet.track_x(24) - (sheet.width() - 32)) < 1.0
    model.select(model.frames[2:4].tolist())
    sheet.setFocus()
    QTest.keyClick(sheet, Qt.Key.Key_Z)
    first, last = model.visible()
    assert first <= model.frames[2] and model.frames[3] <= last and last - first < 30


def test_keys_are_copied_with_the_keyboard_where_it_is(window: MainWindow) -> None:
    model, sheet, document = window.timeline.model, window.timeline.sheet, window.document
    frames = model.frames.tolist()
    model.select(frames[1:3])
    sheet.setFocus()
    QTest.keyClick(sheet, Qt.Key.Key_C, CTRL)
    document.set_frame(frames[-1] + 4)
    QTest.keyClick(sheet, Qt.Key.Key_V, CTRL)
    pasted = [frames[-1] + 4, frames[-1] + 4 + frames[2] - frames[1]]
    assert model.frames.tolist() == frames + pasted and list(model.selected.frames) == pasted
    QTest.keyClick(sheet, Qt.Key.Key_X, CTRL)
    assert model.frames.tolist() == frames
    QTest.keyClick(sheet, Qt.Key.Key_A, CTRL)
    assert model.selected.frames == tuple(frames)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    model.select(frames[1:3])
    QTest.keyClick(sheet, Qt.Key.Key_Delete, SHIFT)  # and what is later closes up
    closed = frames[3] - frames[1]
    assert model.frames.tolist() == frames[:1] + [frame - closed for frame in frames[3:]]
    document.history.undo()
    assert model.frames.tolist() == frames


@pytest.mark.verify
def test_undo_selects_what_was_selected_before_keys_came_or_went(window: MainWindow) -> None:
    """Not other keys that happen to stand at the same frames: Del would take them."""
    model, sheet, document = window.timeline.model, window.timeline.sheet, window.document
    frames = model.frames.tolist()
    click(window, "Summary", frames[1])
    click(window, "Summary", frames[3], SHIFT)
    some = model.selected
    for key, modifiers in ((Qt.Key.Key_X, CTRL), (Qt.Key.Key_Delete, NONE), (Qt.Key.Key_Delete, SHIFT)):
        QTest.keyClick(sheet, key, modifiers)
        assert len(model.frames) == len(frames) - 3 and not model.selected
        document.history.undo()
        assert model.selected == some
        document.history.redo()
        assert not model.selected
        document.history.undo()
    document.set_frame(frames[9] - 1)
    QTest.keyClick(sheet, Qt.Key.Key_V, CTRL | ALT)
    assert model.selected.frames == tuple(document.frame + frame - frames[1] for frame in frames[1:4])
    document.history.undo()
    assert model.selected == some
    document.set_frame(frames[8])
    QTest.keyClick(sheet, Qt.Key.Key_V, CTRL)
    assert "Replace" in window.errors.text and model.selected == some and model.frames.tolist() == frames
    QTest.keyClick(sheet, Qt.Key.Key_V, CTRL | ALT)
    assert not window.errors.text  # what was refused has been done in another way


def test_a_paste_over_other_keys_asks_and_replaces_them_as_one_step(window: MainWindow) -> None:
    model, document, errors = window.timeline.model, window.document, window.errors
    frames = model.frames.tolist()
    model.select(frames[:2])
    window.keys.copy()
    document.set_frame(frames[4])
    for name, flipped in (("paste_keys", False), ("paste_keys_flipped", True)):
        steps, before = document.stack.index(), document.state_json()
        window.action_table[name].trigger()
        assert document.stack.index() == steps and document.state_json() == before
        assert errors.text.endswith(". Replace what is there?") and str(frames[4]) in errors.text
        choices = {button.text(): button for button in errors.choices}
        assert list(choices) == ["Replace", "Make room", "Cancel"]
        choices["Cancel"].click()
        assert not errors.text and document.state_json() == before
        window.action_table[name].trigger()
        document.set_frame(0)  # the question is about the frame that it was asked at
        next(button for button in errors.choices if button.text() == "Replace").click()
        assert document.stack.index() == steps + 1 and not errors.text
        source, made = document.sequence.keys.at(frames[0]), document.sequence.keys.at(frames[4])
        values = dict(zip(document.skeleton.dof_names, made.q[3:] - source.q[3:], strict=True))
        moved = {name for name, value in values.items() if abs(value) > 1e-9}
        assert bool(moved) == flipped  # sides have changed places, or all is as it was copied
        document.history.undo()
        assert document.state_json() == before
        document.set_frame(frames[4])


def test_numbers_are_typed_where_the_keys_are(window: MainWindow) -> None:
    model, sheet = window.timeline.model, window.timeline.sheet
    frames = model.frames.tolist()
    QTest.mouseDClick(sheet, LEFT, NONE, place(window, "Summary", frames[-1]).toPoint())
    model.select([frames[-1]])
    numbers = QApplication.activePopupWidget()
    assert numbers is not None and numbers.frame.value == frames[-1] and not numbers.length.isEnabled()
    numbers.frame.edit_to(frames[-1] + 8)
    assert model.frames.tolist() == [*frames[:-1], frames[-1] + 8]
    model.select(frames[:3])
    numbers.length.edit_to(2 * (frames[2] - frames[0]))
    assert model.frames.tolist()[2] != frames[2]
    reported = []
    window.document.message.connect(lambda level, text, details: reported.append(text))
    at = model.frames.tolist()
    model.select(at[:1])
    numbers.shift.edit_to(at[1] - at[0])  # a key stands there
    assert len(model.frames) == len(frames) and any("never merge" in text for text in reported)
    numbers.hide()


def test_ways_to_go_on_and_parts_from_the_menu(window: MainWindow) -> None:
    document, model, actions = window.document, window.timeline.model, window.action_table
    frames = model.frames.tolist()
    model.select(frames[1:3], row=next(row for row in model.rows if row.name == "Right arm"))
    actions["interpolate_stepped"].trigger()
    actions["ease_in"].trigger()
    key = document.sequence.keys.at(frames[1])
    assert key.shape_of("right hand").interp == "stepped" and key.shape_of("left hand").interp == "spline"
    assert actions["interpolate_stepped"].isChecked() and actions["ease_in"].isChecked()
    model.select([])
    document.selection.set(["left hand"])
    document.set_frame(frames[2])
    actions["unkey_parts"].trigger()
    assert not document.sequence.keys.keyed_at(frames[2], "left hand") and document.sequence.keys.keyed_at(frames[2])
    document.set_frame(frames[2] + 1)
    actions["key_parts"].trigger()
    assert document.sequence.keys.at(frames[2] + 1).keyed == frozenset({"left hand"})
    actions["rows_of_selection"].trigger()
    assert [row.name for row in model.rows] == [
        "Summary",
        "Left arm",
    ] and window.timeline.ruler.filter_button.isChecked()


def test_scrubbing_keeps_the_picture_of_the_keys(window: MainWindow, qtbot) -> None:
    sheet = window.timeline.sheet
    sheet.grab()
    kept = sheet._layer
    window.document.set_frame(9)
    qtbot.wait(30)
    assert sheet._layer is kept
    before = sheet.grab().toImage()
    sheet._layer = None
    assert sheet.grab().toImage() == before


def test_the_status_line_reports_what_works_where_the_mouse_is(window: MainWindow) -> None:
    timeline, shown = window.timeline, window.status.hints
    sheet, tool = timeline.sheet, window.area.hints()
    frames = timeline.model.frames.tolist()

    def over(at: QPointF, buttons=Qt.MouseButton.NoButton) -> list[str]:
        move = QMouseEvent(QEvent.Type.MouseMove, at, sheet.mapToGlobal(at), Qt.MouseButton.NoButton, buttons, NONE)
        QApplication.sendEvent(sheet, move)
        return [text for _, text in shown.hints]

    for widget in (timeline, sheet):
        at = place(window, "Summary", frames[1])
        QApplication.sendEvent(widget, QEnterEvent(at, at, widget.mapToGlobal(at)))
    assert over(at)[0] == "move"
    assert over(place(window, "Summary", (frames[3] + frames[4]) / 2))[0] == "select"
    QTest.mousePress(sheet, LEFT, NONE, at.toPoint())
    over(at + QPointF(30, 0), LEFT)
    assert dict(shown.hints) == {"Alt": "the rest ripples", "Shift": "no snapping", "Esc": "cancel"}
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    QTest.mouseRelease(sheet, LEFT, NONE, at.toPoint())
    QApplication.processEvents()
    assert ("Esc", "cancel") not in shown.hints
    for widget in (sheet, timeline):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
    assert shown.hints == tuple(tool)


def test_tension_continuity_and_bias_asks_for_its_numbers(window: MainWindow) -> None:
    model, document = window.timeline.model, window.document
    frame = model.frames.tolist()[2]
    model.select([frame])
    window.action_table["interpolate_kochanek_bartels"].trigger()
    numbers = window.keys._numbers
    assert numbers.isVisible() and numbers.tension.isVisible()
    editor = numbers.tension.findChild(QLineEdit)
    assert editor is not None and editor.isVisible() and editor.selectedText(), "what is typed now is the tension"
    QTest.keyClicks(editor, "0.5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert document.sequence.keys.at(frame).shape_of("right hand").tension == 0.5
    numbers.close()
    window.action_table["interpolate_linear"].trigger()
    assert not numbers.isVisible()


def test_selected_keys_are_reshaped_with_the_mouse_and_more_keys_follow_with_falloff(window: MainWindow) -> None:
    model, document, transport = window.timeline.model, window.document, window.timeline.transport
    frames, before = model.frames.tolist(), document.state_json()
    click(window, "Right arm", frames[1])
    click(window, "Right arm", frames[7], SHIFT)
    document.set_frame(frames[3])
    assert transport.target.isVisible()
    QTest.mouseClick(transport.target, LEFT)
    board = transport.many
    assert board.isVisible() and board.head.text() == "7 keys selected"

    def old(keys):
        return np.array([key.q for key in keys])

    keys, steps = old(document.sequence.keys), document.stack.index()
    slider = board.rows["exaggerate"].slider
    at = QPoint(round(slider.position(1.0)), round(slider._middle))
    mouse.drag(slider, at, QPoint(round(slider.position(2.0)), at.y()))
    assert document.stack.index() == steps + 1 and document.stack.undoText() == "Exaggerate 2×"
    mask = document.sequence.channels.mask(document.session.keys.selected.channels)
    changed = old(document.sequence.keys) != keys
    assert changed[1:8][:, mask].any() and not changed[:, ~mask].any() and not changed[[0, -1]].any()
    document.history.undo()
    assert document.state_json() == before
    QTest.mousePress(slider, LEFT, NONE, at)
    mouse.move(slider, QPoint(at.x() + 30, at.y()))
    assert (old(document.sequence.keys) != keys).any()
    QTest.keyClick(slider, Qt.Key.Key_Escape)  # gives it up
    assert document.state_json() == before

    board.falloff.committed.emit(12.0)
    assert document.session.keys.falloff == 12 and transport.target.label == "7 keys ± 12"
    shares = window.timeline.ruler.falloff_at(np.array([frames[1], frames[7], frames[7] + 6.0, frames[7] + 12.0]))
    np.testing.assert_allclose(shares, [1.0, 1.0, 0.5, 0.0], atol=1e-12)
    q = document.pose.copy()
    column = int(np.flatnonzero(mask)[0])
    q[column] += 0.05
    document.posing.set(q)
    moved = old(document.sequence.keys)[:, column] - keys[:, column]
    assert moved[3] == pytest.approx(0.05) and 0.0 < moved[8] < 0.05
    document.history.undo()
    document.session.keys.together = False
    assert window.timeline.ruler.falloff_at(np.array([0.0])) is None
    document.session.keys.together = True
    QTest.mouseClick(board.none, LEFT)
    assert not model.selected and not board.isVisible() and transport.target.isHidden()
