"""The dope sheet: a row for the whole figure and one for each group, a diamond for each key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app import fonts, style
from app.stamp import stamp
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.model import NAMES_WIDTH, Row, TimelineModel
from app.widgets.base import draw_focus_ring

ROW_HEIGHT = 18
SUMMARY_SIZE = 10.0
KEY_SIZE = 9.0
HOLD_HEIGHT = 6.0
BAR_HEIGHT = 5.0
CROWDED = 5.0  # keys nearer than this, in px, are drawn as one bar
SPAN_GAP = 8.0  # between a key and the line to the next
HANDLE_WIDTH, HANDLE_HEIGHT = 6.0, 24.0
FRAME_GAP = 9.0  # between the selected keys and the box round them


def runs(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return where flags are set in a row: for each run its first index and the one after its last, shape (n, 2)."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return np.column_stack((np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)))


class DopeSheet(TimelineCanvas):
    """Keys by row; drag them, draw a box around them, press Del."""

    boxes = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Dope sheet")
        self._pictures: dict[tuple[str, float, bool, float, str], QPixmap] = {}
        model.changed.connect(self._fit_height)
        self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(400, max(1, len(self.model.rows)) * ROW_HEIGHT + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _fit_height(self) -> None:
        if self.minimumHeight() != self.sizeHint().height():
            self.setMinimumHeight(self.sizeHint().height())

    def theme_changed(self) -> None:
        self._pictures.clear()

    def clicked_name(self, position: QPointF) -> None:
        row = self._row_at(position.y())
        skeleton = self.model.document.skeleton
        if row is None or skeleton is None:
            return
        joints = sorted({skeleton.dof_joints[int(i) - 3] for i in row.values if i >= 3})
        self.model.document.set_selection(tuple(joints))

    def _row_at(self, y: float) -> Row | None:
        index = int(y // ROW_HEIGHT)
        return self.model.rows[index] if 0 <= index < len(self.model.rows) else None

    def key_under(self, position: QPointF) -> int | None:
        if self._row_at(position.y()) is None:
            return None
        return super().key_under(position)

    # -- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "panel", "panel")
        selected_rows = self._selected_rows()
        for i, row in enumerate(self.model.rows):
            self._paint_ground(painter, i, row, i in selected_rows)
            self._paint_name(painter, row, i * ROW_HEIGHT, i in selected_rows)
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, self.height()), style.color("line2"))
        if self.model.rows:
            self.clip_tracks(painter)
            self.draw_grid(painter, self._bottom)
            for i, row in enumerate(self.model.rows):
                self._paint_row(painter, row, i * ROW_HEIGHT, i in selected_rows)
            self._paint_selection(painter)
            self.draw_playhead(painter)
            self._paint_pending(painter)
            self._paint_box(painter)
            painter.setClipping(False)
            painter.fillRect(QRectF(0, self._bottom, self.width(), 1), style.color("line"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.visibleRegion().boundingRect()))
        painter.end()

    @property
    def _bottom(self) -> int:
        return len(self.model.rows) * ROW_HEIGHT

    def _paint_ground(self, painter: QPainter, i: int, row: Row, lit: bool) -> None:
        ground = style.color("panel")
        if lit:
            ground = style.mix("panel", "acc_bg", 0.7)
        elif row.summary:
            ground = style.mix("panel", "head", 0.75)
        elif i % 2 == 0:
            ground = style.mix("panel", "head", 0.3)
        painter.fillRect(QRectF(0, i * ROW_HEIGHT, self.width(), ROW_HEIGHT), ground)

    def _selected_rows(self) -> set[int]:
        skeleton, chosen = self.model.document.skeleton, set(self.model.document.selection)
        if skeleton is None or not chosen:
            return set()
        dofs = {3 + d for j in chosen for d in range(skeleton.first_dof[j], skeleton.first_dof[j + 1])}
        return {i for i, row in enumerate(self.model.rows) if not row.summary and dofs & set(row.values.tolist())}

    def _paint_name(self, painter: QPainter, row: Row, y: float, lit: bool) -> None:
        font = fonts.font(12, fonts.SEMIBOLD if row.summary else fonts.REGULAR)
        painter.setFont(font)
        painter.setPen(style.color("accent" if lit else "text" if row.summary else "text2"))
        room = NAMES_WIDTH - (12 if row.summary else 24) - 6
        name = QFontMetricsF(font).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(12 if row.summary else 24, y, room, ROW_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_row(self, painter: QPainter, row: Row, y: float, lit: bool) -> None:
        model = self.model
        if not len(model.frames):
            return
        middle = y + ROW_HEIGHT / 2
        xs = NAMES_WIDTH + model.xs(model.shown_frames())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if not row.summary:
            line = style.color("acc_line" if lit else "line2")
            self._paint_spans(painter, xs, round(middle), line)
        first, last = self._in_sight(xs)
        held = np.zeros(max(last - first - 1, 0), dtype=bool)
        if not row.summary and not model.dragging:
            held = model.holds(row)[first : last - 1]
            self._paint_bars(painter, xs, runs(held) + first, middle, HOLD_HEIGHT, style.color("line2"))
        crowded = np.zeros(len(xs), dtype=bool)
        if last - first > 2:
            close = np.diff(xs[first:last]) < CROWDED
            chosen = model.is_selected()[first:last]
            for token, part in (("text3", close & ~held), ("text", close & chosen[1:] & chosen[:-1])):
                self._paint_bars(painter, xs, runs(part) + first, middle, BAR_HEIGHT, style.color(token))
            # A bar stands for the keys inside it; those at its ends keep their marks.
            crowded[first + 1 : last - 1] = close[1:] & close[:-1]
        self._paint_marks(painter, row, xs, crowded, middle)

    def _paint_marks(
        self, painter: QPainter, row: Row, xs: NDArray[np.float64], crowded: NDArray[np.bool_], middle: float
    ) -> None:
        model = self.model
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = SUMMARY_SIZE if row.summary else KEY_SIZE
        current = model.frames == model.document.frame
        shown = (xs > NAMES_WIDTH - 12) & (xs < self.width() + 12) & (~crowded | current)
        chosen = model.is_selected()
        for linear in (False, True):
            kind = shown & (model.linear == linear)
            for token, some in (("text2", ~chosen & ~current), ("text", chosen & ~current), ("accent", current)):
                places = xs[kind & some]
                if len(places):
                    self._stamp(painter, token, size, linear, places, middle)

    def _in_sight(self, xs: NDArray[np.float64]) -> tuple[int, int]:
        """Return the first key worth drawing and the one after the last; keys stand in order but in a drag."""
        if self.model.dragging:
            return 0, len(xs)
        first, last = np.searchsorted(xs, (NAMES_WIDTH - 20.0, self.width() + 20.0))
        return max(int(first) - 1, 0), min(int(last) + 1, len(xs))

    def _paint_bars(
        self, painter: QPainter, xs: NDArray[np.float64], bars: NDArray[np.intp], y: float, height: float, color: QColor
    ) -> None:
        """Draw bars from key to key, one for each row (first, last) of ``bars``."""
        for first, last in bars:
            left, right = max(xs[first], NAMES_WIDTH - 20.0), min(xs[last], self.width() + 20.0)
            if right > left:
                painter.fillRect(QRectF(left, y - height / 2, right - left, height), color)

    def _paint_spans(self, painter: QPainter, xs: NDArray[np.float64], y: int, line: QColor) -> None:
        """Draw a line between neighbouring keys that stops short of both; none where they stand close."""
        left, right = np.maximum(xs[:-1], NAMES_WIDTH - 20.0), np.minimum(xs[1:], self.width() + 20.0)
        seen = right - left > 2 * SPAN_GAP + 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(line)
        painter.drawRects(
            [
                QRectF(round(a + SPAN_GAP), y, round(b - SPAN_GAP) - round(a + SPAN_GAP), 1)
                for a, b in zip(left[seen], right[seen], strict=True)
            ]
        )

    def _stamp(
        self, painter: QPainter, token: str, size: float, linear: bool, xs: NDArray[np.float64], y: float
    ) -> None:
        """Draw many equal marks in one call: diamonds, or squares where the span that follows is linear."""
        places = np.empty((len(xs), 2))
        places[:, 0], places[:, 1] = np.round(xs * 2.0) / 2.0, y
        stamp(painter, self._picture(token, size, linear), places)

    def _picture(self, token: str, size: float, linear: bool) -> QPixmap:
        ratio = self.devicePixelRatioF()
        key = (token, size, linear, ratio, style.current().name)
        if key not in self._pictures:
            side = int(size + 4)
            picture = QPixmap(round(side * ratio), round(side * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(style.color("panel"), 1.0))
            painter.setBrush(style.color(token))
            if linear:
                edge = size - 2.5
                painter.drawRect(QRectF((side - edge) / 2, (side - edge) / 2, edge, edge))
            else:
                painter.drawPolygon(diamond(side / 2, side / 2, size))
            painter.end()
            self._pictures[key] = picture
        return self._pictures[key]

    def _paint_pending(self, painter: QPainter) -> None:
        if not self.model.document.pending:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("warn"), 1.6))
        painter.setBrush(style.color("head"))
        painter.drawPolygon(diamond(self.track_x(self.model.document.frame), ROW_HEIGHT / 2, SUMMARY_SIZE + 1))

    def _frame(self) -> QRectF | None:
        """Return the box round the selected keys, if there are two or more."""
        span = self.model.selected_span
        if span is None or not self.model.rows:
            return None
        left, right = self.track_x(span[0]) - FRAME_GAP, self.track_x(span[1]) + FRAME_GAP
        return QRectF(round(left) + 0.5, 1.5, round(right) - round(left), self._bottom - 3)

    def _handles(self) -> list[QRectF]:
        frame = self._frame()
        if frame is None:
            return []
        top = self.visibleRegion().boundingRect()
        middle = (max(top.top(), 0) + min(top.bottom() + 1, self._bottom)) / 2
        size = QPointF(HANDLE_WIDTH / 2, HANDLE_HEIGHT / 2)
        return [QRectF(QPointF(x, middle) - size, QPointF(x, middle) + size) for x in (frame.left(), frame.right())]

    def end_under(self, position: QPointF) -> bool | None:
        for last, handle in enumerate(self._handles()):
            if handle.adjusted(-3, -4, 3, 4).contains(position):
                return bool(last)
        return None

    def _paint_selection(self, painter: QPainter) -> None:
        frame = self._frame()
        if frame is None or self.box is not None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setOpacity(0.05)
        painter.fillRect(frame, style.color("text"))
        painter.setOpacity(1.0)
        painter.setPen(QPen(style.color("text2"), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("panel"), 1.0))
        painter.setBrush(style.color("text"))
        for handle in self._handles():
            painter.drawRoundedRect(handle.adjusted(-0.5, -0.5, 0.5, 0.5), 3, 3)

    def _paint_box(self, painter: QPainter) -> None:
        if self.box is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        tint = style.color("text")
        painter.setOpacity(0.05)
        painter.fillRect(self.box, tint)
        painter.setOpacity(1.0)
        painter.setPen(QPen(tint, 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self.box)
