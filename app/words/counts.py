"""Numbers of things, in words."""

from __future__ import annotations


def count(number: int, one: str, many: str = "") -> str:
    """Return a number of things: ``1 spike``, ``3 spikes``, ``2,998 keys``.

    Args:
        number: How many.
        one: What one of them is called.
        many: What several are called, where that is not ``one`` with an s.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
