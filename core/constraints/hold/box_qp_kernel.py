"""The quadratic program of one step."""

from __future__ import annotations

import math

from core.constraints.hold.packed import Hold
from core.kernels import F1, F2, SUMS, kernel
from core.kinematics.cholesky_kernel import dot, solve_positive

ROUNDING = 1e-13
"""Part of the largest right-hand side that counts as rounding."""
MOST_STEPS = 20
"""Newton steps after which the dual counts as solved as well as it can be: rows that the bounds make impossible go on
for ever, and all others take fewer."""
SEARCH_STEPS = 60
"""Most steps of a line search."""
WHOLE = 1e-9
"""How near 1 the line search ends after a whole Newton step; if then no bound has changed, the program is solved."""


@kernel(inline=True, fastmath=SUMS)
def times(a: F2, i: int, x: F1) -> float:
    """Return the product of row i of ``a`` and ``x``."""
    total = 0.0
    for k in range(len(x)):
        total += a[i, k] * x[k]
    return total


@kernel(linked=True)
def advance(h: Hold, m: int) -> float:
    """Write the step of the multipliers and the gradient of the dual; return the largest part of ``J dq``."""
    J, z, dq, lam = h.J, h.z, h.step, h.multiplier
    d, K, low, high = h.desired, h.mobility, h.low, h.high
    for k in range(len(z)):
        z[k] = 0.0
    for i in range(m):
        if lam[i] != 0.0:
            for k in range(len(z)):
                z[k] += lam[i] * J[i, k]
    for k in range(len(z)):
        z[k] = d[k] + K[k] * z[k]
        dq[k] = min(max(z[k], low[k]), high[k])
    c, R, F = h.right_side, h.softness, h.residual
    largest = 0.0
    for i in range(m):
        moved = times(J, i, dq)
        largest = max(largest, abs(moved))
        F[i] = moved + c[i] + R[i] * lam[i]
    return largest


@kernel(inline=True)
def search(h: Hold, constant: float, curvature: float, most: float) -> float:
    """Return where ``h(t) = slope . clip(z + t K slope) + constant + t curvature`` is zero, or ``most``; h rises."""
    z, K, low, high, slope = h.z, h.mobility, h.low, h.high, h.slope
    least, greatest = 0.0, most
    t = min(1.0, most)
    for _ in range(SEARCH_STEPS):
        value, rise = constant + t * curvature, curvature
        for k in range(len(z)):
            moved = z[k] + t * K[k] * slope[k]
            value += slope[k] * min(max(moved, low[k]), high[k])
            rise += K[k] * slope[k] * slope[k] if low[k] < moved < high[k] else 0.0
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


@kernel(linked=True)
def newton(h: Hold, count: int) -> None:
    """Write the Newton step of the multipliers of some rows into ``solved``: ``(J_F K_F J_F' + R) delta = -F``."""
    J, G, A, rows, free, root = h.J, h.G, h.A, h.counting, h.free, h.root
    F, R, solved, number = h.residual, h.softness, h.solved, len(root)
    for a in range(count):
        i = rows[a]
        for k in range(number):
            G[a, k] = J[i, k] * root[k] if free[k] != 0 else 0.0
        solved[a] = -F[i]
    for a in range(count):
        for b in range(a + 1):
            A[a, b] = dot(G, a, G, b, number)
        A[a, a] += R[rows[a]]
    solve_positive(A, solved, count)


@kernel(linked=True)
def begin_unbounded(h: Hold, m: int) -> None:
    """Write the multipliers that solve the first m rows without the bounds.

    A far desired step begins with all on their bounds; without bounds the rows say who comes back.
    """
    J, rows, free, z = h.J, h.counting, h.free, h.z
    c, lam, F, solved, uneven = h.right_side, h.multiplier, h.residual, h.solved, h.uneven
    count = 0
    for i in range(m):
        F[i] = times(J, i, z) + c[i]
        if uneven[i] == 0.0 or F[i] > 0.0:
            rows[count] = i
            count += 1
    for k in range(len(z)):
        free[k] = 1
    newton(h, count)
    for a in range(count):
        i = rows[a]
        lam[i] = min(solved[a], 0.0) if uneven[i] != 0.0 else solved[a]
    advance(h, m)


@kernel(inline=True)
def step_length(h: Hold, m: int, count: int) -> float:
    """Write the direction of a Newton step of some rows into ``delta``; return how far to go along it."""
    J, rows, slope = h.J, h.counting, h.slope
    c, R, lam, delta, solved, uneven = h.right_side, h.softness, h.multiplier, h.delta, h.solved, h.uneven
    number = len(slope)
    most, constant, curvature = math.inf, 0.0, 0.0
    for i in range(m):
        delta[i] = 0.0
    for k in range(number):
        slope[k] = 0.0
    for a in range(count):
        i = rows[a]
        delta[i] = solved[a]
        if uneven[i] != 0.0 and delta[i] > 0.0:
            most = min(most, -lam[i] / delta[i])
        constant += delta[i] * (c[i] + R[i] * lam[i])
        curvature += delta[i] * R[i] * delta[i]
        for k in range(number):
            slope[k] += delta[i] * J[i, k]
    return search(h, constant, curvature, most)


@kernel(linked=True, python=True)
def box_qp(h: Hold, m: int) -> int:
    """Solve the program of a problem for its first m rows; return the Newton steps.

    The multipliers start where they are; step and multipliers are written.
    """
    rows, free = h.counting, h.free
    z, low, high, root, K = h.z, h.low, h.high, h.root, h.mobility
    c, lam, F = h.right_side, h.multiplier, h.residual
    delta, solved, uneven = h.delta, h.solved, h.uneven
    number = len(z)
    largest = 0.0
    for k in range(number):
        root[k] = math.sqrt(K[k])
        free[k] = -1
    for i in range(m):
        largest = max(largest, abs(c[i]))
        if uneven[i] != 0.0:
            lam[i] = min(lam[i], 0.0)
    enough = ROUNDING * (largest + advance(h, m))
    before, steps = -1, 0
    cold, outside = True, False
    for i in range(m):
        cold = cold and lam[i] == 0.0
    for k in range(number):
        outside = outside or not low[k] <= z[k] <= high[k]
    if cold and outside:
        steps = 1
        begin_unbounded(h, m)
    while steps < MOST_STEPS:
        count, worst = 0, 0.0
        for i in range(m):
            if uneven[i] == 0.0 or lam[i] < 0.0 or F[i] > 0.0:
                rows[count] = i
                count += 1
                worst = max(worst, abs(F[i]))
        if worst <= enough:
            break
        changed = before != count
        for k in range(number):
            off = 1 if low[k] < z[k] < high[k] else 0
            changed = changed or free[k] != off
            free[k] = off
        if not changed:
            break
        steps += 1
        before = count
        while True:
            newton(h, count)
            # An inequality that would leave its row at once must not keep the others from moving.
            stay = 0
            for a in range(count):
                i = rows[a]
                if uneven[i] == 0.0 or lam[i] < 0.0 or solved[a] <= 0.0:
                    rows[stay] = i
                    stay += 1
            if stay == count:
                break
            count, before = stay, -1
        t = step_length(h, m, count)
        if t == 0.0:
            break
        if abs(t - 1.0) >= WHOLE:
            before = -1
        for a in range(count):
            i = rows[a]
            stopped = uneven[i] != 0.0 and delta[i] > 0.0 and t * delta[i] >= -lam[i] * (1.0 - ROUNDING)
            lam[i] = 0.0 if stopped else lam[i] + t * delta[i]
        advance(h, m)
    return steps
