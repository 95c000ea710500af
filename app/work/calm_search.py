"""Work on the open document that is done beside the window whenever nothing has changed for a moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer

from app.document.content.records import sequence_for
from app.process.log import logger
from app.work.background import Background, Progress
from core import kernels
from core.constraints.hold import solver_kernel
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence

Found = TypeVar("Found")
"""What is worked out."""

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
        self._text = text
        self._calm_time = calm
        self._background = Background(self)
        self._working = threading.Event()  # work that was cancelled may need a while to notice
        self._calm = QTimer(self, singleShot=True, interval=calm)
        self._calm.timeout.connect(self._begin)

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
        return self._calm.isActive() or self._background.busy

    @property
    def waits(self) -> bool:
        """Whether it waits for compiled locks: with others it would take minutes, and the window's time."""
        return not kernels.is_ready(solver_kernel)

    def wish(self, live: bool = False, at_once: bool = False) -> None:
        """Ask for it once nothing moves any more; what is under way is of no use any more."""
        self._background.cancel()
        sequence = self.document.sequence
        if sequence is None or not self.wanted(sequence):
            self._calm.stop()
            self.show(None)
            return
        self._calm.start(0 if at_once else self._calm_time)

    def _begin(self) -> None:
        if (
            self.waits
            or self.document.gesture is not None
            or self.document.session.playback.playing
            or self._working.is_set()
        ):
            self._calm.start(self._calm_time)
            return
        sequence = self.document.sequence
        if sequence is None or not self.wanted(sequence):
            self.show(None)
            return
        own = sequence_for(sequence, sequence.skeleton)  # what the window does meanwhile must not reach it
        own.companions = {name: sequence_for(each, each.skeleton) for name, each in sequence.companions.items()}
        do = self.work(own)

        def work(progress: Progress) -> Found:
            try:
                return do(progress)
            finally:
                self._working.clear()

        self._working.set()
        self._background.run(self._text, work, self._done, self._failed)

    def _done(self, found: Found) -> None:
        self.problem = ""
        self.show(found)

    def _failed(self, error: Exception) -> None:
        self.problem = str(error).partition("\n")[0] if isinstance(error, CoreError) else "This could not be worked out"
        if not isinstance(error, CoreError):
            logger.error("%s", self._text, exc_info=error)
        self.show(None)

    def cancel(self) -> None:
        """Drop what is under way or about to be; nothing is shown for it."""
        self._calm.stop()
        self._background.cancel()

    def stop(self) -> None:
        """End; call before the window closes."""
        self._calm.stop()
        self._background.stop()
