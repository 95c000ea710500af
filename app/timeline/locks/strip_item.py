"""One strip of a lock on the timeline: how it is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF

from app.look import fonts, style
from app.look.lock_glyphs import token
from app.timeline.canvas import diamond
from app.timeline.strips.shape import FADE, StripShape, fading, paint_grips
from app.widgets.behaviour.base import fill_round
from app.words.lock_words import kind_text, weight_text, weights_of

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip
    from core.skeleton import Skeleton

TARGET_SIZE = 8.0
TEXT_INSET, TEXT_HEIGHT = 6.0, 13.0
ZIGZAG, ZIGZAG_STEP = 3.0, 4.0
"""Height of a zigzag and the width of each of its strokes, [px]."""


def weight_of(strip: LockStrip) -> float:
    """Return how heavily a strip holds, 0 to 1: the lock's weight times the strip's."""
    return max(weights_of(strip.lock)) * float(strip.weight)


def strip_text(strip: LockStrip, skeleton: Skeleton | None, short: bool = False) -> tuple[str, str]:
    """Return what stands on a strip: kind, in as few words as there are if it is to be short, and weight."""
    return kind_text(strip.lock, skeleton, short), weight_text(strip.weighted(strip.lock))


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
    painter.setBrush(fading(style.mix("panel", name, 0.14), shape, room))
    painter.drawPolygon(whole)
    painter.setBrush(fading(style.mix("panel", name, 0.55 if look.selected else 0.42), shape, room))
    painter.drawPolygon(filled)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if weight_of(strip) < 1.0:
        painter.setPen(QPen(fading(style.mix("panel", name, 0.5), shape, room), 1.0))
        painter.drawPolygon(whole)
    painter.setPen(QPen(fading(style.color(name), shape, room), 1.3))
    painter.drawPolygon(filled)
    if look.selected or look.hovered:
        edge = style.color("accent" if look.selected else "text")
        painter.setPen(QPen(fading(edge, shape, room), 2.0 if look.selected else 1.3))
        painter.drawPolygon(whole)
        paint_grips(painter, shape, room, edge)
    _paint_targets(painter, shape, look, room)
    _paint_text(painter, strip, shape, skeleton, room)
    painter.setOpacity(1.0)


def _paint_text(
    painter: QPainter, strip: LockStrip, shape: StripShape, skeleton: Skeleton | None, room: QRectF
) -> None:
    """Write kind and weight on what is seen of a strip; what does not fit is left out, the kind first.

    They stand between keys of the target, or above these where the strip is high enough.
    """
    left = max(shape.rise, room.left()) + TEXT_INSET
    right = min(shape.fall, room.right() - (FADE if shape.open else 0.0)) - TEXT_INSET + 2.0
    if right - left < 20.0:
        return
    kind, weight = strip_text(strip, skeleton)
    short, _ = strip_text(strip, skeleton, short=True)
    font = fonts.font(fonts.SECONDARY, fonts.MEDIUM, tabular=True)
    metrics = QFontMetricsF(font)
    choices = (f"{kind} {weight}", f"{short} {weight}", short, weight)
    gaps, top, bottom = between_targets(shape.targets, left, right), shape.top, shape.bottom
    above = bottom - top >= 2.0 * TEXT_HEIGHT and len(gaps) > 1
    places = [(text, *gap, False) for text in choices for gap in gaps]
    places += [(text, left, right, True) for text in choices if above]
    fits = (place for place in places if metrics.horizontalAdvance(place[0]) <= place[2] - place[1])
    text, left, right, raised = next(fits, ("", left, right, False))
    if not text:
        return
    painter.setFont(font)
    if raised:
        bottom = top + TEXT_HEIGHT - 2.0  # clear of the diamonds
    elif max(bottom - shape.level, shape.level - top) >= TEXT_HEIGHT:  # beside the line of the weight, not across it
        top, bottom = (shape.level, bottom) if bottom - shape.level >= TEXT_HEIGHT else (top, shape.level)
    box = QRectF(left, top, right - left, bottom - top)
    if top < shape.level < bottom:  # no room on either side of it: the line makes way
        ground = style.mix("panel", token(strip.lock.kind), 0.28)
        wide = metrics.horizontalAdvance(text) + 6.0
        fill_round(painter, QRectF(left - 3.0, box.center().y() - 0.5 * TEXT_HEIGHT, wide, TEXT_HEIGHT), ground)
    painter.setPen(style.color("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)


def between_targets(targets: Sequence[float], left: float, right: float) -> list[tuple[float, float]]:
    """Return where between the keys of a target there is room for a text, from left to right, [px]."""
    gaps, at = [], left
    for x in sorted(targets):
        if x + TARGET_SIZE <= at or x - TARGET_SIZE >= right:
            continue
        if x - TARGET_SIZE > at:
            gaps.append((at, x - TARGET_SIZE))
        at = max(at, x + TARGET_SIZE)
    return [*gaps, (at, right)] if at < right else gaps


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
