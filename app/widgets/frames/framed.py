"""A small framed window that holds a column of widgets: what popovers and tips with pictures have in common."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.widgets.layouts import Margins, column_layout

EDGE = 4
"""Least room between it and the sides of the screen, [px]."""


class Framed(QFrame):
    """A window with a thin border around its ground.

    Args:
        kind: Which kind of window it is.
        margins: Around what it holds, [px].
        spacing: Between what it holds, [px].
        parent: Parent widget.

    Attributes:
        column: What it holds.
    """

    def __init__(self, kind: Qt.WindowType, margins: Margins, spacing: int, parent: QWidget | None = None):
        super().__init__(parent, kind)
        self.setObjectName("popup")  # its ground shows as the border of what it holds
        frame = QVBoxLayout(self)
        frame.setContentsMargins(1, 1, 1, 1)
        ground = QWidget()
        ground.setAutoFillBackground(True)
        frame.addWidget(ground)
        self.column = column_layout(ground, margins, spacing)

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

    def place_under(self, x: int, below: int, above: int) -> None:
        """Move it under something on the screen, or over it if there is no room below, as far as all of it is seen.

        Args:
            x: Where its left side is to be.
            below: Where its upper side is to be.
            above: Where its lower side is to be over it.
        """
        over = below + self.height() > self.screen().availableGeometry().bottom() - EDGE
        self.place(x, above - self.height() if over else below)
