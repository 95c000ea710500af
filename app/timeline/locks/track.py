"""The tracks of locks: a row for each part and kind, a trapezoid for each strip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app import style
from app.locks.words import kind_text
from app.timeline.canvas import TimelineCanvas
from app.timeline.locks import strip_item as item
from app.timeline.locks.board import LockBoard
from app.timeline.locks.picture import HIGH_ROW, LOW_ROW, LockPicture
from app.timeline.locks.rows import LockRow
from app.timeline.locks.strip_drag import COPY, StripDrag, span_text, strip_name
from app.timeline.locks.strip_keys import StripKeys
from app.timeline.locks.strip_menu import show_ground_menu, show_strip_menu
from app.timeline.model import NAMES_WIDTH
from app.timeline.sheet.mouse import DRAG_DISTANCE
from app.widgets.base import draw_focus_ring

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip

BESIDE = 12.0
"""How far beside a strip its ends can still be grabbed, [px]."""


class LockTracks(TimelineCanvas):
    """Lock strips by row; drag their ends, shoulders, upper edge, or all of them.

    Args:
        board: The rows.

    Signals:
        opened(str): Enter was pressed on a strip: its id.
    """

    opened = Signal(str)

    def __init__(self, board: LockBoard):
        super().__init__(board.model)
        self.board = board
        self.row_height = LOW_ROW
        self.drag: StripDrag | None = None
        self._press = QPointF()
        self._pressed: tuple[LockStrip, str | int] | None = None
        self._hover: tuple[str, str | int] | None = None
        self._picture = LockPicture(self)
        self._keys = StripKeys(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Locks")
        board.changed.connect(self._take)
        board.grown.connect(self._fit_height)
        self._fit_height()

    # -- size -----------------------------------------------------------------------------------------------------

    def set_high(self, high: bool) -> None:
        """Give each row more height."""
        self.row_height = HIGH_ROW if high else LOW_ROW
        self._fit_height()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, max(1, len(self.board.rows)) * self.row_height + 2)

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
        return (self.drag is not None and self.drag.part != item.WEIGHT) or super().dragging

    # -- what lies where ------------------------------------------------------------------------------------------

    def row_at(self, y: float) -> LockRow | None:
        """Return the row at a height."""
        index = int(y // self.row_height)
        return self.board.rows[index] if 0 <= index < len(self.board.rows) else None

    def shape(self, strip: LockStrip, row: int) -> item.StripShape:
        """Return where a strip is in this widget."""
        inset = 2.0 if self.row_height == LOW_ROW else 4.0
        top = row * self.row_height + inset
        return item.shape_of(self.board.shown(strip), self.track_x, top, self.row_height - 2 * inset, self.width())

    def grabbed(self, position: QPointF) -> tuple[LockStrip, str | int] | None:
        """Return the strip at a point, or whose end is near it, and what of it the mouse grabs there."""
        row = self.row_at(position.y())
        if row is None or position.x() < NAMES_WIDTH:
            return None
        number = self.board.rows.index(row)
        shapes = [(self.shape(strip, number), strip) for strip in row.strips]
        near = min(shapes, key=lambda each: each[0].distance(position.x()), default=None)
        if near is None or near[0].distance(position.x()) > BESIDE:
            return None
        return near[1], near[0].part_at(position)

    def strip_center(self, strip: LockStrip) -> QPointF:
        """Return the middle of what is seen of a strip."""
        number = next(i for i, row in enumerate(self.board.rows) if any(s.id == strip.id for s in row.strips))
        shape = self.shape(strip, number)
        left, right = max(shape.left, NAMES_WIDTH), min(shape.right, self.width())
        return QPointF((left + right) / 2.0, (shape.top + shape.bottom) / 2.0)

    def key_under(self, position: QPointF) -> int | None:
        return None  # keys of the figure are in the rows above

    def clicked_name(self, position: QPointF, modifiers: Qt.KeyboardModifier, twice: bool = False) -> None:
        row = self.row_at(position.y())
        if row is None:
            return
        if row.joint is not None:
            self.model.document.set_selection((row.joint,))
        frame = self.model.document.frame
        here = next((strip for strip in row.strips if strip.covers(frame)), row.strips[0])
        self.board.select(here.id)

    # -- mouse ----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() != Qt.MouseButton.LeftButton or position.x() < NAMES_WIDTH:
            if self.drag is None:
                super().mousePressEvent(event)
            return
        found = self.grabbed(position)
        self._press = position
        if found is None:
            self.board.select(None)
            return
        strip, part = found
        copies = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier
        if part == item.BODY and event.modifiers() & copies:
            part = COPY
        self._pressed = (strip, part)
        self.board.select(strip.id)
        self.board.choose((strip.id, strip.targets[part].frame) if isinstance(part, int) else None)
        self._show_shape(part, pressed=True)

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
            self.drag = StripDrag(self.board, strip, part, self._press)
        if self.drag is not None and self.drag.active:
            self.drag.move(position)
            self.model.document.say("info", self.drag.text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        drag, self.drag = self.drag, None
        pressed, self._pressed = self._pressed, None
        if drag is not None and drag.active:
            copy = drag.drop()
            if copy is not None:
                self.board.select(copy.id)
        elif pressed is not None and isinstance(pressed[1], int):
            self.model.document.set_frame(pressed[0].targets[pressed[1]].frame)
        elif drag is None and pressed is None:
            super().mouseReleaseEvent(event)
        self._set_hover(self.grabbed(event.position()))
        self.show_cursor(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.grabbed(event.position()) is None:
            super().mouseDoubleClickEvent(event)
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hover(None)
        super().leaveEvent(event)

    def _set_hover(self, found: tuple[LockStrip, str | int] | None) -> None:
        hover = None if found is None else (found[0].id, found[1])
        if hover != self._hover:
            self._hover = hover
            self.model.document.session.hovered_lock = None if hover is None else hover[0]
            self.update()

    def _show_shape(self, part: str | int, pressed: bool = False) -> None:
        if part == COPY:
            self.setCursor(Qt.CursorShape.DragCopyCursor)
        elif part == item.BODY:
            self.setCursor(Qt.CursorShape.ClosedHandCursor if pressed else Qt.CursorShape.OpenHandCursor)
        else:
            self.setCursor(Qt.CursorShape.SizeHorCursor if isinstance(part, int) else item.CURSORS[part])

    def show_cursor(self, position: QPointF) -> None:
        """Let the cursor say what a press would do."""
        found = self.grabbed(position)
        if found is None:
            self.setCursor(Qt.CursorShape.ArrowCursor)
        else:
            self._show_shape(found[1])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.drag is not None or self.model.document.skeleton is None:
            return
        board = self.board
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            strip = board.strip(board.selected)
            if strip is not None:
                place = self.mapToGlobal(self.strip_center(strip).toPoint())
                show_strip_menu(self, place, board, strip, self.model.document.frame)
            return
        position = QPointF(event.pos())
        found = self.grabbed(position)
        self._pressed = None
        if found is None:
            if position.x() >= NAMES_WIDTH and board.rows:
                show_ground_menu(self, event.globalPos(), board, self.model.frame_at(position.x() - NAMES_WIDTH))
            return
        strip, part = found
        board.select(strip.id)
        target = strip.targets[part].frame if isinstance(part, int) else None
        frame = self.model.frame_at(position.x() - NAMES_WIDTH)
        show_strip_menu(self, event.globalPos(), board, strip, frame if target is None else target, target)

    # -- words ----------------------------------------------------------------------------------------------------

    def tip(self, position: QPointF) -> str:
        if self.drag is not None:
            return ""
        found = self.grabbed(position)
        if found is None:
            row = self.row_at(position.y()) if position.x() < NAMES_WIDTH else None
            if row is None:
                return ""
            return f"{row.part}, {kind_text(row.strips[0].lock, self.model.document.skeleton).lower()}"
        strip, part = found
        if isinstance(part, int):
            return f"Target of {strip_name(strip, self.board)}\nkeyed at frame {strip.targets[part].frame}"
        _, weight = item.strip_text(strip, self.model.document.skeleton)
        lines = [f"{strip_name(strip, self.board)}, weight {weight}", span_text(strip)]
        frame = self.model.left + (position.x() - NAMES_WIDTH - self.model.x(self.model.left)) / self.model.pixels
        reach = BESIDE / self.model.pixels
        flags = self.board.flags_of(strip)
        lines += [self.board.flag_text(flag) for flag in flags if flag.first - reach <= frame <= flag.last + reach]
        return "\n".join(lines)

    def takes(self, event: QKeyEvent) -> bool:
        return self._keys.wants(event)

    def describe(self) -> None:
        """Say which strip the keyboard is on, for assistive tools."""
        strip = self.board.strip(self.board.selected)
        words = "" if strip is None else f"{strip_name(strip, self.board)}, {span_text(strip)}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- keyboard -------------------------------------------------------------------------------------------------

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self._keys.step(1 if forward else -1) or super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self.drag is not None or self._pressed is not None):
            self.cancel()
        elif not self._keys.press(event):
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
        """Id of the strip under the mouse, here or in another part of the window."""
        return self._hover[0] if self._hover is not None else self.model.document.session.hovered_lock

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._picture.paint(painter)
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, self.bottom, self.width(), 1), style.color("line"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.visibleRegion().boundingRect()))
        painter.end()
