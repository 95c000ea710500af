"""Multipliers of constraints along a chain, in time linear in their number: a matrix with a narrow band.

``J K J^T`` has a number for each two rows that some value moves both of. Where each row depends on few values, and the
values that two share are near each other, as of distances between joints of a chain, the rows can be ordered so that
all numbers stand near the diagonal; elimination then stays there.

Source: Surles (1992), as Welman (1993) 5.3.5 has it.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array

FEWEST = 96
"""Rows below which looking for a band takes longer than doing without it."""
_NARROW = 0.1
"""Part of the rows that a band may be wide to count as narrow."""
_ALIKE = 1e-10
"""Part of the largest number up to which one counts as nothing, and two as the same."""


def banded_solve(A: Array, b: Array, cut: float) -> Array | None:
    """Return the solution of ``A x = b``, shape (m,); None where A has no narrow band or may be singular.

    Args:
        A: Shape (m, m).
        b: Shape (m,).
        cut: Part of the largest singular value below which one counts as zero.
    """
    rows = len(b)
    if rows < FEWEST:
        return None
    largest = float(np.abs(A).max())
    near = np.abs(A) > _ALIKE * largest
    if np.count_nonzero(near) > 2.0 * _NARROW * rows * rows or np.abs(A - A.T).max() > _ALIKE * largest:
        return None
    import scipy

    order = scipy.sparse.csgraph.reverse_cuthill_mckee(scipy.sparse.csr_array(near), symmetric_mode=True)
    first, second = np.nonzero(near[np.ix_(order, order)])
    band = int(np.abs(first - second).max(initial=0))
    if band > _NARROW * rows:
        return None
    lower = np.zeros((band + 1, rows))
    ahead = first >= second
    first, second = first[ahead], second[ahead]
    lower[first - second, second] = A[order[first], order[second]]
    factor, failed = scipy.linalg.lapack.dpbtrf(lower, lower=True)
    if failed:
        return None

    def inverse(right: Array) -> Array:
        return np.asarray(scipy.linalg.lapack.dpbtrs(factor, right, lower=True)[0], dtype=np.float64)

    operator = scipy.sparse.linalg.LinearOperator(A.shape, matvec=inverse, rmatvec=inverse, dtype=np.float64)
    # Norms of a symmetric matrix by columns are no less than its singular values.
    if scipy.sparse.linalg.onenormest(operator) * np.abs(A).sum(axis=0).max() * cut > 1.0:
        return None
    x = np.empty(rows)
    x[order] = inverse(b[order])
    return x
