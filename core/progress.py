"""How far long work has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Takes what is done, 0 to 1; may raise ``core.errors.Cancelled`` to stop."""


def report(progress: Progress | None, done: float) -> None:
    """Tell ``progress``, if there is one, that ``done`` (0 to 1) is behind us."""
    if progress is not None:
        progress(min(max(done, 0.0), 1.0))


def part(progress: Progress | None, start: float, end: float) -> Progress | None:
    """Return a callback whose 0 to 1 is ``start`` to ``end`` of ``progress``; None if there is none."""
    if progress is None:
        return None
    return lambda done: progress(start + (end - start) * min(max(done, 0.0), 1.0))


def forward(progress: Progress | None) -> Progress | None:
    """Return a callback that never tells less than it has told: for parts that begin anew; None if there is none."""
    if progress is None:
        return None
    most = 0.0

    def tell(done: float) -> None:
        nonlocal most
        most = max(most, done)
        progress(most)

    return tell
