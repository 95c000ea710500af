"""The quadratic program of one step, with numpy: least motion that keeps the rows, inside hard bounds."""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Bools
from core.constraints.hold.box_qp_kernel import MOST_STEPS, ROUNDING, SEARCH_STEPS, WHOLE


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
    lam[inequality] = np.minimum(lam[inequality], 0.0)
    z = d + K * (lam @ J)
    dq = np.clip(z, lower, upper)
    F = J @ dq + c + R * lam
    enough = ROUNDING * (np.abs(c).max(initial=0.0) + np.abs(J @ dq).max(initial=0.0))
    before: tuple[bytes, int] | None = None
    first = 0
    if not lam.any() and not np.array_equal(z, dq):
        # A far desired step begins with all on their bounds; without bounds the rows say who comes back.
        first, unbounded = 1, J @ z + c
        rows = ~inequality | (unbounded > 0.0)
        A = (J[rows] * K) @ J[rows].T
        A[np.diag_indices(len(A))] += R[rows]
        lam[rows] = -np.linalg.solve(A, unbounded[rows])
        lam[inequality] = np.minimum(lam[inequality], 0.0)
        z = d + K * (lam @ J)
        dq = np.clip(z, lower, upper)
        F = J @ dq + c + R * lam
    for steps in range(first, MOST_STEPS):
        rows = ~inequality | (lam < 0.0) | (F > 0.0)
        free = (z > lower) & (z < upper)
        now: tuple[bytes, int] | None = (free.tobytes(), int(rows.sum()))
        if np.abs(F[rows]).max(initial=0.0) <= enough or now == before:
            return dq, steps
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
            rows, now = rows & ~leaving, None
        # An inequality's multiplier stops at zero; whether it leaves its row is asked anew in the next step.
        rising = inequality & (delta > 0.0)
        most = float(np.min(-lam[rising] / delta[rising], initial=np.inf))
        constant, curvature = float(delta @ (c + R * lam)), float(delta @ (R * delta))
        t = line_search(delta @ J, z, K, lower, upper, constant, curvature, most)
        if t == 0.0:
            return dq, steps + 1
        before = now if abs(t - 1.0) < WHOLE else None
        stopped = rising & (t * delta >= -lam * (1.0 - ROUNDING))
        lam += t * delta
        lam[stopped] = 0.0
        z = d + K * (lam @ J)
        dq = np.clip(z, lower, upper)
        F = J @ dq + c + R * lam
    return dq, MOST_STEPS


def line_search(
    slope: Array, z: Array, K: Array, lower: Array, upper: Array, constant: float, curvature: float, most: float
) -> float:
    """Return where ``h(t) = slope . clip(z + t K slope) + constant + t curvature`` is zero, or ``most``; h rises."""
    least, greatest = 0.0, most
    t = min(1.0, most)
    for _ in range(SEARCH_STEPS):
        moved = z + t * K * slope
        value = float(slope @ np.clip(moved, lower, upper)) + constant + t * curvature
        inside = (moved > lower) & (moved < upper)
        rise = float(slope[inside] @ (K[inside] * slope[inside])) + curvature
        if value > 0.0:
            greatest = t
        else:
            least = t
            if t == most:
                break
        step = value / rise
        following = t - step
        if abs(step) <= 1e-14 * t:
            break
        if not least < following < greatest:
            following = min(0.5 * (least + greatest), 4.0 * t + 1.0)
        following = min(following, most)
        if following == t:
            break
        t = following
    return t
