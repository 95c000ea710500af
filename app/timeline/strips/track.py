"""Tracks of strips: a row for each of what they are of, a trapezoid for each strip."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.model import NAMES_WIDTH
from app.timeline.strips import shape as shapes
from app.timeline.strips.board import StripBoard
from app.timeline.strips.drag import StripDrag
from app.timeline.strips.keyboard import StripKeys
from app.timeline.strips.picture import HIGH_ROW, LOW_ROW, StripPicture
from app.widgets.behaviour.base import draw_focus_ring

BESIDE = 12.0
"""How far beside a strip its ends can still be grabbed, [px]."""
COPIES = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier


class StripTracks(TimelineCanvas):
    """Strips by row; drag their ends, shoulders, or all of them. Subclasses say of what.

    Args:
        board: The rows.

    Signals:
        opened(str): Enter was pressed on a strip: its id.
    """

    opened = Signal(str)
    picture: StripPicture
    keys: StripKeys

    def __init__(self, board: StripBoard[Any]):
        super().__init__(board.model)
        self.board = board
        self.row_height = LOW_ROW
        self.drag: StripDrag | None = None
        self._press = QPointF()
        self._pressed: tuple[Any, str | int] | None = None
        self._hover: tuple[str, str | int] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        board.changed.connect(self._take)
        board.grown.connect(self._fit_height)

    # -- size -----------------------------------------------------------------------------------------------------

    def set_high(self, high: bool) -> None:
        """Give each row more height."""
        self.row_height = HIGH_ROW if high else LOW_ROW
        self._fit_height()
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, max(1, len(self.board.rows)) * self.row_height + 2)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _fit_height(self) -> None:
        if self.minimumHeight() != self.sizeHint().height():
            self.setMinimumHeight(self.sizeHint().height())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.board.rows else Qt.FocusPolicy.NoFocus)

    def _take(self) -> None:
        if self.drag is not None and not self.drag.active:  # undo, or another edit, has ended it
            self.drag = None
        self.describe()
        self.update()

    @property
    def dragging(self) -> bool:
        return self.drag is not None or super().dragging

    # -- what lies where ------------------------------------------------------------------------------------------

    def number_at(self, y: float) -> int | None:
        """Return the number of the row at a height."""
        index = int(y // self.row_height)
        return index if 0 <= index < len(self.board.rows) else None

    def row_at(self, y: float) -> Any:
        """Return the row at a height, or None."""
        number = self.number_at(y)
        return None if number is None else self.board.rows[number]

    def shape(self, strip: Any, row: int) -> shapes.StripShape:
        """Return where a strip is in this widget, in the row of a number."""
        raise NotImplementedError

    def grabbed(self, position: QPointF) -> tuple[Any, str | int] | None:
        """Return the strip at a point, or whose end is near it, and what of it the mouse grabs there."""
        number = self.number_at(position.y())
        if number is None or position.x() < NAMES_WIDTH:
            return None
        found = [(self.shape(strip, number), strip) for strip in self.board.rows[number].strips]
        near = min(found, key=lambda each: each[0].distance(position.x()), default=None)
        if near is None or near[0].distance(position.x()) > BESIDE:
            return None
        return near[1], near[0].part_at(position)

    def strip_center(self, strip: Any) -> QPointF:
        """Return the middle of what is seen of a strip."""
        number = next(i for i, row in enumerate(self.board.rows) if any(s.id == strip.id for s in row.strips))
        shape = self.shape(strip, number)
        left, right = max(shape.left, NAMES_WIDTH), min(shape.right, self.width())
        return QPointF((left + right) / 2.0, (shape.top + shape.bottom) / 2.0)

    def key_under(self, position: QPointF) -> int | None:
        return None  # keys of the figure are in the rows above

    # -- mouse ----------------------------------------------------------------------------------------------------

    def make_drag(self, strip: Any, part: str | int, press: QPointF) -> StripDrag:
        """Return a drag that begins."""
        raise NotImplementedError

    def pressed_strip(self, strip: Any, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        """A strip was pressed."""
        self.board.select(strip.id)

    def clicked_strip(self, strip: Any, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        """A strip was pressed and let go."""

    def pressed_ground(self, event: QMouseEvent) -> None:
        """A press beside all strips."""
        self.board.select(None)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() != Qt.MouseButton.LeftButton or position.x() < NAMES_WIDTH:
            if self.drag is None:
                super().mousePressEvent(event)
            return
        found = self.grabbed(position)
        self._press = position
        if found is None:
            self.pressed_ground(event)
            return
        strip, part = found
        if part == shapes.BODY and event.modifiers() & COPIES:
            part = shapes.COPY
        self._pressed = (strip, part)
        self.pressed_strip(strip, part, event.modifiers())
        self._show_shape(part, pressed=True)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is None and self.drag is None:
            if event.buttons() == Qt.MouseButton.NoButton:
                self._set_hover(self.grabbed(position))
            super().mouseMoveEvent(event)
            return
        if self.drag is None and self._pressed is not None:
            away = position - self._press
            if max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE:
                return
            strip, part = self._pressed
            self._pressed = None
            self.drag = self.make_drag(strip, part, self._press)
        if self.drag is not None and self.drag.active:
            self.drag.move(position)
            self.model.document.say("info", self.drag.text)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        drag, self.drag = self.drag, None
        pressed, self._pressed = self._pressed, None
        if drag is not None and drag.active:
            self.dropped(drag.drop())
        elif pressed is not None:
            self.clicked_strip(*pressed, event.modifiers())
        elif drag is None:
            super().mouseReleaseEvent(event)
        self._set_hover(self.grabbed(event.position()))
        self.show_cursor(event.position())

    def dropped(self, copies: list[Any]) -> None:
        """A drag has ended; select the copies that it made."""
        if copies:
            self.board.select(copies[0].id)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.grabbed(event.position()) is None:
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._set_hover(None)
        super().leaveEvent(event)

    def _set_hover(self, found: tuple[Any, str | int] | None) -> None:
        hover = None if found is None else (found[0].id, found[1])
        if hover != self._hover:
            self._hover = hover
            self.hover_changed(None if hover is None else hover[0])
            self.update()

    def hover_changed(self, strip_id: str | None) -> None:
        """The mouse is over another strip, or over none."""

    def _show_shape(self, part: str | int, pressed: bool = False) -> None:
        if part == shapes.BODY and pressed:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        else:
            self.setCursor(Qt.CursorShape.SizeHorCursor if isinstance(part, int) else shapes.CURSORS[part])

    def show_cursor(self, position: QPointF) -> None:
        """Let the cursor say what a press would do."""
        found = self.grabbed(position)
        if found is None:
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            self._show_shape(found[1])

    # -- menus ----------------------------------------------------------------------------------------------------

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.drag is not None or self.model.document.skeleton is None:
            return
        board = self.board
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            strip = board.strip(board.selected)
            if strip is not None:
                place = self.mapToGlobal(self.strip_center(strip).toPoint())
                self.show_strip_menu(place, strip, self.model.document.frame, None)
            else:
                self.show_ground_menu(self.mapToGlobal(QPoint(NAMES_WIDTH + 20, 20)), None, self.model.document.frame)
            return
        position = QPointF(event.pos())
        found = self.grabbed(position)
        self._pressed = None
        frame = self.model.frame_at(position.x() - NAMES_WIDTH)
        if found is None:
            if position.x() >= NAMES_WIDTH and board.rows:
                self.show_ground_menu(event.globalPos(), self.number_at(position.y()), frame)
            return
        strip, part = found
        if strip.id not in board.selection:
            board.select(strip.id)
        target = strip.targets[part].frame if isinstance(part, int) else None
        self.show_strip_menu(event.globalPos(), strip, frame if target is None else target, target)

    def show_strip_menu(self, at: QPoint, strip: Any, frame: int, target: int | None) -> None:
        """Open the menu of a strip, at a frame, or at the key of its target there."""
        raise NotImplementedError

    def show_ground_menu(self, at: QPoint, row: int | None, frame: int) -> None:
        """Open the menu of a row beside its strips; None for the row the keyboard is on."""
        raise NotImplementedError

    # -- words and keyboard ----------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        return self.keys.wants(event)

    def describe(self) -> None:
        """Say which strip the keyboard is on, for assistive tools."""
        strip = self.board.strip(self.board.selected)
        words = "" if strip is None else f"{self.board.name_of(strip)}, {self.board.span_of(strip)}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    @guarded
    def focusNextPrevChild(self, forward: bool) -> bool:
        return self.keys.step(1 if forward else -1) or super().focusNextPrevChild(forward)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self.drag is not None or self._pressed is not None):
            self.cancel()
        elif not self.keys.press(event):
            super().keyPressEvent(event)

    def cancel(self) -> None:
        """Give up the drag under way."""
        drag, self.drag, self._pressed = self.drag, None, None
        if drag is not None:
            drag.cancel()
            self.edge.give_back()
            self.model.document.say("info", "Cancelled")
        self.setCursor(Qt.CursorShape.ArrowCursor)

    # -- painting -------------------------------------------------------------------------------------------------

    @property
    def bottom(self) -> int:
        """Where the last row ends."""
        return max(1, len(self.board.rows)) * self.row_height

    @property
    def hovered(self) -> str | None:
        """Id of the strip under the mouse."""
        return None if self._hover is None else self._hover[0]

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.picture.paint(painter)
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        self.paint_over(painter)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, self.bottom, self.width(), 1), style.color("line"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.visibleRegion().boundingRect()))
        painter.end()

    def paint_over(self, painter: QPainter) -> None:
        """Paint what lies over everything, clipped to the tracks."""
