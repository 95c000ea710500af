"""A thin upright line between groups of buttons."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import style
from app.process.handler_guard import guarded

WIDTH = 17


class UprightLine(QWidget):
    """A separator in a bar.

    Args:
        height: Height of the bar, px.
        inset: How much shorter the line is at both ends, px.
    """

    def __init__(self, height: int, inset: int):
        super().__init__()
        self._height, self._inset = height, inset

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, self._height)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(QRectF(8, self._inset, 1, self._height - 2 * self._inset), style.color("line2"))
        painter.end()
