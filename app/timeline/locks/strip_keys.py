"""The keyboard on lock strips: go from strip to strip, move one, delete it, open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.timeline.locks.strip_drag import span_text, strip_name
from app.timeline.locks.strip_menu import StripEdits
from app.timeline.locks.strip_times import allowed_slide, slid, with_end, with_start, with_target_at

if TYPE_CHECKING:
    from app.timeline.locks.track import LockTracks
    from core.animation.locks.strip import LockStrip

_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
WAYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
ROWS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class StripKeys:
    """What keys do while lock tracks have the keyboard.

    Tab goes through the strips row by row, Up and Down through the rows. Left and Right move the selected strip, or
    the selected key of its target, by a frame; with Shift its end, with Ctrl and Shift its start.

    Args:
        tracks: The tracks.
    """

    def __init__(self, tracks: LockTracks):
        self.tracks = tracks
        self.board = tracks.board
        self.edits = StripEdits(tracks.board)

    @property
    def strip(self) -> LockStrip | None:
        """The selected strip."""
        return self.board.strip(self.board.selected)

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key is for a strip and not for the whole window."""
        if self.strip is None:
            return False
        if event.matches(QKeySequence.StandardKey.Copy) or event.matches(QKeySequence.StandardKey.Paste):
            return True
        return event.key() in (*WAYS, *ROWS, *ENTER, *REMOVE)

    def step(self, way: int) -> bool:
        """Select the next strip; return whether there is one."""
        strips = list(self.board.strips())
        at = next((i for i, strip in enumerate(strips) if strip.id == self.board.selected), None)
        number = (0 if way > 0 else len(strips) - 1) if at is None else at + way
        if not 0 <= number < len(strips):
            return False
        self._select(strips[number])
        return True

    def press(self, event: QKeyEvent) -> bool:
        """Take a key; return whether it had a meaning."""
        strip, key = self.strip, Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Paste):
            self.edits.paste(self.board.document.frame)
        elif strip is None:
            return key in ROWS and self.step(ROWS[key])
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.edits.copy(strip)
        elif key in WAYS:
            self._move(strip, WAYS[key], event.modifiers())
        elif key in ROWS:
            self._go(strip, ROWS[key])
        elif key in REMOVE:
            self._remove(strip)
        elif key in ENTER:
            self.tracks.opened.emit(strip.id)
        else:
            return False
        return True

    def _select(self, strip: LockStrip) -> None:
        self.board.select(strip.id)
        self.tracks.model.reveal(strip.start)

    def _go(self, strip: LockStrip, way: int) -> None:
        """Select the strip nearest in time in the next row."""
        rows = self.board.rows
        at = next(i for i, row in enumerate(rows) if any(each.id == strip.id for each in row.strips))
        if 0 <= at + way < len(rows):
            self._select(min(rows[at + way].strips, key=lambda each: abs(each.start - strip.start)))

    def _remove(self, strip: LockStrip) -> None:
        chosen = self.board.chosen
        if chosen is not None and chosen[0] == strip.id:
            self.edits.remove_target(strip, chosen[1])
            return
        strips = list(self.board.strips())
        at = next(i for i, each in enumerate(strips) if each.id == strip.id)
        rest = strips[:at] + strips[at + 1 :]
        self.edits.remove(strip)
        if rest:
            self.board.select(rest[min(at, len(rest) - 1)].id)

    def _move(self, strip: LockStrip, way: int, modifiers: Qt.KeyboardModifier) -> None:
        others = self.board.siblings(strip)
        chosen = self.board.chosen_target(strip)
        if chosen is not None:
            changed, text = with_target_at(strip, chosen, strip.targets[chosen].frame + way), "Move lock target"
        elif modifiers & _SHIFT and modifiers & _CONTROL:
            changed, text = with_start(strip, strip.start + way, others), "Retime lock"
        elif modifiers & _SHIFT:
            if strip.end is None:
                self.board.document.say("info", f"{strip_name(strip, self.board)} has no end to move")
                return
            changed, text = with_end(strip, strip.end + way, others), "Retime lock"
        else:
            changed, text = slid(strip, allowed_slide(strip, way, others)), "Move lock"
        if not self.edits.put(changed, text):
            return
        told = span_text(changed)
        if chosen is not None:
            self.board.choose((strip.id, changed.targets[chosen].frame))
            told = f"target at frame {changed.targets[chosen].frame}"
        self.board.document.say("info", f"{strip_name(changed, self.board)}: {told}")
