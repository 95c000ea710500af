"""What is painted of a row of the Dynamics tab: a thin hatch where keys move its joints, trapezoids where forces do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from app.look import fonts, style
from app.timeline.strips.shape import FADE, StripShape, fading, paint_grips
from app.widgets.behaviour.base import fill_round
from core.animation.hybrid.strip import MOTOR, HybridStrip

KEYED_HEIGHT = 6.0
HATCH = 5.0
"""From one line of the hatch to the next, [px]."""
STRIPE = 6.0
"""The same of the stripes of a motor."""
TEXT_INSET = 7.0
LEAST_TEXT = 11.0
"""Strips that are lower have no text, [px]."""


@dataclass(frozen=True)
class Look:
    """How a strip is shown.

    Attributes:
        title: What stands on it.
        selected: Whether it is selected.
        hovered: Whether the mouse is over it.
    """

    title: str
    selected: bool = False
    hovered: bool = False


def frames_text(strip: HybridStrip) -> str:
    """Return the frames of a strip as they stand on it: ``"18 – 46"``."""
    return f"from {strip.start}" if strip.end is None else f"{strip.start} – {strip.end}"


def paint_keyed(painter: QPainter, left: float, right: float, middle: float) -> None:
    """Paint the thin hatch of frames at which keys move the joints of a row."""
    if right - left < 2.0:
        return
    box = QRectF(left, middle - KEYED_HEIGHT / 2.0, right - left, KEYED_HEIGHT)
    fill_round(painter, box, style.mix("panel", "input", 0.5), style.color("line2"), 2.0)
    first = np.floor((left - KEYED_HEIGHT) / HATCH) * HATCH  # lines stay where they are while ends are dragged
    xs = np.arange(first, right, HATCH)
    xs = xs[(xs > left + 1.0) & (xs + KEYED_HEIGHT - 2.0 < right - 1.0)]
    painter.setPen(QPen(style.color("line2"), 1.0))
    low, high = box.bottom() - 1.0, box.top() + 1.0
    painter.drawLines([QLineF(x, low, x + KEYED_HEIGHT - 2.0, high) for x in xs.tolist()])


def paint_strip(painter: QPainter, strip: HybridStrip, shape: StripShape, look: Look, room: QRectF) -> None:
    """Paint a strip.

    Args:
        painter: Where.
        strip: The strip.
        shape: Its place.
        look: How it is shown.
        room: The tracks, [px]; texts keep within.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    low, high = room.left() - 20.0, room.right() + 20.0
    outline = shape.outline(1.0, low, high)
    motor = strip.mode == MOTOR
    ground = QColor(style.color("dyn_bg")) if motor else style.mix("panel", "dyn", 0.5 if look.selected else 0.4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fading(ground, shape, room))
    painter.drawPolygon(outline)
    if motor:
        _paint_stripes(painter, outline, shape, room)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(fading(style.color("dyn"), shape, room), 1.4))
    painter.drawPolygon(outline)
    if look.selected or look.hovered:
        edge = style.color("accent" if look.selected else "text")
        painter.setPen(QPen(fading(edge, shape, room), 2.0 if look.selected else 1.3))
        painter.drawPolygon(outline)
        if shape.bottom - shape.top >= LEAST_TEXT:
            paint_grips(painter, shape, room, edge)
    if shape.bottom - shape.top >= LEAST_TEXT:
        _paint_text(painter, strip, shape, look, room, ground if motor else None)


def _paint_stripes(painter: QPainter, outline: QPolygonF, shape: StripShape, room: QRectF) -> None:
    """Paint the stripes of a motor."""
    height = shape.bottom - shape.top
    left, right = max(shape.left, room.left()), min(shape.right, room.right())
    first = np.floor((left - height) / STRIPE) * STRIPE
    path = QPainterPath()
    path.addPolygon(outline)
    painter.save()
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(fading(style.mix("dyn_bg", "dyn", 0.75), shape, room), 1.6))
    lines = [QLineF(x, shape.bottom, x + height, shape.top) for x in np.arange(first, right, STRIPE).tolist()]
    painter.drawLines(lines)
    painter.restore()


def _paint_text(
    painter: QPainter, strip: HybridStrip, shape: StripShape, look: Look, room: QRectF, ground: QColor | None
) -> None:
    """Write what moves the joints at the left, the frames at the right; what does not fit is left out."""
    left = max(shape.rise, room.left()) + TEXT_INSET
    right = min(shape.fall, room.right() - (FADE if shape.open else 0.0)) - TEXT_INSET
    font = fonts.font(fonts.SECONDARY, fonts.MEDIUM, tabular=True)
    metrics = QFontMetricsF(font)
    frames = frames_text(strip)
    title, numbers = metrics.horizontalAdvance(look.title), metrics.horizontalAdvance(frames)
    texts: list[tuple[str, float, float]] = []
    if title <= right - left:
        texts.append((look.title, left, title))
    elif numbers <= right - left:
        texts.append((frames, left, numbers))
    if texts and texts[0][0] == look.title and title + numbers + 16.0 <= right - left:
        texts.append((frames, right - numbers, numbers))
    painter.setFont(font)
    for text, x, wide in texts:
        if ground is not None:  # no stripes behind letters
            height = min(14.0, shape.bottom - shape.top - 3.0)
            fill_round(painter, QRectF(x - 4.0, shape.top + 1.5, wide + 8.0, height), ground, radius=3.0)
        painter.setPen(style.color("text"))
        box = QRectF(x, shape.top, wide + 2.0, shape.bottom - shape.top)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
