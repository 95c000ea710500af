"""What lock tracks look like: painted once, and kept while nothing but the playhead moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap, QPolygonF

from app import fonts, style
from app.locks import glyphs as lock_glyphs
from app.locks.words import kind_text
from app.timeline.locks import strip_item as item
from app.timeline.locks.rows import LockRow
from app.timeline.model import MARGIN, NAMES_WIDTH

if TYPE_CHECKING:
    from app.timeline.locks.track import LockTracks
    from core.animation.locks.strip import LockStrip

LOW_ROW, HIGH_ROW = 18, 34
"""Height of a row under the dope sheet, and in the tab of the locks."""
EMPTY_TEXT = "Select a part and press L"
GLYPH, NAME = 22.0, 38.0
"""Where glyphs and names stand, [px]."""


class LockPicture:
    """Rows, grid and strips of lock tracks; only what can be seen is painted.

    Args:
        tracks: The tracks.
    """

    def __init__(self, tracks: LockTracks):
        self.tracks = tracks
        self.board, self.model = tracks.board, tracks.model
        self._kept: tuple[Any, QPixmap] | None = None

    def paint(self, painter: QPainter) -> None:
        """Paint all but the playhead."""
        seen = self.tracks.visibleRegion().boundingRect()
        if seen.isEmpty():  # a picture of tracks that are not on screen
            seen = self.tracks.rect()
        broken = self.board.broken
        state = self._state(seen, broken)
        if self._kept is None or self._kept[0] != state:
            self._kept = state, self._painted(seen, broken)
        painter.drawPixmap(seen.topLeft(), self._kept[1])

    def _state(self, seen: QRect, broken: frozenset[str]) -> Any:
        """Return all that the picture depends on."""
        model, tracks = self.model, self.tracks
        scale = (model.left, model.pixels, model.width, model.range, model.dragging and dict(model.shifted()))
        screen = (seen.getRect(), tracks.size().toTuple(), tracks.devicePixelRatioF(), style.current().name)
        return scale, screen, tracks.row_height, tracks.hovered, broken, self.board.version, model.document.skeleton

    def _painted(self, seen: QRect, broken: frozenset[str]) -> QPixmap:
        ratio = self.tracks.devicePixelRatioF()
        picture = QPixmap(seen.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(style.color("panel"))
        painter = QPainter(picture)
        painter.translate(-QPointF(seen.topLeft()))
        tracks, rows = self.tracks, self.board.rows
        shown = [(i, row) for i, row in enumerate(rows) if self._meets(i, seen)]
        for number, row in shown:
            self._paint_row(painter, number, row, broken)
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, tracks.height()), style.color("line2"))
        if rows:
            tracks.clip_tracks(painter)
            tracks.draw_grid(painter, tracks.bottom)
            zigzags = [line for number, row in shown for line in self._paint_strips(painter, number, row, broken)]
            item.paint_zigzags(painter, zigzags)
        elif self.model.document.skeleton is not None:
            self.paint_empty(painter)
        painter.end()
        return picture

    def _meets(self, number: int, seen: QRect) -> bool:
        top = number * self.tracks.row_height
        return top + self.tracks.row_height >= seen.top() and top <= seen.bottom()

    def paint_empty(self, painter: QPainter) -> None:
        """Say how to make a lock."""
        painter.setFont(fonts.font())
        painter.setPen(style.color("text3"))
        left = NAMES_WIDTH + MARGIN + 12  # the playhead at frame 0 is beside it
        box = QRectF(left, 0, self.tracks.width() - left - 4, self.tracks.row_height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, EMPTY_TEXT)

    def _paint_row(self, painter: QPainter, number: int, row: LockRow, broken: frozenset[str]) -> None:
        """Paint ground, glyph and name of a row."""
        width, height = self.tracks.width(), self.tracks.row_height
        top = number * height
        selected = any(strip.id == self.board.selected for strip in row.strips)
        ground = style.mix("panel", "acc_bg", 0.7) if selected else style.mix("panel", "head", 0.3)
        if selected or number % 2 == 0:
            painter.fillRect(QRectF(0, top, width, height), ground)
        if height > LOW_ROW:
            painter.fillRect(QRectF(0, top + height - 1, width, 1), style.color("line"))
        state = "conflict" if any(strip.id in broken for strip in row.strips) else ""
        middle = QPointF(GLYPH, top + height / 2)
        lock_glyphs.draw(painter, style.current(), row.kind, middle, lock_glyphs.LIST, state=state, halo=False)
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

    def _paint_strips(
        self, painter: QPainter, number: int, row: LockRow, broken: frozenset[str]
    ) -> Iterator[QPolygonF]:
        """Paint the strips of a row; return the zigzags over them."""
        room = QRectF(NAMES_WIDTH, 0, self.tracks.width() - NAMES_WIDTH, self.tracks.height())
        board, hovered = self.board, self.tracks.hovered
        for strip in row.strips:
            shape = self.tracks.shape(strip, number)
            if shape.right < room.left() - item.GRIP or shape.left > room.right() + item.GRIP:
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

    def _zigzags(self, strip: LockStrip, shape: item.StripShape, room: QRectF) -> Iterator[QPolygonF]:
        for flag in self.board.flags_of(strip):
            ends = (self.tracks.track_x(frame) for frame in (flag.first, flag.last))
            left, right = (min(max(x, shape.left), shape.right) for x in ends)
            if right >= room.left() and left <= room.right():
                yield item.zigzag(max(left, room.left() - 20.0), min(right, room.right() + 20.0), shape.top - 1.0)
