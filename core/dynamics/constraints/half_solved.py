"""Cholesky factors of inertias, by which problems are solved half-way: ``M = L L^T``, ``y = L^T v``."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.errors import DynamicsError

NO_MASS = "the mass matrix is not positive definite: some joint moves no mass at all"
_SINGULAR = 1e-12


class HalfSolved:
    """``M = L L^T`` of a symmetric positive definite matrix, or ``L`` itself.

    numpy solves with the factors, though it does not know that they are triangles: threads of scipy's BLAS take a
    thousand times as long to wake as matrices of this size take to solve.

    Args:
        L: Shape (n, n), not singular.
    """

    def __init__(self, L: Array) -> None:
        self.L = L

    @classmethod
    def of(cls, M: Array, what: str = NO_MASS) -> HalfSolved:
        """Return the factor of a matrix.

        Args:
            M: Shape (n, n).
            what: What messages say of a matrix that is not positive definite.

        Raises:
            DynamicsError: If it is not.
        """
        try:
            return cls(np.asarray(np.linalg.cholesky(M), dtype=np.float64))
        except np.linalg.LinAlgError:
            raise DynamicsError(what) from None

    @classmethod
    def of_congruence(cls, J: Array, blocks: Array) -> HalfSolved:
        """Return the factor of ``J^T blkdiag(blocks) J``, not formed: that would lose twice the digits of ``J``.

        Args:
            J: Shape (6 nb, n).
            blocks: Inertias, shape (nb, 6, 6), positive semidefinite.

        Raises:
            DynamicsError: If the product is singular.
        """
        values, vectors = np.linalg.eigh(blocks)
        roots = np.sqrt(np.maximum(values, 0.0))[:, :, None] * np.swapaxes(vectors, 1, 2)
        rows = (roots @ J.reshape(len(blocks), 6, J.shape[1])).reshape(J.shape)
        R = np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)
        if (np.abs(np.diagonal(R)) <= _SINGULAR * np.linalg.norm(R, axis=0)).any():
            raise DynamicsError(NO_MASS)
        return cls(R.T)

    def forth(self, b: Array) -> Array:
        """Return ``L^-1 b``, shape of ``b``; new."""
        return np.asarray(np.linalg.solve(self.L, b), dtype=np.float64)

    def back(self, y: Array) -> Array:
        """Return ``L^-T y``, shape of ``y``; new."""
        return np.asarray(np.linalg.solve(self.L.T, y), dtype=np.float64)
