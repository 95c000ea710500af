"""Convex quadratic programs whose unknowns follow each other in time: interior points on banded Cholesky factors.

Rows of equations and bounds, and parts of the Hessian, belong to an interval each and depend on its unknowns only. So
the matrix of Newton's step is as narrow as two neighbouring intervals, and its factors cost a hundredth of what a
solver for any sparse program takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from core.arrays import Array, Ints

_STEPS = 60
_BACK = 0.995


class Blocks:
    """Where the blocks of intervals are in a banded matrix.

    Args:
        own: Of each interval the unknowns it depends on, indices in their order in time.
        size: How many unknowns there are.
    """

    def __init__(self, own: Sequence[Ints], size: int):
        self.own, self.size = tuple(own), size
        self.width = max((int(each.max() - each.min()) for each in own if len(each)), default=0)
        self._places = []
        for each in own:
            row, column = np.meshgrid(each, each, indexing="ij")
            lower = np.flatnonzero((row >= column).ravel())
            r, c = row.ravel()[lower], column.ravel()[lower]
            self._places.append((lower, (r - c) * size + c))

    def banded(self, blocks: Sequence[Array], diagonal: Array) -> Array:
        """Return the lower band of the sum of blocks and a diagonal, shape (width + 1, size)."""
        out = np.zeros((self.width + 1) * self.size)
        for (lower, at), block in zip(self._places, blocks, strict=True):
            out[at] += block.ravel()[lower]
        out[: self.size] += diagonal
        return out.reshape(self.width + 1, self.size)

    def product(self, blocks: Sequence[Array], x: Array) -> Array:
        """Return the product of the sum of blocks with a vector."""
        out = np.zeros(self.size)
        for own, block in zip(self.own, blocks, strict=True):
            out[own] += block @ x[own]
        return out

    def rows(self, blocks: Sequence[Array], x: Array) -> list[Array]:
        """Return what rows of each interval say of a vector."""
        return [block @ x[own] for own, block in zip(self.own, blocks, strict=True)]

    def columns(self, blocks: Sequence[Array], y: Sequence[Array]) -> Array:
        """Return the sum of rows times numbers."""
        out = np.zeros(self.size)
        for own, block, each in zip(self.own, blocks, y, strict=True):
            out[own] += block.T @ each
        return out


def is_convex(blocks: Blocks, hessian: Sequence[Array], diagonal: Array) -> bool:
    """Return whether a matrix is positive definite."""
    try:
        scipy.linalg.cholesky_banded(
            blocks.banded(hessian, diagonal), overwrite_ab=True, lower=True, check_finite=False
        )
    except np.linalg.LinAlgError:
        return False
    return True


class Answer(NamedTuple):
    """What was found.

    Attributes:
        step: Shape (n,).
        bounds: Prices of bounds, of each interval.
        solved: Whether all conditions of a minimum are met.
    """

    step: Array
    bounds: list[Array]
    solved: bool


def solve(
    blocks: Blocks, hessian: Sequence[Array], diagonal: Array, slope: Array, rows: Sequence[Array],
    room: Sequence[Array], prices: Sequence[Array], stiff: float, low: Array, high: Array, tolerance: float = 2e-6,
) -> Answer:  # fmt: skip
    """Return the least ``d H d / 2 + slope d`` with ``rows d + room >= 0``, softly, and ``low <= d <= high``.

    What a row is short of by t costs ``price t + stiff t^2 / 2``.

    Args:
        blocks: Where the intervals are.
        hessian: Of each interval.
        diagonal: Of the Hessian besides, shape (n,).
        slope: Shape (n,).
        rows: Of each interval, shape (r, len(own)).
        room: Of each row.
        prices: Of each row.
        stiff: As above.
        low: 0 or less, shape (n,).
        high: 0 or more, shape (n,).
        tolerance: What the derivative may be off.

    Source: Mehrotra's steps; Nocedal and Wright (2006), Numerical Optimization, section 16.6.
    """
    # In one piece: the functions in it are Newton's step in terms of what is given.
    n, ends = blocks.size, np.cumsum([0, *(len(each) for each in room)])
    g, p = np.concatenate([*room, np.zeros(0)]), np.concatenate([*prices, np.zeros(0)])

    def split(y: Array) -> list[Array]:
        return [y[a:b] for a, b in itertools.pairwise(ends.tolist())]

    def across(d: Array) -> Array:
        return np.concatenate([*blocks.rows(rows, d), np.zeros(0)])

    at_low, at_high = np.flatnonzero(np.isfinite(low)), np.flatnonzero(np.isfinite(high))
    sign = np.concatenate([np.zeros(len(g)), np.ones(len(at_low)), -np.ones(len(at_high))])[len(g) :]
    which = np.concatenate([at_low, at_high])
    edge = np.concatenate([-low[at_low], high[at_high]])
    soft = np.concatenate([np.full(len(g), 1.0 / stiff), np.zeros(len(edge))])

    def slack(d: Array, z: Array) -> Array:
        own = np.concatenate([across(d) + g, sign * d[which] + edge])
        own[: len(g)] += (z[: len(g)] - p) / stiff
        return own

    def back(z: Array) -> Array:
        out = blocks.columns(rows, split(z[: len(g)]))
        np.add.at(out, which, sign * z[len(g) :])
        return out

    def system(
        factor: Array, own: list[Array], total: Array, w: Array, u: Array, z: Array, r_d: Array, r_u: Array, r_c: Array
    ) -> tuple[Array, Array, Array]:
        """Return Newton's steps of unknowns, rooms and prices; refined once, as stiff rows cost digits."""
        k = (r_c + z * r_u) / (u + soft * z)
        right = -r_d + back(k)
        step = scipy.linalg.cho_solve_banded((factor, True), right, check_finite=False)
        left = blocks.product(own, step) + total * step
        step += scipy.linalg.cho_solve_banded((factor, True), right - left, check_finite=False)
        dz = k - w * np.concatenate([across(step), sign * step[which]])
        return step, np.concatenate([across(step), sign * step[which]]) + soft * dz - r_u, dz

    d = np.zeros(n)
    m = len(g) + len(edge)
    z = np.full(m, 1e-2)
    z[: len(g)] = np.maximum(z[: len(g)], p)
    u = np.maximum(slack(d, z), 1e-2)
    solved = False
    for _ in range(_STEPS):
        r_d = blocks.product(hessian, d) + diagonal * d + slope - back(z)
        r_u = u - slack(d, z)
        mu = float(u @ z) / max(m, 1)
        if np.abs(r_d).max(initial=0.0) <= tolerance and np.abs(r_u).max(initial=0.0) <= 1e-10 and mu <= 1e-10:
            solved = True
            break
        w = z / (u + soft * z)
        own = [
            h + (rows_k * each[:, None]).T @ rows_k
            for h, rows_k, each in zip(hessian, rows, split(w[: len(g)]), strict=True)
        ]
        total = diagonal.copy()
        np.add.at(total, which, w[len(g) :])
        try:
            factor = scipy.linalg.cholesky_banded(
                blocks.banded(own, total), overwrite_ab=True, lower=True, check_finite=False
            )
        except np.linalg.LinAlgError:
            break

        step, du, dz = system(factor, own, total, w, u, z, r_d, r_u, -u * z)
        ahead = min(_longest(u, du), _longest(z, dz))
        after = float((u + ahead * du) @ (z + ahead * dz)) / max(m, 1)
        center = (after / max(mu, 1e-300)) ** 3 * mu
        step, du, dz = system(factor, own, total, w, u, z, r_d, r_u, center - u * z - du * dz)
        ahead = min(1.0, _BACK * min(_longest(u, du, np.inf), _longest(z, dz, np.inf)))
        d, u, z = d + ahead * step, u + ahead * du, z + ahead * dz
    return Answer(d, split(z[: len(g)]), solved)


def _longest(x: Array, dx: Array, most: float = 1.0) -> float:
    falling = dx < 0.0
    return float(min(most, (-x[falling] / dx[falling]).min(initial=most)))
