"""The mouse on a band of the timeline: scrubbing, choosing, dragging and stretching keys, boxes, zoom and pan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from app.timeline.sheet.picture import CROWDED
from app.timeline.sheet.rows import Row
from app.timeline.sheet.selected_keys import SnapPlaces
from app.timeline.time_scale import NAMES_WIDTH
from app.words.quantity import MINUS

if TYPE_CHECKING:
    from app.timeline.canvas import TimelineCanvas
    from app.timeline.model import TimelineModel


def signed(number: float) -> str:
    """Return a number with its sign."""
    return f"{'+' if number >= 0 else MINUS}{abs(number):g}"


def beat_at(model: TimelineModel, frame: float) -> float | None:
    """Return how many beats lie before a frame, parts of them too; None without music, or outside it."""
    beats = model.marks.beats.frames
    if len(beats) < 2 or not beats[0] <= frame <= beats[-1]:
        return None
    return float(np.interp(frame, beats, np.arange(len(beats))))


def beats_text(model: TimelineModel, first: float, last: float) -> str:
    """Return how many beats lie between two frames; "" without beats there."""
    ends = beat_at(model, first), beat_at(model, last)
    if ends[0] is None or ends[1] is None:
        return ""
    count = round(ends[1] - ends[0], 2)
    near = np.interp(np.round(ends), np.arange(len(model.marks.beats.frames)), model.marks.beats.frames)
    if np.abs(near - (first, last)).max() <= 0.5:  # beats lie between frames; both ends are as near to one as can be
        count = round(ends[1]) - round(ends[0])
    return f"{count:g} beat{'' if count == 1 else 's'}"


def drag_tag(model: TimelineModel, ripple: bool = False) -> str:
    """Return the lines that say where the dragged keys are shown; "" if nothing is dragged."""
    moves = model.moves
    if moves is None:
        return ""
    first, last = moves.place(moves.first), moves.place(moves.last)
    if moves.first == moves.last:
        lines = [f"{moves.first} → {first}   {signed(first - moves.first)}"]
    else:
        lines = [f"{moves.first}–{moves.last} → {first}–{last}"]
        before, now = moves.last - moves.first, last - first
        if before == now:
            lines[0] += f"   {signed(first - moves.first)}"
        else:
            lines[0] += f"   ×{now / before:.3g}"
            beats = beats_text(model, first, last)
            lines.append(f"{now} frames" + (f" · {beats}" if beats else ""))
    if moves.first == moves.last or last - first == moves.last - moves.first:
        at = beat_at(model, first)
        if at is not None:
            lines.append(f"beat {at + 1:.3g}")
    notes = [f"snaps to the {model.snap.what}"] if model.snap is not None else []
    if ripple:
        notes.append("what comes before ripples" if moves.earlier else "the rest ripples")
        if moves.earlier and not moves.new[0]:
            notes.append("no frames before 0")
    if notes:
        lines.append(" · ".join(notes))
    return "\n".join(lines)


_IDLE, _SCRUB, _KEYS, _BOX, _PAN, _SPREAD, _ZOOM = range(7)
_DOING = ("", "scrub", "keys", "box", "pan", "spread", "zoom")
DRAG_DISTANCE = 4.0
_SHIFT, _CONTROL, _ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


class SheetMouse:
    """What the mouse does on one band.

    Args:
        canvas: The band.

    Attributes:
        box: The selection box that is being drawn, or None.
        zoom_box: The box that will be zoomed to, or None.
        tag: What stands beside the cursor; "" for nothing.
        place: Where the cursor is.
    """

    def __init__(self, canvas: TimelineCanvas):
        self.canvas = canvas
        self.model = canvas.model
        self.box: QRectF | None = None
        self.zoom_box: QRectF | None = None
        self.tag = ""
        self.place = QPointF()
        self._mode = _IDLE
        self._press = QPointF()
        self._press_frame = 0.0  # under the press, whole or not: the tracks may be scrolled or zoomed since
        self._moved = False
        self._pressed_frame = 0
        self._pressed_row: Row | None = None
        self._anchor: tuple[int, str] | None = None  # the key clicked last, and in which row
        self._at_last = True  # which end of the selected keys is being moved
        self._grip = 0.0  # how far beside that end the handle was pressed, frames
        self._snaps: dict[bool, SnapPlaces] = {}  # without and with ripple
        self._box_base: NDArray[np.bool_] = self.model.chosen
        self._clicked: tuple[int, Row | None] | None = None  # the crowded key under a press that may become a box

    @property
    def busy(self) -> bool:
        """Whether a button is down for something."""
        return self._mode != _IDLE

    @property
    def doing(self) -> str:
        """What a button is down for: "scrub", "keys", "box", "pan", "spread" or "zoom"; "" for nothing."""
        return _DOING[self._mode]

    @property
    def boxing(self) -> bool:
        """Whether a box is drawn, to select or to zoom."""
        return self._mode in (_BOX, _ZOOM)

    # -- press ----------------------------------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> None:
        """Take a press."""
        canvas, model = self.canvas, self.model
        if model.document.skeleton is None or self._mode != _IDLE:
            return
        position = self._press = self.place = event.position()
        modifiers, self._moved = event.modifiers(), False
        self._press_frame = model.exact_frame(position.x() - NAMES_WIDTH)
        if event.button() == Qt.MouseButton.MiddleButton:
            self._mode = _PAN
            canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if position.x() < NAMES_WIDTH:
            canvas.clicked_name(position, modifiers)
            return
        if modifiers & _CONTROL and modifiers & _SHIFT:
            self._mode = _ZOOM
            return
        end, key = canvas.end_under(position), canvas.key_under(position)
        if end is not None:
            self._begin_spread(end)
        elif key is not None and not canvas.scrubs:
            row = canvas.row_under(position)
            if modifiers & _CONTROL or not self.crowded(key, row):
                self._press_key(key, row, modifiers)
            else:  # one of many that look like a bar: a drag is for several of them
                self._begin_box(modifiers & _SHIFT)
                self._clicked = key, row
        elif canvas.boxes:
            self._begin_box(modifiers & (_SHIFT | _CONTROL))
        elif canvas.spans and modifiers & _SHIFT:
            self._begin_box(False)
        else:
            self._mode = _SCRUB
            self._scrub(position)

    def _begin_box(self, adds: object) -> None:
        self._mode, self._clicked = _BOX, None
        self._box_base = self.model.chosen if adds else np.zeros_like(self.model.chosen)

    def crowded(self, key: int, row: Row | None) -> bool:
        """Return whether a key is not selected and no further from its neighbours than keys that are drawn as a bar."""
        model = self.model
        mine = model.mask_of([key], row)
        if bool((model.chosen & mine).any()):
            return False
        frames = model.frames[model.table.keyed[:, mine.any(axis=0)].any(axis=1)]
        at = int(np.searchsorted(frames, key))
        gaps = np.diff(frames[max(at - 1, 0) : at + 2]) * model.pixels
        return bool(len(gaps) and gaps.max() < CROWDED)

    def _begin_spread(self, last: bool) -> None:
        span = self.model.selected_span
        if span is None:
            return
        self._mode, self._at_last = _SPREAD, last
        self._grip = self._press_frame - span[last]
        self._snaps = {}

    def _press_key(self, key: int, row: Row | None, modifiers: Qt.KeyboardModifier) -> None:
        model, name = self.model, "" if row is None else row.id
        if modifiers & _CONTROL:
            model.toggle(key, row)
            self._anchor = key, name
            return
        if modifiers & _SHIFT:
            first = self._anchor[0] if self._anchor is not None and self._anchor[1] == name else key
            model.select_range(first, key, row)
        elif not bool((model.chosen & model.mask_of([key], row)).any()):
            model.select([key], row=row)
        self._anchor = key, name
        self._mode, self._pressed_frame, self._pressed_row = _KEYS, key, row
        self._snaps = {}

    def choose_for_menu(self, key: int, row: Row | None) -> None:
        """Select the key under a right click, unless it is among the selected."""
        if not bool((self.model.chosen & self.model.mask_of([key], row)).any()):
            self.model.select([key], row=row)
            self._anchor = key, "" if row is None else row.id

    def _places(self, ripple: bool) -> SnapPlaces:
        model, going = self.model, self.model.chosen
        retiming, span = model.retiming, model.selected_span
        if ripple and retiming is not None:  # what moves along is not a place to stop at
            last = self._at_last
            spread = retiming.scaled(last, span[last], True) if self._mode == _SPREAD and span is not None else None
            going = going | (spread or retiming.shifted(0, True)).moving
        standing = (model.table.keyed & ~going).any(axis=1)
        return SnapPlaces(model, model.frames[standing])

    # -- move -----------------------------------------------------------------------------------------------------

    def move(self, event: QMouseEvent) -> None:
        """Take a move."""
        model, position, modifiers = self.model, event.position(), event.modifiers()
        away = position - self._press
        if self._mode == _IDLE:
            self.canvas.show_cursor(position)
        elif self._mode == _PAN:
            model.pan(position.x() - self.place.x())
        elif self._mode == _SCRUB:
            self._scrub(position)
        elif self._mode == _ZOOM:
            self._moved = True
            bottom = self.canvas.height() - 1.5
            self.zoom_box = QRectF(QPointF(self._press_x, 0.5), QPointF(position.x(), bottom)).normalized()
            self.canvas.update()
        elif self._mode == _BOX:
            if self._clicked is not None and max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE and not self._moved:
                return
            self._moved = True
            self.box = self._box_to(position)
            model.set_chosen(self._in_box(self.box) | self._box_base, settle=False)
            self.canvas.update()
        elif self._moved or max(abs(away.x()), abs(away.y())) >= DRAG_DISTANCE:
            self._moved = True
            self._drag(position, modifiers)
        self.place = position

    def _box_to(self, position: QPointF) -> QRectF:
        """Return the box from the press to a place; over the whole height where only frames count."""
        if self.canvas.spans:
            top, bottom = 0.5, self.canvas.height() - 1.5
            return QRectF(QPointF(self._press_x, top), QPointF(position.x(), bottom)).normalized()
        return QRectF(QPointF(self._press_x, self._press.y()), position).normalized()

    @property
    def _press_x(self) -> float:
        """Where the frame is now that was under the press."""
        return NAMES_WIDTH + self.model.x(self._press_frame)

    def _drag(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show the keys where the mouse takes them."""
        model, ripple = self.model, bool(modifiers & _ALT)
        if ripple not in self._snaps:
            self._snaps[ripple] = self._places(ripple)
        snaps = None if modifiers & _SHIFT else self._snaps[ripple]
        self.place = position
        if self._mode == _SPREAD:
            end = model.exact_frame(position.x() - NAMES_WIDTH) - self._grip
            found = None if snaps is None else snaps.best([0], end)
            wanted = round(end) if found is None else found[0]
            model.snap = None if found is None else found[1]
            model.set_scale(self._at_last, wanted, ripple)
            there = model.selected_span
            if there is not None and there[self._at_last] != wanted:
                model.snap = None
        else:
            by = model.exact_frame(position.x() - NAMES_WIDTH) - self._press_frame
            frames = model.selected.frames
            edges = dict.fromkeys((self._pressed_frame, frames[0], frames[-1])) if frames else ()
            found = None if snaps is None or abs(by) < 0.5 else snaps.best(edges, by)
            wanted = round(by) if found is None else found[0]
            model.snap = None if found is None else found[1]
            model.set_shift(wanted, ripple)
            if model.shift != wanted:
                model.snap = None
        self.tag = drag_tag(model, ripple)
        model.touch()

    def _in_box(self, box: QRectF) -> NDArray[np.bool_]:
        """Return what lies in a box, shape (n, c)."""
        model, rows = self.model, self.canvas.rows_in(box)
        xs = NAMES_WIDTH + model.xs(model.frames)
        inside = (box.left() <= xs) & (xs <= box.right())
        columns = np.ones(model.table.keyed.shape[1], dtype=bool)
        if rows is not None and not any(row.summary for row in rows):
            columns[:] = False
            for row in rows:
                columns[row.channels] = True
        return np.asarray(model.table.keyed & inside[:, None] & columns)

    # -- release --------------------------------------------------------------------------------------------------

    def release(self, event: QMouseEvent) -> None:
        """Take a release."""
        model, mode = self.model, self._mode
        moved, self._moved, self._mode = self._moved, False, _IDLE
        self.tag = ""
        if mode in (_KEYS, _SPREAD) and moved:
            model.drop()
        elif mode == _SPREAD:
            model.cancel()
        elif mode == _KEYS:
            self._click(event.modifiers())
        elif mode == _BOX:
            self._end_box(moved, event.modifiers())
        elif mode == _ZOOM:
            box, self.zoom_box = self.zoom_box, None
            if box is not None and box.width() >= DRAG_DISTANCE:
                first, last = (model.exact_frame(x - NAMES_WIDTH) for x in (box.left(), box.right()))
                model.show_span(max(first, 0.0), last)
            self.canvas.update()
        self.canvas.show_cursor(event.position())

    def _click(self, modifiers: Qt.KeyboardModifier) -> None:
        if not modifiers & _SHIFT:
            self.model.select([self._pressed_frame], row=self._pressed_row)
        self.model.document.set_frame(self._pressed_frame)

    def _end_box(self, moved: bool, modifiers: Qt.KeyboardModifier) -> None:
        self.box, clicked = None, self._clicked
        self._clicked = None
        if moved or clicked is None:
            if not moved:
                self.model.set_chosen(self._box_base)
            self.model.settle()
        else:
            self._press_key(*clicked, modifiers)
            self._mode = _IDLE
            self._click(modifiers)
        self.canvas.update()

    def double_click(self, event: QMouseEvent) -> None:
        """Take a double click: on a key its numbers, beside all keys the whole sequence."""
        position = event.position()
        if position.x() < NAMES_WIDTH or event.button() != Qt.MouseButton.LeftButton:
            self.canvas.clicked_name(position, event.modifiers(), True)
            return
        key = self.canvas.key_under(position)
        if key is None:
            self.model.fit()
        elif not self.canvas.scrubs:
            self._mode = _IDLE
            self.canvas.numbers_requested.emit(key)

    def cancel(self) -> bool:
        """Give up what is under way; return whether anything was."""
        mode, self._mode, self._moved, self.tag = self._mode, _IDLE, False, ""
        if mode == _BOX:
            self.box = None
            self.model.set_chosen(self._box_base)
            self.canvas.update()
        elif mode == _ZOOM:
            self.zoom_box = None
            self.canvas.update()
        elif mode in (_KEYS, _SPREAD):
            self.model.cancel()
        if mode in (_KEYS, _BOX, _SPREAD, _ZOOM):
            self.canvas.edge.give_back()
        return mode in (_KEYS, _BOX, _SPREAD, _ZOOM)

    def _scrub(self, position: QPointF) -> None:
        self.model.document.set_frame(self.model.frame_at(position.x() - NAMES_WIDTH))
