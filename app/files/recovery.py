"""After a crash: offers what was left, in a line under the toolbar that waits until the person has time for it."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.document.files.journal import JournalLeft, discard, journals_left

if TYPE_CHECKING:
    from app.files.file_window import FileWindow
    from app.widgets.frames.error_line import ErrorLine


def when_text(seconds: float, now: float | None = None) -> str:
    """Return a moment as a person says it: "today at 14:05", "yesterday at 9:30", "on 3 May at 9:30"."""
    moment, today = datetime.fromtimestamp(seconds), datetime.fromtimestamp(time.time() if now is None else now)
    clock = f"{moment.hour}:{moment.minute:02d}"
    days = (today.date() - moment.date()).days
    if days in (0, 1):
        return f"{('today', 'yesterday')[days]} at {clock}"
    year = f" {moment.year}" if moment.year != today.year else ""
    return f"on {moment.day} {moment:%B}{year} at {clock}"


def offer_text(left: JournalLeft, more: int, now: float | None = None) -> str:
    """Return what was lost, in one line.

    Args:
        left: What is offered.
        more: How many others there are besides.
        now: The time, [s] since 1970; None for the clock's.
    """
    edits = "1 unsaved edit" if left.unsaved == 1 else f"{left.unsaved or left.steps} unsaved edits"
    others = f" (and {more} more to recover)" if more else ""
    return f"The editor stopped unexpectedly: {left.name} had {edits}, last changed {when_text(left.time, now)}{others}"


class Recovery(QObject):
    """Offers the work that editors left behind that crashed, one after the other, newest first.

    Args:
        window: The window.
        line: Where it is offered.
    """

    def __init__(self, window: FileWindow, line: ErrorLine):
        super().__init__(window)
        self._window, self._line = window, line
        self._later: set[JournalLeft] = set()

    def offer(self) -> bool:
        """Offer the newest work that was left and not put off; return whether there is any.

        What an editor that still runs is writing is not offered.
        """
        left = [each for each in journals_left() if each not in self._later]
        if not left:
            self._line.clear()
            return False
        first = left[0]
        place = f" from {first.document.parent}" if first.document is not None else ""
        self._line.ask(
            offer_text(first, len(left) - 1),
            [
                ("Recover", f"Open {first.name}{place} with these edits and their history", lambda: self._take(first)),
                ("Discard", "Remove these edits for good", lambda: self._drop(first)),
                ("Later", "Offer it again the next time the editor starts", lambda: self._put_off(first)),
            ],
            "warning",
        )
        return True

    def _take(self, left: JournalLeft) -> None:
        window = self._window
        if left not in journals_left():
            window.show_message("warning", f"{left.name} is being recovered by another editor, or was discarded")
        elif window.files.may_discard():
            window.player.pause()
            window.errors.clear()
            self._later.add(left)  # what cannot be read, or has no journal yet that it could go to, stays on the disk
            window.document.files.recover(left.path)
        self.offer()

    def _drop(self, left: JournalLeft) -> None:
        if left in journals_left():
            discard(left.path)
        self.offer()

    def _put_off(self, left: JournalLeft) -> None:
        self._later.add(left)
        self.offer()
