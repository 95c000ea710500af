"""Something that is done when it is asked for, but only so often while it is asked for many times in a row."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Throttle(QObject):
    """Calls a function at once, or as soon as the last call is long enough ago; the last wish is never forgotten.

    Args:
        act: What is called.
        interval: Least time between two calls that need not hurry, [ms].
        parent: Owner.
    """

    def __init__(self, act: Callable[[], object], interval: int, parent: QObject):
        super().__init__(parent)
        self._act = act
        self._interval = interval
        self._last = -1e9  # when it was called, by the monotonic clock, [ms]
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(self._call)

    def wish(self, hurry: bool = False) -> None:
        """Ask for a call: now if there is hurry or the last one is long ago, else a little later."""
        wait = 0.0 if hurry else self._interval - (1000.0 * time.monotonic() - self._last)
        if wait <= 0.0:
            self._call()
        elif not self._late.isActive():
            self._late.start(max(round(wait), 1))

    def _call(self) -> None:
        self._late.stop()
        self._last = 1000.0 * time.monotonic()
        self._act()
