"""A search field with room around it, that Esc closes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.process.handler_guard import guarded


class SearchBox(QWidget):
    """A line to type into.

    Args:
        hint: What stands in the empty field, and its name for assistive tools.
        parent: Parent widget.

    Signals:
        escaped(): Esc was pressed in the field.
    """

    escaped = Signal()

    def __init__(self, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 4, 8, 4)
        box.addWidget(self.field)

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.escaped.emit()
            event.accept()
            return True
        return False
