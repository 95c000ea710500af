"""What only some systems can be asked for, and what is done where they cannot: the one place for such calls."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable

_most: int | None = None


def processors() -> int:
    """Return how many processors this process may use; where a system does not say, how many there are."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return there if _most is None else min(there, _most)


def use_processors(most: int) -> None:
    """Let this process use no more processors than this from now on: others do its siblings' work."""
    global _most
    _most = most


def memory_in_use() -> int | None:
    """Return how many bytes of memory this process holds now; None where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def give_way(niceness: int) -> None:
    """Let other programs go first from now on; where that is said when a process begins (Windows), nothing is done.

    Args:
        niceness: By how much, from 1 to 19.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)


def call_after_fork(forget: Callable[[], None]) -> None:
    """Let something be called in each child that is forked from now on; where nothing forks, nothing is done."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


def end(child: subprocess.Popen[str], patience: float) -> None:
    """End a child process: politely where it can be asked to, so that it removes what it began; else by force.

    Args:
        child: The process; one that has ended already is left alone.
        patience: Seconds that it has for cleaning up.
    """
    if child.poll() is None and os.name == "posix":
        child.send_signal(signal.SIGINT)
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            pass
    if child.poll() is None:
        child.kill()
        child.wait()
