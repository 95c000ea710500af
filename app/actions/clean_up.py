"""What the action does that cleans up a recorded motion: it opens the board for that."""

from __future__ import annotations

from collections.abc import Callable

from app.actions.group import WindowActions
from app.popovers.clean_up import CleanUpBoard
from core.animation.cleaning.samples import FEWEST


class CleanUpActions(WindowActions):
    """Clean-up of captured motion, which shows what it has found before it does anything."""

    board: CleanUpBoard | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"clean_up": self.open}

    def open(self) -> None:
        """Open the board, with the locks of the timeline, or close it if it is open."""
        document, sequence = self.document, self.document.sequence
        if self.board is not None and self.board.isVisible():
            self.board.leave()
            return
        if sequence is None or len(sequence.keys) < 2:
            document.say("info", "There is no motion to clean up")
            return
        if sequence.keys[-1].frame - sequence.keys[0].frame + 1 < FEWEST:
            document.say("info", f"The motion is too short to clean up; it needs {FEWEST} frames")
            return
        if self.board is None:
            self.board = CleanUpBoard(document, self._window.area, self._window.central)
        self._window.timeline.show_tab("locks")  # there stances are accepted, changed or refused
        self.board.open()

    def stop(self) -> None:
        """End what goes on in the background."""
        if self.board is not None:
            self.board.stop()
