"""The bar under the tracks: the whole sequence, and which part of it the tracks show."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas
from app.timeline.marks.lines import marker_color
from app.timeline.model import TimelineModel
from app.timeline.sheet.picture import draw_boxes
from app.timeline.time_scale import MARGIN, NAMES_WIDTH, PAN_STEP, ZOOM_STEP
from app.widgets.behaviour.base import fill_round

HEIGHT = 18
END = 7.0  # width of what can be grabbed at each end, px
BESIDE = 3.0  # how far beside an end it can still be grabbed, px
LEAST_THUMB = 3 * END
_GAP = 6.0  # at both ends of the bar, px
LEFT, MIDDLE, RIGHT = "left", "middle", "right"
"""What of the shown part is dragged."""


class _Held(NamedTuple):
    part: str
    at: float  # frames from what is dragged to the mouse
    whole: tuple[float, float]
    shown: tuple[float, float]
    left: float  # how the tracks were
    pixels: float


class TimeBar(TimelineCanvas):
    """All frames in one line; drag the part that is shown, or its ends to show more or fewer."""

    def __init__(self, model: TimelineModel):
        self._held: _Held | None = None
        self._hover = ""
        super().__init__(model)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Overview of the frames")

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def take_change(self) -> None:
        first, last = self._shown_frames()
        self.setAccessibleDescription(f"Frames {first} to {last} are shown")
        self.update()

    # -- what lies where ------------------------------------------------------------------------------------------

    @property
    def held(self) -> str:
        """What is being dragged; "" for nothing."""
        return "" if self._held is None else self._held.part

    def whole(self) -> tuple[float, float]:
        """Return the frames at the ends of the bar: all there is, and what is shown beside it."""
        if self._held is not None:
            return self._held.whole
        first, last, _ = self.model.extent()
        low, high = self.model.visible()
        return min(float(first), low), max(float(last), high)

    def bar_x(self, frame: float) -> float:
        """Return where a frame lies in the bar."""
        first, last = self.whole()
        return NAMES_WIDTH + _GAP + (frame - first) / (last - first) * self._room

    def frame_in_bar(self, x: float) -> float:
        """Return the frame at a place of the bar, whole or not."""
        first, last = self.whole()
        return first + (x - NAMES_WIDTH - _GAP) / self._room * (last - first)

    @property
    def _room(self) -> float:
        return max(self.width() - NAMES_WIDTH - 2 * _GAP, 1.0)

    def thumb(self) -> QRectF:
        """Return where the part that is shown lies, never too small for its ends to be grabbed."""
        low, high = self.model.visible()
        left, right = self.bar_x(low), self.bar_x(high)
        first, last = NAMES_WIDTH + _GAP, NAMES_WIDTH + _GAP + self._room
        missing = max(LEAST_THUMB - (right - left), 0.0) / 2.0
        left = min(max(left - missing, first), last - LEAST_THUMB)
        right = max(min(right + missing, last), left + LEAST_THUMB)
        return QRectF(left, 2.0, right - left, HEIGHT - 5.0)

    def part_at(self, position: QPointF) -> str:
        """Return what a press at a point would drag: an end, the middle; "" beside the part that is shown."""
        box, x = self.thumb(), position.x()
        if x < NAMES_WIDTH or not box.left() - BESIDE <= x <= box.right() + BESIDE:
            return ""
        return LEFT if x < box.left() + END else RIGHT if x > box.right() - END else MIDDLE

    def key_under(self, position: QPointF) -> int | None:
        return None

    def _shown_frames(self) -> tuple[int, int]:
        low, high = self.model.visible()
        return max(math.ceil(low), 0), max(math.floor(high), 0)

    def tip(self, position: QPointF) -> str:
        part = self.part_at(position)
        if self.model.document.skeleton is None or position.x() < NAMES_WIDTH or self._held is not None:
            return ""
        if part in (LEFT, RIGHT):
            return "Drag to show more frames or fewer"
        first, last = self._shown_frames()
        return f"Frames {first} to {last} are shown\n" + (
            "Drag to show others" if part else "Click to show these frames"
        )

    # -- mouse ----------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        model, position = self.model, event.position()
        if event.button() != Qt.MouseButton.LeftButton or model.document.skeleton is None or self._held is not None:
            return
        if position.x() < NAMES_WIDTH:
            return
        before = model.left, model.pixels
        part, at = self.part_at(position), self.frame_in_bar(position.x())
        low, high = model.visible()
        whole = self.whole()
        if not part:  # what was clicked comes to the middle, and can be dragged on at once
            part, low, high = MIDDLE, at - 0.5 * (high - low), at + 0.5 * (high - low)
        grip = at - (high if part == RIGHT else low)
        self._held = _Held(part, grip, whole, (low, high), *before)
        self._drag(at)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._drag(self.frame_in_bar(event.position().x()))
        elif event.buttons() == Qt.MouseButton.NoButton:
            self._set_hover(self.part_at(event.position()))

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = None
            self._set_hover(self.part_at(event.position()))
            self.update()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and event.position().x() >= NAMES_WIDTH:
            self._held = None
            self.model.fit()

    def _drag(self, at: float) -> None:
        """Show the frames that the mouse, at a frame of the bar, takes into sight."""
        held, model = self._held, self.model
        if held is None:
            return
        (first, last), (low, high) = held.whole, held.shown
        place = at - held.at
        if held.part == MIDDLE:
            low = min(max(place, first), last - (high - low))
            model.put_left(low + MARGIN / held.pixels, held.pixels)
        elif held.part == LEFT:
            span = max(high - max(place, first), 1e-9)
            pixels = model.bounded_pixels(model.width / span)
            model.put_left(high - (model.width - MARGIN) / pixels, pixels)
        else:
            span = max(min(place, last) - low, 1e-9)
            pixels = model.bounded_pixels(model.width / span)
            model.put_left(low + MARGIN / pixels, pixels)

    def _set_hover(self, part: str) -> None:
        shapes = {LEFT: Qt.CursorShape.SizeHorCursor, RIGHT: Qt.CursorShape.SizeHorCursor}
        if self.model.document.skeleton is not None:
            self.setCursor(shapes.get(part, Qt.CursorShape.ArrowCursor))
        if part != self._hover:
            self._hover = part
            self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        if self._held is None:
            self._set_hover("")
        super().leaveEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120.0 or event.angleDelta().x() / 120.0
        if self._held is None and self.model.document.skeleton is not None:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not event.angleDelta().y():
                self.model.pan(steps * PAN_STEP)
            else:
                self.model.zoom(ZOOM_STEP**steps, 0.5 * self.model.width)
        event.accept()

    # -- keyboard -------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and self._held is not None

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = self._held
        if held is None or event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
            return
        self._held = None
        self.model.put_left(held.left, held.pixels)

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "head", "input")
        painter.setFont(fonts.font(11, fonts.REGULAR))
        painter.setPen(style.color("text2"))
        painter.drawText(QRectF(12, 0, NAMES_WIDTH - 16, HEIGHT), Qt.AlignmentFlag.AlignVCenter, "Overview")
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line"))
        if self.model.document.skeleton is not None:
            self.clip_tracks(painter)
            boxes = self._key_boxes()
            draw_boxes(painter, boxes, style.mix("input", "text3", 0.45))
            self._paint_thumb(painter)
            painter.setClipRect(self.thumb().adjusted(END, 0, -END, 0))
            draw_boxes(painter, boxes, style.color("text2"))
            self.clip_tracks(painter)
            self._paint_frames(painter)
        painter.end()

    def _paint_thumb(self, painter: QPainter) -> None:
        box, lit = self.thumb(), bool(self.held or self._hover)
        fill_round(painter, box, style.color("raised"), style.color("accent" if self.held else "text3"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        grip = style.color("text" if lit else "text2")
        for x in (box.left() + 3.0, box.right() - 4.0):
            painter.fillRect(QRectF(round(x), box.top() + 3.0, 1, box.height() - 6.0), grip)

    def _paint_frames(self, painter: QPainter) -> None:
        """Paint the range, the markers and the current frame."""
        model = self.model
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        first, last = model.range
        if last > first:
            left, right = round(self.bar_x(first)), round(self.bar_x(last))
            painter.fillRect(QRectF(left, HEIGHT - 2.0, max(right - left, 1), 2.0), style.color("acc_line"))
        for marker in model.marks.markers:
            painter.fillRect(QRectF(round(self.bar_x(marker.frame)), 3.0, 1.0, 3.0), marker_color(marker))
        x = round(self.bar_x(model.document.frame))
        painter.fillRect(QRectF(x - 1, 1.0, 2.0, HEIGHT - 1.0), style.color("accent"))

    def _key_boxes(self) -> NDArray[np.float64]:
        """Return the marks of the keys, one for all that share a pixel: left, top, width, height; shape (k, 4)."""
        first, last = self.whole()
        xs = np.round(NAMES_WIDTH + _GAP + (self.model.frames - first) * (self._room / (last - first)))
        xs = xs[np.append(True, np.diff(xs) > 0)] if len(xs) else xs
        return np.column_stack((xs, np.full_like(xs, 7.0), np.ones_like(xs), np.full_like(xs, 4.0)))
