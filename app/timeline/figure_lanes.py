"""A lane for every other figure of the document: its name and when it has keys. A click makes it the one edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged, SessionChanged
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.time_scale import NAMES_WIDTH
from core.skeleton.joined import is_prop

if TYPE_CHECKING:
    from app.timeline.model import TimelineModel

LANE = 20
LEFT = 12
_KEY, _CLOSE = 7.0, 3.0  # px: size of a key; nearer than this keys are drawn as a bar
_NEAR = 6.0  # px
_KINDS = (FigureChanged, FileChanged, KeysChanged, SequenceChanged)
_LIVE = Qt.CursorShape.PointingHandCursor


class Lane(NamedTuple):
    """What a lane shows.

    Attributes:
        number: Number of the figure in the document.
        name: What it is called.
        icon: Name of its icon.
        frames: Where its keys are, frames of the active sequence, ascending, shape (k,).
    """

    number: int
    name: str
    icon: str
    frames: NDArray[np.float64]


class FigureLanes(TimelineCanvas):
    """The lanes of all figures but the one that is edited, in the document's order; hidden while there is one alone."""

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.lanes: tuple[Lane, ...] = ()
        self._over = -1
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Other figures")
        model.document.changed.connect(self._take)
        self.show_document()

    def _take(self, change: Change) -> None:
        if isinstance(change, _KINDS) and not change.live:
            self.show_document()
        elif isinstance(change, SessionChanged) and change.name == "hovered_figure":
            self.update()

    def show_document(self) -> None:
        """Show the figures and keys there are now."""
        content, found = self.model.document.model, []
        for k, figure in enumerate(content.figures):
            if k == content.active.figure or content.sequence is None:
                continue
            sequence = content.sequences[content.active.sequences[k]]
            frames = np.array([key.frame for key in sequence.keys], dtype=np.float64)
            icon = "cube" if is_prop(figure.skeleton) else "pose"
            found.append(Lane(k, figure.skeleton.name, icon, frames * (content.sequence.fps / sequence.fps)))
        before, self.lanes = len(self.lanes), tuple(found)
        self.setHidden(not found)
        if len(found) != before:
            self.setFixedHeight(max(len(found) * LANE + 1, 1))
            self.updateGeometry()
        self.setAccessibleDescription(", ".join(f"{lane.name}: {len(lane.frames)} keys" for lane in found))
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, len(self.lanes) * LANE + 1)

    def lane_at(self, y: float) -> Lane | None:
        """Return the lane at a height, [px], or None."""
        row = int((y - 1) // LANE)
        return self.lanes[row] if 0 <= row < len(self.lanes) else None

    def key_near(self, lane: Lane, x: float) -> int | None:
        """Return the frame of the lane's key near a place in this widget, or None."""
        if x < NAMES_WIDTH or not len(lane.frames):
            return None
        k = int(np.argmin(np.abs(lane.frames - self.model.exact_frame(x - NAMES_WIDTH))))
        return round(float(lane.frames[k])) if abs(self.track_x(float(lane.frames[k])) - x) <= _NEAR else None

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter)
        hovered = self.model.document.session.view.hovered_figure
        for row, lane in enumerate(self.lanes):
            if lane.number in (self._over, hovered):
                box = QRectF(0, 1 + row * LANE, self.width(), LANE)
                painter.fillRect(box, style.color("hover"))
        self.clip_tracks(painter)
        self.draw_grid(painter, self.height())
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        for row, lane in enumerate(self.lanes):
            self._paint_lane(painter, QRectF(0, 1 + row * LANE, self.width(), LANE), lane)
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        painter.end()

    def _paint_lane(self, painter: QPainter, box: QRectF, lane: Lane) -> None:
        middle, font = box.center().y(), fonts.font(12, fonts.REGULAR)
        painter.setClipping(False)
        icons.paint(painter, lane.icon, style.color("text3"), QRectF(LEFT, middle - 7, 14, 14))
        painter.setFont(font)
        painter.setPen(style.color("text2"))
        left = LEFT + 20
        text = QFontMetricsF(font).elidedText(lane.name, Qt.TextElideMode.ElideRight, NAMES_WIDTH - left - 6)
        painter.drawText(QRectF(left, box.top(), NAMES_WIDTH - left, LANE), Qt.AlignmentFlag.AlignVCenter, text)
        if not len(lane.frames):
            return
        self.clip_tracks(painter)
        places = np.array([self.track_x(float(frame)) for frame in lane.frames])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(places[0], round(middle), places[-1] - places[0], 1), style.color("line2"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("text3"))
        if len(places) > 2 and float(np.median(np.diff(places))) < _CLOSE:
            painter.drawRect(QRectF(places[0], middle - 2, places[-1] - places[0], 4))
            return
        for x in places[(places > NAMES_WIDTH - _KEY) & (places < self.width() + _KEY)]:
            painter.drawPolygon(diamond(float(x), middle, _KEY))

    # -- mouse ---------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        lane = self.lane_at(event.position().y())
        if event.button() != Qt.MouseButton.LeftButton or lane is None:
            return
        frame = self.key_near(lane, event.position().x())
        self.model.document.figures.show(lane.number)
        if frame is not None:
            self.model.document.set_frame(frame)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        lane = self.lane_at(event.position().y())
        self._hover(-1 if lane is None else lane.number)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing is dragged here."""

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """There is no menu here."""

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, number: int) -> None:
        if number != self._over:
            self._over = number
            self.model.document.session.view.hovered_figure = None if number < 0 else number
            self.setCursor(Qt.CursorShape.ArrowCursor if number < 0 else _LIVE)
            self.update()

    def tip(self, position: QPointF) -> str:
        lane = self.lane_at(position.y())
        if lane is None:
            return ""
        frame = self.key_near(lane, position.x())
        where = f" at its key at frame {frame}" if frame is not None else ""
        count = len(lane.frames)
        return f"{lane.name}: {count} key{'s' * (count != 1)}\nClick to edit it{where}"
