"""Gets pyqtgraph ready beside the window: it takes a third of a second, which no start and no click should wait for."""

from __future__ import annotations

import threading
from importlib import import_module
from types import ModuleType

_CANVAS = "app.widgets.plots.canvas"
_thread: list[threading.Thread] = []
_loaded: list[ModuleType] = []


def begin() -> None:
    """Begin to load it, unless that is under way or done."""
    if not _thread:
        _thread.append(threading.Thread(target=_load, name="Loading pyqtgraph", daemon=True))
        _thread[0].start()


def _load() -> None:
    _loaded.append(import_module(_CANVAS))


def ready() -> bool:
    """Return whether it has been loaded."""
    return bool(_loaded)


def canvas() -> ModuleType:
    """Return the module that draws; waits for it if it must."""
    begin()
    _thread[0].join()
    return _loaded[0] if _loaded else import_module(_CANVAS)  # if the thread could not, this says why
