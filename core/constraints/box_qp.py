"""The quadratic program of one step, with numpy: least motion that keeps the rows, inside hard bounds."""

from __future__ import annotations

import numpy as np

from numpy.typing import NDArray

from core.skeleton.skeleton import Array

Bools = NDArray[np.bool_]

MOST_STEPS = 60
"""Newton steps after which the dual counts as solved as well as it can be."""
EXACT = 1e-13
"""Part of the largest right-hand side that counts as rounding."""


def box_qp(
    J: Array, c: Array, d: Array, K: Array, lower: Array, upper: Array, R: Array, inequality: Bools, multipliers: Array
) -> Array:
    """Return the step that minimises ``1/2 (dq - d)' K^-1 (dq - d) + sum (J dq + c)^2 / (2 R)`` inside bounds.

    Rows marked as inequalities count only where ``J dq + c > 0``. Solved on its dual, where
    ``dq(l) = clip(d + K J' l)`` and each Newton step is Welman's eq. 5.5 with K restricted to the degrees of freedom off their bounds:
    ``(J_F K_F J_F' + R) delta = -(J dq + c + R l)``, followed by an exact line search, since the dual is convex and
    piecewise quadratic.

    Args:
        J: Rows, shape (m, n).
        c: Their values, shape (m,).
        d: Desired step, shape (n,).
        K: Willingness, 0 or more, shape (n,).
        lower: Lower bounds of the step, shape (n,).
        upper: Upper bounds, shape (n,).
        R: Softness, above 0, shape (m,).
        inequality: Rows that are ``<= 0``, bools, shape (m,).
        multipliers: Where to start, shape (m,); overwritten with the solution.
    """
    lam = multipliers
    lam[inequality] = np.minimum(lam[inequality], 0.0)
    z = d + K * (lam @ J)
    dq = np.clip(z, lower, upper)
    F = J @ dq + c + R * lam
    enough = EXACT * (np.abs(c).max(initial=0.0) + np.abs(J @ dq).max(initial=0.0))
    for _ in range(MOST_STEPS):
        rows = ~(inequality & (lam >= 0.0) & (F <= 0.0))
        if np.abs(F[rows]).max(initial=0.0) <= enough:
            break
        free = (z > lower) & (z < upper)
        while True:
            Jr = J[rows]
            A = (Jr[:, free] * K[free]) @ Jr[:, free].T
            A[np.diag_indices(len(A))] += R[rows]
            delta = np.zeros(len(lam))
            delta[rows] = -np.linalg.solve(A, F[rows])
            # An inequality that would leave its row at once must not keep the others from moving.
            leaving = inequality & (lam >= 0.0) & (delta > 0.0)
            if not leaving.any():
                break
            rows = rows & ~leaving
        # An inequality's multiplier stops at zero; whether it leaves its row is asked anew in the next step.
        rising = inequality & (delta > 0.0)
        most = float(np.min(-lam[rising] / delta[rising], initial=np.inf))
        t = _line_search(delta @ J, z, K, lower, upper, float(delta @ (c + R * lam)), float(delta @ (R * delta)), most)
        stopped = rising & (t * delta >= -lam * (1.0 - EXACT))
        lam += t * delta
        lam[stopped] = 0.0
        z = d + K * (lam @ J)
        dq = np.clip(z, lower, upper)
        F = J @ dq + c + R * lam
        if t == 0.0:
            break
    return dq


def _line_search(
    slope: Array, z: Array, K: Array, lower: Array, upper: Array, constant: float, curvature: float, most: float
) -> float:
    """Return where ``h(t) = slope . clip(z + t K slope) + constant + t curvature`` is zero, or ``most``; h rises."""
    low, high = 0.0, most
    t = min(1.0, most)
    for _ in range(MOST_STEPS):
        moved = z + t * K * slope
        value = float(slope @ np.clip(moved, lower, upper)) + constant + t * curvature
        inside = (moved > lower) & (moved < upper)
        rise = float(slope[inside] @ (K[inside] * slope[inside])) + curvature
        if value > 0.0:
            high = t
        else:
            low = t
            if t == most:
                break
        step = value / rise
        following = t - step
        if abs(step) <= 1e-14 * t:
            break
        if not low < following < high:
            following = min(0.5 * (low + high), 4.0 * t + 1.0) if high < np.inf else 2.0 * t + 1.0
        if following > most:
            following = most
        if following == t:
            break
        t = following
    return t
