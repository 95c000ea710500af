"""The one place where an unexpected exception ends: logged, reported in one line, and the document stays open."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from app.process.log import log_path, logger
from core.errors import CoreError

Notify = Callable[[str, str, str], None]

AGAIN = 2.0
"""Seconds in which the same exception from the same place is not reported again: what cannot be painted fails often."""


def describe(error: BaseException) -> tuple[str, str]:
    """Return one line and the details for an exception that nobody expected.

    An error the toolkit raised on purpose explains itself; anything else is our fault and says where the log is.
    """
    if isinstance(error, CoreError):
        lines = str(error).splitlines() or [type(error).__name__]
        return lines[0], "\n".join(lines)
    line = "Something went wrong inside the editor; your document is unharmed"
    return line, f"{type(error).__name__}: {error}\nThe full report is in the log: {log_path()}"


class _Reporter(QObject):
    """Logs exceptions and reports them in the thread of the window, whichever thread they come from."""

    _elsewhere = Signal(str, str, str)

    def __init__(self, notify: Notify):
        super().__init__()
        self._notify = notify
        self._thread = threading.get_ident()
        self._last: tuple[object, ...] = ()
        self._until = 0.0
        self._elsewhere.connect(self._here)

    def take(self, error: BaseException) -> None:
        """Log an exception and report it; the same one from the same place once in :data:`AGAIN` seconds."""
        place = traceback.extract_tb(error.__traceback__)[-1:]
        what = (type(error), *((frame.filename, frame.lineno) for frame in place))
        now = time.monotonic()
        if what == self._last and now < self._until:
            return
        self._last, self._until = what, now + AGAIN
        logger.error("unexpected\n%s", "".join(traceback.format_exception(error)))
        line, details = describe(error)
        if threading.get_ident() == self._thread:
            self._here("error", line, details)
        else:
            self._elsewhere.emit("error", line, details)

    def _here(self, level: str, line: str, details: str) -> None:
        try:
            self._notify(level, line, details)
        except Exception:  # what shows it is broken or gone
            logger.exception("could not be reported: %s", line)


def install(notify: Notify) -> Callable[[], None]:
    """Send exceptions from slots, event handlers and threads to ``notify(level, line, details)``.

    Call it in the thread of the window, where ``notify`` is then called.

    Returns:
        A function that puts the previous hooks back.
    """
    previous, previous_of_threads = sys.excepthook, threading.excepthook
    reporter = _Reporter(notify)

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            previous(kind, error, trace)
        else:
            reporter.take(error)

    def hook_of_threads(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None and not issubclass(ended.exc_type, SystemExit):
            reporter.take(ended.exc_value)
        if previous_of_threads is not threading.__excepthook__:
            previous_of_threads(ended)

    sys.excepthook, threading.excepthook = hook, hook_of_threads

    def restore() -> None:
        sys.excepthook, threading.excepthook = previous, previous_of_threads

    return restore
