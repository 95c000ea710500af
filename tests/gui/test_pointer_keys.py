"""Where keys go: to what the pointer is brought to, and past number fields that are done with."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.panels.joints.panel import JointsPanel
from app.widgets.fields.number_field import NumberField

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


class Arrival(QObject):
    """Notes where the pointer is by the events that a window has had from the display."""

    def __init__(self, widget):
        super().__init__()
        self.place: QPoint | None = None
        widget.window().windowHandle().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self.place = event.globalPosition().toPoint()
        return False


def go_to(widget, *places: QPoint) -> None:
    """Move the pointer into a widget and a little about in it, and wait until the window has heard of it.

    The pointer is the display's: on a busy machine its events come later than ``mouseMove`` returns, and would be
    mixed with what the test does next.
    """
    arrival = Arrival(widget)
    for place in places or (QPoint(widget.width() // 2, widget.height() // 2),):
        for step in (0, 1):
            goal = widget.mapToGlobal(place + QPoint(step, step))
            if QCursor.pos() != goal:
                QCursor.setPos(goal)
                for _ in range(2000):
                    if arrival.place == goal:
                        break
                    QTest.qWait(5)
                assert arrival.place == goal
            QApplication.processEvents()


def focus():
    return QApplication.focusWidget()


def a_field(window) -> NumberField:
    panel = next(panel for panel in window.panels if isinstance(panel, JointsPanel))
    return next(field for field in panel.findChildren(NumberField) if field.isVisible() and field.isEnabled())


def press(key, held=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(focus(), key, held)
    QApplication.processEvents()


@pytest.fixture(autouse=True)
def _pointer_begins_elsewhere(window):
    go_to(window.toolbar, QPoint(3, 3))


def test_a_pose_is_copied_after_a_click_on_the_ruler(window):
    said: list[str] = []
    window.document.message.connect(lambda level, text, details: said.append(text))
    ruler, view = window.timeline.ruler, window.area.work_view
    QTest.mouseClick(ruler, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(ruler.width() // 2, 8))
    go_to(view)
    assert focus() is view
    press(Qt.Key.Key_C, CTRL)
    press(Qt.Key.Key_V, CTRL)
    assert "Copied the pose of the whole figure" in window.status.state.text or not any("keys" in t for t in said)
    assert not any("no keys" in text for text in said)


def test_keys_go_to_the_band_of_the_timeline_under_the_pointer(window):
    go_to(window.area.work_view)
    for band in (window.timeline.sheet, window.timeline.strip, window.timeline.ruler):
        go_to(band)
        assert focus() is band
        assert not getattr(band, "focus_ring", False)


def test_typed_text_keeps_the_keyboard(window):
    panel = next(panel for panel in window.panels if isinstance(panel, JointsPanel))
    field = a_field(window)
    field.open_editor()
    editor = field.findChild(QLineEdit)
    assert focus() is editor
    go_to(window.area.work_view)
    go_to(window.timeline.sheet)
    assert focus() is editor
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert panel.isAncestorOf(focus())
    go_to(window.timeline.strip)
    assert focus() is window.timeline.strip


def test_a_resting_pointer_takes_nothing(window):
    view, field = window.area.work_view, a_field(window)
    go_to(view)
    field.setFocus(Qt.FocusReason.TabFocusReason)
    go_to(view)  # it trembles, and is there already
    assert focus() is field
    go_to(window.toolbar, QPoint(3, 3))
    go_to(view)
    assert focus() is view


def test_what_is_carried_through_takes_nothing(window):
    strip, view = window.timeline.strip, window.area.work_view
    go_to(strip)
    QTest.mousePress(window.timeline.ruler, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(500, 8))
    held = focus()
    QTest.mouseMove(view, QPoint(300, 300))
    QApplication.processEvents()
    assert focus() is held
    QTest.mouseRelease(window.timeline.ruler, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(500, 8))


def type_into(field: NumberField, text: str) -> QLineEdit:
    middle = QPoint(field.width() // 2, field.height() // 2)
    QTest.mouseClick(field, LEFT, Qt.KeyboardModifier.NoModifier, middle)
    editor = field.findChild(QLineEdit)
    assert editor is not None and focus() is editor
    editor.setText(text)
    return editor


def test_enter_gives_the_keyboard_back_and_space_plays(window):
    field = a_field(window)
    type_into(field, "0.2")
    press(Qt.Key.Key_Return)
    assert not field.typing and field.value == pytest.approx(0.2)
    assert focus() is window.area.work_view
    press(Qt.Key.Key_Space)
    assert window.document.session.playback.playing
    window.player.pause()


@pytest.mark.verify
def test_the_views_keys_work_while_a_number_is_typed_and_take_it_over(window):
    field = a_field(window)
    for key, kind in ((Qt.Key.Key_F2, "front"), (Qt.Key.Key_F3, "side"), (Qt.Key.Key_F4, "top")):
        type_into(field, "0.3" if kind == "front" else "0.4")
        press(key)
        assert window.area.kind == kind and not field.typing
        assert field.value == pytest.approx(0.3 if kind == "front" else 0.4)
    field.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_F2)  # nor does it open the field
    assert window.area.kind == "front" and not field.typing


def test_what_is_no_number_keeps_the_keyboard(window):
    field = a_field(window)
    before, kind = field.value, window.area.kind
    editor = type_into(field, "2 +")
    press(Qt.Key.Key_F3)
    assert focus() is editor and window.area.kind == kind and field.value == before
    press(Qt.Key.Key_A, CTRL)  # edits the text
    assert focus() is editor and editor.selectedText() == "2 +"
    press(Qt.Key.Key_Escape)
    assert focus() is window.area.work_view


def test_who_comes_by_tab_stays_in_the_row(window):
    field = a_field(window)
    field.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_1)
    press(Qt.Key.Key_Return)
    assert focus() is field


def test_a_field_of_the_timeline_gives_the_keyboard_to_the_timeline(window):
    field = next(each for each in window.timeline.transport.findChildren(NumberField) if each.isVisible())
    type_into(field, str(round(field.value)))
    press(Qt.Key.Key_Return)
    assert focus() is window.timeline.sheet
