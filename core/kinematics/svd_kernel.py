"""Singular value decomposition by one-sided Jacobi rotations."""

from __future__ import annotations

import math

from core.kernels import EXACT, F2, kernel

NOTHING = 2.0**-49
"""Length of a row, as a part of the whole matrix, that is nothing but rounding."""
ROUNDING = 2.0**-52
"""Cosine of two rows from where they count as orthogonal."""
MOST_SWEEPS = 30
"""What a decomposition from scratch may need; it takes five or so."""


@kernel(fastmath=EXACT)
def orthogonalize(rows: F2, m: int, count: int, sweeps: int) -> int:
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

    Source: Hestenes (1958).
    """
    rotations = 0
    width = rows.shape[1]
    for _ in range(sweeps):
        turned = 0
        total = 0.0
        for i in range(m):
            for k in range(count):
                total += rows[i, k] * rows[i, k]
        least = NOTHING * NOTHING * total
        for i in range(m - 1):
            for j in range(i + 1, m):
                a = b = c = 0.0
                for k in range(count):
                    x, y = rows[i, k], rows[j, k]
                    a += x * x
                    b += y * y
                    c += x * y
                if min(a, b) <= least or abs(c) <= ROUNDING * math.sqrt(a) * math.sqrt(b):
                    continue
                turned += 1
                ratio = (b - a) / (2.0 * c)
                tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for k in range(width):
                    x, y = rows[i, k], rows[j, k]
                    rows[i, k] = cosine * x - sine * y
                    rows[j, k] = sine * x + cosine * y
        rotations += turned
        if turned == 0:
            break
    return rotations
