"""Lengths of curves made of cubics, and the place at a distance along them."""

from __future__ import annotations

from functools import cache

import numpy as np

from core.arrays import Array, Ints

_EXACT = 1e-12
"""Relative to the whole length: what a half of an interval may differ before it is halved again."""
_DEEPEST = 44
_NEWTON = 60


@cache
def _rule() -> tuple[Array, Array]:
    """Return nodes and weights of the sums from 0 to 1; made when first asked for, as numpy.polynomial loads slowly."""
    nodes, weights = (0.5 * values for values in np.polynomial.legendre.leggauss(12))
    return nodes + 0.5, weights


class ArcLength:
    """The length of a curve made of cubics, from its beginning on.

    A piece that stands still has no length: going along the curve one never stops there. From one piece to the next
    the curve may jump; a jump has no length either.

    Args:
        cubics: Coefficients by powers of ``u``, the lowest first, shape (n, 4, d); ``u`` runs from 0 to 1.
        first: Where in the first piece the curve begins, 0 to 1.
        last: Where in the last piece it ends.

    Attributes:
        total: Its length.

    Lengths are Gauss-Legendre sums over intervals that are halved until both halves say what the whole does, so that
    cusps, where the speed is not smooth, are as exact as the rest: 1e-9 of the length and better.
    """

    def __init__(self, cubics: Array, first: float = 0.0, last: float = 1.0):
        self.cubics = np.asarray(cubics, dtype=np.float64)
        n = len(self.cubics)
        begin, end = np.zeros(n), np.ones(n)
        if n:
            begin[0], end[-1] = first, last
        # Lengths must neither over- nor underflow: they are worked out in units of the largest coefficient.
        scale = float(np.abs(self.cubics[:, 1:]).max()) if n else 0.0
        self._scale = scale if scale > 0.0 and np.isfinite(scale) else 1.0
        scaled = self.cubics[:, 1:] / self._scale
        self._slopes = scaled * np.array([1.0, 2.0, 3.0])[:, None]
        self._leaves(begin, end)

    def _speeds(self, pieces: Ints, u: Array) -> Array:
        """Return speeds by ``u`` at shape (m, k) places of m pieces."""
        c = self._slopes[pieces][:, None]
        v = (c[..., 2, :] * u[..., None] + c[..., 1, :]) * u[..., None] + c[..., 0, :]
        return np.sqrt((v * v).sum(axis=-1))

    def _sums(self, pieces: Ints, a: Array, b: Array) -> Array:
        nodes, weights = _rule()
        u = a[:, None] + (b - a)[:, None] * nodes
        # Row by row, not by a matrix product: what one asks must not depend on what one asks beside it.
        return (b - a) * (self._speeds(pieces, u) * weights).sum(axis=1)

    def _leaves(self, begin: Array, end: Array) -> None:
        pieces = np.arange(len(begin), dtype=np.intp)
        a, b = begin, end
        whole = self._sums(pieces, a, b)
        bound = _EXACT * float(whole.sum())
        kept: list[tuple[Ints, Array, Array, Array]] = []
        for depth in range(_DEEPEST):
            middle = 0.5 * (a + b)
            left, right = self._sums(pieces, a, middle), self._sums(pieces, middle, b)
            # The allowance is shared out, so that many small errors do not add up.
            done = (np.abs(left + right - whole) <= bound * 0.5 ** min(depth, 12)) | (depth == _DEEPEST - 1)
            kept.append((pieces[done], a[done], b[done], (left + right)[done]))
            more = ~done
            if not more.any():
                break
            pieces = np.concatenate((pieces[more], pieces[more]))
            a, b = np.concatenate((a[more], middle[more])), np.concatenate((middle[more], b[more]))
            whole = np.concatenate((left[more], right[more]))
        pieces, a, b, lengths = (np.concatenate(parts) for parts in zip(*kept, strict=True))
        order = np.lexsort((a, pieces))
        self._piece, self._a, self._b, self._length = pieces[order], a[order], b[order], lengths[order]
        self._sum = np.concatenate(([0.0], np.cumsum(self._length)))
        self.total = float(self._sum[-1]) * self._scale

    def lengths(self) -> Array:
        """Return the lengths of the pieces, shape (n,)."""
        return np.asarray(np.bincount(self._piece, self._length, minlength=len(self.cubics)) * self._scale)

    def distance(self, pieces: object, u: object) -> Array:
        """Return how far along the curve places are, shape (m,).

        Args:
            pieces: Numbers of the pieces, shape (m,).
            u: Where in them, shape (m,).
        """
        pieces, u = np.asarray(pieces, dtype=np.intp), np.asarray(u, dtype=np.float64)
        # Leaves are in order of piece and place: that is one order of their sums.
        leaf = np.searchsorted(self._piece + self._a, pieces + u, side="right") - 1
        leaf = np.clip(leaf, 0, len(self._piece) - 1)
        leaf = np.where(self._piece[leaf] > pieces, leaf - 1, leaf)
        a, b = self._a[leaf], self._b[leaf]
        u = np.clip(u, a, b)
        part = np.where(u == b, self._length[leaf], self._sums(self._piece[leaf], a, u))
        return np.asarray((self._sum[leaf] + part) * self._scale)

    def places(self, distances: object) -> tuple[Ints, Array]:
        """Return where along the curve distances from its beginning are: numbers of pieces, and ``u`` in them.

        Args:
            distances: Shape (m,); less than 0 and more than the whole length count as these.

        A place where the curve stands still, or jumps, is passed at once: the later of the two ends is given, but for
        the distance of the whole length, which is the end of the last piece that has a length.
        """
        wanted = np.clip(np.asarray(distances, dtype=np.float64) / self._scale, 0.0, self._sum[-1])
        leaf = np.searchsorted(self._sum, wanted, side="right") - 1
        moving = np.flatnonzero(self._length > 0.0)
        if not len(moving):
            return np.zeros(len(wanted), dtype=np.intp), np.zeros(len(wanted))
        leaf = np.minimum(leaf, moving[-1])
        piece, lo, hi = self._piece[leaf], self._a[leaf], self._b[leaf]
        start, rest = lo, wanted - self._sum[leaf]
        length = self._length[leaf]
        u = lo + (hi - lo) * np.clip(rest / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
        bound = 1e-15 * self._sum[-1]
        for _ in range(_NEWTON):
            off = self._sums(piece, start, u) - rest
            done = np.abs(off) <= bound
            if done.all():
                break
            lo, hi = np.where(off <= 0.0, u, lo), np.where(off >= 0.0, u, hi)
            speed = self._speeds(piece, u[:, None])[:, 0]
            with np.errstate(divide="ignore", invalid="ignore"):
                step = u - off / speed
            new = np.where((step > lo) & (step < hi), step, 0.5 * (lo + hi))
            new = np.where(done, u, new)
            if np.array_equal(new, u):
                break
            u = new
        return piece, np.where(rest >= length, self._b[leaf], u)
