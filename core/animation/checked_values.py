"""Frames and numbers that somebody gives for a strip, checked; what is wrong is reported with its place."""

from __future__ import annotations

import math

import numpy as np

from core.animation.key import check_frame
from core.errors import SequenceError


def checked_frame(value: object, what: str) -> int:
    """Return a frame.

    Raises:
        SequenceError: If it is none; begins with ``what``.
    """
    try:
        return check_frame(value)
    except SequenceError as error:
        raise SequenceError(f"{what}: {error}") from None


def checked_number(value: object, what: str) -> float:
    """Return a finite number.

    Raises:
        SequenceError: If it is none; begins with ``what``.
    """
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise SequenceError(f"{what} is {value!r}; it must be a finite number")
    return float(value)  # type: ignore[arg-type]
