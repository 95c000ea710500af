"""Looks for frames at which locks cannot be held or jump, beside the window, whenever keys or locks have changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.background import Progress
from app.calm_search import CALM_MS, CalmSearch
from core.animation.locks.spans import LockSpan

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

    def wanted(self, sequence: Sequence) -> bool:
        return bool(sequence.held)

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[LockSpan, ...]]:
        return lambda progress: sequence.lock_spans(progress=progress)

    def show(self, found: tuple[LockSpan, ...] | None) -> None:
        flags = found or ()
        if flags != self.flags:
            self.flags = flags
            self.changed.emit()
