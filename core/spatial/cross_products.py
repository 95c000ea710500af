"""Cross products of few vectors, for which ``numpy.cross`` takes ten times as long, and vectors across another one."""

from __future__ import annotations

import numpy as np

from core.arrays import Array


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b``, shape (3,); new.

    Args:
        a: Shape (3,).
        b: Shape (3,).
    """
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def cross_rows(a: Array, b: Array) -> Array:
    """Return the cross products over the last axis, shape (..., 3); new.

    Args:
        a: Shape (..., 3).
        b: Shape (..., 3), of shapes that numpy broadcasts.
    """
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    found = np.empty(np.broadcast(a, b).shape)
    found[..., 0] = y * w - z * v
    found[..., 1] = z * u - x * w
    found[..., 2] = x * v - y * u
    return found


def across(direction: Array) -> Array:
    """Return two unit vectors across a unit vector and each other, as rows, shape (2, 3); new."""
    first = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(direction, first)])
