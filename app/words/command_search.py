"""Which of many commands somebody means by a few words, typed in part, in any order, with a slip here and there."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")
_LEAST_FOR_A_SLIP = 5
"""Letters of a typed word in which one may be wrong, missing or too many."""

WHOLE, BEGINNING, INSIDE, SLIP, INITIALS = 6.0, 5.0, 3.0, 2.0, 1.5
_ELSEWHERE = 0.4
"""What a word counts that is found beside the name: in the menu, the key, or what else the command is called."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without marks."""
    return _WORD.findall(text.casefold())


def score(typed: Sequence[str], name: str, beside: str = "") -> float:
    """Return how well a command fits what was typed; 0 where a word is found nowhere.

    Args:
        typed: Words as ``words_of`` gives them.
        name: What the command is called.
        beside: What else it may be found by.
    """
    names, others = words_of(name), words_of(beside)
    total = 0.0
    for word in typed:
        best = max((_fit(word, each) - 0.01 * place for place, each in enumerate(names)), default=0.0)
        best = max(best, _initials(word, names))
        if best <= 0.0:
            best = _ELSEWHERE * max((_fit(word, each) for each in others), default=0.0)
        if best <= 0.0:
            return 0.0
        total += best
    return total + 1.0 / (1.0 + len(names))  # of two that fit alike the shorter one


def _fit(typed: str, word: str) -> float:
    """Return how well one typed word fits one word of a command."""
    if word == typed:
        return WHOLE
    if word.startswith(typed):
        return BEGINNING
    if len(typed) > 1 and typed in word:
        return INSIDE
    if len(typed) >= _LEAST_FOR_A_SLIP and word[:1] == typed[:1] and _one_slip(typed, word):
        return SLIP
    return 0.0


def _initials(typed: str, words: Sequence[str]) -> float:
    """Return how well what was typed fits the first letters of successive words: ``lpp`` for lock point pair."""
    letters = "".join(word[0] for word in words)
    return INITIALS if len(typed) > 1 and typed in letters else 0.0


def _one_slip(typed: str, word: str) -> bool:
    """Return whether some beginning of a word becomes what was typed by one letter more, less, other or swapped."""
    at = next((k for k, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), None)
    if at is None:  # the word is shorter by one letter, or it would be its beginning
        return len(typed) - len(word) == 1
    here, there = typed[at:], word[at:]
    return (
        there.startswith(here[1:])  # one too many
        or there[1:].startswith(here)  # one missing
        or there[1:].startswith(here[1:])  # another one
        or (len(there) > 1 and here[:2] == there[1::-1] and there[2:].startswith(here[2:]))  # two swapped
    )
