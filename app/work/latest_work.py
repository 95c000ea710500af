"""Work beside the window for what is asked for last: begun once that has stayed the same for a moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.process.log import logger
from app.work.background import Background, Progress
from core.errors import CoreError

Found = TypeVar("Found")
"""What is worked out."""


class LatestWork(QObject, Generic[Found]):
    """Works out what is asked for; what is asked for anew takes its place.

    There is never more than one thread: work that was cancelled may need a while to notice, and is waited for.

    Args:
        text: What is done, for a person.
        pause: For how long nothing may be asked for before work begins, [ms].
        make: Returns what is to be done in a thread, of data of its own; None if there is nothing to do.
        done: Called with what was worked out.
        failed: Called with why it could not be, in one line.
        ready: Whether it can begin now; else it is asked again after the pause.
        parent: Qt parent.

    Signals:
        progressed(float): How much is done, 0 to 1.
    """

    progressed = Signal(float)

    def __init__(
        self,
        text: str,
        pause: int,
        make: Callable[[], Callable[[Progress], Found] | None],
        done: Callable[[Found], None],
        failed: Callable[[str], None],
        ready: Callable[[], bool] = lambda: True,
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._text, self._make, self._done, self._failed, self._ready = text, make, done, failed, ready
        self._usual = pause
        self._background = Background(self)
        self._background.progressed.connect(self.progressed)
        self._at_work = threading.Event()
        self._pause = QTimer(self, singleShot=True, interval=pause)
        self._pause.timeout.connect(self._begin)

    @property
    def busy(self) -> bool:
        """Whether work is under way or about to be."""
        return self._pause.isActive() or self._background.busy

    def ask(self, at_once: bool = False) -> None:
        """Ask for it after the pause, or as soon as can be; what is under way is of no use any more."""
        self._background.cancel()
        self._pause.start(0 if at_once else self._usual)

    def cancel(self) -> None:
        """Drop what is under way or about to be."""
        self._pause.stop()
        self._background.cancel()

    def stop(self) -> None:
        """End; call before the window closes."""
        self._pause.stop()
        self._background.stop()

    def _begin(self) -> None:
        if self._at_work.is_set() or not self._ready():
            self._pause.start(self._usual)
            return
        do = self._make()
        if do is None:
            return
        at_work = self._at_work

        def work(progress: Progress) -> Found:
            try:
                return do(progress)
            finally:
                at_work.clear()

        at_work.set()
        self._background.run(self._text, work, self._done, self._refuse)

    def _refuse(self, error: Exception) -> None:
        if isinstance(error, CoreError):
            self._failed(str(error).partition("\n")[0])
            return
        logger.error("%s", self._text, exc_info=error)
        self._failed("This could not be worked out")
