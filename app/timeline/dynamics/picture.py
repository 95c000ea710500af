"""What the tracks of the Dynamics tab look like: a thin hatch where keys move joints, trapezoids where forces do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from app.look import fonts, icons, style
from app.timeline.dynamics.board import MODE_NAMES, DynamicsRow, Placed
from app.timeline.strips.shape import FADE, GRIP, StripShape, fading, paint_grips
from app.timeline.strips.track import StripPicture
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import fill_round
from core.animation.hybrid_strips import UNDRIVEN, HybridStrip

if TYPE_CHECKING:
    from app.timeline.dynamics.board import DynamicsBoard
    from app.timeline.dynamics.track import DynamicsTracks

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
    motor = strip.mode not in UNDRIVEN
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


def torque_lines(
    strip: HybridStrip, shape: StripShape, joints: Collection[str], x_of: Callable[[float], float], right: float
) -> list[tuple[QPolygonF, list[QPointF]]]:
    """Return the torque curves of some joints in a strip as lines, and the places of their keys, [px].

    The strip's middle is 0, and the largest torque of the strip stands at its upper or lower edge.

    Args:
        strip: The strip.
        shape: Its place.
        joints: Which joints.
        x_of: Where a frame is.
        right: Where curves end of a strip that does not.
    """
    largest = max((abs(torque) for curve in strip.torques for _, torque in curve.keys), default=0.0)
    left, right = x_of(strip.start), right if strip.end is None else x_of(strip.end)
    per_frame = x_of(strip.start + 1) - left
    if largest == 0.0 or right <= left:
        return []
    middle, half = 0.5 * (shape.top + shape.bottom), 0.5 * (shape.bottom - shape.top) - 1.5

    def point(frame: float, torque: float) -> QPointF:
        return QPointF(left + per_frame * frame, middle - half * torque / largest)

    length = (right - left) / per_frame
    frames = np.linspace(0.0, length, max(int((right - left) / 3.0), 2) + 1).tolist()
    return [
        (QPolygonF([point(frame, curve.at(frame)) for frame in frames]),
         [point(*key) for key in curve.keys if 0.0 <= key[0] <= length])
        for curve in strip.torques
        if curve.joint in joints
    ]  # fmt: skip


def paint_torques(painter: QPainter, lines: Iterable[tuple[QPolygonF, list[QPointF]]], room: QRectF) -> None:
    """Paint torque curves over a strip, with a dot at each key; ``room`` are the tracks, [px]."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
    painter.setOpacity(0.6)  # the strip's words are seen through them
    for line, keys in lines:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(style.color("text"), 1.0))
        painter.drawPolyline(line)
        painter.setBrush(style.color("text"))
        painter.setPen(Qt.PenStyle.NoPen)
        for key in keys:
            painter.drawEllipse(key, 1.8, 1.8)
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


EMPTY_TEXT = "Mark joints dynamic, then simulate"
HOW_TEXT = "double-click a row"
LOW = 64.0
"""Rows that are lower than this together leave room for one line of these, [px]."""
CHEVRON_LEFT, ICON_LEFT, NAME_LEFT, INDENT = 6.0, 20.0, 38.0, 10.0
"""Where chevron, icon and name of a row stand, and how much farther those of a joint, [px]."""


class DynamicsPicture(StripPicture):
    """Rows, grid, hatches and strips."""

    board: DynamicsBoard

    def __init__(self, tracks: DynamicsTracks):
        super().__init__(tracks)

    def state(self) -> Any:
        simulated = self.model.simulated is not None
        return (
            self.tracks.hasFocus(),
            self.board.cursor,
            self.board.selection,
            self.model.document.selection.joints,
            simulated,
        )

    def paint_row(self, painter: QPainter, number: int, row: DynamicsRow) -> None:
        height = self.tracks.row_height
        chosen = set(self.board.selection)
        skeleton = self.model.document.skeleton
        picked = set() if skeleton is None else {skeleton.joints[n].name for n in self.model.document.selection.joints}
        lit = any(strip.id in chosen for strip in row.strips) or (bool(picked) and set(row.joints) <= picked)
        top = self.paint_ground(painter, number, lit)
        indent = INDENT * row.depth
        if row.opens:
            box = QRectF(CHEVRON_LEFT, top + (height - 12) / 2.0, 12, 12)
            icons.paint(painter, "chevron-down" if row.is_open else "chevron-right", style.color("text3"), box)
        box = QRectF(ICON_LEFT + indent, top + (height - 13) / 2.0, 13, 13)
        icons.paint(painter, row.icon, style.color("accent" if lit else "text3"), box)
        font = fonts.font(fonts.BODY if row.depth == 0 else fonts.SECONDARY)
        painter.setFont(font)
        painter.setPen(style.color("accent" if lit else "text2"))
        room = NAMES_WIDTH - NAME_LEFT - indent - 6
        name = QFontMetricsF(font).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(NAME_LEFT + indent, top, room, height), Qt.AlignmentFlag.AlignVCenter, name)
        if row.id == self.board.cursor and self.tracks.hasFocus():
            painter.fillRect(QRectF(0, top, 3, height), style.color("accent"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(style.color("acc_line"), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0.5, top + 0.5, self.tracks.width() - 1.0, height - 1.0))

    def paint_strips(self, painter: QPainter, rows: list[tuple[int, Any]]) -> None:
        for number, row in rows:
            self._paint_keyed(painter, number, row)
            for placed in row.placed:
                self._paint_strip(painter, number, placed)

    def _paint_keyed(self, painter: QPainter, number: int, row: DynamicsRow) -> None:
        middle = (number + 0.5) * self.tracks.row_height
        edges = (NAMES_WIDTH - 8.0, self.tracks.width() + 8.0)
        for first, last in self.keyed_spans(row):
            left, right = (float(np.clip(self.tracks.track_x(frame), *edges)) for frame in (first, last))
            paint_keyed(painter, left, right, middle)

    def keyed_spans(self, row: DynamicsRow) -> Iterator[tuple[float, float]]:
        """Return the spans of the played range at which keys move some joint of a row."""
        first, last = (float(frame) for frame in self.model.range)
        covered = [self.board.shown(each.strip) for each in row.placed if each.whole]
        for strip in sorted(covered, key=lambda each: each.start):
            if strip.start > first:
                yield first, min(float(strip.start), last)
            first = max(first, last if strip.end is None else float(strip.end))
        if first < last:
            yield first, last

    def _paint_strip(self, painter: QPainter, number: int, placed: Placed) -> None:
        strip, room = placed.strip, self.room
        shape = self.tracks.shape(strip, number)
        if shape.right < room.left() - GRIP or shape.left > room.right() + GRIP:
            return
        title = MODE_NAMES[strip.mode]
        if not placed.whole:
            row = self.board.rows[number]
            title = f"{title} · {placed.joints} of {len(row.joints)} joints"
        look = Look(title, strip.id in self.board.selection, strip.id == self.tracks.hovered)
        shown = self.board.shown(strip)
        paint_strip(painter, shown, shape, look, room)
        if shown.torques and strip.id != self.board.selected:  # whose torques are below the rows
            joints, tracks = self.board.rows[number].joints, self.tracks
            lines = torque_lines(shown, shape, joints, tracks.track_x, min(shape.right, room.right()))
            paint_torques(painter, lines, room)

    def draw_empty(self, painter: QPainter) -> None:
        """Say what to do, over the middle of the rows, while nothing is dynamic: then the whole figure falls."""
        if self.board.all_strips or self.model.simulated is not None:
            return
        font, secondary = fonts.font(fonts.BODY, fonts.MEDIUM), fonts.font(fonts.SECONDARY)
        seen = QRectF(self.tracks.visibleRegion().boundingRect())
        room = self.room.intersected(seen if not seen.isEmpty() else self.room)
        low = room.height() < LOW
        text = f"{EMPTY_TEXT} · {HOW_TEXT}" if low else EMPTY_TEXT
        wide = max(QFontMetricsF(font).horizontalAdvance(text), 120.0) + 28.0
        if low:
            box = QRectF(room.center().x() - wide / 2.0, room.center().y() - 11.0, wide, 22.0)
            fill_round(painter, box, style.color("panel"), style.color("line2"))
            painter.setFont(font)
            painter.setPen(style.color("text2"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            return
        box = QRectF(room.center().x() - wide / 2.0, room.center().y() - 21.0, wide, 42.0)
        fill_round(painter, box, style.color("panel"), style.color("line2"))
        painter.setFont(font)
        painter.setPen(style.color("text2"))
        painter.drawText(box.adjusted(0, 4, 0, -19), Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT)
        painter.setFont(secondary)
        painter.setPen(style.color("text3"))
        painter.drawText(box.adjusted(0, 20, 0, -4), Qt.AlignmentFlag.AlignCenter, HOW_TEXT)
