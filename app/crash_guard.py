"""The one place where an unexpected exception ends: logged, told in one line, and the document stays open."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from app.log import log_path, logger
from core.errors import CoreError

Tell = Callable[[str, str, str], None]


def describe(error: BaseException) -> tuple[str, str]:
    """Return one line and the details for an exception that nobody expected.

    An error the toolkit raised on purpose explains itself; anything else is our fault and says where the log is.
    """
    if isinstance(error, CoreError):
        lines = str(error).splitlines() or [type(error).__name__]
        return lines[0], "\n".join(lines)
    line = "Something went wrong inside the editor; your document is unharmed"
    return line, f"{type(error).__name__}: {error}\nThe full report is in the log: {log_path()}"


def install(tell: Tell) -> Callable[[], None]:
    """Send exceptions from slots and event handlers to ``tell(level, line, details)``.

    Returns:
        A function that puts the previous hook back.
    """
    previous = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            previous(kind, error, trace)
            return
        logger.error("unexpected\n%s", "".join(traceback.format_exception(kind, error, trace)))
        line, details = describe(error)
        tell("error", line, details)

    sys.excepthook = hook

    def restore() -> None:
        sys.excepthook = previous

    return restore
