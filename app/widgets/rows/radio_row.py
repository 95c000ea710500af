"""A radio row: name on the left, character on the right."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring, fill_round


class RadioRow(ThemedMixin, QRadioButton):
    """One choice of a list; rows of one parent exclude each other, arrow keys move between them.

    Args:
        key: What ``key`` returns.
        name: Shown on the left.
        character: Shown on the right, quieter.
        parent: Parent widget.
    """

    def __init__(self, key: str, name: str, character: str = "", parent: QWidget | None = None):
        super().__init__(name, parent)
        self.key = key
        self.character = character
        self.setAccessibleName(name)
        self.setAccessibleDescription(character)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(220, 25)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(120, 25)

    @guarded
    def hitButton(self, position: object) -> bool:
        return True

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        box, on = QRectF(self.rect()), self.isChecked()
        if on:
            fill_round(painter, box, style.color("acc_bg"), style.color("acc_line"))
        elif self.underMouse() and self.isEnabled():
            fill_round(painter, box, style.color("hover"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPointF(14, box.height() / 2)
        painter.setPen(QPen(style.color("accent" if on else "text3"), 1.4))
        painter.setBrush(style.color("input"))
        painter.drawEllipse(middle, 5.6, 5.6)
        if on:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.color("accent"))
            painter.drawEllipse(middle, 2.9, 2.9)
        painter.setFont(fonts.font(fonts.SECONDARY))
        painter.setPen(style.color("text2" if on else "text3"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        room = box.adjusted(27, 0, -8, 0)
        painter.drawText(room, right, self.character)
        taken = painter.fontMetrics().horizontalAdvance(self.character) + 8
        painter.setFont(fonts.font(fonts.BODY, fonts.MEDIUM if on else fonts.REGULAR))
        painter.setPen(style.color("text"))
        name = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(room.width() - taken))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
        if self.focus_ring:
            draw_focus_ring(painter, box)
        painter.end()
