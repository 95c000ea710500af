"""Where a strip is on the timeline, what the mouse grabs of it, and what all strips look like."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPen, QPolygonF

from app.look import style

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.animation.locks.strip import LockStrip

GRIP = 12.0
"""How far to either side of an end or a shoulder it is grabbed, [px]."""
LEAST_WIDTH = 8.0
"""A strip of one frame is drawn so wide."""
FADE = 56.0
"""Over which a strip without end fades at the edge of the tracks, [px]."""
TARGET_REACH = 7.0

START, END, EASE_IN, EASE_OUT, WEIGHT, BODY = "start", "end", "ease_in", "ease_out", "weight", "body"
COPY = "copy"
CURSORS = {
    START: Qt.CursorShape.SplitHCursor,
    END: Qt.CursorShape.SplitHCursor,
    EASE_IN: Qt.CursorShape.SizeBDiagCursor,
    EASE_OUT: Qt.CursorShape.SizeFDiagCursor,
    WEIGHT: Qt.CursorShape.SizeVerCursor,
    BODY: Qt.CursorShape.OpenHandCursor,
    COPY: Qt.CursorShape.DragCopyCursor,
}


@dataclass(frozen=True)
class StripShape:
    """Where a strip is in its widget, [px].

    Attributes:
        left: Left end; ``right`` the right one, of a strip without end beyond all that is shown.
        rise: Shoulder where it has eased in; ``fall`` where it begins to ease out.
        top: Upper edge; ``bottom`` the lower one.
        level: Height of the fill's upper edge.
        open: Whether it has no end.
        targets: Places of the keys of its target.
    """

    left: float
    rise: float
    fall: float
    right: float
    top: float
    bottom: float
    level: float
    open: bool
    targets: tuple[float, ...] = ()

    @property
    def box(self) -> QRectF:
        """The box round it."""
        return QRectF(self.left, self.top, self.right - self.left, self.bottom - self.top)

    def outline(self, part: float = 1.0, low: float = -np.inf, high: float = np.inf) -> QPolygonF:
        """Return the trapezoid, or the same of a part of its height, cut off at two places: it may be very long."""
        y = self.bottom - part * (self.bottom - self.top)
        edge = [(self.left, self.bottom), (self.rise, y), (self.fall, y), (self.right, self.bottom)]
        places = [x + 1e-6 * i for i, (x, _) in enumerate(edge)]  # a ramp may have no length
        corners = [corner for corner in edge if low <= corner[0] <= high]
        for cut in (low, high):
            if self.left < cut < self.right:
                height = float(np.interp(cut, places, [corner[1] for corner in edge]))
                ends = [(cut, self.bottom), (cut, height)]
                corners = [*ends, *corners] if cut == low else [*corners, *reversed(ends)]
        return QPolygonF([QPointF(*corner) for corner in corners])

    def distance(self, x: float) -> float:
        """Return how far beside it a place is; 0 within."""
        return max(self.left - x, x - self.right, 0.0)

    def part_at(self, position: QPointF) -> str | int:
        """Return what the mouse grabs at a point on the strip or beside it: a part, or the number of a target key.

        Ends are grabbed inside and out, shoulders in the upper half; a third of every strip, however narrow, is left
        to slide it by.
        """
        x, y = position.x(), position.y()
        inner = min(GRIP, (self.right - self.left) / 3.0)
        if x < self.left or (x > self.right and not self.open):
            return START if x < self.left else END
        near = min(range(len(self.targets)), key=lambda i: abs(self.targets[i] - x), default=None)
        if near is not None and abs(self.targets[near] - x) <= TARGET_REACH:
            return near
        if y < self.top + 0.55 * (self.bottom - self.top):
            if self.left <= x and abs(x - self.rise) <= inner and x <= (self.rise + self.fall) / 2.0:
                return EASE_IN
            if not self.open and x <= self.right and abs(x - self.fall) <= inner:
                return EASE_OUT
        if x - self.left <= inner:
            return START
        if not self.open and self.right - x <= inner:
            return END
        return WEIGHT if abs(y - self.level) <= 3.5 and self.rise <= x <= self.fall else BODY


def shape_of(
    strip: LockStrip | HybridStrip,
    x: Callable[[float], float],
    top: float,
    height: float,
    far: float,
    weight: float = 1.0,
    targets: Iterable[int] = (),
) -> StripShape:
    """Return where a strip is.

    Args:
        strip: The strip.
        x: From frames to px.
        top: Upper edge, [px].
        height: Height at full weight, [px].
        far: Right edge of what is shown, [px]; strips without end reach a little beyond.
        weight: How much of the height is filled, 0 to 1.
        targets: Frames of the keys of its target.
    """
    left = x(strip.start)
    right = max(far + FADE, left + LEAST_WIDTH) if strip.end is None else x(strip.end)
    if right - left < LEAST_WIDTH:
        left = right = (left + right) / 2.0
        left, right = left - LEAST_WIDTH / 2.0, right + LEAST_WIDTH / 2.0
    ease_in, ease_out = strip.eases
    rise = min(x(strip.start + ease_in) if ease_in else left, right)
    fall = right if strip.end is None or not ease_out else max(x(strip.end - ease_out), rise)
    level = top + (1.0 - weight) * height
    return StripShape(
        left, rise, fall, right, top, top + height, level, strip.end is None, tuple(x(frame) for frame in targets)
    )


def fading(color: QColor, shape: StripShape, room: QRectF) -> QBrush:
    """Return a colour as it fills a strip: fading at the right edge of the tracks if the strip has no end."""
    if not shape.open:
        return QBrush(color)
    brush = QLinearGradient(room.right() - FADE, 0.0, room.right() - 4.0, 0.0)
    gone = QColor(color)
    gone.setAlphaF(0.0)
    brush.setColorAt(0.0, color)
    brush.setColorAt(1.0, gone)
    return QBrush(brush)


def paint_grips(painter: QPainter, shape: StripShape, room: QRectF, color: QColor) -> None:
    """Paint what can be grabbed: bars at the ends, dots on the shoulders."""
    if shape.right - shape.left < 2.0 * GRIP:
        return
    painter.setPen(QPen(style.color("panel"), 1.0))
    painter.setBrush(color)
    middle = (shape.top + shape.bottom) / 2.0
    for x, shown in ((shape.left, True), (shape.right, not shape.open)):
        if shown and room.left() - 4.0 <= x <= room.right() + 4.0:
            painter.drawRoundedRect(QRectF(x - 2.5, middle - 6.0, 5.0, 12.0), 2.0, 2.0)
    for x, shown in ((shape.rise, True), (shape.fall, not shape.open)):
        if shown and room.left() <= x <= room.right() and min(abs(x - shape.left), abs(x - shape.right)) > 5.0:
            painter.drawEllipse(QPointF(x, shape.top + 1.0), 3.0, 3.0)
