"""A step of strands whose fixed nodes go where they are led: linearly implicit, solved in a band."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.deformable import springs
from core.dynamics.deformable.body import Deformable

_BAND = 9
"""Diagonals of the step's matrix that can be other than zero: a node's springs go to the next but one at most."""


class StrandStep:
    """Steps of one strand, or of several one after the other.

    ``(M (1 + h c) + h D + h^2 (K + k)) v1 = M v0 + h (f + M g + k (r - p))`` for the free nodes, where ``c`` is the
    drag of the air and ``k = m w^2`` draws each node to its place at rest ``r``; fixed nodes have the velocities that
    lead them to their places at the end. Positive definite, so stable whatever the step.

    Args:
        body: The nodes, in rows; springs to the next and the next but one.
        h: Length of a step, [s].
        gravity: Acceleration of free fall, shape (3,), [m/s^2].
        drag: ``c``, for all nodes or one each, shape (n,), [1/s].
        shape: ``w``, likewise, [1/s].

    Source: Baraff & Witkin (1998), Large steps in cloth simulation; Sueda 2.79.
    """

    def __init__(self, body: Deformable, h: float, gravity: Array, drag: ArrayLike = 0.0, shape: ArrayLike = 0.0):
        self.body, self.h = body, h
        self._gravity, self._free = gravity, body.free
        self._drag, self._shape = (np.broadcast_to(each, len(body.points))[self._free] for each in (drag, shape))
        self._held = np.array(sorted(body.attached), dtype=np.intp)
        n = len(self._free)
        rank = np.full(len(body.points), -1, dtype=np.intp)
        rank[self._free] = np.arange(n)
        i, j = rank[body.pairs.T]
        # Where each spring's blocks go in the lower band, row (a - b), column b; and which springs end at a fixed node.
        self._own = [(np.flatnonzero(each >= 0), each[each >= 0]) for each in (i, j)]
        self._between = np.flatnonzero((i >= 0) & (j >= 0))
        self._low, self._high = np.minimum(i, j)[self._between], np.maximum(i, j)[self._between]
        self._mixed = [
            (np.flatnonzero((a >= 0) & (b < 0)), body.pairs[:, side][(a >= 0) & (b < 0)], a[(a >= 0) & (b < 0)])
            for a, b, side in ((i, j, 1), (j, i, 0))
        ]

    def step(self, p: Array, v: Array, held: Array, rest: Array, drag: float | None = None) -> tuple[Array, Array]:
        """Return places and velocities of all nodes after a step, shapes (n, 3); new.

        Args:
            p: Places, shape (n, 3), [m].
            v: Velocities, shape (n, 3), [m/s].
            held: Places of the fixed nodes at the end, in the order of their numbers, shape (held, 3), [m].
            rest: Places of all nodes at the end if they did not move against their part, shape (n, 3), [m].
            drag: Another drag than usual, [1/s].
        """
        body, h, free = self.body, self.h, self._free
        speed = np.zeros_like(v)
        speed[self._held] = (held - p[self._held]) / h
        place = np.array(p)
        if len(free):
            now = springs.stretch(body, p, v)
            elastic = springs.forces(body, now._replace(tension=now.elastic))
            A = h * springs.damping_blocks(body, now) + h * h * springs.stiffness_blocks(body, now, steady=True)
            mass, spring = body.masses[free], body.masses[free] * self._shape**2
            air = self._drag if drag is None else drag
            band = self._band(A, mass * (1.0 + h * air) + h * h * spring)
            rhs = mass[:, None] * (v[free] + h * self._gravity) + h * elastic[free]
            rhs += h * spring[:, None] * (rest[free] - p[free])
            for which, ends, rows in self._mixed:
                np.add.at(rhs, rows, np.einsum("mij,mj->mi", A[which], speed[ends]))
            speed[free] = scipy.linalg.solveh_banded(band, rhs.ravel(), lower=True, check_finite=False).reshape(-1, 3)
            place[free] += h * speed[free]
        place[self._held] = held
        return place, speed

    def _band(self, A: Array, diagonal: Array) -> Array:
        """Return the lower band of the matrix for the free nodes, shape (9, 3 free)."""
        n = len(self._free)
        blocks = np.zeros((n, 3, 3))
        blocks[:, range(3), range(3)] = diagonal[:, None]
        for which, rows in self._own:
            np.add.at(blocks, rows, A[which])
        band = np.zeros((_BAND, 3 * n))
        for a in range(3):
            for b in range(a + 1):
                band[a - b, b::3] = blocks[:, a, b]
        low, high, between = self._low, self._high, A[self._between]
        for a in range(3):
            for b in range(3):
                np.subtract.at(band, (3 * (high - low) + a - b, 3 * low + b), between[:, a, b])
        return band
