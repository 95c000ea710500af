"""How many examples tests of properties take: fewer in the quick run than with full counts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import prod
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


def covering(cases: Sequence[Sequence[Hashable]]) -> list[int]:
    """Return which combinations of arguments to take, if not all: every value comes, and with others each time.

    With three arguments or more, every two values of different arguments come together at least once. With two, that
    would be all combinations: there every value comes at least once.

    Args:
        cases: The values of all arguments of every case.

    Returns:
        Their numbers, rising; all of them unless the cases are all combinations of what two arguments or more can be.
    """
    choices = [list(dict.fromkeys(values)) for values in zip(*cases, strict=True)]
    several = [column for column, values in enumerate(choices) if len(values) > 1]
    if len(several) < 2 or not len(set(map(tuple, cases))) == len(cases) == prod(map(len, choices)):
        return list(range(len(cases)))
    if len(several) == 2:
        one, other = (choices[column] for column in several)
        met = {(one[k % len(one)], other[k % len(other)]) for k in range(max(len(one), len(other)))}
        return [k for k, case in enumerate(cases) if tuple(case[column] for column in several) in met]
    pairs = [{(a, case[a], b, case[b]) for a, b in combinations(several, 2)} for case in cases]
    left, taken = set().union(*pairs), []
    while left:
        taken.append(max(range(len(cases)), key=lambda k: len(pairs[k] & left)))  # the first of the best
        left -= pairs[taken[-1]]
    return sorted(taken)


def is_quick() -> bool:
    """Return whether this is the quick run, not the one with full counts."""
    return settings.default.max_examples <= QUICK


def few_of(cases: Sequence[Case], count: int = 5) -> Sequence[Case]:
    """Return the cases that a test goes through: all with full counts, else so many."""
    return spread(cases, count) if is_quick() else cases


def examples(full: int) -> int:
    """Return how many examples a test takes that takes so many with full counts."""
    return max(8, 2 * full // 5) if is_quick() else full
