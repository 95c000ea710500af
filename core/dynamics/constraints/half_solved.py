"""Cholesky factors of inertias, by which problems are solved half-way: ``M = L L^T``, ``y = L^T v``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import DynamicsError

Array = NDArray[np.float64]

NO_MASS = "the mass matrix is not positive definite: some joint moves no mass at all"


class HalfSolved:
    """``M = L L^T`` of a symmetric positive definite matrix.

    numpy solves with the factors, though it does not know that they are triangles: threads of scipy's BLAS take a
    thousand times as long to wake as matrices of this size take to solve.

    Args:
        M: Shape (n, n).
        what: What messages say of a matrix that is not positive definite.

    Raises:
        DynamicsError: If it is not.
    """

    def __init__(self, M: Array, what: str) -> None:
        try:
            self.L: Array = np.asarray(np.linalg.cholesky(M), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise DynamicsError(what) from None

    def forth(self, b: Array) -> Array:
        """Return ``L^-1 b``, shape of ``b``; new."""
        return np.asarray(np.linalg.solve(self.L, b), dtype=np.float64)

    def back(self, y: Array) -> Array:
        """Return ``L^-T y``, shape of ``y``; new."""
        return np.asarray(np.linalg.solve(self.L.T, y), dtype=np.float64)
