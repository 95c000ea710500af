"""Singular value decomposition by one-sided Jacobi rotations, with numpy."""

from __future__ import annotations

import math

import numpy as np

from core.skeleton.skeleton import Array

ROUNDING = 2.0**-52
"""Cosine of two rows from where they count as orthogonal."""
NOTHING = 2.0**-49
"""Length of a row, as a part of the whole matrix, that is nothing but rounding."""
MOST_SWEEPS = 30
"""What a decomposition from scratch may need; it takes five or so."""


def orthogonalize(rows: Array, m: int, count: int, sweeps: int) -> int:
    """Rotate the first ``m`` rows in pairs until their first ``count`` entries are orthogonal; in place.

    What stands in the columns after ``count`` is rotated along: an identity there becomes ``U^T`` of the matrix
    ``A = U S V^T`` of the first columns, while these become ``S V^T``, singular values in no order.

    Args:
        rows: Shape (m or more, count or more).
        m: Rows that count.
        count: Columns that must become orthogonal.
        sweeps: Most passes over all pairs; it ends early when a pass finds nothing to rotate.

    Returns:
        Number of rotations.

    Source: Hestenes (1958); as used by Maciejewski and Klein (1989).
    """
    rotations = 0
    for _ in range(sweeps):
        turned = 0
        least = NOTHING * NOTHING * float(np.sum(rows[:m, :count] ** 2))
        for i in range(m - 1):
            for j in range(i + 1, m):
                x, y = rows[i, :count], rows[j, :count]
                a, b, c = float(x @ x), float(y @ y), float(x @ y)
                if min(a, b) <= least or abs(c) <= ROUNDING * math.sqrt(a) * math.sqrt(b):
                    continue
                turned += 1
                ratio = (b - a) / (2.0 * c)
                tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                first = cosine * (rows[i] - tangent * rows[j])
                rows[j] = cosine * (rows[j] + tangent * rows[i])
                rows[i] = first
        rotations += turned
        if turned == 0:
            break
    return rotations


def advance(J: Array, rows: Array, sweeps: int, limit: float) -> tuple[int, float]:
    """Bring a decomposition to a new matrix, in place.

    One pass over all pairs is enough for small changes, to second order; more are made only where it is not.

    Args:
        J: The matrix, shape (m, n).
        rows: ``[S V^T | U^T]`` of an earlier one, in the end of this one, shape (m, n + m). Only the part behind is
            read.
        sweeps: Most passes over all pairs of rows.
        limit: ``loss`` that is small enough.

    Returns:
        Number of rotations, and the ``loss`` of what has come out.

    Source: Maciejewski and Klein (1989), section 4.
    """
    m, n = J.shape
    rows[:, :n] = rows[:, n:] @ J
    rotations, lost = 0, math.inf
    for _ in range(sweeps):
        rotations += orthogonalize(rows, m, n, 1)
        lost = loss(rows, m, n)
        if lost <= limit:
            break
    return rotations, lost


def loss(rows: Array, m: int, count: int) -> float:
    """Return how far a decomposition is from orthogonal: the largest cosine between two rows of either factor.

    Rows that are nothing but rounding have no direction; of the part behind, lengths other than 1 count too.
    """
    front, behind = rows[:m, :count], rows[:m, count:]
    worst = float(np.abs(behind @ behind.T - np.eye(m)).max(initial=0.0))
    length = np.sqrt(np.sum(front * front, axis=1))
    real = length > NOTHING * math.sqrt(float(length @ length))
    unit = front[real] / length[real, None]
    return max(worst, float(np.abs(unit @ unit.T - np.eye(len(unit))).max(initial=0.0)))
