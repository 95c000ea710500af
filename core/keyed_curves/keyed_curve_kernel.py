"""The value of a keyed curve: cubics from key to key, the first and the last key's value before and after them."""

from __future__ import annotations

from core.kernels import F2, kernel


@kernel(internal=True, python=True)
def value_at(keys: F2, t: float) -> float:
    """Return the value of a curve at a time.

    Args:
        keys: Time, value and slope of each, times ascending, shape (n, 3), n at least 1.
        t: Time.
    """
    last = len(keys) - 1
    if t <= keys[0, 0] or last == 0:
        return float(keys[0, 1])
    if t >= keys[last, 0]:
        return float(keys[last, 1])
    i = 0
    while keys[i + 1, 0] <= t:
        i += 1
    h = keys[i + 1, 0] - keys[i, 0]
    u, y = (t - keys[i, 0]) / h, keys[i, 1]
    rise, a, b = keys[i + 1, 1] - y, h * keys[i, 2], h * keys[i + 1, 2]
    return float(y + u * (a + u * (3.0 * rise - 2.0 * a - b + u * (a + b - 2.0 * rise))))
