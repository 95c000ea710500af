"""Cubics through keys, fitted to samples: values and slopes at given keys that are nearest by least squares."""

from __future__ import annotations

import numpy as np
import scipy

from core.animation.curves.tangents import bounded_slopes, slope_bounds
from core.arrays import Array, Bools, Ints

Limits = tuple[Array, Array]
"""Lower and upper limits of values, shape (k,) each, or numbers."""
UNLIMITED: Limits = (np.array(-np.inf), np.array(np.inf))

_CALM = 1e-8
"""How much bending counts beside the samples: it settles slopes that no sample settles, and changes no others."""


def _calm() -> Array:
    """Return the integral of the squared second derivative over a span of length 1, by its ends, shape (4, 4)."""
    return np.array([[12.0, 6.0, -12.0, 6.0], [6.0, 4.0, -6.0, 2.0], [-12.0, -6.0, 12.0, -6.0], [6.0, 2.0, -6.0, 4.0]])


def basis(u: Array, lengths: Array) -> Array:
    """Return what value, slope, value, slope at the ends of a span count at places in it, shape (m, 4).

    Args:
        u: Places in the spans, 0 to 1, shape (m,).
        lengths: Lengths of the spans, [frames], shape (m,).
    """
    v = 1.0 - u
    h = lengths
    return np.stack([v * v * (1.0 + 2.0 * u), h * u * v * v, u * u * (3.0 - 2.0 * u), -h * u * u * v], axis=1)


def within(keys: Ints, knots: Array, limits: Limits) -> Array:
    """Return values and slopes in turn with slopes gentle enough for limits, as they are played, shape (2 n, k).

    Args:
        keys: Frames of the keys, ascending, shape (n,).
        knots: Values and slopes in turn, shape (2 n, k).
        limits: The limits; a span whose keys lie outside gives way as far as they do.
    """
    values, h = knots[0::2], np.diff(keys).astype(np.float64)[:, None]
    lo, hi = _ranges(values, limits)
    none = np.zeros((1, 1))
    wide = np.full((1, values.shape[1]), np.inf)
    after = slope_bounds(
        values, np.concatenate([h, none]), np.concatenate([lo, -wide]), np.concatenate([hi, wide]), True
    )
    before = slope_bounds(
        values, np.concatenate([none, h]), np.concatenate([-wide, lo]), np.concatenate([wide, hi]), False
    )
    made = knots.copy()
    made[1::2] = bounded_slopes(knots[1::2], after, before)
    return made


def _ranges(values: Array, limits: Limits) -> Limits:
    """Return the limits in each span, shape (n - 1, k) each."""
    a, b = values[:-1], values[1:]
    return np.minimum(limits[0], np.minimum(a, b)), np.maximum(limits[1], np.maximum(a, b))


def evaluated(keys: Ints, values: Array, slopes: Array, first: int, last: int, limits: Limits = UNLIMITED) -> Array:
    """Return the curve at the whole frames ``first..last``, kept inside limits, shape (m, k).

    Args:
        keys: Frames of the keys, ascending, shape (n,); the curve is asked for between the first and the last of them.
        values: Shape (n, k).
        slopes: [1/frame], shape (n, k).
        first: First frame.
        last: Last frame.
        limits: As for :func:`within`.
    """
    frames = np.arange(first, last + 1)
    span = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, len(keys) - 2)
    lengths = (keys[span + 1] - keys[span]).astype(np.float64)
    B = basis((frames - keys[span]) / lengths, lengths)
    ends = np.stack([values[span], slopes[span], values[span + 1], slopes[span + 1]], axis=1)
    lo, hi = _ranges(values, limits)
    return np.clip(np.einsum("mi,mik->mk", B, ends), lo[span], hi[span])


def fitted(samples: Array, keys: Ints, fixed: Bools, given: Array, weights: Array | None = None) -> Array:
    """Return values and slopes at keys whose cubics are nearest to samples by least squares.

    Args:
        samples: The curve at each whole frame, shape (m, k).
        keys: Numbers of the samples that are keys, ascending, the first and the last among them, shape (n,), n >= 2.
        fixed: What is given: value and slope of each key in turn, shape (2 n,).
        given: What these are, [1/frame] for slopes, shape (2 n, k); the others count for nothing.

        weights: How much each sample counts, shape (m,); None for all the same.

    Returns:
        Values and slopes in turn, shape (2 n, k).
    """
    n, m = len(keys), len(samples)
    frames = np.arange(m)
    span = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, n - 2)
    spacing = np.diff(keys).astype(np.float64)
    B = basis((frames - keys[span]) / spacing[span], spacing[span])
    starts = keys[:-1]
    weighed = B if weights is None else weights[:, None] * B
    blocks = np.add.reduceat(weighed[:, :, None] * B[:, None, :], starts, axis=0)
    scale = np.stack([np.ones(n - 1), spacing, np.ones(n - 1), spacing], axis=1)
    blocks += _CALM * _calm() * (scale[:, :, None] * scale[:, None, :])
    right = np.add.reduceat(weighed[:, :, None] * samples[:, None, :], starts, axis=0)
    band, wanted = np.zeros((4, 2 * n)), np.zeros((2 * n, samples.shape[1]))
    for i in range(4):
        wanted[i : i + 2 * n - 3 : 2] += right[:, i]
        for d in range(4 - i):
            band[d, i : i + 2 * n - 3 : 2] += blocks[:, i + d, i]
    for i in np.flatnonzero(fixed).tolist():
        value = given[i]
        for d in range(1, 4):
            if i + d < 2 * n:
                wanted[i + d] -= band[d, i] * value
                band[d, i] = 0.0
            if i - d >= 0:
                wanted[i - d] -= band[d, i - d] * value
                band[d, i - d] = 0.0
        band[0, i], wanted[i] = 1.0, value
    # Slopes are small beside values: the same size for all of them keeps the system well scaled.
    size = 1.0 / np.sqrt(band[0])
    for d in range(4):
        band[d, : 2 * n - d] *= size[: 2 * n - d] * size[d:]
    found = scipy.linalg.solveh_banded(band, wanted * size[:, None], lower=True, check_finite=False)
    return np.asarray(found * size[:, None])
