"""What lock tracks look like: rows with glyphs, strips, and zigzags over frames at which a lock cannot be held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF

from app.look import fonts, lock_glyphs, style
from app.look.theme import current_theme
from app.timeline.locks import strip_item as item
from app.timeline.locks.rows import LockRow
from app.timeline.model import NAMES_WIDTH
from app.timeline.strips.picture import HIGH_ROW, LOW_ROW, StripPicture
from app.timeline.strips.shape import GRIP, StripShape
from app.words.lock_words import kind_text

if TYPE_CHECKING:
    from app.timeline.locks.board import LockBoard
    from app.timeline.locks.track import LockTracks
    from core.animation.locks.strip import LockStrip

__all__ = ["EMPTY_TEXT", "HIGH_ROW", "LOW_ROW", "LockPicture"]

EMPTY_TEXT = "Select a part and press L"
GLYPH, NAME = 22.0, 38.0
"""Where glyphs and names stand, [px]."""


class LockPicture(StripPicture):
    """Rows, grid and strips of lock tracks.

    Args:
        tracks: The tracks.
    """

    empty_text = EMPTY_TEXT
    board: LockBoard

    def __init__(self, tracks: LockTracks):
        super().__init__(tracks)
        self._broken: frozenset[str] = frozenset()

    def state(self) -> Any:
        self._broken = self.board.broken
        return self._broken

    def paint_strips(self, painter: QPainter, rows: list[tuple[int, Any]]) -> None:
        item.paint_zigzags(painter, [line for number, row in rows for line in self._paint_strips(painter, number, row)])

    def paint_row(self, painter: QPainter, number: int, row: LockRow) -> None:
        height, broken = self.tracks.row_height, self._broken
        selected = any(strip.id == self.board.selected for strip in row.strips)
        top = self.paint_ground(painter, number, selected)
        state = "conflict" if any(strip.id in broken for strip in row.strips) else ""
        middle = QPointF(GLYPH, top + height / 2)
        lock_glyphs.draw(painter, current_theme(), row.kind, middle, lock_glyphs.LIST, state=state, halo=False)
        words = [(row.part, fonts.font(), "accent" if selected else "text2")]
        if height > LOW_ROW:
            kind = kind_text(row.strips[0].lock, self.model.document.skeleton, short=True)
            words.append((kind, fonts.font(fonts.SECONDARY), "text3"))
        room, step = NAMES_WIDTH - NAME - 6, (height - 2 * (len(words) - 1)) / len(words)
        for line, (text, font, color) in enumerate(words):
            painter.setFont(font)
            painter.setPen(style.color(color))
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            box = QRectF(NAME, top + len(words) - 1 + line * step, room, step)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_strips(self, painter: QPainter, number: int, row: LockRow) -> Iterator[QPolygonF]:
        """Paint the strips of a row; return the zigzags over them."""
        room, broken = self.room, self._broken
        board, hovered = self.board, self.tracks.hovered
        for strip in row.strips:
            shape = self.tracks.shape(strip, number)
            if shape.right < room.left() - GRIP or shape.left > room.right() + GRIP:
                continue
            look = item.Look(
                state="conflict" if strip.id in broken else "",
                selected=strip.id == board.selected,
                hovered=strip.id == hovered,
                faint=not board.holding,
                chosen=board.chosen_target(strip),
            )
            item.paint_strip(painter, board.shown(strip), shape, look, self.model.document.skeleton, room)
            yield from self._zigzags(strip, shape, room)

    def _zigzags(self, strip: LockStrip, shape: StripShape, room: QRectF) -> Iterator[QPolygonF]:
        for flag in self.board.flags_of(strip):
            ends = (self.tracks.track_x(frame) for frame in (flag.first, flag.last))
            left, right = (min(max(x, shape.left), shape.right) for x in ends)
            if right >= room.left() and left <= room.right():
                yield item.zigzag(max(left, room.left() - 20.0), min(right, room.right() + 20.0), shape.top - 1.0)
