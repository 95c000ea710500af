"""Workers that are processes of this machine, each with one piece of work at a time.

A pool of ``concurrent.futures`` is broken as a whole when one of its processes is killed, and ends all that the others
are doing. So each worker here has a pipe of its own: its end is seen at once, costs the work that it had, and another
process takes its place.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from app.batch.environment import ONE_THREAD
from app.batch.workers import Outcome

TRIES = 2
"""How many processes a piece of work may end before it is given up: the first may have been killed by chance."""
_PATIENCE = 2.0  # [s] for a process that was told to end


@dataclass
class _Worker:
    """A process, our end of its pipe, and the number of what it is doing; None while it waits."""

    process: BaseProcess
    pipe: Connection
    doing: int | None = None


def _serve(pipe: Connection) -> None:
    """Do work until the other end is closed. Ctrl-C is for the process that gave it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            work, item = pipe.recv()
            pipe.send(work(item))
        except (EOFError, ConnectionError):  # who gave the work is gone
            return


class Processes:
    """Workers on this machine.

    Args:
        count: How many, at least 1.
    """

    def __init__(self, count: int):
        self.count = count

    def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Outcome, None, None]:
        """Call ``work(item)`` for every item; see :class:`app.batch.workers.Workers`."""
        ahead = deque(range(len(items)))
        tries = dict.fromkeys(ahead, 0)
        workers: list[_Worker] = []
        if os.name == "posix":
            resource_tracker.ensure_running()  # it is started beside the first process, and then unblocks Ctrl-C
        try:
            while ahead or any(worker.doing is not None for worker in workers):
                while len(workers) < min(self.count, len(ahead) + sum(each.doing is not None for each in workers)):
                    with _undisturbed():
                        workers.append(_started())
                for worker in workers:
                    if worker.doing is None and ahead:
                        worker.doing = ahead.popleft()
                        tries[worker.doing] += 1
                        with suppress(OSError):  # it has just ended, which is seen below
                            worker.pipe.send((work, items[worker.doing]))
                for worker in _ready(workers):
                    number, value, lost = worker.doing, None, ""
                    try:
                        value = worker.pipe.recv()
                        worker.doing = None
                    except (EOFError, OSError):
                        lost = _ended(worker)
                        workers.remove(worker)
                    if number is None:
                        continue
                    if lost and tries[number] < TRIES:
                        ahead.appendleft(number)
                    else:
                        yield Outcome(number, value, lost and f"{lost}, {TRIES} times")
        finally:
            with _undisturbed():
                _end(workers)


def _end(workers: Sequence[_Worker]) -> None:
    """End processes: those that are doing something at once."""
    for worker in workers:
        worker.pipe.close()
        if worker.doing is not None:
            worker.process.kill()
    for worker in workers:
        worker.process.join(_PATIENCE)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait for the end of a ``with`` block, so that no process is started, or left, halfway.

    Processes that are started inside never get it: what is blocked here is blocked there, until they ignore it.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main one is interrupted
        yield
        return
    pressed = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    # The handler alone would not do: a new process has none until its interpreter runs, and ends with a traceback.
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if masked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
    if pressed:
        signal.raise_signal(signal.SIGINT)


def _started() -> _Worker:
    """Return a new worker; its libraries read from its environment how many threads they may have."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), name="batch", daemon=True)
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        process.start()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    theirs.close()
    return _Worker(process, ours)


def _ready(workers: Sequence[_Worker]) -> list[_Worker]:
    """Wait until some worker has answered or ended; return these."""
    found = set(wait([worker.pipe for worker in workers]))
    return [worker for worker in workers if worker.pipe in found]


def _ended(worker: _Worker) -> str:
    """Return how a worker ended, in words."""
    worker.pipe.close()
    worker.process.join(_PATIENCE)
    code = worker.process.exitcode
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"the process that worked on it was ended by {signal.Signals(-code).name}"
    return f"the process that worked on it ended with code {code}"
