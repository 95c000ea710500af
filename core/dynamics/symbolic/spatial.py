"""Spatial algebra on expressions: turns and shifts of vectors and of articulated inertias, in few operations.

A wrench is ``[t; f]``, an acceleration ``[alpha; a]``, an inertia ``[[I, H], [H^T, M]]`` about the frame's origin in
its axes, kept as I (xx xy xz yy yz zz), H (nine, row by row) and M (as I): 21 expressions.

A turn about a coordinate axis takes 6 operations for a symmetric block of two by two, ``m = s (yy - xx) - 2 c xy``,
``xx + s m``, ``yy - s m``, ``-(c m + xy)``, and 8 for any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.symbolic import Expression
from core.symbolic.expression import ZERO

E = Expression
Vector = list[Expression]


def cross(a: Sequence[E], b: Sequence[E]) -> Vector:
    """Return ``a x b``."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Sequence[E], b: Sequence[E]) -> E:
    """Return ``a . b``."""
    total = ZERO
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def plus(a: Sequence[E], b: Sequence[E]) -> Vector:
    """Return ``a + b``."""
    return [x + y for x, y in zip(a, b, strict=True)]


class Piece(Protocol):
    """A piece of the transform from a node's frame to its parent's."""

    def inward(self, vector: Vector) -> Vector:
        """Return a vector of the frame behind in the axes before."""
        ...

    def outward(self, vector: Vector) -> Vector:
        """Return a vector of the axes before in those behind."""
        ...

    def wrench(self, wrench: Vector) -> Vector:
        """Return a wrench about the origin before, in the axes before."""
        ...

    def acceleration(self, acceleration: Vector) -> Vector:
        """Return ``[alpha; a]`` at the origin behind, in the axes behind, of one that velocities add nothing to."""
        ...

    def inertia(self, inertia: Vector) -> Vector:
        """Return an inertia about the origin before, in the axes before."""
        ...


class Turn:
    """A turn about x (``axis`` 0) or z (2).

    Args:
        axis: About which.
        cosine: Of the angle.
        sine: Of the angle.
    """

    def __init__(self, axis: int, cosine: E, sine: E):
        self.axis, self.c, self.s = axis, cosine, sine
        self.twice = 2.0 * cosine
        # The two coordinates that turn into each other, and the one that stays.
        self.a, self.b = ((1, 2), (0, 1))[axis == 2]

    def inward(self, vector: Vector) -> Vector:
        found = list(vector)
        x, y = vector[self.a], vector[self.b]
        found[self.a], found[self.b] = self.c * x - self.s * y, self.s * x + self.c * y
        return found

    def outward(self, vector: Vector) -> Vector:
        found = list(vector)
        x, y = vector[self.a], vector[self.b]
        found[self.a], found[self.b] = self.c * x + self.s * y, self.c * y - self.s * x
        return found

    def wrench(self, wrench: Vector) -> Vector:
        return self.inward(wrench[:3]) + self.inward(wrench[3:])

    def acceleration(self, acceleration: Vector) -> Vector:
        return self.outward(acceleration[:3]) + self.outward(acceleration[3:])

    def inertia(self, inertia: Vector) -> Vector:
        return self._symmetric(inertia[:6]) + self._full(inertia[6:15]) + self._symmetric(inertia[15:])

    def _symmetric(self, block: Vector) -> Vector:
        c, s = self.c, self.s
        xx, xy, xz, yy, yz, zz = block
        if self.axis == 2:
            m = s * (yy - xx) - self.twice * xy
            return [xx + s * m, -(c * m + xy), c * xz - s * yz, yy - s * m, s * xz + c * yz, zz]
        m = s * (zz - yy) - self.twice * yz
        return [xx, c * xy - s * xz, s * xy + c * xz, yy + s * m, -(c * m + yz), zz - s * m]

    def _full(self, block: Vector) -> Vector:
        c, s, a, b = self.c, self.s, self.a, self.b
        at = [block[3 * row : 3 * row + 3] for row in range(3)]
        p, q, r, t = at[a][a], at[a][b], at[b][a], at[b][b]
        m = s * (t - p) - c * (q + r)
        at[a][a], at[b][b] = p + s * m, t - s * m
        at[a][b], at[b][a] = -(c * m + r), -(c * m + q)
        k = 3 - a - b
        x, y = at[a][k], at[b][k]
        at[a][k], at[b][k] = c * x - s * y, s * x + c * y
        x, y = at[k][a], at[k][b]
        at[k][a], at[k][b] = c * x - s * y, s * x + c * y
        return [entry for row in at for entry in row]


class Shift:
    """A way from the origin before to the one behind, in axes that stay.

    Args:
        arm: Three expressions.
    """

    def __init__(self, arm: Sequence[E]):
        self.arm = list(arm)

    def inward(self, vector: Vector) -> Vector:
        return vector

    def outward(self, vector: Vector) -> Vector:
        return vector

    def wrench(self, wrench: Vector) -> Vector:
        return plus(wrench[:3], cross(self.arm, wrench[3:])) + wrench[3:]

    def acceleration(self, acceleration: Vector) -> Vector:
        return acceleration[:3] + plus(acceleration[3:], cross(acceleration[:3], self.arm))

    def inertia(self, inertia: Vector) -> Vector:
        r0, r1, r2 = self.arm
        i0, i1, i2, i3, i4, i5, h0, h1, h2, h3, h4, h5, h6, h7, h8, m0, m1, m2, m3, m4, m5 = inertia
        # G = H + [r] M, I - H [r] + [r] G^T
        g0, g1, g2 = h0 + r1 * m2 - r2 * m1, h1 + r1 * m4 - r2 * m3, h2 + r1 * m5 - r2 * m4
        g3, g4, g5 = h3 + r2 * m0 - r0 * m2, h4 + r2 * m1 - r0 * m4, h5 + r2 * m2 - r0 * m5
        g6, g7, g8 = h6 + r0 * m1 - r1 * m0, h7 + r0 * m3 - r1 * m1, h8 + r0 * m4 - r1 * m2
        return [
            i0 - r2 * (h1 + g1) + r1 * (h2 + g2),
            i1 - h2 * r0 + h0 * r2 + r1 * g5 - r2 * g4,
            i2 - h0 * r1 + h1 * r0 + r1 * g8 - r2 * g7,
            i3 - r0 * (h5 + g5) + r2 * (h3 + g3),
            i4 - h3 * r1 + h4 * r0 + r2 * g6 - r0 * g8,
            i5 - r1 * (h6 + g6) + r0 * (h7 + g7),
            g0, g1, g2, g3, g4, g5, g6, g7, g8, m0, m1, m2, m3, m4, m5,
        ]  # fmt: skip


class Rotation:
    """Any turn.

    Args:
        R: Nine expressions, row by row: columns are the axes behind in those before.
    """

    def __init__(self, R: Sequence[E]):
        self.rows = [list(R[3 * k : 3 * k + 3]) for k in range(3)]
        self.columns = [list(R[k::3]) for k in range(3)]

    def inward(self, vector: Vector) -> Vector:
        return [dot(row, vector) for row in self.rows]

    def outward(self, vector: Vector) -> Vector:
        return [dot(column, vector) for column in self.columns]

    def wrench(self, wrench: Vector) -> Vector:
        return self.inward(wrench[:3]) + self.inward(wrench[3:])

    def acceleration(self, acceleration: Vector) -> Vector:
        return self.outward(acceleration[:3]) + self.outward(acceleration[3:])

    def inertia(self, inertia: Vector) -> Vector:
        H = [inertia[6 + 3 * k : 9 + 3 * k] for k in range(3)]
        full = self._turned(H)
        I, M = (self._turned(whole(block)) for block in (inertia[:6], inertia[15:]))  # noqa: E741
        return upper(I) + [entry for row in full for entry in row] + upper(M)

    def _turned(self, block: list[Vector]) -> list[Vector]:
        half = [[dot(row, [line[k] for line in block]) for k in range(3)] for row in self.rows]
        return [[dot(line, row) for row in self.rows] for line in half]


def whole(block: Sequence[E]) -> list[Vector]:
    """Return a symmetric matrix of its six entries."""
    xx, xy, xz, yy, yz, zz = block
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def upper(matrix: Sequence[Sequence[E]]) -> Vector:
    """Return the six entries of a symmetric matrix."""
    return [matrix[0][0], matrix[0][1], matrix[0][2], matrix[1][1], matrix[1][2], matrix[2][2]]


def product(inertia: Vector, vector: Vector) -> Vector:
    """Return an inertia's product with an acceleration."""
    I, H, M = whole(inertia[:6]), inertia[6:15], whole(inertia[15:])  # noqa: E741
    alpha, a = vector[:3], vector[3:]
    return [dot(I[k], alpha) + dot(H[3 * k : 3 * k + 3], a) for k in range(3)] + [
        dot(H[k::3], alpha) + dot(M[k], a) for k in range(3)
    ]


PAIRS = (
    *((r, c) for r in range(3) for c in range(r, 3)),
    *((r, c + 3) for r in range(3) for c in range(3)),
    *((r + 3, c + 3) for r in range(3) for c in range(r, 3)),
)
"""Row and column of each of the 21 entries of an inertia."""
