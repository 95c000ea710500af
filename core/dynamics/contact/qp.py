"""Quadratic programs of contact steps, for those who have one in their hands: memory is taken care of.

The only place that knows which kernels do the work; the step's own kernels call them directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.contact import qp_kernel
from core.dynamics.contact.qp_layout import FALLBACKS, ITERATIONS, RESTARTS, work_size
from core.kernels import serving

Flags = NDArray[np.int8]


@dataclass(frozen=True)
class Solution:
    """What a quadratic program came to.

    Attributes:
        y: The unknowns, shape (n,).
        multipliers: One a row, shape (m,): ``y = W^T multipliers``; 0 or more for inequalities.
        active: 1 for active rows, 0 for others, -1 for rows skipped because they cannot be met, shape (m,).
        residual: The natural residual, see ``qp_kernel.natural_residual``.
        iterations: How many rows were taken up after the start.
        restarts: 1 if the guess led nowhere and the solve began anew without it, 2 if that did not help either and rows
            that nearly depend on others counted as if they did.
        fallbacks: 1 if the answer is that of projected Gauss-Seidel.
    """

    y: Array
    multipliers: Array
    active: Flags
    residual: float
    iterations: int
    restarts: int
    fallbacks: int


def solve(W: ArrayLike, b: ArrayLike, equalities: int = 0, guess: ArrayLike | None = None) -> Solution:
    """Return the shortest y with ``W y >= b``, and ``=`` in the first rows.

    Args:
        W: Rows, shape (m, n).
        b: Right-hand sides, shape (m,).
        equalities: How many rows are equalities.
        guess: 1 where a row is thought to be active, shape (m,).

    Raises:
        ValueError: If shapes do not fit or a number is not finite.
    """
    rows = np.array(W, dtype=float, order="C", ndmin=2)
    right = np.array(b, dtype=float).reshape(-1)
    m, n = rows.shape
    if len(right) == 0:
        m = 0
    if m != len(right):
        raise ValueError(f"{m} rows have {len(right)} right-hand sides")
    if not 0 <= equalities <= m:
        raise ValueError(f"{equalities} of {m} rows cannot be equalities")
    if not (np.isfinite(rows).all() and np.isfinite(right).all()):
        raise ValueError("a row or right-hand side is not finite")
    active = np.zeros(m, np.int8) if guess is None else np.array(guess, dtype=np.int8).reshape(-1)
    if len(active) != m:
        raise ValueError(f"{m} rows have {len(active)} guesses")
    floats, ints = work_size(m, n)
    work, iwork = np.zeros(floats), np.zeros(ints, np.int64)
    y, multipliers = np.zeros(n), np.zeros(m)
    kernels = serving(qp_kernel)
    residual = kernels.solve(rows, right, m, equalities, active, False, y, multipliers, work, iwork)
    return Solution(
        y, multipliers, active, residual, int(iwork[ITERATIONS]), int(iwork[RESTARTS]), int(iwork[FALLBACKS])
    )
