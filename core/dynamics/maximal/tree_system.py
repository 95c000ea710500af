"""Equations of motion of joined bodies, solved in time linear in their number.

The unknowns are the bodies' twists and the joints' multipliers, ``[[M, G^T], [G, 0]] [V; lambda] = [b; c]`` (Sueda
1.73). Each joint ties a body to its parent only, so the graph of the blocks is a tree. Eliminating children before
parents, a body and then the joint above it, never makes a block that was zero another value: the block LDL^T
factorization has the blocks of the matrix itself and no more (Baraff 1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.errors import DynamicsError

_SINGULAR_BELOW = 1e-6


class Rows(NamedTuple):
    """The rows of one joint: ``normal^T (V - Ad V_parent) = c``.

    Attributes:
        parent: Index of the parent, -1 for the world.
        Ad: Takes twists from the parent's joint frame to this body's, shape (6, 6).
        normal: ``N``, orthonormal directions that the joint locks, shape (6, m).
        free: ``Q``, orthonormal directions that it leaves free, shape (6, n), n + m = 6.
    """

    parent: int
    Ad: Array
    normal: Array
    free: Array


class _BodyPivot:
    """A body and then its joint: pivots ``D = L L^T`` and ``-N^T D^-1 N``."""

    def __init__(self, L: Array, rows: Rows):
        self.L = L
        self.W = triangle_solve(L, rows.normal, lower=True)
        self.K = _cholesky(self.W.T @ self.W)

    def stiffness(self) -> Array:
        """Return what the parent feels along the locked directions, shape (m, m)."""
        inverse: Array = scipy.linalg.lapack.dpotrs(self.K, np.eye(len(self.K)), lower=True)[0]
        return inverse

    def prepared(self, b: Array) -> Array:
        """Return what both methods below take in place of the body's right side, shape (6, k)."""
        return triangle_solve(self.L, b, lower=True)

    def multipliers(self, y: Array, c: Array) -> Array:
        """Return the joint's multipliers, shape (m, k)."""
        if not len(self.K):
            return np.zeros_like(c)
        result: Array = scipy.linalg.lapack.dpotrs(self.K, self.W.T @ y - c, lower=True)[0]
        return result

    def solve(self, y: Array, c: Array) -> tuple[Array, Array]:
        """Return the body's twist, shape (6, k), and the joint's multipliers."""
        multipliers = self.multipliers(y, c)
        return triangle_solve(self.L, y - self.W @ multipliers, lower=True, transposed=True), multipliers


class _PairPivot:
    """A body and its joint in one pivot ``[[D, N], [N^T, 0]]``, for bodies that weigh nothing by themselves."""

    def __init__(self, D: Array, rows: Rows):
        self.D, self.N, self.Q = D, rows.normal, rows.free
        self.H = D @ rows.free
        self.K = _cholesky(rows.free.T @ self.H)

    def stiffness(self) -> Array:
        W = triangle_solve(self.K, self.H.T @ self.N, lower=True)
        return self.N.T @ self.D @ self.N - W.T @ W

    def prepared(self, b: Array) -> Array:
        return b

    def multipliers(self, b: Array, c: Array) -> Array:
        return self.solve(b, c)[1]

    def solve(self, b: Array, c: Array) -> tuple[Array, Array]:
        twist = self.N @ c
        if self.Q.shape[1]:
            twist = twist + self.Q @ scipy.linalg.lapack.dpotrs(self.K, self.Q.T @ (b - self.D @ twist), lower=True)[0]
        return twist, self.N.T @ (b - self.D @ twist)


class TreeSystem:
    """Factors of the matrix of one state; solves for any number of right sides.

    Args:
        inertias: Blocks of ``M`` about the origins of the joint frames in their axes, shape (nb, 6, 6), symmetric. For
            a linearly implicit step they may hold more than inertia.
        rows: Of each body's joint, parents first.
        names: What errors call the bodies.

    Raises:
        DynamicsError: If a body could move without moving any mass; names it.

    Source: Baraff (1996), Linear-time dynamics using Lagrange multipliers.
    """

    def __init__(self, inertias: Array, rows: tuple[Rows, ...], names: tuple[str, ...]):
        self.rows = rows
        self.pivots: list[_BodyPivot | _PairPivot] = []
        D = inertias.copy()
        for i in range(len(rows) - 1, -1, -1):
            try:
                pivot = _pivot(D[i], rows[i])
            except np.linalg.LinAlgError:
                raise DynamicsError(
                    f'body "{names[i]}" can move without moving any mass; give it, or a body that hangs on it, some'
                ) from None
            self.pivots.append(pivot)
            row = rows[i]
            if row.parent >= 0 and row.normal.shape[1]:
                carried = row.normal.T @ row.Ad
                D[row.parent] += carried.T @ pivot.stiffness() @ carried
        self.pivots.reverse()

    def solve(self, b: Array, c: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
        """Return twists ``V`` and multipliers ``lambda``.

        Args:
            b: Wrenches (or momenta) on the bodies in their joint frames, shape (nb, 6) or (nb, 6, k).
            c: Right sides of the joints' rows, shapes (m_i,) or (m_i, k).

        Returns:
            Shapes of ``b`` and ``c``; new.
        """
        single = b.ndim == 2
        b = b[:, :, None].copy() if single else b.copy()
        right = [part[:, None] if single else part for part in c]
        count = len(self.rows)
        prepared: list[Array] = [b[0]] * count
        for i in range(count - 1, -1, -1):
            row = self.rows[i]
            prepared[i] = self.pivots[i].prepared(b[i])
            if row.parent >= 0:
                b[row.parent] += row.Ad.T @ (row.normal @ self.pivots[i].multipliers(prepared[i], right[i]))
        twists = np.empty_like(b)
        multipliers: list[Array] = []
        for i in range(count):
            row = self.rows[i]
            wanted = right[i] if row.parent < 0 else right[i] + row.normal.T @ (row.Ad @ twists[row.parent])
            twists[i], found = self.pivots[i].solve(prepared[i], wanted)
            multipliers.append(found[:, 0] if single else found)
        return (twists[:, :, 0] if single else twists), tuple(multipliers)


def _pivot(D: Array, rows: Rows) -> _BodyPivot | _PairPivot:
    """Return the pivot of a body and its joint: the body by itself if its block is far enough from singular.

    The measure, what is left of a diagonal element in the factorization, does not depend on units. Bodies of real
    shapes are far enough; both pivots serve those near the border.

    Raises:
        LinAlgError: If neither does.
    """
    L, failed = scipy.linalg.lapack.dpotrf(D, lower=True, clean=True)
    if failed or (np.diagonal(L) ** 2 <= _SINGULAR_BELOW * np.diagonal(D)).any():
        return _PairPivot(D, rows)
    return _BodyPivot(L, rows)


def _cholesky(A: Array) -> Array:
    """Return the lower Cholesky factor.

    Raises:
        LinAlgError: If ``A`` is not positive definite.
    """
    if not len(A):
        return A
    factor, info = scipy.linalg.lapack.dpotrf(A, lower=True, clean=True)
    if info != 0:
        raise np.linalg.LinAlgError
    result: Array = factor
    return result


def triangle_solve(triangle: Array, b: Array, lower: bool = False, transposed: bool = False) -> Array:
    """Return ``triangle^-1 b``, or with the transposed triangle, for ``b`` of shape (n, k); new.

    LAPACK's own routine for this starts threads for the smallest matrix, which takes a hundred times as long where the
    processor is busy.
    """
    if not b.size:
        return b
    result: Array = scipy.linalg.blas.dtrsm(1.0, triangle, b, lower=lower, trans_a=transposed)
    return result
