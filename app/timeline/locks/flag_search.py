"""Looks for frames at which locks cannot be held or jump, beside the window, whenever keys or locks have changed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.background import Background, Progress
from app.document.records import sequence_for
from core import compiled
from core.animation.locks.spans import LockSpan

if TYPE_CHECKING:
    from app.document.document import Document

CALM_MS = 400
"""For so long nothing may change before a search begins."""


class FlagSearch(QObject):
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
        super().__init__(parent)
        self.document = document
        self.flags: tuple[LockSpan, ...] = ()
        self._background = Background(self)
        self._working = threading.Event()  # a search that was cancelled may need a while to notice
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self._begin)

    @property
    def busy(self) -> bool:
        """Whether a search is under way or about to be."""
        return self._calm.isActive() or self._background.busy

    @property
    def waits(self) -> bool:
        """Whether it waits for the compiled kernels: with plain ones a search would take minutes."""
        return compiled.mode() == compiled.PLAIN

    def wish(self, live: bool = False) -> None:
        """Ask for a search once things are calm; one under way is of no use any more."""
        self._background.cancel()
        sequence = self.document.sequence
        if sequence is None or not sequence.held:
            self._calm.stop()
            self._show(())
            return
        self._calm.start()

    def _begin(self) -> None:
        if self.waits or self.document.gesture is not None or self.document.session.playing or self._working.is_set():
            self._calm.start()
            return
        sequence = self.document.sequence
        if sequence is None or not sequence.held:
            self._show(())
            return
        search = sequence_for(sequence, sequence.skeleton)  # what the window does meanwhile must not reach it
        search.companions = {name: sequence_for(each, each.skeleton) for name, each in sequence.companions.items()}

        def work(progress: Progress) -> tuple[LockSpan, ...]:
            try:
                return search.lock_spans(progress=progress)
            finally:
                self._working.clear()

        self._working.set()
        self._background.run("Looking for locks that cannot be held", work, self._show, lambda _error: self._show(()))

    def _show(self, flags: tuple[LockSpan, ...]) -> None:
        if flags != self.flags:
            self.flags = flags
            self.changed.emit()

    def stop(self) -> None:
        """End; call before the window closes."""
        self._calm.stop()
        self._background.stop()
