"""Events of the mouse, sent straight to a widget: QTest would warp the real pointer, whose own events come late."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

_NONE = Qt.MouseButton.NoButton


def send_mouse(
    widget: QWidget,
    kind: QEvent.Type,
    at: QPoint | QPointF,
    button: Qt.MouseButton,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    buttons: Qt.MouseButton | None = None,
) -> None:
    """Send an event at a place of a widget.

    Args:
        widget: Who gets it.
        kind: Of the event.
        at: Place in the widget, [px].
        button: The one that is pressed or let go.
        held: Keys that are held down.
        buttons: All that are down; ``button`` if left out.
    """
    place = QPointF(at)
    buttons = button if buttons is None else buttons
    QApplication.sendEvent(widget, QMouseEvent(kind, place, widget.mapToGlobal(place), button, buttons, held))


def hover(widget: QWidget, at: QPoint | QPointF) -> None:
    """Move the mouse with no button down."""
    send_mouse(widget, QEvent.Type.MouseMove, at, _NONE)


def move(widget: QWidget, at: QPoint | QPointF, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Move the mouse with the left button down."""
    send_mouse(widget, QEvent.Type.MouseMove, at, _NONE, held, Qt.MouseButton.LeftButton)


def drag(
    widget: QWidget, start: QPoint, end: QPoint, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Drag with the left button, from press to release. The real pointer stays where it is.

    Else what it does comes as a move without a button, at some time in the drag, and ends that.
    """
    hover(widget, start)
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, held, start)
    for part in (0.3, 0.7, 1.0):
        move(widget, start + (end - start) * part, held)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, held, end)
