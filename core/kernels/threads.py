"""Rows of work shared among threads, for kernels that release the interpreter's lock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise

from core.system_calls import call_after_fork, processors

_PARTS = 4
"""Parts for each thread: one that is held up, by other programs too, leaves its later parts to the others."""

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None


def share_rows(work: Callable[[int, int], None], count: int, least: int = 1) -> None:
    """Call ``work(first, end)`` for consecutive parts of ``count`` rows, on all processors at once.

    Returns when all rows are done. The calling thread takes part, and does everything itself where rows are few.

    Args:
        work: Does the rows from ``first`` to before ``end``; must be safe on several threads at once.
        count: How many rows there are.
        least: Fewer rows than this are not worth another thread.

    Raises:
        Exception: The first that ``work`` raised, once no thread is at work any more.
    """
    threads = min(processors(), count // max(least, 1))
    if threads <= 1:
        work(0, count)
        return
    number = min(_PARTS * threads, count)
    edges = [count * k // number for k in range(number + 1)]
    ahead = deque(pairwise(edges))

    def run() -> None:
        while True:
            try:
                first, end = ahead.popleft()  # safe between threads
            except IndexError:
                return
            work(first, end)

    others: list[Future[None]] = [_threads().submit(run) for _ in range(threads - 1)]
    try:
        run()
    finally:
        ahead.clear()
        # One that never began, as its thread was busy for somebody else, has nothing left to do.
        begun = [other for other in others if not other.cancel()]
        for other in begun:
            other.exception()
    for other in begun:
        other.result()


def _threads() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(processors() - 1, 1), thread_name_prefix="rows")
        return _pool


def _forget() -> None:
    """Leave threads and lock to the parent process: a forked child has neither."""
    global _pool, _lock
    _pool, _lock = None, threading.Lock()


call_after_fork(_forget)
