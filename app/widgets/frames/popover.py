"""The small window over the others that a button or a key opens, and a press beside it closes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.process.handler_guard import guarded
from app.widgets.layouts import column_layout

EDGE = 4
"""Least room between it and the sides of the screen, [px]."""


class Popover(QFrame):
    """A framed window that holds a column of widgets.

    Args:
        name: What it is called, for assistive tools.
        width: How wide it is, [px]; 0 for as wide as what it holds.
        parent: Parent widget.

    Attributes:
        column: What it holds.
    """

    def __init__(self, name: str, width: int = 0, parent: QWidget | None = None):
        super().__init__(parent, Qt.WindowType.Popup)
        self._width = width
        self.setObjectName("popup")  # its ground shows as the border of what it holds
        self.setAccessibleName(name)
        frame = QVBoxLayout(self)
        frame.setContentsMargins(1, 1, 1, 1)
        ground = QWidget()
        ground.setAutoFillBackground(True)
        frame.addWidget(ground)
        self.column = column_layout(ground, (8, 8, 8, 8), 2)
        if width:
            self.setFixedWidth(width)

    @guarded
    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self._width or hint.width(), hint.height())

    def place(self, x: int, y: int) -> None:
        """Move the left upper corner to a place on the screen, as far as all of it is seen."""
        room = self.screen().availableGeometry()
        self.move(
            min(max(x, room.left() + EDGE), room.right() - self.width() - EDGE),
            max(min(y, room.bottom() - self.height() - EDGE), room.top()),
        )

    def place_over(self, x: int, above: int, below: int) -> None:
        """Move it over something on the screen, or under it if there is no room above, as far as all of it is seen.

        Args:
            x: Where its left side is to be.
            above: Where its lower side is to be.
            below: Where its upper side is to be under it.
        """
        top = above - self.height()
        self.place(x, below if top < self.screen().availableGeometry().top() else top)
