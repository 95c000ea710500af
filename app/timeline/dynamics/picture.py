"""What the tracks of the Dynamics tab look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.look import fonts, icons, style
from app.timeline.dynamics import strip_item as item
from app.timeline.dynamics.board import MODE_NAMES
from app.timeline.dynamics.rows import DynamicsRow, Placed
from app.timeline.model import NAMES_WIDTH
from app.timeline.strips.picture import StripPicture
from app.timeline.strips.shape import GRIP
from app.widgets.behaviour.base import fill_round

if TYPE_CHECKING:
    from app.timeline.dynamics.board import DynamicsBoard
    from app.timeline.dynamics.track import DynamicsTracks

EMPTY_TEXT = "Mark joints dynamic, then simulate"
HOW_TEXT = "double-click a row"
CHEVRON_LEFT, ICON_LEFT, NAME_LEFT, INDENT = 6.0, 20.0, 38.0, 10.0
"""Where chevron, icon and name of a row stand, and how much farther those of a joint, [px]."""


class DynamicsPicture(StripPicture):
    """Rows, grid, hatches and strips.

    Args:
        tracks: The tracks.
    """

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
            item.paint_keyed(painter, left, right, middle)

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
        look = item.Look(title, strip.id in self.board.selection, strip.id == self.tracks.hovered)
        item.paint_strip(painter, self.board.shown(strip), shape, look, room)

    def draw_empty(self, painter: QPainter) -> None:
        """Say what to do, over the middle of the rows, while nothing is dynamic: then the whole figure falls."""
        if self.board.all_strips or self.model.simulated is not None:
            return
        font, secondary = fonts.font(fonts.BODY, fonts.MEDIUM), fonts.font(fonts.SECONDARY)
        wide = max(QFontMetricsF(font).horizontalAdvance(EMPTY_TEXT), 120.0) + 28.0
        seen = QRectF(self.tracks.visibleRegion().boundingRect())
        room = self.room.intersected(seen if not seen.isEmpty() else self.room)
        box = QRectF(room.center().x() - wide / 2.0, room.center().y() - 21.0, wide, 42.0)
        fill_round(painter, box, style.color("panel"), style.color("line2"))
        painter.setFont(font)
        painter.setPen(style.color("text2"))
        painter.drawText(box.adjusted(0, 4, 0, -19), Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT)
        painter.setFont(secondary)
        painter.setPen(style.color("text3"))
        painter.drawText(box.adjusted(0, 20, 0, -4), Qt.AlignmentFlag.AlignCenter, HOW_TEXT)
