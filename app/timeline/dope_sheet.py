"""The dope sheet: a row for the whole figure and one for each group, a diamond for each key."""

from __future__ import annotations

import numpy as np
import shiboken6
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app import fonts, style
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.model import NAMES_WIDTH, Row, TimelineModel

ROW_HEIGHT = 18
SUMMARY_SIZE = 10.0
KEY_SIZE = 9.0
HOLD_HEIGHT = 6.0


class DopeSheet(TimelineCanvas):
    """Keys by row; drag them, draw a box around them, press Del."""

    boxes = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Dope sheet")
        self._pictures: dict[tuple[str, float, float, str], QPixmap] = {}
        model.changed.connect(self._fit_height)
        self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(400, max(1, len(self.model.rows)) * ROW_HEIGHT + 4)

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
        self.draw_names_ground(painter)
        selected_rows = self._selected_rows()
        for i, row in enumerate(self.model.rows):
            self._paint_name(painter, row, i * ROW_HEIGHT, i in selected_rows)
        if self.model.rows:
            self.clip_tracks(painter)
            self._paint_grid(painter)
            for i, row in enumerate(self.model.rows):
                self._paint_row(painter, row, i * ROW_HEIGHT, i in selected_rows)
            self.draw_playhead(painter)
            self._paint_pending(painter)
            self._paint_box(painter)
        painter.end()

    def _selected_rows(self) -> set[int]:
        skeleton, chosen = self.model.document.skeleton, set(self.model.document.selection)
        if skeleton is None or not chosen:
            return set()
        dofs = {3 + d for j in chosen for d in range(skeleton.first_dof[j], skeleton.first_dof[j + 1])}
        return {i for i, row in enumerate(self.model.rows) if not row.summary and dofs & set(row.values.tolist())}

    def _paint_name(self, painter: QPainter, row: Row, y: float, lit: bool) -> None:
        if lit:
            painter.fillRect(QRectF(0, y, self.width(), ROW_HEIGHT), style.color("acc_bg"))
        font = fonts.font(12, fonts.SEMIBOLD if row.summary else fonts.REGULAR)
        painter.setFont(font)
        painter.setPen(style.color("accent" if lit else "text" if row.summary else "text2"))
        room = NAMES_WIDTH - (12 if row.summary else 24) - 6
        name = QFontMetricsF(font).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(12 if row.summary else 24, y, room, ROW_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_grid(self, painter: QPainter) -> None:
        first, last = self.model.visible()
        step = self.model.tick_step()
        number = max(0, int(first // step) * step)
        while number <= last:
            painter.fillRect(QRectF(round(self.track_x(number)), 0, 1, self.height()), style.color("line"))
            number += step
        end = self.track_x(self.model.range[1])
        beyond = style.color("win")
        painter.setOpacity(0.35)
        painter.fillRect(QRectF(end, 0, self.width() - end, self.height()), beyond)
        painter.fillRect(QRectF(NAMES_WIDTH, 0, self.track_x(self.model.range[0]) - NAMES_WIDTH, self.height()), beyond)
        painter.setOpacity(1.0)

    def _paint_row(self, painter: QPainter, row: Row, y: float, lit: bool) -> None:
        model = self.model
        if not len(model.frames):
            return
        middle = y + ROW_HEIGHT / 2
        shifts = np.array([model.shift if int(f) in model.selected else 0 for f in model.frames])
        xs = NAMES_WIDTH + model.xs(model.frames + shifts)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        line = style.color("acc_line" if lit else "line2")
        painter.fillRect(QRectF(xs.min(), round(middle), xs.max() - xs.min(), 1), line)
        if not row.summary and not model.shift:
            for i in np.nonzero(model.holds(row))[0]:
                box = QRectF(xs[i], middle - HOLD_HEIGHT / 2, xs[i + 1] - xs[i], HOLD_HEIGHT)
                painter.fillRect(box, style.color("line2"))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = SUMMARY_SIZE if row.summary else KEY_SIZE
        current = model.document.frame
        groups: dict[str, list[float]] = {}
        inside = (xs > NAMES_WIDTH - 12) & (xs < self.width() + 12)
        for frame, x in zip(model.frames[inside], xs[inside], strict=True):
            token = "accent" if int(frame) == current else "text" if int(frame) in model.selected else "text2"
            groups.setdefault(token, []).append(float(x))
        for token, places in groups.items():
            self._stamp(painter, token, size, places, middle)

    def _stamp(self, painter: QPainter, token: str, size: float, xs: list[float], y: float) -> None:
        """Draw many equal diamonds in one call."""
        picture = self._picture(token, size)
        scale = 1.0 / picture.devicePixelRatio()
        # a PixmapFragment is ten doubles: x, y, source box (4), scale (2), rotation, opacity; Qt takes them as one array
        fragments = np.empty((len(xs), 10))
        fragments[:, 0] = np.round(np.array(xs) * 2.0) / 2.0
        fragments[:, 1:] = (y, 0.0, 0.0, picture.width(), picture.height(), scale, scale, 0.0, 1.0)
        first = shiboken6.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment)
        painter.drawPixmapFragments(first, len(xs), picture)

    def _picture(self, token: str, size: float) -> QPixmap:
        ratio = self.devicePixelRatioF()
        key = (token, size, ratio, style.current().name)
        if key not in self._pictures:
            side = int(size + 4)
            picture = QPixmap(round(side * ratio), round(side * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(style.color("input"), 1.0))
            painter.setBrush(style.color(token))
            painter.drawPolygon(diamond(side / 2, side / 2, size))
            painter.end()
            self._pictures[key] = picture
        return self._pictures[key]

    def _paint_pending(self, painter: QPainter) -> None:
        if not self.model.document.pending:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("warn"), 1.6))
        painter.setBrush(style.color("input"))
        painter.drawPolygon(diamond(self.track_x(self.model.document.frame), ROW_HEIGHT / 2, SUMMARY_SIZE + 1))

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
