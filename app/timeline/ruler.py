"""The ruler: frame numbers, the played range, and the current frame in its badge."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app import fonts, style
from app.timeline.canvas import TimelineCanvas
from app.timeline.model import NAMES_WIDTH, TimelineModel

HEIGHT = 20


class Ruler(TimelineCanvas):
    """Numbers along the frames; press or drag on it to go to a frame."""

    scrubs = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Ruler of frames")

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter)
        painter.setFont(fonts.font(12, fonts.REGULAR))
        painter.setPen(style.color("text2"))
        painter.drawText(QRectF(12, 0, NAMES_WIDTH - 16, HEIGHT), Qt.AlignmentFlag.AlignVCenter, "Tracks")
        if self.model.document.skeleton is not None:
            self.clip_tracks(painter)
            self._paint_ticks(painter)
            self._paint_range(painter)
            self._paint_badge(painter)
        painter.end()

    def _paint_ticks(self, painter: QPainter) -> None:
        model = self.model
        step = model.tick_step()
        first, last = model.visible()
        number = max(0, int(first // step) * step)
        painter.setFont(fonts.font(10.5, fonts.REGULAR, tabular=True))
        painter.setPen(style.color("text3"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        while number <= last:
            x = self.track_x(number)
            painter.drawText(QRectF(x - 40, 0, 80, HEIGHT - 4), Qt.AlignmentFlag.AlignCenter, str(number))
            painter.fillRect(QRectF(round(x), HEIGHT - 4, 1, 4), style.color("line2"))
            number += step

    def _paint_range(self, painter: QPainter) -> None:
        first, last = self.model.range
        left, right = self.track_x(first), self.track_x(last)
        painter.fillRect(QRectF(left, HEIGHT - 2, max(right - left, 1.0), 2), style.color("acc_line"))

    def _paint_badge(self, painter: QPainter) -> None:
        x = self.track_x(self.model.document.frame)
        text = str(self.model.document.frame)
        painter.setFont(fonts.font(11, fonts.SEMIBOLD, tabular=True))
        width = max(24.0, painter.fontMetrics().horizontalAdvance(text) + 12.0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("accent"))
        box = QRectF(x - width / 2, 1, width, HEIGHT - 4)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(style.color("acc_ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.fillRect(QRectF(round(x) - 1, HEIGHT - 3, 2, 3), style.color("accent"))
