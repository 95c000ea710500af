"""Random quadratic programs such as contacts make: bodies of a tree, points on them, pyramids, pins, rows twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FRICTIONS = (0.0, 0.3, 0.7, 1.5)


@dataclass(frozen=True)
class Program:
    """Minimise ``1/2 |y|^2`` subject to ``W y >= b``, with ``=`` in the first rows.

    Attributes:
        W: Rows, shape (m, n).
        b: Right-hand sides, shape (m,).
        equalities: How many rows are equalities.
    """

    W: Array
    b: Array
    equalities: int = 0


def random_program(rng: np.random.Generator, *, pinned: bool = True, disturbed: bool = True) -> Program:
    """Return a program that has a solution: no motion meets all rows.

    Bodies have random rows of six columns' rank, so that many points on one body are redundant; points are pinned or
    touch with a friction pyramid; some rows come twice, as they are or changed by 1e-8 of their length.

    Args:
        rng: Source of chance.
        pinned: Whether up to four points of a body may be pinned: twelve rows of rank six.
        disturbed: Whether rows may come twice.
    """
    n = int(rng.integers(6, 34))
    free = rng.normal(size=n) * 10 ** rng.uniform(-1, 0.5)
    bodies = []
    for _ in range(int(rng.integers(1, 6))):
        J = rng.normal(size=(6, n))
        J[:, rng.random(n) < 0.3] = 0.0
        bodies.append(J)
    mu = FRICTIONS[int(rng.integers(len(FRICTIONS)))]
    rows: list[Array] = []
    right: list[float] = []
    equalities = 0
    if pinned and rng.random() < 0.5:
        J = bodies[int(rng.integers(len(bodies)))]
        for _ in range(int(rng.integers(1, 5))):
            for axis in np.eye(3):
                rows.append(axis @ point_rows(J, rng))
                right.append(float(-rows[-1] @ free))
        equalities = len(rows)
    for _ in range(int(rng.integers(1, 24))):
        J = bodies[int(rng.integers(len(bodies)))]
        P = point_rows(J, rng)
        gap = max(0.0, rng.normal() * 0.3)
        for row in pyramid(P, mu):
            rows.append(row)
            right.append(float(-row @ free) - gap)
    W, b = np.array(rows), np.array(right)
    if disturbed and rng.random() < 0.5:
        chosen = np.flatnonzero(rng.random(len(b) - equalities) < 0.3) + equalities
        near = W[chosen] * (1.0 + 1e-8 * rng.integers(0, 2) * rng.normal(size=(len(chosen), n)))
        W, b = np.vstack([W, near]), np.concatenate([b, np.minimum(b[chosen], -near @ free)])
    return Program(np.ascontiguousarray(W), b, equalities)


def point_rows(J: Array, rng: np.random.Generator) -> Array:
    """Return the velocity rows, shape (3, n), of a random point of a body with twist rows J, shape (6, n)."""
    x, y, z = rng.uniform(-0.3, 0.3, 3)
    result: Array = J[3:] - np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ J[:3]
    return result


def pyramid(P: Array, mu: float) -> list[Array]:
    """Return the rows of a contact with friction mu, from the point's velocity rows (normal first)."""
    if mu == 0.0:
        return [P[0]]
    return [P[0] + sign * mu * P[axis] for axis in (1, 2) for sign in (1, -1)]


def box_on_floor(rng: np.random.Generator, n: int, boxes: int = 1, mu: float = 0.7) -> Program:
    """Return eight corners of each box that touch: 32 rows of rank 6 a box."""
    free = rng.normal(size=n)
    rows = []
    for _ in range(boxes):
        J = rng.normal(size=(6, n))
        for x in (-0.1, 0.1):
            for y in (0.0, 0.05):
                for z in (-0.2, 0.2):
                    P = J[3:] - np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ J[:3]
                    rows += pyramid(P[[1, 0, 2]], mu)
    W = np.array(rows)
    return Program(W, -W @ free)
