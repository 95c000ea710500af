"""Python's collector of cycles, paused while large graphs are built.

An expression never refers to itself, so that its nodes go as soon as nobody holds them; but the collector walks all
that are alive again and again while more are made, which takes as long as the building itself.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0
_was_enabled = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector until the last thread has left; it stays off if it was off before."""
    global _inside, _was_enabled
    with _lock:
        if not _inside:
            _was_enabled = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside and _was_enabled:
                gc.enable()
