"""Memory that was freed goes back to the system.

The C library of Linux keeps what lies between blocks that are still in use: after an hour of opening files and editing,
a hundred megabytes that nobody has any use for.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, QTimer

EVERY = 30_000  # [ms]


@cache
def _library() -> Any:
    """Return the library of C, if it is one that keeps what was freed and can be asked for it; else None."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None


def give_back() -> None:
    """Give back to the system what was freed; takes some milliseconds, and others who want memory wait for a part."""
    library = _library()
    if library is not None:
        library.malloc_trim(ctypes.c_size_t(0))


class FreedMemory(QObject):
    """Gives back what was freed, now and then, on a thread of its own, as long as things change.

    Args:
        parent: Whose life it shares.
    """

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._changed = False
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def note(self, _change: object = None) -> None:
        """Note that something has changed since."""
        self._changed = True

    def _tick(self) -> None:
        if self._changed and _library() is not None:
            self._changed = False
            threading.Thread(target=give_back, name="giving memory back").start()
