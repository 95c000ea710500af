"""Events of the mouse, sent straight to a widget: QTest would warp the real pointer, whose own events come late."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
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
