"""How large everything in the window is, beside what the desktop says: Qt takes that once, as the program starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_FACTOR = "QT_SCALE_FACTOR"


@contextmanager
def scaled(scale: int) -> Iterator[None]:
    """Let an application object that is made within have a scale, [percent].

    Whoever starts the program with a factor of their own has that. Programs that it starts later do not inherit it.
    """
    if scale == 100 or _FACTOR in os.environ:
        yield
        return
    os.environ[_FACTOR] = f"{scale / 100:g}"
    try:
        yield
    finally:
        del os.environ[_FACTOR]
