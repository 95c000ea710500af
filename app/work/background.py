"""Long work beside the window: one piece at a time in a thread, with its progress, and it can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.process.log import logger
from core.errors import Cancelled

T = TypeVar("T")
BUSY = "Another job is still running; wait until it is done, or cancel it"
"""What is said where work cannot begin because other work is under way."""
Progress = Callable[[float], None]


class _Job:
    """One piece of work; its thread talks to the window by signals only."""

    def __init__(
        self,
        work: Callable[[Progress], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        given_up: Callable[[], None] | None,
    ):
        self.work, self.done, self.failed, self.given_up = work, done, failed, given_up
        self.cancelled = threading.Event()
        self.reported = -1.0
        self.thread: threading.Thread | None = None


class Background(QObject):
    """Runs long work.

    Signals:
        started(str): Work has begun; what it is, for a person.
        progressed(float): How much is done, 0 to 1.
        told(str): What there is so far, for a person.
        ended(): Nothing is under way any more.
    """

    started = Signal(str)
    progressed = Signal(float)
    told = Signal(str)
    ended = Signal()
    _reported = Signal(object, float)
    _told = Signal(object, str)
    _finished = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._job: _Job | None = None
        # Queued: the thread that emits is never the window's.
        self._reported.connect(self._take_progress, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._take_words, Qt.ConnectionType.QueuedConnection)
        self._finished.connect(self._take_end, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._job is not None

    def run(
        self,
        text: str,
        work: Callable[[Progress], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        given_up: Callable[[], None] | None = None,
    ) -> bool:
        """Begin a piece of work; what is cancelled calls neither ``done`` nor ``failed``.

        Args:
            text: What it is, for a person: "Reading walk.bvh".
            work: Runs in a thread and must not touch widgets or the document. It is given a function that takes how
                much is done, 0 to 1, and raises ``Cancelled`` once the person wants it to stop.
            done: Called in the window's thread with the result.
            failed: Called in the window's thread with the exception.
            given_up: Called in the window's thread when the person cancels it, as :meth:`give_up` does.

        Returns:
            False if other work is under way; nothing was begun then.
        """
        if self._job is not None:
            return False
        job = self._job = _Job(work, done, failed, given_up)
        self.started.emit(text)
        job.thread = threading.Thread(target=self._work, args=(job,), name=text, daemon=True)
        job.thread.start()
        return True

    def tell(self, text: str) -> None:
        """Say what there is so far; call from the work."""
        job = self._job
        if job is not None and job.thread is threading.current_thread():
            self._told.emit(job, text)

    def give_up(self) -> None:
        """Cancel because the person wants that."""
        job = self._job
        self.cancel()
        if job is not None and job.given_up is not None:
            job.given_up()

    def cancel(self) -> None:
        """Let the work stop at its next report of progress, and forget about it now."""
        job = self._job
        if job is not None:
            job.cancelled.set()
            self._job = None
            self.ended.emit()

    def stop(self, longest: float = 5.0) -> None:
        """Cancel and wait for the thread; call before the application ends."""
        job = self._job
        self.cancel()
        if job is not None and job.thread is not None:
            job.thread.join(longest)

    def _work(self, job: _Job) -> None:
        result: Any = None
        error: Exception | None = None

        def progress(part: float) -> None:
            if job.cancelled.is_set():
                raise Cancelled
            if part - job.reported >= 0.01 or part >= 1.0:
                job.reported = part
                self._reported.emit(job, part)

        try:
            result = job.work(progress)
        except Cancelled:
            return
        except Exception as caught:
            error = caught
        try:
            self._finished.emit(job, result, error)
        except RuntimeError:
            pass  # the window closed meanwhile

    def _take_progress(self, job: _Job, part: float) -> None:
        if job is self._job:
            self.progressed.emit(part)

    def _take_words(self, job: _Job, text: str) -> None:
        if job is self._job:
            self.told.emit(text)

    def _take_end(self, job: _Job, result: object, error: Exception | None) -> None:
        if job is not self._job:
            return
        self._job = None
        self.ended.emit()
        if error is None:
            job.done(result)
        else:
            logger.info("%s failed", job.thread.name if job.thread else "work", exc_info=error)
            job.failed(error)
