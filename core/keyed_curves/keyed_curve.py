"""Slopes of a cubic through keys that makes no bumps between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array


def monotone_slopes(x: Array, y: Array) -> Array:
    """Return slopes at points that make a cubic through them monotone from each point to the next, shape (n,).

    Args:
        x: Ascending, shape (n,), n at least 2.
        y: Values there, shape (n,).

    Source: Fritsch and Carlson (1980) for the condition; the slopes are the weighted harmonic means of Fritsch and
    Butland (1984), at the ends the one-sided parabola's, kept monotone.
    """
    h, chord = np.diff(x), np.diff(y) / np.diff(x)
    if len(h) == 1:
        return np.array([chord[0], chord[0]])
    slopes = np.zeros(len(x))
    before, after = chord[:-1], chord[1:]
    same = before * after > 0.0
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes[1:-1] = np.where(same, (w1 + w2) / (w1 / before + w2 / after), 0.0)
    for end, near, far, h0, h1 in ((0, chord[0], chord[1], h[0], h[1]), (-1, chord[-1], chord[-2], h[-1], h[-2])):
        slope = ((2.0 * h0 + h1) * near - h0 * far) / (h0 + h1)
        if slope * near <= 0.0:
            slope = 0.0
        elif near * far <= 0.0 and abs(slope) > 3.0 * abs(near):
            slope = 3.0 * near
        slopes[end] = slope
    return slopes


def curve_rows(keys: ArrayLike) -> Array:
    """Return keys as ``keyed_curve_kernel.value_at`` takes them: time, value and slope of each, shape (n, 3); new.

    Args:
        keys: Time and value, times ascending, shape (n, 2), n at least 1.
    """
    x, y = np.asarray(keys, dtype=np.float64).T
    slopes = monotone_slopes(x, y) if len(x) > 1 else np.zeros(1)
    return np.stack([x, y, slopes], axis=1)
