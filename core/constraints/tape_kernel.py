"""Runs a tape: a list of operations on numbered cells, see ``tape``."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, I2, kernel

(
    ADD, MULTIPLY, NEGATE, RECIPROCAL, POWER, SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH, EXP, LOG,
    ABSOLUTE, SIGN, MINIMUM, MAXIMUM, SELECT,
) = range(23)  # fmt: skip

AWAY = 1e3
"""What an infinite side of an equation counts as, in the units of its text."""
LARGEST = 709.0
"""Argument from which on exponentials are as good as infinite."""


@kernel(internal=True, fastmath=EXACT)
def whole_power(base: float, exponent: int) -> float:
    """Return a power by squaring from the highest bit of the exponent down, 1 and more."""
    bit, result = 1, base
    while 2 * bit <= exponent:
        bit *= 2
    bit //= 2
    while bit > 0:
        result *= result
        if exponent & bit:
            result *= base
        bit //= 2
    return result


@kernel(internal=True, fastmath=EXACT)
def function_value(operation: int, x: float) -> float:
    """Return the value of a function of one number: NaN or infinity where it is not defined."""
    nan, infinity = math.nan, math.inf
    if math.isnan(x):
        return nan
    if operation == SQRT:
        return math.sqrt(x) if x >= 0.0 else nan
    if operation == LOG:
        return math.log(x) if x > 0.0 else (-infinity if x == 0.0 else nan)
    if operation == ASIN:
        return math.asin(x) if abs(x) <= 1.0 else nan
    if operation == ACOS:
        return math.acos(x) if abs(x) <= 1.0 else nan
    if operation == ATAN:
        return math.atan(x)
    if operation == TANH:
        return math.tanh(x)
    if operation == SIGN:
        return math.copysign(1.0, x) if x != 0.0 else 0.0
    if operation == EXP:
        return math.exp(x) if x < LARGEST else infinity
    if operation == COSH:
        return math.cosh(x) if abs(x) < LARGEST else infinity
    if operation == SINH:
        return math.sinh(x) if abs(x) < LARGEST else math.copysign(infinity, x)
    if math.isinf(x):
        return nan
    if operation == SIN:
        return math.sin(x)
    return math.cos(x) if operation == COS else math.tan(x)


@kernel(linked=True, python=True, fastmath=EXACT)
def run(tape: I2, cells: F1, first: int, stop: int) -> None:
    """Do the operations from ``first`` to ``stop``; each rounds as Python's does.

    Args:
        tape: Operation, the cell that it writes, and those of its operands (of a power the exponent), shape (n, 5).
        cells: The numbers.
        first: The first operation.
        stop: The one after the last.
    """
    for i in range(first, stop):
        operation, to, b, c = tape[i, 0], tape[i, 1], tape[i, 3], tape[i, 4]
        x = float(cells[tape[i, 2]])
        if operation == ADD:
            cells[to] = x + float(cells[b])
        elif operation == MULTIPLY:
            cells[to] = x * float(cells[b])
        elif operation == NEGATE:
            cells[to] = -x
        elif operation == RECIPROCAL:
            cells[to] = 1.0 / x if x != 0.0 else math.copysign(math.inf, x)
        elif operation == POWER:
            cells[to] = whole_power(x, b)
        elif operation == ABSOLUTE:
            cells[to] = abs(x)
        elif operation == ATAN2:
            cells[to] = math.atan2(x, float(cells[b]))
        elif operation == MINIMUM:
            y = float(cells[b])
            cells[to] = x if x <= y or math.isnan(x) else y
        elif operation == MAXIMUM:
            y = float(cells[b])
            cells[to] = x if x >= y or math.isnan(x) else y
        elif operation == SELECT:
            cells[to] = cells[b] if x >= 0.0 else cells[c]
        else:
            cells[to] = function_value(operation, x)
