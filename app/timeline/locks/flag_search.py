"""Looks for what locks make of the motion, and where they fail, beside the window, when keys or locks have changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.words.lock_summary_words import sunk_text
from app.work.background import Progress
from app.work.calm_search import CALM_MS, CalmSearch
from core.animation.locks.spans import LockSpan, lock_spans
from core.animation.locks.summary import LockSummary, lock_summary

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence

__all__ = ["CALM_MS", "FlagSearch"]


class FlagSearch(CalmSearch):
    """Searches the active sequence.

    Args:
        document: The open document.
        parent: Qt parent.

    Attributes:
        flags: What was found last: spans, by their first frame.

    Signals:
        changed(): Something else was found.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent, "Looking for locks that cannot be held")
        self.flags: tuple[LockSpan, ...] = ()
        self._reported_for: str | None = None
        self._said = False

    def wanted(self, sequence: Sequence) -> bool:
        return bool(sequence.locks.in_effect)

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[tuple[LockSpan, ...], LockSummary | None]]:
        def look(progress: Progress) -> tuple[tuple[LockSpan, ...], LockSummary | None]:
            def stop() -> bool:
                progress(0.0)  # raises if it is to stop
                return False

            return lock_spans(sequence, progress=progress), lock_summary(sequence, stop)

        return look

    def show(self, found: tuple[tuple[LockSpan, ...], LockSummary | None] | None) -> None:
        flags, summary = found or ((), None)
        self._notify(summary)
        self.document.session.locks.summary = summary
        if flags != self.flags:
            self.flags = flags
            self.changed.emit()

    def _notify(self, summary: LockSummary | None) -> None:
        """Say what an edit has made sink into the floor; what a file brings along is in the panel."""
        document, before = self.document, self.document.session.locks.summary
        name = document.sequence.name if document.sequence is not None else None
        if summary is not None and before is not None and self._reported_for == name:
            text = sunk_text(summary, document.skeleton, before)
            if text:
                document.say("warning", text)
                self._said = True
        elif self._said and self._reported_for != name:
            document.say("info", "")  # it was of another motion
            self._said = False
        self._reported_for = name
