"""The keyboard on the Dynamics tab: rows, strips, what moves their joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.timeline.dynamics.edits import DynamicsEdits
from app.timeline.strips.keyboard import CONTROL, ENTER, ROWS, StripKeys
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.frames.scroll import scroll_area_of

if TYPE_CHECKING:
    from app.timeline.dynamics.board import DynamicsBoard
    from app.timeline.dynamics.track import DynamicsTracks

ADD = (Qt.Key.Key_Insert, *ENTER)


class DynamicsKeys(StripKeys):
    """What keys do while the tracks have the keyboard.

    Besides what they do with all strips: Up and Down go from row to row, with Ctrl they close and open it. Return or
    Insert makes a strip at the playhead where none is selected, M changes what moves the joints.

    Args:
        tracks: The tracks.
    """

    move_text, retime_text = "Move dynamic range", "Retime dynamic range"
    board: DynamicsBoard
    tracks: DynamicsTracks

    def __init__(self, tracks: DynamicsTracks):
        super().__init__(tracks)
        self.edits = DynamicsEdits(tracks.board)

    def wants(self, event: QKeyEvent) -> bool:
        key = event.key()
        if not self.board.rows:
            return False
        if key in ROWS or (key in ADD and is_plain(event)):
            return True
        if event.matches(QKeySequence.StandardKey.Paste):  # else it pastes keys
            return self.board.copied is not None
        if event.matches(QKeySequence.StandardKey.SelectAll):
            return bool(self.board.all_strips)
        if self.strip is None:
            return False
        own = event.matches(QKeySequence.StandardKey.Copy) or (key == Qt.Key.Key_M and is_plain(event))
        return own or super().wants(event)

    def press(self, event: QKeyEvent) -> bool:
        strip, key = self.strip, Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Paste) and self.board.copied is not None:
            self.edits.paste(self.board.document.frame)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.board.select_all(each.id for each in self.board.strips())
        elif key in ROWS:
            if event.modifiers() & CONTROL:
                self._open(ROWS[key] > 0)
            else:
                self._go_row(ROWS[key])
        elif key in ADD and (strip is None or key == Qt.Key.Key_Insert):
            self._add()
        elif strip is None:
            return False
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.edits.copy(strip)
        elif key == Qt.Key.Key_M and is_plain(event):
            self.edits.toggle_mode(self.strips)
        elif key == Qt.Key.Key_Escape:
            self.board.select(None)
        else:
            return super().press(event)
        return True

    def remove(self) -> None:
        self.edits.remove(self.strips)

    def _add(self) -> None:
        row = self.board.row()
        if row is not None:
            self.edits.add(row.joints, row.name, self.board.document.frame)

    def _open(self, wanted: bool) -> None:
        """Open the row, or close it; a joint's group closes, and has the keyboard then."""
        row = self.board.row()
        if row is not None and not wanted and row.depth:
            rows = self.board.rows
            row = next(each for each in reversed(rows[: rows.index(row)]) if each.depth == 0)
            self.board.put_cursor(row)
        if row is not None and row.opens and row.is_open != wanted:
            self.board.toggle_row(row)

    def _go_row(self, direction: int) -> None:
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
        self._show(rows.index(row))

    def select(self, strip: object) -> None:
        super().select(strip)
        row = next((row for row in self.board.rows if strip in row.strips), None)
        self.board.put_cursor(row)

    def _show(self, number: int) -> None:
        """Scroll so far that a row can be seen."""
        area = scroll_area_of(self.tracks)
        if area is not None:
            height = self.tracks.row_height
            top = number * height + self.tracks.y()
            bar, room = area.verticalScrollBar(), area.viewport().height()
            bar.setValue(min(max(bar.value(), top + height - room), top))
