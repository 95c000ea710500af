"""A line through the timeline at the frame that something dragged would come to, and what would happen there."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round

_HIGH, _PAD = 22, 8
_GHOST = 0.7  # how much of its ground the outlined strip has


class DropMark(Painted):
    """Lies over its parent, takes no input, and is there only while something is dragged.

    Args:
        parent: What it lies over.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.x_mark, self.text = 0.0, ""
        self.ghost: tuple[float, float, str] | None = None
        """Left and right side of what would come in, [px], and its name; None where its length is not known."""
        self.hide()

    def show_at(self, x: float | None, text: str, top: int = 0, ghost: tuple[float, float, str] | None = None) -> None:
        """Show the line at a place, px from the left edge, below a height, with a text; None hides it.

        Args:
            x: The place.
            text: What would happen.
            top: Where the line begins, [px].
            ghost: What would come in: its left and right side, [px], and its name.
        """
        self.text, self.ghost = text, ghost
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
        if self.ghost is not None:
            self._paint_ghost(painter, *self.ghost)
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

    def _paint_ghost(self, painter: QPainter, left: float, right: float, name: str) -> None:
        """Draw what would come in as an outlined strip, as long as it is."""
        font = fonts.font(fonts.SECONDARY, fonts.MEDIUM)
        box = QRectF(left, 6 + _HIGH + 4, max(right - left, 3.0), _HIGH)
        ground = QColor(style.color("acc_bg"))
        ground.setAlphaF(_GHOST)
        painter.setPen(QPen(style.color("accent"), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(ground)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setFont(font)
        painter.setPen(style.color("text"))
        inner = box.adjusted(8, 0, -6, 0)
        words = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
