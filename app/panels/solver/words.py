"""A solve in words: steps and time, and how close it came, or why no closer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.document.session.drag_account import DragSolve
from app.widgets.fields.setting_quantities import Rounded
from app.words.dof_names import full_label
from app.words.hindrance import distance_text

if TYPE_CHECKING:
    from app.document.edits.lock_states import LockState
    from core.skeleton import Skeleton

LEAST = 1e-6  # [m]
_DIGITS = Rounded()


def small_length(metres: float) -> str:
    """Return a length as a drag shows it, below a millimetre with two digits that count: ``0.03 mm``, ``4.2 cm``.

    A micrometre is the least: what is nearer is within it.
    """
    return distance_text(metres) if metres >= 9.95e-4 else f"{_DIGITS.number(max(metres, LEAST) * 1000.0)} mm"


def duration(seconds: float) -> str:
    """Return how long a solve took: ``0.6 ms``, ``12 ms``, ``1.2 s``."""
    if seconds >= 1.0:
        return f"{seconds:.1f} s"
    milliseconds = seconds * 1000.0
    return f"{milliseconds:.0f} ms" if milliseconds >= 9.95 else f"{max(milliseconds, 0.1):.1f} ms"


def title_of(solved: DragSolve) -> str:
    """Return steps and time: ``7 steps · 0.6 ms``."""
    steps = solved.iterations
    return f"{steps} {'step' if steps == 1 else 'steps'} · {duration(solved.seconds)}"


def detail_of(solved: DragSolve, skeleton: Skeleton | None) -> tuple[str, bool]:
    """Return how near a solve came, or why not nearer, and whether the goal was met.

    Args:
        solved: As ``session.drag.solve`` has it.
        skeleton: The figure, for the names of what stops it.
    """
    reason, error, blocked = solved.reason, solved.error, solved.blocked
    if reason == "reached":
        return f"within {small_length(error)}", True
    if reason == "out_of_reach":
        return f"out of reach by {small_length(solved.short)}", False
    if reason == "limits" and blocked and skeleton is not None and max(blocked) < len(skeleton.dof_labels):
        others = f" and {len(blocked) - 1} more" if len(blocked) > 1 else ""
        return f"stopped by {full_label(skeleton, blocked[0])}{others}", False
    if reason == "straight":
        return "straight: pull it sideways", False
    if reason == "iterations":
        return f"{small_length(error)} left: too few steps", False
    return f"no nearer than {small_length(error)}", False


def locks_detail(states: Iterable[LockState]) -> tuple[str, bool] | None:
    """Return how well locks were held meanwhile, and whether all that should were; None if none should.

    Args:
        states: How each lock stands.
    """
    hard = [state for state in states if state.word in ("holds", "conflict") and state.lock.hard]
    torn = sum(state.word == "conflict" for state in hard)
    if torn:
        return ("1 lock does not hold" if torn == 1 else f"{torn} locks do not hold"), False
    places = [state.position_residual for state in hard if math.isfinite(state.position_residual)]
    if not hard:
        return None
    return (f"locks within {small_length(max(places))}" if places else "locks hold"), True
