"""Paths for locks, made of many places in a row: evenly spaced points, few of them where a stroke was drawn by hand."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.constraints.residuals import PathResidual

COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""How many points are tried for a stroke, the fewest first."""


def evenly_along(places: Array, count: int) -> Array:
    """Return points at even distances along a polyline, its ends among them.

    Args:
        places: Its corners, shape (m, 3), [m].
        count: How many points, 2 or more.

    Returns:
        Shape (count, 3), [m].
    """
    gone = _gone(places)
    wanted = np.linspace(0.0, gone[-1], count)
    return np.stack([np.interp(wanted, gone, places[:, k]) for k in range(3)], axis=1)


def length(places: Array) -> float:
    """Return how long a polyline is, [m]."""
    return float(_gone(places)[-1])


def _gone(places: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])


def fitted_path(places: Array, tolerance: float) -> Array:
    """Return the fewest of ``COUNTS`` points whose smooth curve passes all places of a stroke within a tolerance.

    Where none does it is the most of them. The points are at even distances, so that the curve does not overshoot.

    Args:
        places: Where the stroke went, shape (m, 3), m >= 2, [m]; not all at one place.
        tolerance: [m].

    Returns:
        The points that the path goes through, shape (n, 3), [m].
    """
    found = places
    for count in COUNTS:
        found = evenly_along(places, count)
        curve = PathResidual(found).drawn()
        away = np.linalg.norm(places[:, None, :] - curve[None, :, :], axis=2).min(axis=1)
        if float(away.max()) <= tolerance:
            break
    return found
