"""The singular value decomposition of a Jacobian that changes a little at a time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import PoseError
from core.kernels import serving
from core.kinematics import svd_kernel
from core.kinematics.svd_kernel import MOST_SWEEPS, NOTHING


class Drift(NamedTuple):
    """How far kept factors are from a singular value decomposition.

    Attributes:
        residual: ``|J - U S V^T| / |J|``, Frobenius norms.
        orthogonality: Largest cosine between two columns of U or of V, or what their lengths miss 1 by.
    """

    residual: float
    orthogonality: float


class IncrementalSvd:
    """Keeps ``J = U S V^T`` up to date while ``J`` moves, in O(n^2) instead of a decomposition each time.

    The factor from before nearly makes the new matrix's columns orthogonal; one pass of Givens rotations over all
    pairs of columns does the rest, to second order in the change. The shorter side is the one that is kept: of a
    Jacobian with 6 rows, 15 rotations do, however many joints there are. Where two singular values come close, or one
    comes near 0, vectors turn quickly: then further passes are made until the factors are orthogonal to ``limit``.

    It starts afresh where that is not enough, after a jump, and every ``period`` updates, because each rotation leaves
    a little rounding behind.

    Args:
        J: The first matrix, shape (m, n).
        limit: Loss of orthogonality that is small enough. Singular values are off by about its square.
        period: Most updates between two fresh starts.
        sweeps: Most passes over all pairs in an update.

    Raises:
        PoseError: If ``J`` is no matrix or holds NaN or infinity.

    Source: Maciejewski and Klein (1989), named in Welman (1993) section 3.2.2.
    """

    def __init__(self, J: Any, limit: float = 1e-4, period: int = 500, sweeps: int = 3):
        self.limit, self.period, self.sweeps = limit, period, sweeps
        self.rotations = 0
        """Rotations of the last update, a fresh start's included."""
        self.fresh_starts = 0
        """How often it had to start afresh, the first time included."""
        self._shape = (0, 0)
        self._since = 0
        self._take(J)
        self._start_afresh()

    def update(self, J: Any) -> None:
        """Bring the factors to a new matrix, of whatever shape.

        Args:
            J: Shape (m, n).

        Raises:
            PoseError: If ``J`` is no matrix or holds NaN or infinity.
        """
        shape = self._shape
        self._take(J)
        if self._shape != shape or self._since >= self.period:
            self._start_afresh()
            return
        self.rotations, self._loss = serving(svd_kernel).advance(self._matrix, self._rows, self.sweeps, self.limit)
        self._since += 1
        if not self._loss <= self.limit:
            spent = self.rotations
            self._start_afresh()
            self.rotations += spent

    def _take(self, J: Any) -> None:
        """Keep ``J``, or its transpose if that has fewer rows."""
        matrix = np.asarray(J, dtype=np.float64)
        if matrix.ndim != 2 or not np.isfinite(matrix).all():
            raise PoseError(f"the matrix has shape {matrix.shape}; it must have two dimensions and finite numbers")
        self._shape = matrix.shape
        self._matrix = np.array(matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T, order="C")

    def _start_afresh(self) -> None:
        kernels = serving(svd_kernel)
        m, n = self._matrix.shape
        self._rows = np.hstack([self._matrix, np.eye(m)])
        self.rotations = int(kernels.orthogonalize(self._rows, m, n, MOST_SWEEPS))
        self._loss = kernels.loss(self._rows, m, n)
        self._since = 0
        self.fresh_starts += 1

    @property
    def singular_values(self) -> Array:
        """Falling, shape (min(m, n),); new."""
        return np.asarray(np.sort(self._lengths())[::-1])

    @property
    def U(self) -> Array:
        """Left singular vectors as columns, shape (m, min(m, n)); new.

        A column of the longer factor, U or V, is zero where the singular value is.
        """
        return self._factors()[0]

    @property
    def V(self) -> Array:
        """Right singular vectors as columns, shape (n, min(m, n)); new; see ``U``."""
        return self._factors()[1]

    @property
    def drift(self) -> Drift:
        """How far the factors are from a decomposition of the last matrix."""
        n = self._matrix.shape[1]
        behind = self._rows[:, n:]
        size = math.sqrt(float(np.sum(self._matrix**2)))
        off = behind.T @ self._rows[:, :n] - self._matrix
        return Drift(math.sqrt(float(np.sum(off**2))) / size if size else 0.0, float(self._loss))

    def _lengths(self) -> Array:
        front = self._rows[:, : self._matrix.shape[1]]
        return np.asarray(np.sqrt(np.sum(front * front, axis=1)))

    def _factors(self) -> tuple[Array, Array]:
        n = self._matrix.shape[1]
        length = self._lengths()
        order = np.argsort(-length, kind="stable")
        real = length > NOTHING * math.sqrt(float(length @ length))
        front = np.where(real[:, None], self._rows[:, :n] / np.where(real, length, 1.0)[:, None], 0.0)
        long, short = front[order].T.copy(), self._rows[:, n:][order].T.copy()
        return (short, long) if self._shape[0] <= self._shape[1] else (long, short)
