"""One strip of a lock on the timeline: its shape, what the mouse grabs of it, and how it is painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen, QPolygonF

from app import fonts, style
from app.locks.glyphs import token
from app.locks.words import kind_text, weight_text, weights_of
from app.timeline.canvas import diamond
from app.widgets.base import fill_round

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip
    from core.skeleton import Skeleton

GRIP = 12.0
"""How far to either side of an end or a shoulder it is grabbed, [px]."""
LEAST_WIDTH = 8.0
"""A strip of one frame is drawn so wide."""
FADE = 56.0
"""Over which a strip without end fades at the edge of the tracks, [px]."""
TARGET_SIZE = 8.0
TARGET_REACH = 7.0
TEXT_INSET, TEXT_HEIGHT = 6.0, 13.0
ZIGZAG, ZIGZAG_STEP = 3.0, 4.0
"""Height of a zigzag and the width of each of its strokes, [px]."""

START, END, EASE_IN, EASE_OUT, WEIGHT, BODY = "start", "end", "ease_in", "ease_out", "weight", "body"
CURSORS = {
    START: Qt.CursorShape.SplitHCursor,
    END: Qt.CursorShape.SplitHCursor,
    EASE_IN: Qt.CursorShape.SizeBDiagCursor,
    EASE_OUT: Qt.CursorShape.SizeFDiagCursor,
    WEIGHT: Qt.CursorShape.SizeVerCursor,
    BODY: Qt.CursorShape.OpenHandCursor,
}


def weight_of(strip: LockStrip) -> float:
    """Return how heavily a strip holds, 0 to 1: the lock's weight times the strip's."""
    return max(weights_of(strip.lock)) * float(strip.weight)


def strip_text(strip: LockStrip, skeleton: Skeleton | None, short: bool = False) -> tuple[str, str]:
    """Return what stands on a strip: kind, in as few words as there are if it is to be short, and weight."""
    return kind_text(strip.lock, skeleton, short), weight_text(strip.weighted(strip.lock))


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


def shape_of(strip: LockStrip, x: Callable[[float], float], top: float, height: float, far: float) -> StripShape:
    """Return where a strip is.

    Args:
        strip: The strip.
        x: From frames to px.
        top: Upper edge, [px].
        height: Height at full weight, [px].
        far: Right edge of what is shown, [px]; strips without end reach a little beyond.
    """
    left = x(strip.start)
    right = max(far + FADE, left + LEAST_WIDTH) if strip.end is None else x(strip.end)
    if right - left < LEAST_WIDTH:
        left = right = (left + right) / 2.0
        left, right = left - LEAST_WIDTH / 2.0, right + LEAST_WIDTH / 2.0
    ease_in, ease_out = strip.eases
    rise = min(x(strip.start + ease_in) if ease_in else left, right)
    fall = right if strip.end is None or not ease_out else max(x(strip.end - ease_out), rise)
    level = top + (1.0 - weight_of(strip)) * height
    targets = tuple(x(key.frame) for key in strip.targets)
    return StripShape(left, rise, fall, right, top, top + height, level, strip.end is None, targets)


@dataclass(frozen=True)
class Look:
    """How a strip is shown.

    Attributes:
        state: ``"conflict"`` if its lock cannot be held with the others here, else "".
        selected: Whether it is the selected lock.
        hovered: Whether the mouse is over it.
        faint: Whether locks are switched off.
        chosen: Which key of its target is selected, or None.
    """

    state: str = ""
    selected: bool = False
    hovered: bool = False
    faint: bool = False
    chosen: int | None = None


def paint_strip(
    painter: QPainter, strip: LockStrip, shape: StripShape, look: Look, skeleton: Skeleton | None, room: QRectF
) -> None:
    """Paint a strip.

    Args:
        painter: Where.
        strip: The strip.
        shape: Its place.
        look: How it is shown.
        skeleton: Its figure, for names.
        room: The tracks, [px]; texts keep within.
    """
    name = token(strip.lock.kind, look.state)
    painter.setOpacity(0.45 if look.faint else 1.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    low, high = room.left() - 20.0, room.right() + 20.0
    whole, filled = shape.outline(1.0, low, high), shape.outline(weight_of(strip), low, high)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_brush(style.mix("panel", name, 0.14), shape, room))
    painter.drawPolygon(whole)
    painter.setBrush(_brush(style.mix("panel", name, 0.55 if look.selected else 0.42), shape, room))
    painter.drawPolygon(filled)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if weight_of(strip) < 1.0:
        painter.setPen(QPen(_brush(style.mix("panel", name, 0.5), shape, room), 1.0))
        painter.drawPolygon(whole)
    painter.setPen(QPen(_brush(style.color(name), shape, room), 1.3))
    painter.drawPolygon(filled)
    if look.selected or look.hovered:
        edge = style.color("accent" if look.selected else "text")
        painter.setPen(QPen(_brush(edge, shape, room), 2.0 if look.selected else 1.3))
        painter.drawPolygon(whole)
        _paint_grips(painter, shape, room, edge)
    _paint_text(painter, strip, shape, skeleton, room)
    _paint_targets(painter, shape, look, room)
    painter.setOpacity(1.0)


def _brush(color: QColor, shape: StripShape, room: QRectF) -> QBrush:
    """Return a colour as it fills a strip: fading at the right edge if the strip has no end."""
    if not shape.open:
        return QBrush(color)
    fading = QLinearGradient(room.right() - FADE, 0.0, room.right() - 4.0, 0.0)
    gone = QColor(color)
    gone.setAlphaF(0.0)
    fading.setColorAt(0.0, color)
    fading.setColorAt(1.0, gone)
    return QBrush(fading)


def _paint_grips(painter: QPainter, shape: StripShape, room: QRectF, color: QColor) -> None:
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


def _paint_text(
    painter: QPainter, strip: LockStrip, shape: StripShape, skeleton: Skeleton | None, room: QRectF
) -> None:
    """Write kind and weight on what is seen of a strip; what does not fit is left out, the kind first."""
    left = max(shape.rise, room.left()) + TEXT_INSET
    right = min(shape.fall, room.right() - (FADE if shape.open else 0.0)) - TEXT_INSET + 2.0
    if right - left < 20.0:
        return
    kind, weight = strip_text(strip, skeleton)
    short, _ = strip_text(strip, skeleton, short=True)
    font = fonts.font(fonts.SECONDARY, fonts.MEDIUM, tabular=True)
    metrics = QFontMetricsF(font)
    choices = (f"{kind} {weight}", f"{short} {weight}", short, weight)
    text = next((each for each in choices if metrics.horizontalAdvance(each) <= right - left), "")
    if not text:
        return
    painter.setFont(font)
    painter.setPen(style.color("text"))
    top, bottom = shape.top, shape.bottom
    if max(bottom - shape.level, shape.level - top) >= TEXT_HEIGHT:  # beside the line of the weight, not across it
        top, bottom = (shape.level, bottom) if bottom - shape.level >= TEXT_HEIGHT else (top, shape.level)
    box = QRectF(left, top, right - left, bottom - top)
    if top < shape.level < bottom:  # no room on either side of it: the line makes way
        ground = style.mix("panel", token(strip.lock.kind), 0.28)
        wide = metrics.horizontalAdvance(text) + 6.0
        fill_round(painter, QRectF(left - 3.0, box.center().y() - 0.5 * TEXT_HEIGHT, wide, TEXT_HEIGHT), ground)
        painter.setPen(style.color("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)


def _paint_targets(painter: QPainter, shape: StripShape, look: Look, room: QRectF) -> None:
    """Paint the keys of the target as small diamonds."""
    middle = (shape.top + shape.bottom) / 2.0
    painter.setPen(QPen(style.color("panel"), 1.0))
    for number, x in enumerate(shape.targets):
        if room.left() - TARGET_SIZE <= x <= room.right() + TARGET_SIZE:
            painter.setBrush(style.color("accent" if number == look.chosen else "text"))
            painter.drawPolygon(diamond(x, middle, TARGET_SIZE + (2.0 if number == look.chosen else 0.0)))


def zigzag(left: float, right: float, y: float) -> QPolygonF:
    """Return the line that marks frames at which a lock cannot be held, along the top of a strip."""
    least = 3.0 * ZIGZAG_STEP
    if right - left < least:
        middle = (left + right) / 2.0
        left, right = middle - least / 2.0, middle + least / 2.0
    count = max(round((right - left) / ZIGZAG_STEP), 3)
    xs = np.linspace(left, right, count + 1)
    return QPolygonF([QPointF(float(x), y + (ZIGZAG if i % 2 else 0.0)) for i, x in enumerate(xs)])


def paint_zigzags(painter: QPainter, lines: Sequence[QPolygonF]) -> None:
    """Paint such lines."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for token_name, width in (("panel", 4.0), ("conflict", 1.8)):
        painter.setPen(QPen(style.color(token_name), width, j=Qt.PenJoinStyle.MiterJoin))
        for line in lines:
            painter.drawPolyline(line)
