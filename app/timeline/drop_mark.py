"""A line through the timeline at the frame that something dragged would come to, and what would happen there."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round

_HIGH, _PAD = 22, 8


class DropMark(Painted):
    """Lies over its parent, takes no input, and is there only while something is dragged.

    Args:
        parent: What it lies over.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.x_mark, self.text = 0.0, ""
        self.hide()

    def show_at(self, x: float | None, text: str, top: int = 0) -> None:
        """Show the line at a place, px from the left edge, below a height, with a text; None hides it."""
        self.text = text
        if x is None:
            self.hide()
            return
        self.x_mark = x
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect().adjusted(0, top, 0, 0))
        self.raise_()
        self.show()
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("accent"), 2.0))
        painter.drawLine(QPointF(self.x_mark, 0), QPointF(self.x_mark, self.height()))
        painter.setFont(fonts.font(fonts.BODY, fonts.MEDIUM))
        wide = QFontMetricsF(painter.font()).horizontalAdvance(self.text) + 2 * _PAD
        left = min(max(self.x_mark + 6, 4.0), max(self.width() - wide - 4, 4.0))
        box = QRectF(left, 6, wide, _HIGH)
        fill_round(painter, box, style.color("accent"))
        painter.setPen(style.color("acc_ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text)
        painter.end()
