"""What tracks of strips look like: painted once, and kept while nothing but the playhead moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.look import fonts, style
from app.look.theme import current_theme
from app.timeline.model import MARGIN, NAMES_WIDTH

if TYPE_CHECKING:
    from app.timeline.strips.track import StripTracks

LOW_ROW, HIGH_ROW = 18, 34
"""Height of a row of strips, and of one that has room for more."""


class StripPicture:
    """Rows, grid and strips; only what can be seen is painted.

    Args:
        tracks: The tracks.
    """

    empty_text = ""

    def __init__(self, tracks: StripTracks):
        self.tracks = tracks
        self.board, self.model = tracks.board, tracks.model
        self._kept: tuple[Any, QPixmap] | None = None

    def paint(self, painter: QPainter) -> None:
        """Paint all but the playhead."""
        seen = self.tracks.visibleRegion().boundingRect()
        if seen.isEmpty():  # a picture of tracks that are not on screen
            seen = self.tracks.rect()
        state = self._state(seen)
        if self._kept is None or self._kept[0] != state:
            self._kept = state, self._painted(seen)
        painter.drawPixmap(seen.topLeft(), self._kept[1])

    def _state(self, seen: QRect) -> Any:
        """Return all that the picture depends on."""
        model, tracks = self.model, self.tracks
        scale = (model.left, model.pixels, model.width, model.range, model.dragging and dict(model.shifted()))
        screen = (seen.getRect(), tracks.size().toTuple(), tracks.devicePixelRatioF(), current_theme().name)
        rows = (tracks.row_height, tracks.hovered, self.board.version, model.document.skeleton)
        return scale, screen, rows, self.state()

    def state(self) -> Any:
        """Return what else it depends on."""
        return None

    def _painted(self, seen: QRect) -> QPixmap:
        ratio = self.tracks.devicePixelRatioF()
        picture = QPixmap(seen.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(style.color("panel"))
        painter = QPainter(picture)
        painter.translate(-QPointF(seen.topLeft()))
        tracks = self.tracks
        shown = [(i, row) for i, row in enumerate(self.board.rows) if self._meets(i, seen)]
        for number, row in shown:
            self.paint_row(painter, number, row)
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, tracks.height()), style.color("line2"))
        if self.board.rows:
            tracks.clip_tracks(painter)
            tracks.draw_grid(painter, tracks.bottom)
            self.paint_strips(painter, shown)
        elif self.model.document.skeleton is not None:
            self.paint_empty(painter)
        painter.end()
        return picture

    def _meets(self, number: int, seen: QRect) -> bool:
        top = number * self.tracks.row_height
        return top + self.tracks.row_height >= seen.top() and top <= seen.bottom()

    @property
    def room(self) -> QRectF:
        """Where the tracks are, right of the names."""
        return QRectF(NAMES_WIDTH, 0, self.tracks.width() - NAMES_WIDTH, self.tracks.height())

    def paint_empty(self, painter: QPainter) -> None:
        """Say how to make the first strip."""
        painter.setFont(fonts.font())
        painter.setPen(style.color("text3"))
        left = NAMES_WIDTH + MARGIN + 12  # the playhead at frame 0 is beside it
        box = QRectF(left, 0, self.tracks.width() - left - 4, self.tracks.row_height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.empty_text)

    def paint_ground(self, painter: QPainter, number: int, selected: bool) -> float:
        """Paint the ground of a row; return where it begins, [px]."""
        width, height = self.tracks.width(), self.tracks.row_height
        top = float(number * height)
        ground = style.mix("panel", "acc_bg", 0.7) if selected else style.mix("panel", "head", 0.3)
        if selected or number % 2 == 0:
            painter.fillRect(QRectF(0, top, width, height), ground)
        if height > LOW_ROW:
            painter.fillRect(QRectF(0, top + height - 1, width, 1), style.color("line"))
        return top

    def paint_row(self, painter: QPainter, number: int, row: Any) -> None:
        """Paint ground and name of a row."""
        raise NotImplementedError

    def paint_strips(self, painter: QPainter, rows: list[tuple[int, Any]]) -> None:
        """Paint the strips of rows, given with their numbers."""
        raise NotImplementedError
