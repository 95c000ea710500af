"""The keyboard goes to what the pointer is brought to, so that a key means what is under it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.process.handler_guard import guarded

_TEXTS = (QLineEdit, QTextEdit, QPlainTextEdit)


class PointerKeys(QObject):
    """Gives the keyboard to the one of some widgets that the pointer is moved into.

    Only a pointer that comes in does: one that rests in a widget, or trembles there, takes the keyboard from nothing
    that was reached by Tab or a shortcut meanwhile. Nor does one that carries something with a button down, that
    passes while text is typed, or while a menu, a dialog or another window is in front.

    Args:
        widgets: What takes the keyboard in this way.
        parent: Owner.
    """

    def __init__(self, widgets: Iterable[QWidget], parent: QObject):
        super().__init__(parent)
        self._come: QObject | None = None
        for widget in widgets:
            widget.installEventFilter(self)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Enter:
            self._come = watched
        elif kind == QEvent.Type.Leave:
            self._come = None
        elif kind == QEvent.Type.MouseMove and watched is self._come and isinstance(event, QMouseEvent):
            if not event.buttons():
                self._come = None  # it counts once, also if something is in the way now
                if isinstance(watched, QWidget) and _may_take(watched):
                    watched.setFocus(Qt.FocusReason.MouseFocusReason)
        return False


def _may_take(widget: QWidget) -> bool:
    """Return whether a widget may take the keyboard from whatever has it."""
    focus = QApplication.focusWidget()
    if not widget.isActiveWindow() or QApplication.activePopupWidget() is not None:
        return False
    return focus is not widget and widget.isEnabled() and not isinstance(focus, _TEXTS)
