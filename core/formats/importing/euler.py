"""Euler angles of a row of rotations, without jumps from one to the next."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.spatial.so3 import axis_rotation

_TURN = 2.0 * np.pi
_LOCKED = 1e-9
"""Cosine of the middle angle under which only the sum or difference of the outer two means anything."""


def continuous_euler(order: tuple[int, int, int], rotations: Array, before: Array | None = None) -> Array:
    """Return angles with ``R_i(a) R_j(b) R_k(c) == rotation``, each triple the nearest to the one before it.

    Every rotation has two triples, ``(a, b, c)`` and ``(a + pi, pi - b, c + pi)``, each up to whole turns. At gimbal
    lock the first angle stays as it was; the others follow from what is left to turn, so that the product is right.

    Args:
        order: The axes i, j, k, all different, 0 for x.
        rotations: Shape (m, 3, 3).
        before: The triple that the first one follows, shape (3,), [rad]; None for zero.

    Returns:
        Shape (m, 3), [rad].
    """
    start = np.zeros(3) if before is None else before
    i, j, k = order
    R, m = rotations, len(rotations)
    if not m:
        return np.empty((0, 3))
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    first = np.arctan2(-sign * R[:, j, k], R[:, k, k])
    free = np.hypot(R[:, j, k], R[:, k, k]) >= _LOCKED
    last_free = np.maximum.accumulate(np.where(free, np.arange(m), -1))
    first = np.where(last_free >= 0, first[last_free], start[0])
    rest = axis_rotation(np.eye(3)[i], -first) @ R  # R_j(b) R_k(c)
    middle = np.arctan2(sign * rest[:, i, k], rest[:, k, k])
    last = np.arctan2(sign * rest[:, j, i], rest[:, j, j])
    one = np.stack((first, middle, last), axis=-1)
    other = np.stack((first + np.pi, np.pi - middle, last + np.pi), axis=-1)
    # From either triple of a frame it is as far to its like in the next frame, and as far to the unlike one.
    earlier = np.concatenate((start[None], one[:-1]))
    changes = _distance(earlier, other) < _distance(earlier, one)
    swapped = np.logical_xor.accumulate(changes)
    chosen = np.where(swapped[:, None], other, one)
    return np.unwrap(np.concatenate((start[None], chosen)), axis=0)[1:]


def _distance(a: Array, b: Array) -> Array:
    """Return how far triples are from each other, whole turns not counted, shape (m,)."""
    difference = b - a
    return np.asarray(np.abs(difference - _TURN * np.round(difference / _TURN)).sum(axis=-1))
