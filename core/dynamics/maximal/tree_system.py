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
from numpy.typing import NDArray

from core.errors import DynamicsError

Array = NDArray[np.float64]

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
    """A body and then its joint: pivots ``D`` and ``-N^T D^-1 N``."""

    def __init__(self, D: Array, rows: Rows):
        self.L = _cholesky(D)
        self.W = _lower_solve(self.L, rows.normal)
        self.K = _cholesky(self.W.T @ self.W)

    def stiffness(self) -> Array:
        """Return the inertia that the parent feels along the locked directions, shape (m, m)."""
        inverse: Array = scipy.linalg.lapack.dpotrs(self.K, np.eye(len(self.K)), lower=True)[0]
        return inverse

    def solve(self, b: Array, c: Array) -> tuple[Array, Array]:
        """Return the body's twist and the joint's multipliers for right sides of shapes (6, k) and (m, k)."""
        y = _lower_solve(self.L, b)
        multipliers = self.multipliers_from(y, c)
        twist: Array = scipy.linalg.lapack.dtrtrs(self.L, y - self.W @ multipliers, lower=True, trans=1)[0]
        return twist, multipliers

    def multipliers(self, b: Array, c: Array) -> Array:
        return self.multipliers_from(_lower_solve(self.L, b), c)

    def multipliers_from(self, y: Array, c: Array) -> Array:
        if not len(self.K):
            return np.zeros_like(c)
        result: Array = scipy.linalg.lapack.dpotrs(self.K, self.W.T @ y - c, lower=True)[0]
        return result


class _PairPivot:
    """A body and its joint in one pivot ``[[D, N], [N^T, 0]]``, for bodies that weigh nothing by themselves."""

    def __init__(self, D: Array, rows: Rows):
        self.D, self.N, self.Q = D, rows.normal, rows.free
        self.H = D @ rows.free
        self.K = _cholesky(rows.free.T @ self.H)

    def stiffness(self) -> Array:
        W = _lower_solve(self.K, self.H.T @ self.N)
        return self.N.T @ self.D @ self.N - W.T @ W

    def solve(self, b: Array, c: Array) -> tuple[Array, Array]:
        twist = self.N @ c
        if self.Q.shape[1]:
            twist = twist + self.Q @ scipy.linalg.lapack.dpotrs(self.K, self.Q.T @ (b - self.D @ twist), lower=True)[0]
        return twist, self.N.T @ (b - self.D @ twist)

    def multipliers(self, b: Array, c: Array) -> Array:
        return self.solve(b, c)[1]


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
                pivot = _BodyPivot(D[i], rows[i]) if _is_regular(D[i]) else _PairPivot(D[i], rows[i])
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
        for i in range(count - 1, -1, -1):
            row = self.rows[i]
            if row.parent >= 0:
                b[row.parent] += row.Ad.T @ (row.normal @ self.pivots[i].multipliers(b[i], right[i]))
        twists = np.empty_like(b)
        multipliers: list[Array] = []
        for i in range(count):
            row = self.rows[i]
            wanted = right[i] if row.parent < 0 else right[i] + row.normal.T @ (row.Ad @ twists[row.parent])
            twists[i], found = self.pivots[i].solve(b[i], wanted)
            multipliers.append(found[:, 0] if single else found)
        return (twists[:, :, 0] if single else twists), tuple(multipliers)


def _is_regular(D: Array) -> bool:
    """Return whether a block is far enough from singular to be a pivot by itself.

    The measure does not depend on units. Bodies of real shapes are regular; both pivots serve those near the border.
    """
    diagonal = np.diagonal(D)
    if diagonal.min() <= 0.0:
        return False
    scale = 1.0 / np.sqrt(diagonal)
    factor, info = scipy.linalg.lapack.dpotrf(D * scale[:, None] * scale, lower=True)
    return info == 0 and float(np.diagonal(factor).min()) ** 2 > _SINGULAR_BELOW


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


def _lower_solve(L: Array, b: Array) -> Array:
    if not b.size:
        return b
    result: Array = scipy.linalg.lapack.dtrtrs(L, b, lower=True)[0]
    return result
