"""The ruler: frame numbers, the played range, and the current frame in its badge."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy

from app.document.changes import Change, SessionChanged
from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas
from app.timeline.marks.lines import draw_mark_lines
from app.timeline.model import TimelineModel
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.frames.tool_button import ToolButton
from core.animation.cycles import HOLD
from core.animation.layers.many_keys import falling_off
from core.arrays import Array

HEIGHT = 20
NEAR = 5.0  # how near to flagged frames the mouse shows what they say, px


class Ruler(TimelineCanvas):
    """Numbers along the frames; press or drag on it to go to a frame.

    Signals:
        ruler_menu_requested(QPoint, int): A right click at a global position, at a frame.
        filter_requested(QPoint): The button that chooses which rows are shown was pressed; its lower corner, global.
    """

    ruler_menu_requested = Signal(QPoint, int)
    filter_requested = Signal(QPoint)
    scrubs = spans = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Ruler of frames")
        size = (22, HEIGHT - 2)
        self.filter_button = ToolButton("filter", "", "Which rows are shown", checkable=True, size=size, parent=self)
        self.filter_button.setGeometry(NAMES_WIDTH - 28, 1, *size)
        self.filter_button.clicked.connect(self._ask_for_filter)
        model.document.changed.connect(self._take)

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name in ("key_falloff", "keys_together", "selected_keys"):
            self.update()

    def _ask_for_filter(self) -> None:
        self.take_change()
        self.filter_requested.emit(self.filter_button.mapToGlobal(QPoint(0, HEIGHT)))

    def take_change(self) -> None:
        self.filter_button.setChecked(bool(self.model.document.session.keys.rows_shown))
        super().take_change()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.model.document.skeleton is not None and event.pos().x() >= NAMES_WIDTH:
            self.ruler_menu_requested.emit(event.globalPos(), self.model.frame_at(event.pos().x() - NAMES_WIDTH))

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "head", "head")
        self.draw_name(painter, "Tracks")
        if self.model.document.skeleton is not None:
            self.clip_tracks(painter)
            draw_mark_lines(self, painter, HEIGHT)
            self._paint_falloff(painter)
            self._paint_ticks(painter)
            self._paint_rounds(painter)
            self._paint_range(painter)
            self._paint_marked(painter)
            self._paint_implausible(painter)
            self._paint_badge(painter)
            self.draw_gesture(painter)
        painter.end()

    def falloff_at(self, frames: Array) -> Array | None:
        """Return how much frames take part in edits of the selected keys, 0 to 1; None if only these do."""
        keys = self.model.document.session.keys
        if not keys.falloff or not (keys.auto and keys.together) or len(keys.selected) < 2:
            return None
        return falling_off(frames, np.array(keys.selected.frames, dtype=np.float64), float(keys.falloff))

    def _paint_falloff(self, painter: QPainter) -> None:
        """Paint how much the frames around the selected keys follow edits of these."""
        xs = np.arange(float(NAMES_WIDTH), self.width() + 2.0, 2.0)
        first, last = (self.model.exact_frame(float(x) - NAMES_WIDTH) for x in xs[[0, -1]])
        shares = self.falloff_at(np.linspace(first, last, len(xs)))
        if shares is None:
            return
        base = HEIGHT - 2.0
        tops = base - (HEIGHT - 4.0) * shares
        line = [QPointF(x, y) for x, y in zip(xs.tolist(), tops.tolist(), strict=True)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("acc_bg"))
        painter.drawPolygon(QPolygonF([QPointF(xs[0], base), *line, QPointF(xs[-1], base)]))
        painter.setPen(QPen(style.color("acc_line"), 1.0))
        painter.drawPolyline(QPolygonF(line))

    def _paint_ticks(self, painter: QPainter) -> None:
        model = self.model
        step = model.tick_step()
        first, last = model.visible()
        number = max(0, int(first // step) * step)
        badge = self._badge()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        fine = model.tick_step(5.0)
        if fine < step and step % fine == 0:
            for minor in range(max(0, int(first // fine) * fine), int(last) + 1, fine):
                painter.fillRect(QRectF(round(self.track_x(minor)), HEIGHT - 5, 1, 2), style.color("line2"))
        painter.setFont(fonts.font(fonts.SMALL, fonts.REGULAR, tabular=True))
        painter.setPen(style.color("text3"))
        while number <= last:
            x = self.track_x(number)
            half = painter.fontMetrics().horizontalAdvance(str(number)) / 2 + 4
            clear = x + half < badge.left() or x - half > badge.right()
            if clear and x - half + 4 >= NAMES_WIDTH and x + half - 4 <= self.width():
                painter.drawText(QRectF(x - 40, 0, 80, HEIGHT - 5), Qt.AlignmentFlag.AlignCenter, str(number))
            painter.fillRect(QRectF(round(x), HEIGHT - 6, 1, 4), style.color("text3"))
            number += step

    def _paint_range(self, painter: QPainter) -> None:
        first, last = self.model.range
        left, right = self.track_x(first), self.track_x(last)
        if right > left:
            painter.fillRect(QRectF(left, HEIGHT - 2, right - left, 2), style.color("acc_line"))
        if self.model.simulated is not None:
            left, right = (self.track_x(frame) for frame in self.model.simulated)
            painter.fillRect(QRectF(left - 1.0, HEIGHT - 3, right - left + 2.0, 3), style.color("dyn"))

    def _paint_rounds(self, painter: QPainter) -> None:
        """Paint hatching where cycles go on before and after the keys, with a line where each round begins."""
        sequence = self.model.document.sequence
        if sequence is None or sequence.cycled is None:
            return
        first, last = sequence.keys[0].frame, sequence.keys[-1].frame
        low, high = self.model.visible()
        brush = QBrush(style.color("acc_line"), Qt.BrushStyle.BDiagPattern)
        spans = ((max(low, 0.0), min(float(first), high)), (max(float(last), low), high))
        for kind, (start, end) in zip(sequence.cycles, spans, strict=True):
            if kind == HOLD or end <= start:
                continue
            left, right = self.track_x(start), self.track_x(end)
            painter.fillRect(QRectF(left, HEIGHT - 6, right - left, 5), brush)
            length = last - first
            number = math.ceil((start - first) / length)
            while first + number * length <= end:
                x = round(self.track_x(first + number * length))
                painter.fillRect(QRectF(x, HEIGHT - 8, 1, 7), style.color("accent"))
                number += 1

    def _paint_implausible(self, painter: QPainter) -> None:
        """Paint a dashed bar over frames that are implausible, with a small triangle at its start."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for first, last, _ in self.model.implausible:
            left, right = self.track_x(first), max(self.track_x(last), self.track_x(first) + 4.0)
            if right < NAMES_WIDTH or left > self.width():
                continue
            painter.setPen(QPen(style.color("warn"), 2.0, Qt.PenStyle.CustomDashLine))
            pen = painter.pen()
            pen.setDashPattern([2.0, 1.0])
            painter.setPen(pen)
            painter.drawLine(QPointF(left, 1.0), QPointF(right, 1.0))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.color("warn"))
            corners = [(left - 3.5, 0.0), (left + 3.5, 0.0), (left, 5.0)]
            painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))

    def _paint_marked(self, painter: QPainter) -> None:
        """Paint a bar over frames that are marked, with a point that distinguishes it from the range."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("conflict"))
        for span in self.model.marked:
            left, right = self.track_x(span.first), self.track_x(span.last)
            if right < NAMES_WIDTH or left > self.width():
                continue
            painter.drawRect(QRectF(left - 1.0, HEIGHT - 3.0, max(right - left, 0.0) + 2.0, 3.0))
            middle = (max(left, NAMES_WIDTH) + min(right, self.width())) / 2.0
            corners = [(-3.5, HEIGHT - 3.0), (0.0, HEIGHT - 8.0), (3.5, HEIGHT - 3.0)]
            painter.drawPolygon(QPolygonF([QPointF(middle + x, y) for x, y in corners]))

    def tip(self, position: QPointF) -> str:
        """Return what the marked frames at a point say, and which frames they are."""
        if position.x() < NAMES_WIDTH or self.model.document.skeleton is None:
            return ""
        lines = []
        for span in self.model.marked:
            if self.track_x(span.first) - NEAR <= position.x() <= self.track_x(span.last) + NEAR:
                frames = f"Frames {span.first} to {span.last}" if span.last > span.first else f"Frame {span.first}"
                lines.append(f"{span.text}\n{frames}")
        for first, last, text in self.model.implausible:
            if self.track_x(first) - NEAR <= position.x() <= self.track_x(last) + NEAR:
                lines.append(f"{text}\nFrames {first} to {last}")
        return "\n".join(lines)

    def _badge(self) -> QRectF:
        text = str(self.model.document.frame)
        width = max(26.0, QFontMetricsF(self._badge_font()).horizontalAdvance(text) + 12.0)
        return QRectF(self.track_x(self.model.document.frame) - width / 2, 1, width, HEIGHT - 6)

    @staticmethod
    def _badge_font() -> QFont:
        return fonts.font(11, fonts.SEMIBOLD, tabular=True)

    def _paint_badge(self, painter: QPainter) -> None:
        """Paint the current frame; in the warning colour while a pose stands there that no key holds."""
        document, box = self.model.document, self._badge()
        x, token = box.center().x(), "warn" if document.pending else "accent"
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.setFillRule(Qt.FillRule.WindingFill)
        shape.addRoundedRect(box, 3, 3)
        tip = [QPointF(x - 6, box.bottom() - 0.5), QPointF(x + 6, box.bottom() - 0.5), QPointF(x, box.bottom() + 4.5)]
        shape.addPolygon(QPolygonF([*tip, tip[0]]))
        painter.fillPath(shape, style.color(token))
        painter.setFont(self._badge_font())
        painter.setPen(style.color("acc_ink"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(document.frame))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(round(x) - 1, HEIGHT - 3, 2, 3), style.color("accent"))
