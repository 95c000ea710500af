"""Stumpff's functions: the coefficients of every closed form for rotations and rigid motions.

``c_k(s) = 1/k! - s/(k + 2)! + s^2/(k + 4)! - ...`` with ``s`` the angle squared: ``c_0 = cos t``, ``c_1 = sin t / t``,
``c_2 = (1 - cos t) / t^2``, ``c_3 = (t - sin t) / t^3`` and so on. They are smooth in ``s`` at zero and obey

- ``c_k = 1/k! - s c_(k+2)``,
- ``dc_k/ds = (k c_(k+2) - c_(k+1)) / 2``,

so that derivatives of the closed forms, too, hold no quotient that vanishes with the angle.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array

Coefficients = tuple[float, float, float, float, float, float, float, float]

SERIES_BELOW = 4.0
"""Angle squared [rad^2] under which the power series is summed; above it the closed forms have lost at most a digit."""

_TERMS = 12
_SIXTH = [math.factorial(6) / math.factorial(2 * n + 6) for n in range(_TERMS)]
_SEVENTH = [math.factorial(7) / math.factorial(2 * n + 7) for n in range(_TERMS)]
# Each factor of the nested sums: the ratio of a term's number to the one before it.
_RATIO_6 = [_SIXTH[n + 1] / _SIXTH[n] for n in range(_TERMS - 1)][::-1]
_RATIO_7 = [_SEVENTH[n + 1] / _SEVENTH[n] for n in range(_TERMS - 1)][::-1]
_RATIOS = list(zip(_RATIO_6, _RATIO_7, strict=True))


def stumpff(s: float) -> Coefficients:
    """Return ``c_0 ... c_7`` at ``s``, the square of an angle, [rad^2], 0 or more; right to rounding everywhere."""
    if s < SERIES_BELOW:
        c6 = c7 = 1.0
        for a, b in _RATIOS:
            c6 = 1.0 - s * a * c6
            c7 = 1.0 - s * b * c7
        c6 /= 720.0
        c7 /= 5040.0
        c5 = 1.0 / 120.0 - s * c7
        c4 = 1.0 / 24.0 - s * c6
        c3 = 1.0 / 6.0 - s * c5
        c2 = 0.5 - s * c4
        return 1.0 - s * c2, 1.0 - s * c3, c2, c3, c4, c5, c6, c7
    if s == math.inf:
        s = math.nan  # its sine would be an error
    t = math.sqrt(s)
    half = math.sin(0.5 * t)
    sine = math.sin(t)
    c2 = 2.0 * half * half / s
    c3 = (t - sine) / (s * t)
    c4 = (0.5 - c2) / s
    c5 = (1.0 / 6.0 - c3) / s
    return math.cos(t), sine / t, c2, c3, c4, c5, (1.0 / 24.0 - c4) / s, (1.0 / 120.0 - c5) / s


def stumpff_arrays(s: Array) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array]:
    """Return ``c_0 ... c_7`` at each of ``s``, shape (...), each of the shape of ``s``.

    They are analytic in ``s``: complex ones, as of complex steps, are taken too.
    """
    small = np.real(s) < SERIES_BELOW
    x = np.where(small, s, 0.0)
    c6 = c7 = np.ones_like(x)
    for a, b in _RATIOS:
        c6 = 1.0 - x * a * c6
        c7 = 1.0 - x * b * c7
    series: list[Array] = [c7 / 5040.0, c6 / 720.0]
    for k in range(5, -1, -1):
        series.append(1.0 / math.factorial(k) - x * series[-2])
    series.reverse()
    y = np.where(small, SERIES_BELOW, s)
    t = np.sqrt(y)
    sine = np.sin(t)
    closed: list[Array] = [np.cos(t), sine / t, 2.0 * np.sin(0.5 * t) ** 2 / y, (t - sine) / (y * t)]
    for k in range(4, 8):
        closed.append((1.0 / math.factorial(k - 2) - closed[k - 2]) / y)
    c0, c1, c2, c3, c4, c5, c6, c7 = (np.where(small, a, b) for a, b in zip(series, closed, strict=True))
    return c0, c1, c2, c3, c4, c5, c6, c7
