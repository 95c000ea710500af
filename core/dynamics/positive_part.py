"""Stiffness and damping without what pushes on."""

from __future__ import annotations

import numpy as np

from core.arrays import Array

NOTHING = 1e-12
"""Part of the largest eigenvalue of a stiffness or damping below which another one is none."""


def positive_part(A: Array) -> Array:
    """Return the parts of matrices that are symmetric and have no negative eigenvalue, shape (..., n, n); new."""
    half = 0.5 * (A + np.swapaxes(A, -1, -2))
    weights, vectors = np.linalg.eigh(half)
    negative = weights[..., 0] < -NOTHING * weights[..., -1]
    if negative.any():
        kept = (vectors * np.maximum(weights, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        half = np.where(negative[..., None, None], kept, half)
    return np.asarray(half)
