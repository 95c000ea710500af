"""The small window over the others that a button or a key opens, and a press beside it closes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from app.process.handler_guard import guarded
from app.widgets.frames.framed import Framed


class Popover(Framed):
    """A framed window that takes the keyboard while it is open.

    Args:
        name: What it is called, for assistive tools.
        width: How wide it is, [px]; 0 for as wide as what it holds.
        parent: Parent widget.
    """

    def __init__(self, name: str, width: int = 0, parent: QWidget | None = None):
        super().__init__(Qt.WindowType.Popup, (8, 8, 8, 8), 2, parent)
        self._width = width
        self.setAccessibleName(name)
        if width:
            self.setFixedWidth(width)

    @guarded
    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self._width or hint.width(), hint.height())
