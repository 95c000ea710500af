"""How long the solver of locks may try for one pose."""

from __future__ import annotations

import threading

from core import compiled

MOST_STEPS = 24
"""Most steps for a pose, and once more past straight: what can be held takes about four, hard cases ten or so."""

HURRIED = 8
"""The same in a hurry, shared by the locks."""

_in_a_hurry: set[int] = set()


def hurry(wanted: bool) -> None:
    """Tell whether this thread would rather have a pose soon than one that holds all locks.

    Counts only while plain kernels serve, which need a hundred times as long: what is shown for the first seconds,
    and worked out anew when the compiled ones are there. Other threads, exports for one, go on waiting.
    """
    (_in_a_hurry.add if wanted else _in_a_hurry.discard)(threading.get_ident())


def most_steps(locks: int) -> int:
    """Return how many steps the solver may take for a pose under so many locks."""
    if compiled.mode() == compiled.PLAIN and threading.get_ident() in _in_a_hurry:
        return max(1, HURRIED // locks)
    return MOST_STEPS
