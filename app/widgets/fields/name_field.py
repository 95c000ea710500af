"""A line of text that is taken over as a whole: Enter or leaving it commits, Esc restores."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.process.handler_guard import guarded
from app.widgets.behaviour.own_keys import OwnKeysMixin


class NameField(OwnKeysMixin, QLineEdit):
    """Holds a short text such as a name.

    Args:
        name: What it holds, for assistive tools.
        hint: Shown while it is empty.
        parent: Parent widget.

    Signals:
        committed(str): Another text was typed. Whoever takes it shows it with ``show_text`` if it is good; else the
            old one comes back.
    """

    committed = Signal(str)

    def __init__(self, name: str, hint: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self._shown = ""
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setMaxLength(200)
        self.setMinimumWidth(40)

    def show_text(self, text: str) -> None:
        """Show a text; one that is being typed stays."""
        self._shown = text
        if not (self.hasFocus() and self.isModified()):
            self._restore()

    def _restore(self) -> None:
        self.setText(self._shown)
        self.setCursorPosition(0)
        self.setModified(False)

    def commit(self) -> None:
        """Take over what was typed, if it is another text."""
        text = self.text().strip()
        self.setModified(False)
        if text != self._shown:
            self.committed.emit(text)
        self._restore()

    def takes(self, event: QKeyEvent) -> bool:
        return event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.commit()
            self.selectAll()
        elif event.key() == Qt.Key.Key_Escape:
            self._restore()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.commit()
