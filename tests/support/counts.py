"""How many examples tests of properties take: fewer in the quick run than with full counts."""

from __future__ import annotations

from hypothesis import settings

QUICK = 15
"""Examples of the profile of the quick run."""


def examples(full: int) -> int:
    """Return how many examples a test takes that takes so many with full counts."""
    return full if settings.default.max_examples > QUICK else max(8, 2 * full // 5)
