"""The keyboard on lock strips: go from strip to strip, move one, delete it, open it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.timeline.locks.strip_menu import StripEdits
from app.timeline.locks.target_keys import with_target_at
from app.timeline.strips.keyboard import StripKeys

if TYPE_CHECKING:
    from app.timeline.locks.board import LockBoard
    from app.timeline.locks.track import LockTracks


class LockKeys(StripKeys):
    """What keys do while lock tracks have the keyboard.

    Besides what they do with all strips: Left and Right move the selected key of a target, Del removes it, strips are
    copied and pasted.

    Args:
        tracks: The tracks.
    """

    move_text, retime_text = "Move lock", "Retime lock"
    board: LockBoard

    def __init__(self, tracks: LockTracks):
        super().__init__(tracks)
        self.edits = StripEdits(tracks.board)

    def wants(self, event: QKeyEvent) -> bool:
        if self.strip is None:
            return False
        copies = event.matches(QKeySequence.StandardKey.Copy) or event.matches(QKeySequence.StandardKey.Paste)
        return copies or super().wants(event)

    def press(self, event: QKeyEvent) -> bool:
        strip = self.strip
        if event.matches(QKeySequence.StandardKey.Paste):
            self.edits.paste(self.board.document.frame)
        elif strip is not None and event.matches(QKeySequence.StandardKey.Copy):
            self.edits.copy(strip)
        else:
            return super().press(event)
        return True

    def remove(self) -> None:
        strip, chosen = self.strip, self.board.chosen
        assert strip is not None
        if chosen is not None and chosen[0] == strip.id:
            self.edits.remove_target(strip, chosen[1])
            return
        strips = list(self.board.strips())
        at = next(i for i, each in enumerate(strips) if each.id == strip.id)
        rest = strips[:at] + strips[at + 1 :]
        self.edits.remove(strip)
        if rest:
            self.board.select(rest[min(at, len(rest) - 1)].id)

    def move(self, direction: int, modifiers: Qt.KeyboardModifier) -> None:
        strip = self.strip
        assert strip is not None
        chosen = self.board.chosen_target(strip)
        if chosen is None:
            super().move(direction, modifiers)
            return
        changed = with_target_at(strip, chosen, strip.targets[chosen].frame + direction)
        if self.edits.put(changed, "Move lock target"):
            frame = changed.targets[chosen].frame
            self.board.choose((strip.id, frame))
            self.board.document.say("info", f"{self.board.name_of(changed)}: target at frame {frame}")
