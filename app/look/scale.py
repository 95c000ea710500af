"""How large everything in the window is, beside what the desktop says: Qt takes that once, as the program starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

USUAL = 100
SCALES: tuple[int, ...] = (90, 100, 110, 125, 150, 175, 200)
"""What the menu offers, [percent]."""

_FACTOR = "QT_SCALE_FACTOR"


def checked_scale(value: object) -> int:
    """Return a scale that was kept, [percent]; the usual one for what none of the menu is."""
    try:
        scale = int(str(value))
    except ValueError:
        return USUAL
    return scale if SCALES[0] <= scale <= SCALES[-1] else USUAL


@contextmanager
def scaled(scale: int) -> Iterator[None]:
    """Let an application object that is made within have a scale, [percent].

    Whoever starts the program with a factor of their own has that. Programs that it starts later do not inherit it.
    """
    if scale == USUAL or _FACTOR in os.environ:
        yield
        return
    os.environ[_FACTOR] = f"{scale / 100:g}"
    try:
        yield
    finally:
        del os.environ[_FACTOR]
