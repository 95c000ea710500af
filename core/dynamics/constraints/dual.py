"""Constraint forces through the dual: only products with the inverse mass matrix are needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.constraints.least_motion import least_motion

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_RANK_TOLERANCE = 1e-6
"""Singular value of ``G M^-1/2`` under which rows count as dependent: the products give its square, to rounding."""
_REFINEMENTS = 2


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


def solve_dual(free: Array, G: Array, responses: Array, wanted: Array, equality: Flags) -> Solved:
    """Return the motion that meets rows, from the free motion.

    ``G M^-1 G^T lambda = wanted - G free`` (2.123), multipliers of bounds 0 or more (2.127 with that sign), then
    ``free + M^-1 G^T lambda`` (2.124). The Delassus matrix ``G M^-1 G^T`` is factored as ``B B^T``, so that the program
    has the identity for its Hessian however redundant the rows are; residuals are worked off once the rows that hold
    are known, so that squaring ``G`` costs no accuracy.

    Args:
        free: Accelerations or velocities without the constraints, shape (n,).
        G: Shape (m, n).
        responses: ``M^-1 G^T``, shape (n, m).
        wanted: ``G`` times the result, shape (m,).
        equality: Whether a row is an equation, shape (m,); else a lower bound.

    Source: Sueda 2.123, 2.124, 2.127.
    """
    if not len(G):
        return Solved(free, np.zeros(0), np.zeros(0), np.zeros(0))
    W = G @ responses
    scale = np.sqrt(np.maximum(np.diag(W), 0.0))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(0.5 * (W + W.T) / np.outer(scale, scale))
    B = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    least = least_motion(B, wanted - G @ free, equality, _RANK_TOLERANCE)
    multipliers = least.multipliers
    held = equality | (multipliers > 0.0)
    for _ in range(_REFINEMENTS):
        rest = wanted - G @ (free + responses @ multipliers)
        more = least_motion(B[held], rest[held], np.ones(held.sum(), dtype=bool), _RANK_TOLERANCE)
        multipliers[held] += more.multipliers
    multipliers[~equality] = np.maximum(multipliers[~equality], 0.0)
    result = free + responses @ multipliers
    missed = wanted - G @ result
    missed[~equality] = np.maximum(missed[~equality], 0.0)
    return Solved(result, multipliers, missed, np.linalg.norm(G, axis=1) * np.linalg.norm(free))
