"""What lies behind the curves: lines of frames, values, beats and markers, and the numbers of the value axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.look import fonts, style
from app.timeline.curves.paint import number_text
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.view import CurveView
from app.timeline.marks.lines import draw_mark_lines

if TYPE_CHECKING:
    from app.timeline.model import TimelineModel


class _Band:
    """The timeline's frames without the names at their left, for what draws lines through them."""

    def __init__(self, model: TimelineModel):
        self.model = model

    def track_x(self, frame: float) -> float:
        """Return where a frame lies."""
        return self.model.x(frame)


def paint_ground(painter: QPainter, timeline: TimelineModel, scale: ValueScale, view: CurveView) -> None:
    """Paint the ground of a view and the lines on it; what is not played is shaded."""
    box = view.size
    painter.fillRect(box, style.color("input"))
    first, last = timeline.visible()
    step = timeline.tick_step()
    number = max(0, int(first // step) * step)
    line = style.mix("input", "line", 0.75)
    while number <= last:
        painter.fillRect(QRectF(round(timeline.x(number)), 0, 1, box.height()), line)
        number += step
    _, ticks = scale.ticks(view.degrees)
    for value in ticks.tolist():
        strong = style.color("line2" if value == 0.0 else "line")
        painter.fillRect(QRectF(0, round(scale.y(value)), box.width(), 1), strong)
    draw_mark_lines(_Band(timeline), painter, box.height())
    start, end = timeline.range
    if end > start:
        left, right = max(timeline.x(start), 0.0), timeline.x(end)
        painter.setOpacity(0.35)
        painter.fillRect(QRectF(right, 0, max(box.width() - right, 0.0), box.height()), style.color("win"))
        painter.fillRect(QRectF(0, 0, left, box.height()), style.color("win"))
        painter.setOpacity(1.0)


def paint_axis(painter: QPainter, scale: ValueScale, view: CurveView) -> None:
    """Paint the numbers at the left over what runs behind them."""
    step, ticks = scale.ticks(view.degrees)
    painter.setFont(fonts.font(fonts.SMALL, tabular=True))
    units = view.units
    for value in ticks.tolist():
        y = scale.y(value)
        if 8.0 <= y <= view.size.height() - 6.0 and not (units and y < 24.0):
            _number(painter, number_text(value, step) + view.suffix, y)
    if units:
        _number(painter, units, 10.0)


def _number(painter: QPainter, text: str, y: float) -> None:
    wide = painter.fontMetrics().horizontalAdvance(text)
    box = QRectF(4, y - 7, wide + 4, 14)
    painter.setOpacity(0.8)
    painter.fillRect(box, style.color("input"))
    painter.setOpacity(1.0)
    painter.setPen(style.color("text3"))
    painter.drawText(box.adjusted(2, 0, 4, 0), Qt.AlignmentFlag.AlignVCenter, text)
