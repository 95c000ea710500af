"""The switch: on or off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring, fill_round

WIDTH, HEIGHT = 26, 14


class Switch(ThemedMixin, QCheckBox):
    """A check box that looks like a switch; use ``toggled`` and ``setChecked`` as ever.

    Args:
        name: What it switches, for assistive tools; the visible label stands beside it.
        parent: Parent widget.
    """

    def __init__(self, name: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(WIDTH + 6, style.FIELD_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @guarded
    def hitButton(self, position: object) -> bool:
        return True

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        top = (self.height() - HEIGHT) / 2
        box = QRectF((self.width() - WIDTH) / 2, top, WIDTH, HEIGHT)
        on = self.isChecked()
        fill_round(
            painter, box, style.color("accent" if on else "input"), None if on else style.color("text3"), HEIGHT / 2
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("acc_ink" if on else "text3"))
        center = QPointF(box.right() - HEIGHT / 2 if on else box.left() + HEIGHT / 2, box.center().y())
        painter.drawEllipse(center, 5.0 if on else 4.0, 5.0 if on else 4.0)
        if self.focus_ring:
            draw_focus_ring(painter, box.adjusted(-3, -3, 3, 3), HEIGHT / 2 + 3)
        painter.end()
