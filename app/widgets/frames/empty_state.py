"""What a panel shows while it has nothing to show: one line that says what to do."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted


class EmptyState(Painted):
    """An icon and a line of text in the middle.

    Args:
        text: What to do next.
        icon: Name of an icon above it, or "".
        parent: Parent widget.
    """

    def __init__(self, text: str, icon: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self.text = text
        self._icon = icon
        self.setAccessibleName(text)

    def set_text(self, text: str) -> None:
        """Say something else."""
        if text != self.text:
            self.text = text
            self.setAccessibleName(text)
            self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(160, 96)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(12, 0, -12, 0)
        middle = min(box.height() / 2, 96.0)
        if self._icon:
            icons.paint(painter, self._icon, style.color("line2"), QRectF(box.center().x() - 12, middle - 34, 24, 24))
        painter.setFont(fonts.font())
        painter.setPen(style.color("text3"))
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(QRectF(box.left(), middle, box.width(), 60), flags, self.text)
        painter.end()
