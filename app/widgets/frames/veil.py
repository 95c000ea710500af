"""A veil over a part of the window that rests for the moment, with a line that says why."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round

STRENGTH = 0.62


class Veil(Painted):
    """Covers a widget, which is disabled meanwhile; hidden at first.

    Args:
        owner: What is covered.
    """

    def __init__(self, owner: QWidget):
        super().__init__(owner)
        self._owner = owner
        self._text = ""
        owner.installEventFilter(self)
        self.hide()

    def cover(self, text: str) -> None:
        """Cover the owner and say why; "" uncovers it."""
        self._text = text
        self.setAccessibleName(text)
        for child in self._owner.children():
            if isinstance(child, QWidget) and child is not self:
                child.setEnabled(not text)
        self.setGeometry(self._owner.rect())
        self.setVisible(bool(text))
        self.raise_()

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self._owner and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._owner.rect())
        return False

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = QColor(style.color("panel"))
        ground.setAlphaF(STRENGTH)
        painter.fillRect(self.rect(), ground)
        font = fonts.font(fonts.BODY, fonts.MEDIUM)
        wide = QFontMetricsF(font).horizontalAdvance(self._text) + 24
        box = QRectF(round((self.width() - wide) / 2), round((self.height() - 28) / 2), round(wide), 28)
        fill_round(painter, box, style.color("head"), style.color("line2"))
        painter.setFont(font)
        painter.setPen(style.color("text2"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()
