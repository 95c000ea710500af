"""Keys of a number over time: pairs of time and value, times ascending."""

from __future__ import annotations

Keys = tuple[tuple[float, float], ...]


def with_key(keys: Keys, time: float, value: float) -> Keys:
    """Return keys with one more, or another value at the time of one."""
    return tuple(sorted([*without_key(keys, time), (time, value)]))


def without_key(keys: Keys, time: float) -> Keys:
    """Return keys without the one at a time."""
    return tuple(key for key in keys if key[0] != time)
