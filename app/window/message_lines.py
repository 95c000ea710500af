"""Where messages, questions and work under way are shown: the status line, and lines below the timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QWidget

from app.look import style
from app.widgets.frames.busy_line import BusyLine
from app.widgets.frames.error_line import Choice, ErrorLine
from app.widgets.frames.status_line import DONE

if TYPE_CHECKING:
    from app.timeline.panel import TimelinePanel
    from app.widgets.frames.status_line import StatusLine


class WindowLines(QObject):
    """Lines that come and go, in room that the timeline makes at its foot: they cover nothing, and nothing else moves.

    Args:
        parent: Holds the lines and the timeline.
        timeline: Makes room.
        status: Shows what passes.

    Attributes:
        errors: Warnings, errors and questions, until they are read.
        busy: What goes on in the background.
    """

    def __init__(self, parent: QWidget, timeline: TimelinePanel, status: StatusLine):
        super().__init__(parent)
        self._parent, self._timeline, self._status = parent, timeline, status
        self.errors, self.busy = ErrorLine(parent), BusyLine(parent)
        self.errors.closed.connect(self.place_soon)
        self.errors.shown.connect(self.place)
        for change in (self.busy.shown, self.busy.hidden):
            change.connect(self.place_soon)

    def show_message(self, level: str, text: str, details: str = "") -> None:
        """Show a message: ``"info"`` and ``"done"`` for a while in the status line, others in a line until read."""
        if level in ("info", DONE):
            self._status.show_message(level, text) if text else self._status.drop_message()
        else:
            self.errors.show_message(level, text, details)

    def ask(self, text: str, choices: Sequence[Choice], level: str = "warning") -> None:
        """Ask a question; see ``ErrorLine.ask``."""
        self.errors.ask(text, choices, level)

    def place_soon(self) -> None:
        """Put the lines in place once the layout has settled."""
        QTimer.singleShot(0, self, self.place)

    def place(self) -> None:
        """Let the timeline make room for the lines that are shown, and put them there."""
        inset = style.GAP
        shown = [line for line in (self.errors, self.busy) if not line.isHidden()]
        self._timeline.set_footing(sum(line.sizeHint().height() + inset for line in shown) + inset * bool(shown))
        corner = self._timeline.mapTo(self._parent, QPoint(0, self._timeline.height()))
        width, bottom = self._timeline.width() - 2 * inset, corner.y() - inset
        for line in shown:
            height = line.sizeHint().height()
            line.setGeometry(corner.x() + inset, bottom - height, width, height)
            line.raise_()
            bottom -= height + inset
