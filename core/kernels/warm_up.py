"""Fills the cache: compiles kernels in several processes at once, callees before callers.

numba compiles under the interpreter's lock, so that threads do not help. Workers are fresh interpreters, not forks,
which would inherit a window's threads. A domain is given out only when all that it imports is in the cache: no two
processes compile, or write, the same function.
"""

from __future__ import annotations

import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

from core.errors import KernelError
from core.kernels import cache
from core.kernels.domains import callees_of, names
from core.system_calls import give_way, processors

MOST_WORKERS = 4
"""More would wait for the longest domain, and take some 200 MB of memory each."""
_ROOT = Path(__file__).absolute().parent.parent.parent
COMMAND = (
    sys.executable, "-c",
    "import sys; sys.path[0] = sys.argv[1]; from core.kernels import load, warm_up; warm_up.serve(load)",
    str(_ROOT),
)  # fmt: skip
"""Starts a worker."""
_NICE = 10
"""By how much a worker gives way to others: a person may be dragging a hand meanwhile."""
_DONE, _FAILED = "done", "failed"
_BREAK = "\x1e"
"""Between the lines of a message on its way from a worker, whose answers are one line each."""
_LAST_LINES = 14  # so many of the last lines of a compiler's message hold its cause and where in the source that is
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

Progress = Callable[[int, int, str], None]


class _Worker:
    """A child process that compiles one domain at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace",
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
            )  # fmt: skip
        except OSError as error:
            raise KernelError(f"the kernel compiler did not start: {error}") from error

    def compile(self, domain: str) -> None:
        """Compile a domain; raise ``KernelError`` if that fails."""
        assert self._process.stdin is not None and self._process.stdout is not None
        answer = ""
        with suppress(OSError):
            self._process.stdin.write(domain + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().rstrip("\n")
        word, _, why = answer.partition(" ")
        if word == _DONE:
            return
        if word != _FAILED:
            why = f"the compiler ended with code {self._process.wait()}"
        raise KernelError(f"compiling the kernels of {domain} failed: {why.replace(_BREAK, chr(10))}")

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


def warm(progress: Progress = lambda done, total, name: None) -> None:
    """Compile every kernel into the cache, then remove what was not used for long.

    Args:
        progress: Called after each domain, in order of completion, with (how many are done, of how many, its name).

    Raises:
        KernelError: If a domain does not compile.
    """
    compile_all(names(), progress)
    cache.remove_stale(set(names()))


def compile_all(domains: Sequence[str], progress: Progress, command: Sequence[str] = COMMAND) -> None:
    """Compile domains into the cache in as many processes as there are processors, at most four.

    Args:
        domains: What to compile, callees before callers; what is to be ready first stands in front.
        progress: Called after each domain, in order of completion, with (how many are done, of how many, its name).
        command: What starts a worker.

    Raises:
        KernelError: If a domain does not compile; the others are stopped.
    """
    before = {domain: callees_of(domain, tuple(domains)) for domain in domains}
    waiting = list(domains)
    number = min(processors(), MOST_WORKERS, len(domains))
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    workers: list[_Worker] = []

    def compile_one(domain: str) -> None:
        worker = idle.get()
        try:
            worker.compile(domain)
        finally:
            idle.put(worker)

    done: set[str] = set()
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(number, thread_name_prefix="kernels") as pool:
        try:
            for _ in range(number):
                workers.append(_Worker(command))
                idle.put(workers[-1])
            while len(done) < len(domains):
                for domain in [domain for domain in waiting if before[domain] <= done]:
                    if len(running) < number:
                        waiting.remove(domain)
                        running[pool.submit(compile_one, domain)] = domain
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    domain = running.pop(future)
                    future.result()
                    done.add(domain)
                    progress(len(done), len(domains), domain)
        finally:
            # Before the pool waits for its threads, which wait for the workers.
            for worker in workers:
                worker.end()


def _report(error: Exception) -> str:
    """Return an error's kind, the first line of its message and, where there are more, the last ones: the cause."""
    lines = [line.rstrip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    rest = lines[1:]
    if len(rest) > _LAST_LINES:
        rest = ["...", *rest[-_LAST_LINES:]]
    return _BREAK.join([f"{type(error).__name__}: {lines[0].strip() if lines else 'no message'}", *rest])


def serve(load: Callable[[str], object]) -> None:
    """Be a worker: compile the domains named on standard input, answer ``done`` or ``failed`` to each.

    Ends at the end of its input, even in the middle of a domain: whoever wanted it is gone.

    Args:
        load: Compiles a domain.
    """
    wanted: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            wanted.put(line.strip())
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    give_way(_NICE)
    try:
        while True:
            domain = wanted.get()
            try:
                load(domain)
                print(_DONE, flush=True)
            except Exception as error:  # whatever the compiler's libraries raise
                print(_FAILED, _report(error), flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)
