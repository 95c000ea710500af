"""The quadratic program of one step, given as arrays: least motion that keeps the rows, inside hard bounds."""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Bools
from core.constraints.hold import box_qp_kernel
from core.constraints.hold.packed import (
    DESIRED,
    HARD,
    HEADER,
    HIGH,
    LAMBDA,
    LOW,
    MOBILITY,
    NODES,
    RIGHT,
    ROWS,
    SOFTNESS,
    STEP,
    UNEVEN,
    unpack,
)
from core.kernels import serving


def solve(
    J: Array, c: Array, d: Array, K: Array, lower: Array, upper: Array, R: Array, inequality: Bools, lam: Array
) -> tuple[Array, int]:
    """Return the step that minimises ``1/2 (dq - d)' K^-1 (dq - d) + sum (J dq + c)^2 / (2 R)`` inside bounds.

    Rows marked as inequalities count only where ``J dq + c > 0``. Solved on its dual, where
    ``dq(l) = clip(d + K J' l)`` and each Newton step is Welman's eq. 5.5 with K restricted to the degrees of freedom
    off their bounds, ``(J_F K_F J_F' + R) delta = -(J dq + c + R l)``, followed by an exact line search: the dual is
    convex and piecewise quadratic.

    Args:
        J: Rows, shape (m, n).
        c: Their values, shape (m,).
        d: Desired step, shape (n,).
        K: Mobility, 0 or more, shape (n,).
        lower: Lower bounds of the step, 0 or less, shape (n,).
        upper: Upper bounds, 0 or more, shape (n,).
        R: Softness, above 0, shape (m,).
        inequality: Rows that are ``<= 0``, shape (m,).
        lam: Multipliers to start with, shape (m,); overwritten with the solution.

    Returns:
        The step, shape (n,), new; and the Newton steps taken.
    """
    header = np.zeros(HEADER, dtype=np.int64)
    header[ROWS], header[NODES] = J.shape
    header[HARD] = len(J)
    ints, floats = unpack.allocate(header)
    h = unpack(ints, floats)
    h.J[:], h.row[UNEVEN] = J, inequality
    for place, rows in ((RIGHT, c), (SOFTNESS, R), (LAMBDA, lam)):
        h.values[place] = rows
    for place, values in ((DESIRED, d), (MOBILITY, K), (LOW, lower), (HIGH, upper)):
        h.vector[place] = values
    steps = serving(box_qp_kernel).box_qp(ints, floats, len(J))
    lam[:] = h.values[LAMBDA]
    return h.vector[STEP].copy(), int(steps)
