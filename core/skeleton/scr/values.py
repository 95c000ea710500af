"""What several lines of a .scr file are made of: lengths, axes and limits."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.skeleton.scr.lexer import NUMBER, WORD, Cursor

MOST_FRICTION = 10.0
"""Largest friction coefficient of a surface that is taken for meant."""
FARTHEST = 1e9  # [m]; keeps every product of a few coordinates inside float64


def unit_axis(axis: Array) -> Array | None:
    """Return ``axis`` scaled to unit length, unchanged if it has it to the last bits; None for a zero axis."""
    largest = float(np.abs(axis).max())
    if largest == 0.0:
        return None
    squared = float(axis @ axis) if largest < 1e100 else math.inf
    if abs(squared - 1.0) <= 4 * np.finfo(float).eps:
        return axis + 0.0
    scaled = axis / largest
    return scaled / math.sqrt(float(scaled @ scaled)) + 0.0


def read_length(cursor: Cursor, what: str) -> float:
    """Return the next token's length, [m].

    Raises:
        LineProblem: If it is none, or too large to calculate with.
    """
    token = cursor.next
    value = cursor.number(what)
    if abs(value) > FARTHEST:
        raise cursor.fail(f"{token} m is out of range; expected {what} within {FARTHEST:g} m", token)
    return value


def read_axis(cursor: Cursor) -> Array:
    """Return the next tokens' unit axis: a letter, with a sign maybe, or three numbers.

    Raises:
        LineProblem: If there is none.
    """
    token = cursor.next
    if token is not None and token.kind == WORD:
        letter = token.text.replace("\N{MINUS SIGN}", "-").casefold()
        sign = -1.0 if letter.startswith("-") else 1.0
        index = "xyz".find(letter.removeprefix("-").removeprefix("+"))
        if len(letter.lstrip("+-")) != 1 or index < 0:
            raise cursor.fail(f"{token} is not an axis; expected x, y, z, -x, -y, -z or three numbers: {cursor.usage}")
        cursor.take()
        axis = np.zeros(3)
        axis[index] = sign
        return axis
    numbers = np.array([cursor.number(f"the axis' {letter}") for letter in "xyz"])
    unit = unit_axis(numbers)
    if unit is None:
        raise cursor.fail("this axis has no length; expected x, y, z or three numbers that are not all 0", token)
    return unit


def read_limits(cursor: Cursor, unit: str) -> tuple[float, float]:
    """Return the limits that come next, [rad] for degrees; without bounds if no number follows.

    Args:
        cursor: The line.
        unit: ``"degrees"``, ``"m"``, or ``""`` for plain numbers.

    Raises:
        LineProblem: If they are no limits.
    """
    if cursor.next is None or cursor.next.kind != NUMBER:
        return -math.inf, math.inf
    start = cursor.next
    lo = cursor.number("LO", finite=False)
    hi = cursor.number("HI", finite=False)
    if lo > hi:
        raise cursor.fail(f"the lower limit {lo:g} lies above the upper limit {hi:g}; expected LO <= HI", start)
    if lo == math.inf or hi == -math.inf:
        raise cursor.fail("these limits leave no room; expected LO <= HI with a finite value between", start)
    most = max((abs(limit) for limit in (lo, hi) if math.isfinite(limit)), default=0.0)
    if most > FARTHEST:
        at_most = f"{FARTHEST:g} {unit}".rstrip()
        raise cursor.fail(f"these limits are out of range; expected at most {at_most}, or inf", start)
    return (math.radians(lo), math.radians(hi)) if unit == "degrees" else (lo, hi)
