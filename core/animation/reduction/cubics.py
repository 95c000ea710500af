"""Cubics through keys, fitted to samples: values and slopes at given keys that are nearest by least squares."""

from __future__ import annotations

import numpy as np
import scipy

from core.arrays import Array, Bools, Ints

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


def evaluated(keys: Ints, values: Array, slopes: Array, first: int, last: int) -> Array:
    """Return the curve at the whole frames ``first..last``, shape (m, k).

    Args:
        keys: Frames of the keys, ascending, shape (n,); the curve is asked for between the first and the last of them.
        values: Shape (n, k).
        slopes: [1/frame], shape (n, k).
        first: First frame.
        last: Last frame.
    """
    frames = np.arange(first, last + 1)
    span = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, len(keys) - 2)
    lengths = (keys[span + 1] - keys[span]).astype(np.float64)
    B = basis((frames - keys[span]) / lengths, lengths)
    ends = np.stack([values[span], slopes[span], values[span + 1], slopes[span + 1]], axis=1)
    return np.asarray(np.einsum("mi,mik->mk", B, ends))


def fitted(samples: Array, keys: Ints, fixed: Bools, given: Array) -> Array:
    """Return values and slopes at keys whose cubics are nearest to samples by least squares.

    Args:
        samples: The curve at each whole frame, shape (m, k).
        keys: Numbers of the samples that are keys, ascending, the first and the last among them, shape (n,), n >= 2.
        fixed: What is given: value and slope of each key in turn, shape (2 n,).
        given: What these are, [1/frame] for slopes, shape (2 n, k); the others count for nothing.

    Returns:
        Values and slopes in turn, shape (2 n, k).
    """
    n, m = len(keys), len(samples)
    frames = np.arange(m)
    span = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, n - 2)
    spacing = np.diff(keys).astype(np.float64)
    B = basis((frames - keys[span]) / spacing[span], spacing[span])
    starts = keys[:-1]
    blocks = np.add.reduceat(B[:, :, None] * B[:, None, :], starts, axis=0)
    scale = np.stack([np.ones(n - 1), spacing, np.ones(n - 1), spacing], axis=1)
    blocks += _CALM * _calm() * (scale[:, :, None] * scale[:, None, :])
    right = np.add.reduceat(B[:, :, None] * samples[:, None, :], starts, axis=0)
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
