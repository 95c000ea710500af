"""How many examples tests of properties take: fewer in the quick run than with full counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

QUICK = 15
"""Examples of the profile of the quick run."""


Case = TypeVar("Case")


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """Return so many of some cases, or all if there are fewer, spread evenly from the first to the last."""
    if count >= len(cases):
        return list(cases)
    return [cases[round(k * (len(cases) - 1) / max(count - 1, 1))] for k in range(count)]


def is_quick() -> bool:
    """Return whether this is the quick run, not the one with full counts."""
    return settings.default.max_examples <= QUICK


def few_of(cases: Sequence[Case], count: int = 5) -> Sequence[Case]:
    """Return the cases that a test goes through: all with full counts, else so many."""
    return spread(cases, count) if is_quick() else cases


def examples(full: int) -> int:
    """Return how many examples a test takes that takes so many with full counts."""
    return max(8, 2 * full // 5) if is_quick() else full
