"""Tracks of strips: a row for each of what they are of, a trapezoid for each strip, with picture and keyboard."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.strips import shape as shapes
from app.timeline.strips.board import StripBoard
from app.timeline.strips.drag import StripDrag
from app.timeline.strips.times import allowed_together, slid
from app.timeline.time_scale import MARGIN, NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring

NO_ROOM = "There is no room to go further"


class StripKeys:
    """What is done with the selected strips of some tracks by keys, by menus and by both.

    Tab goes through the strips row by row.
    """

    move_text, retime_text = "Move strip", "Retime strip"

    def __init__(self, tracks: StripTracks):
        self.tracks = tracks
        self.board = tracks.board

    @property
    def strip(self) -> Any:
        """The strip that was selected last, or None."""
        return self.board.strip(self.board.selected)

    @property
    def strips(self) -> list[Any]:
        """All selected strips, the last one first."""
        found = [self.board.strip(each) for each in self.board.selection]
        return [strip for strip in found if strip is not None]

    def open(self, strip: Any) -> None:
        """Open what a strip is edited in."""
        self.tracks.opened.emit(strip.id)

    def remove(self) -> None:
        """Remove what is selected."""
        raise NotImplementedError

    def copy(self) -> None:
        """Keep the selected strip to be pasted."""
        raise NotImplementedError

    def paste(self, frame: int) -> None:
        """Put a copy of the strip that was kept at a frame, or as near to it as there is room."""
        raise NotImplementedError

    def step(self, direction: int) -> bool:
        """Select the next strip; return whether there is one."""
        strips = list(self.board.strips())
        at = next((i for i, strip in enumerate(strips) if strip.id == self.board.selected), None)
        number = (0 if direction > 0 else len(strips) - 1) if at is None else at + direction
        if not 0 <= number < len(strips):
            return False
        self.select(strips[number])
        return True

    def select(self, strip: Any) -> None:
        """Select a strip and bring it into sight."""
        self.board.select(strip.id)
        self.tracks.model.reveal(strip.start)

    def go_row(self, direction: int) -> None:
        """Select the strip nearest in time in the next row; without a selected one the first or the last strip."""
        strip, rows = self.strip, self.board.rows
        if strip is None:
            self.step(direction)
            return
        there = {each.id for each in self.board.strips()}
        at = next(i for i, row in enumerate(rows) if any(each.id == strip.id for each in row.strips)) + direction
        while 0 <= at < len(rows):
            here = [each for each in rows[at].strips if each.id in there]  # others are only proposed
            if here:
                self.select(min(here, key=lambda each: abs(each.start - strip.start)))
                return
            at += direction

    def open_row(self, wanted: bool) -> None:
        """Open the row that has the keyboard, or close it, where rows can be opened."""

    def move(self, by: int) -> str:
        """Move the selected strips by some frames; return what the status line is to say."""
        board, ids = self.board, {each.id for each in self.strips}
        pairs = [(each, [o for o in board.siblings(each) if o.id not in ids]) for each in self.strips]
        by = allowed_together(pairs, by, board.gap)
        return self.put([slid(each, by) for each in self.strips], self.move_text)

    def put(self, changed: list[Any], text: str) -> str:
        """Put changed strips in the place of those there are; return what the status line is to say."""
        board = self.board
        if all(board.strip(each.id) == each for each in changed):
            return NO_ROOM
        return f"{board.name_of(changed[0])}: {board.span_of(changed[0])}" if board.put(changed, text) else ""


LOW_ROW, HIGH_ROW = 18, 34
"""Height of a row of strips, and of one that has room for more."""


class StripPicture:
    """Rows, grid and strips; only what can be seen is painted."""

    def __init__(self, tracks: StripTracks):
        self.tracks = tracks
        self.board, self.model = tracks.board, tracks.model
        self._kept: tuple[Any, QPixmap] | None = None

    def empty_text(self) -> str:
        """Return what stands where there is no strip."""
        return ""

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
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.empty_text())

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


BESIDE = 12.0
"""How far beside a strip its ends can still be grabbed, [px]."""
COPIES = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier


class StripTracks(TimelineCanvas):
    """Strips by row; drag their ends, shoulders, or all of them. Subclasses say of what.

    Signals:
        opened(str): A strip is to be edited: its id.
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

    def go_row(self, direction: int) -> None:
        self.keys.go_row(direction)

    def open_row(self, wanted: bool) -> None:
        self.keys.open_row(wanted)

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
        elif event.key() == Qt.Key.Key_Escape and self.board.selected is not None:
            self.board.select(None)
        else:
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
