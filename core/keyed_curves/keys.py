"""Keys of a number over time: pairs of time and value, times ascending."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

Keys = tuple[tuple[float, float], ...]
Place = Callable[[int], float | None]
"""Where a frame goes; None if it is taken away."""


def with_key(keys: Keys, time: float, value: float) -> Keys:
    """Return keys with one more, or another value at the time of one."""
    return tuple(sorted([*without_key(keys, time), (time, value)]))


def without_key(keys: Keys, time: float) -> Keys:
    """Return keys without the one at a time."""
    return tuple(key for key in keys if key[0] != time)


def placed(frame: float, place: Place) -> float | None:
    """Return where a frame goes, whole or not: what lies between two whole ones stays between them."""
    whole = math.floor(frame)
    there = place(whole)
    if there is None or frame == whole:
        return there
    after = place(whole + 1)
    return None if after is None else there + (frame - whole) * (after - there)


def placed_keys(keys: Keys, place: Place) -> Keys:
    """Return keys, their times in frames, after frames went elsewhere; those of frames that are gone are gone too.

    Keys at whole frames go to the nearest whole ones, if each finds one of its own; else all go exactly where they
    belong.
    """
    moved = sorted(
        (there, value, frame == math.floor(frame))
        for frame, value in keys
        if (there := placed(frame, place)) is not None
    )
    whole = tuple((float(math.floor(there + 0.5)) if on else there, value) for there, value, on in moved)
    if all(a[0] < b[0] for a, b in pairwise(whole)):
        return whole
    return tuple({there: (there, value) for there, value, _ in moved}.values())
