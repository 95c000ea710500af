"""How things are timed here: candidates take turns in one process, so that a busy moment of the machine hits all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

ROUNDS = 7
LONG = 1e-3


def interleaved(candidates: Sequence[Callable[[], Any]], rounds: int = ROUNDS) -> list[float]:
    """Return the median time [s] of each candidate."""
    times: list[list[float]] = [[] for _ in candidates]
    for _ in range(rounds):
        for k, candidate in enumerate(candidates):
            start = time.perf_counter()
            candidate()
            times[k].append(time.perf_counter() - start)
    return [float(np.median(own)) for own in times]


def each(tasks: Sequence[Sequence[Callable[[], Any]]], rounds: int, most: float = 10.0) -> list[np.ndarray]:
    """Return the least time [s] of each task of each candidate: what it takes when nothing else is going on.

    Args:
        tasks: For each candidate its tasks.
        rounds: How often each is done.
        most: A candidate that has taken this long in all is not done again, [s].
    """
    best = [np.full(len(own), np.inf) for own in tasks]
    spent = np.zeros(len(tasks))
    for _ in range(rounds):
        for k, own in enumerate(tasks):
            if spent[k] > most:
                continue
            own[0]()  # the one before has filled the processor's caches with its own
            for i, task in enumerate(own):
                start, busy = time.perf_counter(), time.thread_time()
                task()
                taken, busy = time.perf_counter() - start, time.thread_time() - busy
                spent[k] += taken
                # Long ones are interrupted by other programs: what this thread worked is what counts.
                taken = min(taken, busy) if taken > LONG else taken
                if taken < best[k][i]:
                    best[k][i] = taken
    return best


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep everybody's linear algebra on one thread: matrices are small here, and threads wait for each other."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
