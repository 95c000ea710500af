"""Constraint forces through the dual: only products with the inverse mass matrix are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.constraints.least_motion import least_motion

Flags = NDArray[np.bool_]

Response = Callable[[Array], Array]
"""Product of the inverse mass matrix with columns, shape (n, k)."""

_NEW_DIRECTION = 1e-12
"""Part of a row, of unit length, that must be new if it counts as a direction of its own."""
_MOVES = 1e-13
"""Response along a direction, to the greatest, under which that direction cannot move at all."""
_RANK_TOLERANCE = 1e-9


class Solved(NamedTuple):
    """Motion that meets rows.

    Attributes:
        motion: Accelerations or velocities, shape (n,).
        multipliers: Shape (m,).
        missed: By how much each row is missed, shape (m,).
        size: How large the terms of each row are in the free motion, shape (m,): what rounding is to be measured by.
    """

    motion: Array
    multipliers: Array
    missed: Array
    size: Array


def solve_dual(free: Array, G: Array, response: Response, wanted: Array, equality: Flags) -> Solved:
    """Return the motion that meets rows, from the free motion.

    ``G M^-1 G^T lambda = wanted - G free`` (2.123), multipliers of bounds 0 or more (2.127 with that sign), then
    ``free + M^-1 G^T lambda`` (2.124). Solved so, the condition number of ``G`` is squared and redundant rows make
    the matrix singular. Hence the forces are given along orthonormal directions P that span the rows, ``G = C P^T``:
    ``P^T M^-1 P = F F^T`` is as well conditioned as the mass matrix, and ``min 1/2 |y|^2, C F y >= wanted - G free``
    with ``F^T P^T (force) = y`` has the identity for its Hessian, however redundant the rows are.

    Args:
        free: Accelerations or velocities without the constraints, shape (n,).
        G: Shape (m, n).
        response: ``M^-1`` times columns; each takes linear time.
        wanted: ``G`` times the result, shape (m,).
        equality: Whether a row is an equation, shape (m,); else a lower bound.

    Source: Sueda 2.123, 2.124, 2.127.
    """
    if not len(G):
        return Solved(free, np.zeros(0), np.zeros(0), np.zeros(0))
    lengths = np.linalg.norm(G, axis=1)
    unit = G / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    _, s, Vt = np.linalg.svd(unit, full_matrices=False)
    P = Vt[s > _NEW_DIRECTION * s[0]].T
    moved = response(P) if P.size else P
    W = P.T @ moved
    values, vectors = np.linalg.eigh(0.5 * (W + W.T))
    kept = values > _MOVES * values.max(initial=0.0)
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    least = least_motion((G @ P) @ vectors * roots, wanted - G @ free, equality, _RANK_TOLERANCE)
    result = free + moved @ (vectors @ (least.y / roots))
    missed = wanted - G @ result
    missed[~equality] = np.maximum(missed[~equality], 0.0)
    return Solved(result, least.multipliers, missed, lengths * np.linalg.norm(free))
