"""The keyboard on strips: go from strip to strip, move one, retime it, delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.timeline.strips.times import allowed_together, slid, with_end, with_start

if TYPE_CHECKING:
    from app.timeline.strips.track import StripTracks

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
DIRECTIONS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
ROWS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class StripKeys:
    """What keys do while tracks of strips have the keyboard.

    Tab goes through the strips row by row, Up and Down through the rows. Left and Right move the selected strips by a
    frame; with Shift their ends, with Ctrl and Shift their starts.

    Args:
        tracks: The tracks.
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

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key is for a strip and not for the whole window."""
        return self.strip is not None and event.key() in (*DIRECTIONS, *ROWS, *ENTER, *REMOVE)

    def press(self, event: QKeyEvent) -> bool:
        """Take a key; return whether it had a meaning."""
        strip, key = self.strip, Qt.Key(event.key())
        if strip is None:
            return key in ROWS and self.step(ROWS[key])
        if key in DIRECTIONS:
            self.move(DIRECTIONS[key], event.modifiers())
        elif key in ROWS:
            self.go(strip, ROWS[key])
        elif key in REMOVE:
            self.remove()
        elif key in ENTER:
            self.open(strip)
        else:
            return False
        return True

    def open(self, strip: Any) -> None:
        """Enter was pressed."""
        self.tracks.opened.emit(strip.id)

    def remove(self) -> None:
        """Remove what is selected."""
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

    def go(self, strip: Any, direction: int) -> None:
        """Select the strip nearest in time in the next row."""
        rows = self.board.rows
        at = next(i for i, row in enumerate(rows) if any(each.id == strip.id for each in row.strips))
        if 0 <= at + direction < len(rows):
            self.select(min(rows[at + direction].strips, key=lambda each: abs(each.start - strip.start)))

    def move(self, direction: int, modifiers: Qt.KeyboardModifier) -> None:
        """Move the selected strips, or their ends, by a frame."""
        board, gap, strips = self.board, self.board.gap, self.strips
        if modifiers & SHIFT and modifiers & CONTROL:
            changed = [with_start(each, each.start + direction, board.siblings(each), gap) for each in strips]
            text = self.retime_text
        elif modifiers & SHIFT:
            closed = [each for each in strips if each.end is not None]
            if not closed:
                board.document.say("info", f"{board.name_of(strips[0])} has no end to move")
                return
            changed = [with_end(each, each.end + direction, board.siblings(each), gap) for each in closed]
            text = self.retime_text
        else:
            ids = {each.id for each in strips}
            pairs = [(each, [o for o in board.siblings(each) if o.id not in ids]) for each in strips]
            by = allowed_together(pairs, direction, gap)
            changed, text = [slid(each, by) for each in strips], self.move_text
        if board.put(changed, text):
            board.document.say("info", f"{board.name_of(changed[0])}: {board.span_of(changed[0])}")
