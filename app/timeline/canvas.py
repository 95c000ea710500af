"""What the bands of the timeline have in common: names at the left, tracks at the right, what is painted over both."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import BandMouse
from app.timeline.edge_scroll import EdgeScroll
from app.timeline.marks.lines import draw_mark_lines
from app.timeline.model import TimelineModel
from app.timeline.sheet.key_tip import key_tip
from app.timeline.sheet.rows import Row
from app.timeline.time_scale import NAMES_WIDTH, PAN_STEP, ZOOM_STEP
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin


def diamond(x: float, y: float, size: float) -> QPolygonF:
    """Return a diamond around a point."""
    half = size / 2
    return QPolygonF([QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half), QPointF(x - half, y)])


class TimelineCanvas(OwnKeysMixin, Painted):
    """One band of the timeline.

    Left of ``NAMES_WIDTH`` stand names, right of it the tracks share one scale. The mouse scrubs, drags keys, draws a
    selection box, zooms or pans; subclasses say what lies under it.

    Args:
        model: The shared scale, rows and selection.

    Signals:
        menu_requested(QPoint, int): A right click at a global position, on the key at a frame, or -1 beside all keys.
        numbers_requested(int): The numbers of the selected keys are to be typed; the key at a frame was double-clicked.
    """

    menu_requested = Signal(QPoint, int)
    numbers_requested = Signal(int)
    scrubs = False  # whether a press on empty ground goes to that frame
    boxes = False  # whether it begins a selection box instead
    spans = False  # whether Shift and a drag select the keys of a span of frames

    def __init__(self, model: TimelineModel):
        super().__init__()
        self.model = model
        self.mouse = BandMouse(self)
        self.edge = EdgeScroll(
            self,
            model,
            NAMES_WIDTH,
            lambda: self.dragging,
            lambda: self.boxing,
            lambda: self.crosses_rows,
        )
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        model.changed.connect(self.take_change)
        model.frame_changed.connect(self.take_frame)

    def take_change(self) -> None:
        """Show what the model says now."""
        self.update()

    def take_frame(self) -> None:
        """Show the current frame, which is all that has changed."""
        self.update()

    @property
    def box(self) -> QRectF | None:
        """The selection box that is being drawn."""
        return self.mouse.box

    @property
    def dragging(self) -> bool:
        """Whether something is dragged that goes on at the edge of the tracks, which scroll along."""
        return self.mouse.doing in ("scrub", "keys", "box", "spread", "zoom")

    @property
    def boxing(self) -> bool:
        """Whether a box is drawn, to select or to zoom."""
        return self.mouse.boxing

    @property
    def crosses_rows(self) -> bool:
        """Whether something is dragged across rows, which scroll along."""
        return self.mouse.doing == "box"

    # -- geometry -------------------------------------------------------------------------------------------------

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():  # a hidden band has any width
            self.model.set_width(self.width() - NAMES_WIDTH)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.set_width(self.width() - NAMES_WIDTH)

    def track_x(self, frame: float) -> float:
        """Return where a frame lies in this widget."""
        return NAMES_WIDTH + self.model.x(frame)

    def clip_tracks(self, painter: QPainter) -> None:
        """Keep what is painted next out of the names."""
        painter.setClipRect(QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height()))

    # -- painting -------------------------------------------------------------------------------------------------

    def draw_playhead(self, painter: QPainter) -> None:
        """Draw the line of the current frame."""
        if self.model.document.skeleton is None:
            return
        x = self.track_x(self.model.document.frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(round(x) - 1, 0, 2, self.height()), style.color("accent"))

    def draw_grid(self, painter: QPainter, bottom: float) -> None:
        """Draw a line for each number of the ruler, for beats and markers, and shade the frames that do not play."""
        first, last = self.model.visible()
        step = self.model.tick_step()
        number = max(0, int(first // step) * step)
        while number <= last:
            painter.fillRect(QRectF(round(self.track_x(number)), 0, 1, bottom), style.color("line"))
            number += step
        draw_mark_lines(self, painter, bottom)
        first, last = self.model.range
        if last <= first:  # nothing plays yet
            return
        start, end = self.track_x(first), self.track_x(last)
        painter.setOpacity(0.35)
        painter.fillRect(QRectF(end, 0, max(self.width() - end, 0.0), bottom), style.color("win"))
        painter.fillRect(QRectF(NAMES_WIDTH, 0, max(start - NAMES_WIDTH, 0.0), bottom), style.color("win"))
        painter.setOpacity(1.0)

    def draw_names_ground(self, painter: QPainter, names: str = "panel", tracks: str = "input") -> None:
        """Fill the grounds and draw the line between names and tracks."""
        painter.fillRect(self.rect(), style.color(names))
        painter.fillRect(QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height()), style.color(tracks))
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, self.height()), style.color("line2"))

    def draw_name(self, painter: QPainter, text: str) -> None:
        """Write what the band shows, at its left."""
        painter.setFont(fonts.font(12, fonts.REGULAR))
        painter.setPen(style.color("text2"))
        painter.drawText(QRectF(12, 0, NAMES_WIDTH - 16, self.height()), Qt.AlignmentFlag.AlignVCenter, text)

    def draw_gesture(self, painter: QPainter) -> None:
        """Draw what belongs to the mouse: the line of a snap, boxes, and the tag beside the cursor."""
        snap = self.model.snap
        if snap is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            x = round(self.track_x(snap.frame))
            painter.setPen(QPen(style.color("accent"), 1.0, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x + 0.5, 0), QPointF(x + 0.5, self.height()))
        for box, token in ((self.mouse.box, "text"), (self.mouse.zoom_box, "accent")):
            if box is not None:
                self.draw_box(painter, box, token)
        if self.mouse.tag:
            self._draw_tag(painter)

    @staticmethod
    def draw_box(painter: QPainter, box: QRectF, token: str = "text") -> None:
        """Draw a box that selects, or that zooms, in another colour."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setOpacity(0.05 if token == "text" else 0.12)
        painter.fillRect(box, style.color(token))
        painter.setOpacity(1.0)
        painter.setPen(QPen(style.color(token), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)

    def _draw_tag(self, painter: QPainter) -> None:
        lines = self.mouse.tag.split("\n")
        painter.setClipping(False)
        painter.setFont(fonts.font(11, fonts.SEMIBOLD, tabular=True))
        metrics = painter.fontMetrics()
        width = max(metrics.horizontalAdvance(line) for line in lines) + 16.0
        height = 16.0 * len(lines) + 4.0
        seen = QRectF(self.visibleRegion().boundingRect())
        at = self.mouse.place + QPointF(14.0, 14.0)
        if at.x() + width > seen.right() - 4:
            at.setX(self.mouse.place.x() - 14.0 - width)
        top = min(at.y(), seen.bottom() - 4 - height)
        if top < self.mouse.place.y() - 4:
            top = self.mouse.place.y() - 14.0 - height
        box = QRectF(max(at.x(), NAMES_WIDTH + 4.0), max(top, seen.top() + 2.0), width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_round(painter, box, style.color("raised"), style.color("acc_line"))
        for i, line in enumerate(lines):
            painter.setPen(style.color("text" if i == 0 else "text2"))
            row = QRectF(box.left() + 8, box.top() + 2 + 16 * i, width - 16, 16)
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, line)

    # -- what lies under the mouse --------------------------------------------------------------------------------

    def row_under(self, position: QPointF) -> Row | None:
        """Return the row at a point; None where whole keys are shown."""
        return None

    def rows_in(self, box: QRectF) -> tuple[Row, ...] | None:
        """Return the rows inside a box; None where whole keys are shown."""
        return None

    def key_under(self, position: QPointF) -> int | None:
        """Return the frame of the key at a point of this widget."""
        if position.x() < NAMES_WIDTH:
            return None
        return self.model.key_near(position.x() - NAMES_WIDTH, row=self.row_under(position))

    def end_under(self, position: QPointF) -> bool | None:
        """Return whether the handle at a point moves the last of the selected keys or the first; None for no handle."""
        return None

    def key_tip(self, frame: int, row: Row | None = None) -> str:
        """Return what a key is, in a line or two."""
        return key_tip(self.model, frame, row)

    def tip(self, position: QPointF) -> str:
        """Return what is at a point, in a line or two; "" for nothing."""
        if self.model.document.skeleton is None or self.scrubs:
            return ""
        key = self.key_under(position)
        return "" if key is None else self.key_tip(key, self.row_under(position))

    @guarded
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
            text = "" if held or self.dragging else self.tip(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
                event.ignore()
            return True
        done = super().event(event)
        if isinstance(event, QMouseEvent):
            self.edge.watch(event)
        return done

    def clicked_name(self, position: QPointF, modifiers: Qt.KeyboardModifier, twice: bool = False) -> None:
        """Take a click on the names, or a double click."""

    def show_cursor(self, position: QPointF) -> None:
        """Let the cursor say what a press would do."""
        shape = Qt.CursorShape.ArrowCursor
        if not self.scrubs and self.model.document.skeleton is not None:
            if self.end_under(position) is not None:
                shape = Qt.CursorShape.SplitHCursor
            elif self.key_under(position) is not None:
                shape = Qt.CursorShape.SizeHorCursor
        self.setCursor(shape)

    # -- mouse and keyboard ---------------------------------------------------------------------------------------

    def go_row(self, direction: int) -> None:
        """Take the keyboard to the row below, or above for -1, where there are rows."""

    def open_row(self, wanted: bool) -> None:
        """Open the row that has the keyboard, or close it, where rows can be opened."""

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouse.press(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mouse.move(event)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mouse.release(event)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mouse.double_click(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        model = self.model
        if model.document.skeleton is None or self.scrubs or self.mouse.busy:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            if model.selected:
                x = min(max(self.track_x(model.selected.frames[0]), NAMES_WIDTH), self.width())
                self.menu_requested.emit(self.mapToGlobal(QPoint(round(x), 12)), model.selected.frames[0])
            return
        position = QPointF(event.pos())
        if position.x() < NAMES_WIDTH:
            return
        key = self.key_under(position)
        if key is not None:
            self.mouse.choose_for_menu(key, self.row_under(position))
        self.menu_requested.emit(event.globalPos(), -1 if key is None else key)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120.0 or event.angleDelta().x() / 120.0
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not event.angleDelta().y():
            self.model.pan(steps * PAN_STEP)
        elif event.position().x() < NAMES_WIDTH:
            event.ignore()
            return
        else:
            self.model.zoom(ZOOM_STEP**steps, event.position().x() - NAMES_WIDTH)
        event.accept()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        model, key = self.model, event.key()
        if key == Qt.Key.Key_Escape and self.mouse.cancel():
            return
        if key == Qt.Key.Key_Escape and model.selected:
            model.select([])
        else:
            super().keyPressEvent(event)
