"""The tracks of the Dynamics tab and their keyboard: a row for each group of joints, a strip where forces move them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter

from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.dynamics.board import DynamicsBoard, DynamicsRow
from app.timeline.dynamics.edits import DynamicsEdits, ground_menu, strip_menu
from app.timeline.dynamics.picture import CHEVRON_LEFT, DynamicsPicture
from app.timeline.strips import shape as shapes
from app.timeline.strips.drag import StripDrag
from app.timeline.strips.track import LOW_ROW, StripKeys, StripTracks
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.frames.menu import pop_up
from app.widgets.frames.scroll import scroll_area_of
from core.animation.hybrid_strips import BRACE, MOTOR, STUMBLE, HybridStrip


class DynamicsKeys(StripKeys):
    """What is done with the selected strips, and with the row that has the keyboard."""

    move_text, retime_text = "Move dynamic range", "Retime dynamic range"
    board: DynamicsBoard
    tracks: DynamicsTracks

    def __init__(self, tracks: DynamicsTracks):
        super().__init__(tracks)
        self.edits = DynamicsEdits(tracks.board)

    def copy(self) -> None:
        if self.strip is not None:
            self.edits.copy(self.strip)

    def paste(self, frame: int) -> None:
        self.edits.paste(frame)

    def remove(self) -> None:
        self.edits.remove(self.strips)

    def toggle_mode(self) -> None:
        """Let motors move what is dynamic, or the other way round."""
        self.edits.toggle_mode(self.strips)

    def add(self) -> None:
        """Make the joints of the row that has the keyboard dynamic at the playhead."""
        row = self.board.row()
        if row is not None:
            self.edits.add(row.joints, row.name, self.board.document.frame)

    def open_row(self, wanted: bool) -> None:
        """Open the row, or close it; a joint's group closes, and has the keyboard then."""
        row = self.board.row()
        if row is not None and not wanted and row.depth:
            rows = self.board.rows
            row = next(each for each in reversed(rows[: rows.index(row)]) if each.depth == 0)
            self.board.put_cursor(row)
        if row is not None and row.opens and row.is_open != wanted:
            self.board.toggle_row(row)

    def go_row(self, direction: int) -> None:
        """Go to the next row, and select its strip that is nearest in time."""
        board = self.board
        rows = board.rows
        at = next((i for i, row in enumerate(rows) if row.id == board.cursor), 0)
        row = rows[min(max(at + direction, 0), len(rows) - 1)]
        board.put_cursor(row)
        before = board.strip(board.selected)
        frame = board.document.frame if before is None else before.start
        near = min(row.strips, key=lambda each: abs(each.start - frame), default=None)
        board.select(None if near is None else near.id)
        self.show_row(rows.index(row))

    def select(self, strip: object) -> None:
        super().select(strip)
        row = next((row for row in self.board.rows if strip in row.strips), None)
        self.board.put_cursor(row)

    def show_row(self, number: int) -> None:
        """Scroll so far that a row can be seen."""
        area = scroll_area_of(self.tracks)
        if area is not None:
            height = self.tracks.row_height
            top = number * height  # the rows are all that scrolls
            bar, room = area.verticalScrollBar(), area.viewport().height()
            bar.setValue(min(max(bar.value(), top + height - room), top))


TEXTS = {
    shapes.START: "Retime dynamic range",
    shapes.END: "Retime dynamic range",
    shapes.EASE_IN: "Ease dynamic range",
    shapes.EASE_OUT: "Ease dynamic range",
    shapes.BODY: "Move dynamic range",
    shapes.COPY: "Copy dynamic range",
}
_ADDS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class DynamicsTracks(StripTracks):
    """Hybrid strips by row of joints.

    A drag moves, retimes or eases all selected strips. Ctrl or Shift selects more, a box all in it; a double click
    beside them makes one.
    """

    board: DynamicsBoard
    picture: DynamicsPicture

    def __init__(self, board: DynamicsBoard):
        super().__init__(board)
        self.picture = DynamicsPicture(self)
        self.keys: DynamicsKeys = DynamicsKeys(self)
        self.edits = DynamicsEdits(board)
        self._box_from: tuple[float, float] | None = None  # frame and height, px
        self._box_to = QPointF()
        self._box_base: tuple[str, ...] = ()
        self._moved = False
        self.setAccessibleName("Dynamics")
        self.opened.connect(self._open)
        self._fit_height()

    # -- what lies where ------------------------------------------------------------------------------------------

    def shape(self, strip: HybridStrip, row: int) -> shapes.StripShape:
        inset = 2.0 if self.row_height == LOW_ROW else 4.0
        top, height = row * self.row_height + inset, self.row_height - 2 * inset
        placed = self.board.rows[row].place_of(strip.id)
        if placed is not None and not placed.whole:
            share = height / max(placed.lanes, 1) if placed.lanes > 1 else 0.7 * height
            top += placed.lane * share if placed.lanes > 1 else 0.3 * height
            height = share - (1.0 if placed.lanes > 1 else 0.0)
        return shapes.shape_of(self.board.shown(strip), self.track_x, top, height, self.width())

    def grabbed(self, position: QPointF) -> tuple[HybridStrip, str | int] | None:
        """Return the strip at a point, and what the mouse grabs of it; of those that share a row the one at its height.

        There is no weight to be dragged: the upper edge is the body's.
        """
        number = self.number_at(position.y())
        row = None if number is None else self.board.rows[number]
        if number is None or row is None or position.x() < NAMES_WIDTH:
            return None
        near: list[tuple[float, float, HybridStrip, shapes.StripShape]] = []
        for placed in row.placed:
            shape = self.shape(placed.strip, number)
            beside = shape.distance(position.x())
            off = max(shape.top - position.y(), position.y() - shape.bottom, 0.0) if placed.lanes > 1 else 0.0
            near.append((beside, off, placed.strip, shape))
        reach = [each for each in near if each[0] <= shapes.GRIP]
        if not reach:
            return None
        _, _, strip, shape = min(reach, key=lambda each: (each[1], each[0]))
        part = shape.part_at(position)
        return strip, shapes.BODY if part == shapes.WEIGHT else part

    def clicked_name(self, position: QPointF, modifiers: Qt.KeyboardModifier, twice: bool = False) -> None:
        """Open or close a row at its chevron, or by a double click; else select its joints."""
        row: DynamicsRow | None = self.row_at(position.y())
        skeleton = self.model.document.skeleton
        if row is None or skeleton is None:
            return
        self.board.put_cursor(row)
        if row.opens and (twice or position.x() < CHEVRON_LEFT + 16.0):
            self.board.toggle_row(row)
            return
        joints = {skeleton.joint_index(name) for name in row.joints}
        before = set(self.model.document.selection.joints) if modifiers & _ADDS else set()
        taken = joints <= before and not modifiers & Qt.KeyboardModifier.ShiftModifier
        self.model.document.selection.set(tuple(sorted(before - joints if taken else before | joints)))
        self.update()

    def show_strip(self, strip: HybridStrip, joint: str | None = None) -> None:
        """Scroll so far that a strip can be seen, in the row of a joint, else in its first one."""
        own = [i for i, row in enumerate(self.board.rows) if row.place_of(strip.id)]
        number = next((i for i in own if self.board.rows[i].joints == (joint,)), own[0] if own else None)
        if number is not None:
            self.keys.show_row(number)

    # -- mouse ----------------------------------------------------------------------------------------------------

    def make_drag(self, strip: HybridStrip, part: str | int, press: QPointF) -> StripDrag:
        along = [each for each in self.board.chosen if each.id != strip.id]
        return StripDrag(self.board, strip, part, press, TEXTS, along if strip.id in self.board.selection else ())

    def pressed_strip(self, strip: HybridStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        if strip.id not in self.board.selection and not modifiers & _ADDS:
            self.board.select(strip.id)
        elif strip.id not in self.board.selection and part != shapes.COPY:
            self.board.toggle(strip.id)
            self._pressed = None  # that was all
        elif strip.id in self.board.selection:  # the one that is dragged tells
            self.board.select_all((strip.id, *self.board.selection))
        self.board.put_cursor(self.row_at(self._press.y()))

    def clicked_strip(self, strip: HybridStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & _ADDS:
            self.board.toggle(strip.id)
            return
        self.board.select(strip.id)
        row, skeleton = self.row_at(self._press.y()), self.model.document.skeleton
        if row is not None and row.depth and skeleton is not None:  # its torques are what is meant then
            self.model.document.selection.set([skeleton.joint_index(name) for name in row.joints])

    def dropped(self, copies: list[HybridStrip]) -> None:
        if copies:
            self.board.select_all(each.id for each in copies)

    def pressed_ground(self, event: QMouseEvent) -> None:
        self._box_base = self.board.selection if event.modifiers() & _ADDS else ()
        self._box_from = (self.model.exact_frame(event.position().x() - NAMES_WIDTH), event.position().y())
        self._box_to, self._moved = event.position(), False
        self.board.put_cursor(self.row_at(event.position().y()))

    @property
    def boxing(self) -> bool:
        return self._box_from is not None or super().boxing

    @property
    def crosses_rows(self) -> bool:
        return self._box_from is not None or super().crosses_rows

    @property
    def dragging(self) -> bool:
        return self._box_from is not None or super().dragging

    @property
    def selection_box(self) -> QRectF | None:
        """The box that is drawn, or None."""
        if self._box_from is None or not self._moved:
            return None
        return QRectF(QPointF(self.track_x(self._box_from[0]), self._box_from[1]), self._box_to).normalized()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._box_from is None:
            super().mouseMoveEvent(event)
            return
        away = event.position() - self._press
        self._moved = self._moved or max(abs(away.x()), abs(away.y())) >= DRAG_DISTANCE
        self._box_to = event.position()
        box = self.selection_box
        if box is not None:
            inside = [
                placed.strip.id
                for number, row in enumerate(self.board.rows)
                for placed in row.placed
                if self.shape(placed.strip, number).box.intersects(box)
            ]
            self.board.select_all((*inside, *self._box_base))
            self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._box_from is None or event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        moved, self._box_from = self._moved, None
        if not moved:
            self.board.select_all(self._box_base)
        self.update()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position, row = event.position(), self.row_at(event.position().y())
        ground = position.x() >= NAMES_WIDTH and self.grabbed(position) is None
        if ground and row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.edits.add(row.joints, row.name, self.model.frame_at(position.x() - NAMES_WIDTH))
        else:
            super().mouseDoubleClickEvent(event)

    def cancel(self) -> None:
        """Give up the drag or the box under way."""
        if self._box_from is not None:
            self._box_from = None
            self.board.select_all(self._box_base)
            self.edge.give_back()
            self.update()
        else:
            super().cancel()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._box_from is not None:
            self.cancel()
        else:
            super().keyPressEvent(event)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.describe()

    # -- menus ----------------------------------------------------------------------------------------------------

    def show_strip_menu(self, at: QPoint, strip: HybridStrip, frame: int, target: int | None) -> None:
        pop_up(strip_menu(self, self.board, strip, frame), at)

    def show_ground_menu(self, at: QPoint, row: int | None, frame: int) -> None:
        chosen = self.board.row() if row is None else self.board.rows[row]
        self._box_from = None
        pop_up(ground_menu(self, self.board, chosen, frame), at)

    def _open(self, strip_id: str) -> None:
        strip = self.board.strip(strip_id)
        if strip is not None:
            self.show_strip_menu(self.mapToGlobal(self.strip_center(strip).toPoint()), strip, strip.start, None)

    # -- words ----------------------------------------------------------------------------------------------------

    def tip(self, position: QPointF) -> str:
        if self.drag is not None or self._box_from is not None:
            return ""
        found = self.grabbed(position)
        if found is None:
            row = self.row_at(position.y())
            if row is None:
                return ""
            joints = "1 joint" if len(row.joints) == 1 else f"{len(row.joints)} joints"
            return f"{row.name}, {joints}" if position.x() < NAMES_WIDTH else ""
        strip, _ = found
        lines = [self.board.name_of(strip), self.board.span_of(strip).capitalize()]
        ease_in, ease_out = strip.eases
        eases = [f"{word} over {ease:g} frames" for word, ease in (("in", ease_in), ("out", ease_out)) if ease]
        if eases:
            lines.append(f"Eases {' and '.join(eases)}")
        if strip.mode == MOTOR:
            lines.append(f"Motor gain {strip.gain:g}, damping {strip.damping:g}")
        elif strip.mode in (BRACE, STUMBLE) and strip.gain != 1.0:
            lines.append(f"Strength {strip.gain:g}")
        return "\n".join(lines)

    def describe(self) -> None:
        """Say which row and strip the keyboard is on, for assistive tools."""
        row, strips = self.board.row(), self.board.chosen
        words = "" if row is None else f"{row.name}, {len(row.strips)} strip{'s' * (len(row.strips) != 1)}"
        if strips:
            words = f"{self.board.name_of(strips[0])}, {self.board.span_of(strips[0])}"
            words += f", {len(strips)} selected" if len(strips) > 1 else ""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- painting -------------------------------------------------------------------------------------------------

    def paint_over(self, painter: QPainter) -> None:
        self.picture.draw_empty(painter)
        box = self.selection_box
        if box is not None:
            self.draw_box(painter, box)
