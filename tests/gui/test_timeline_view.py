"""What part of the time the timeline shows: kept by edits, scrolled by drags at an edge, dragged in the overview."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.timeline.sheet.picture import ROW_HEIGHT
from app.window.main_window import MainWindow

LEFT, NONE, ALT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier


def move(widget: QWidget, at: QPointF) -> None:
    event = QMouseEvent(QEvent.Type.MouseMove, at, QPointF(widget.mapToGlobal(at)), LEFT, LEFT, NONE)
    QApplication.sendEvent(widget, event)


def press(widget: QWidget, at: QPointF) -> None:
    QTest.mousePress(widget, LEFT, NONE, at.toPoint())


def release(widget: QWidget, at: QPointF) -> None:
    QTest.mouseRelease(widget, LEFT, NONE, at.toPoint())


def test_an_edit_leaves_the_zoom_alone(window: MainWindow) -> None:
    model, document = window.timeline.model, window.document
    model.show_span(float(model.frames[1]), float(model.frames[4]))
    shown = model.visible()
    document.keys.move({int(model.frames[2]): int(model.frames[2]) + 1})
    assert model.visible() == shown
    document.history.undo()
    assert model.visible() == shown


@pytest.mark.verify
def test_what_is_dragged_goes_on_at_the_edge(window: MainWindow) -> None:
    """A key, a box, the playhead and a marker follow the tracks that scroll under the mouse."""
    timeline, document = window.timeline, window.document
    model, sheet, ruler = timeline.model, timeline.sheet, timeline.ruler
    frames = model.frames.tolist()
    model.show_span(frames[1], frames[4])
    key, edge = QPointF(sheet.track_x(frames[3]), 0.5 * ROW_HEIGHT), QPointF(sheet.width() + 10.0, 0.5 * ROW_HEIGHT)
    press(sheet, key)
    move(sheet, key + QPointF(30, 0))
    move(sheet, edge)
    assert sheet.edge.active
    shown, before, shift = model.visible(), model.visible()[1], model.shift
    for _ in range(40):
        assert sheet.edge.step(0.05)
    assert model.visible()[1] > before + 5 and model.shift > shift + 5
    assert model.shift == pytest.approx(model.exact_frame(edge.x() - 136) - frames[3], abs=1.0)
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.edge.step(0.05)  # given up, and nothing scrolls any more
    assert model.visible() == pytest.approx(shown)  # and what was shown is back
    release(sheet, edge)
    assert model.frames.tolist() == frames and not sheet.edge.active
    for _ in range(3):
        press(ruler, QPointF(ruler.track_x(model.visible()[0] + 2.0), 6))
        move(ruler, QPointF(20, 6))
        for _ in range(100):
            ruler.edge.step(0.05)
        release(ruler, QPointF(20, 6))
    assert model.left == 0.0 and document.frame == 0  # never before frame 0
    model.show_span(frames[0], frames[2])
    start = QPointF(sheet.track_x(frames[1]) - 8, 4.5 * ROW_HEIGHT)
    press(sheet, start)
    for x in (60.0, sheet.width() + 60.0 - start.x()):
        move(sheet, start + QPointF(x, 4.0))
    for _ in range(200):
        sheet.edge.step(0.05)
    release(sheet, start + QPointF(sheet.width() + 60.0 - start.x(), 4.0))
    assert model.selected.frames == tuple(frames[1:])  # from what has scrolled out of sight to the last key
    assert model.visible()[0] < frames[-1]  # a box ends where the keys end


def test_a_press_at_the_edge_scrolls_nothing_before_it_goes_outward(window: MainWindow) -> None:
    ruler = window.timeline.ruler
    at = QPointF(ruler.width() - 5.0, 6)
    press(ruler, at)
    move(ruler, at - QPointF(1, 0))
    assert not ruler.edge.active
    move(ruler, at + QPointF(6, 0))
    assert ruler.edge.active
    release(ruler, at)
    assert not ruler.edge.active


def test_strips_and_markers_go_on_at_the_edge(window: MainWindow) -> None:
    timeline, document = window.timeline, window.document
    model, band = timeline.model, timeline.markers
    document.markers.add(4, "step")
    model.show_span(0.0, 8.0)
    at = QPointF(band.track_x(4) + 2, 8)
    press(band, at)
    for x in (40.0, band.width() + 20.0 - at.x()):
        move(band, at + QPointF(x, 0))
    for _ in range(20):
        band.edge.step(0.05)
    release(band, at)
    moved = document.sequence.markers[0].frame
    assert moved > 12
    document.history.undo()
    assert document.sequence.markers[0].frame == 4


def test_the_overview_pans_zooms_and_is_given_up(window: MainWindow) -> None:
    model, bar = window.timeline.model, window.timeline.bar
    model.fit()
    whole = model.visible()
    box = bar.thumb()
    press(bar, box.center() - QPointF(0.5 * box.width() - 2, 0))  # its left end
    move(bar, box.center())
    first, last = model.visible()
    assert last == pytest.approx(whole[1]) and first == pytest.approx(sum(whole) / 2, abs=0.2)
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    assert model.visible() == pytest.approx(whole)
    release(bar, box.center())
    model.show_span(8.0, 16.0)
    shown, box = model.visible(), bar.thumb()
    press(bar, box.center())
    move(bar, box.center() - QPointF(2000, 0))
    low, high = model.visible()
    assert low == pytest.approx(bar.whole()[0]) and high - low == pytest.approx(shown[1] - shown[0])
    release(bar, box.center())
    click = QPointF(bar.bar_x(24.0), box.center().y())
    press(bar, click)
    release(bar, click)
    assert sum(model.visible()) / 2 == pytest.approx(24.0, abs=0.1)
    QTest.mouseDClick(bar, LEFT, NONE, click.toPoint())
    assert model.visible() == pytest.approx(whole)


def test_the_part_in_sight_can_be_grabbed_among_thousands_of_frames(window: MainWindow) -> None:
    model, bar = window.timeline.model, window.timeline.bar
    window.document.keys.move({int(model.frames[-1]): 90_000})
    model.show_span(89_990.0, 90_000.0)
    box = bar.thumb()
    parts = {bar.part_at(QPointF(x, box.center().y())) for x in (box.left() + 1, box.center().x(), box.right() - 1)}
    assert parts == {"left", "middle", "right"} and box.right() <= bar.width()


def test_the_keyboard_goes_from_row_to_row_and_from_key_to_key(window: MainWindow) -> None:
    model, sheet, document = window.timeline.model, window.timeline.sheet, window.document
    cursor, frames = sheet.cursor_row, model.frames.tolist()
    window.activateWindow()
    sheet.setFocus()
    cursor.put(None)  # a click before this test
    document.set_frame(frames[2])

    def key(name: str, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(sheet, getattr(Qt.Key, f"Key_{name}"), modifiers)

    key("Right")
    assert document.frame == frames[2] + 1 and not cursor.shown  # a step, as everywhere
    for name in ("Down", "Down"):
        key(name)
    assert cursor.row.name == "Root"
    key("Down")
    key("Period", ALT)
    assert document.frame == frames[3] and model.selected.frames == (frames[3],)
    assert not model.selected.whole
    key("Right", Qt.KeyboardModifier.ShiftModifier)
    key("Right", Qt.KeyboardModifier.ShiftModifier)
    key("Left", Qt.KeyboardModifier.ShiftModifier)
    assert model.selected.frames == (frames[3], frames[4]) and document.frame == frames[4]
    rows = len(model.rows)
    key("Down", Qt.KeyboardModifier.ControlModifier)
    assert len(model.rows) > rows and cursor.row.name == "Spine"
    key("Down")
    assert cursor.row.depth == 2
    key("Up", Qt.KeyboardModifier.ControlModifier)
    assert len(model.rows) == rows and cursor.row.name == "Spine"
    key("Escape")
    assert not model.selected and cursor.shown
    key("Right")
    assert cursor.shown and document.frame == frames[4] + 1, "an arrow steps by a frame here, too"
    key("Escape")
    assert not cursor.shown


@pytest.mark.verify
def test_a_typed_frame_is_scrolled_to(window: MainWindow) -> None:
    model, field = window.timeline.model, window.timeline.transport.frame
    model.show_span(0.0, 10.0)
    scale = model.pixels
    QTest.mouseClick(field, LEFT)
    QTest.keyClicks(QApplication.focusWidget(), "200")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert window.document.frame == 200
    assert model.visible()[0] < 200 < model.visible()[1] and model.pixels == scale
    field.edit_to(4.0)
    assert model.visible()[0] < 4 < model.visible()[1]
