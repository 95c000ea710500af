"""Symmetric systems of equations by Cholesky's factorization, in place."""

from __future__ import annotations

import math

from core.kernels import F1, F2, SUMS, kernel

LEAST_PIVOT = 1e-300


@kernel(inline=True, fastmath=SUMS)
def dot(a: F2, i: int, b: F2, j: int, n: int) -> float:
    """Return the product of the first n elements of row i of ``a`` and row j of ``b``."""
    total = 0.0
    for k in range(n):
        total += a[i, k] * b[j, k]
    return total


@kernel(inline=True)
def solve_positive(A: F2, y: F1, m: int) -> None:
    """Solve ``A z = y`` for the leading m x m block by Cholesky; ``A`` becomes its factor, ``y`` the solution.

    The factor's diagonal holds one over its pivots.
    """
    for j in range(m):
        pivot = 1.0 / math.sqrt(max(A[j, j] - dot(A, j, A, j, j), LEAST_PIVOT))
        A[j, j] = pivot
        for i in range(j + 1, m):
            A[i, j] = (A[i, j] - dot(A, i, A, j, j)) * pivot
    for i in range(m):
        total = y[i]
        for k in range(i):
            total -= A[i, k] * y[k]
        y[i] = total * A[i, i]
    for i in range(m - 1, -1, -1):
        y[i] *= A[i, i]
        for k in range(i):
            y[k] -= A[i, k] * y[i]
