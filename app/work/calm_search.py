"""Work on the open document that is done beside the window whenever nothing has changed for a moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic

from PySide6.QtCore import QObject

from app.document.content.records import own_copy
from app.work.background import Progress
from app.work.latest_work import Found, LatestWork
from core import kernels
from core.constraints.hold import solver_kernel

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence

CALM_MS = 400
"""For so long nothing may change before work begins."""


class CalmSearch(QObject, Generic[Found]):
    """Works something out of the active sequence; subclasses say what.

    Args:
        document: The open document.
        parent: Qt parent.
        text: What is done, for a person.
        calm: For how long nothing may change before, [ms].

    Attributes:
        problem: Why it could not be worked out last, in one line; "" if it could.
    """

    def __init__(self, document: Document, parent: QObject | None, text: str, calm: int = CALM_MS):
        super().__init__(parent)
        self.document = document
        self.problem = ""
        self._latest = LatestWork(text, calm, self._make, self._done, self._failed, self._is_calm, self)

    def wanted(self, sequence: Sequence) -> bool:
        """Return whether there is anything to work out."""
        return True

    def work(self, sequence: Sequence) -> Callable[[Progress], Found]:
        """Return what is to be done in a thread with a sequence that is its own."""
        raise NotImplementedError

    def show(self, found: Found | None) -> None:
        """Take what was worked out; None if there is nothing, or if that was not possible."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """Whether work is under way or about to be."""
        return self._latest.busy

    @property
    def waits(self) -> bool:
        """Whether it waits for compiled locks: with others it would take minutes, and the window's time."""
        return not kernels.is_ready(solver_kernel)

    def wish(self, live: bool = False, at_once: bool = False) -> None:
        """Ask for it once nothing moves any more; what is under way is of no use any more."""
        sequence = self.document.sequence
        if sequence is None or not self.wanted(sequence):
            self._latest.cancel()
            self.show(None)
            return
        self._latest.ask(at_once)

    def _is_calm(self) -> bool:
        document = self.document
        return not self.waits and document.gesture is None and not document.session.playback.playing

    def _make(self) -> Callable[[Progress], Found] | None:
        sequence = self.document.sequence
        if sequence is None or not self.wanted(sequence):
            self.show(None)
            return None
        return self.work(own_copy(sequence))

    def _done(self, found: Found) -> None:
        self.problem = ""
        self.show(found)

    def _failed(self, problem: str) -> None:
        self.problem = problem
        self.show(None)

    def cancel(self) -> None:
        """Drop what is under way or about to be; nothing is shown for it."""
        self._latest.cancel()

    def stop(self) -> None:
        """End; call before the window closes."""
        self._latest.stop()
