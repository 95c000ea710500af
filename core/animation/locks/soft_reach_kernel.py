"""The trunk's least step that keeps limbs short of straight; see ``core.animation.locks.soft_reach``."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, F3, kernel, view

PULL, PUSH = 1e6, 1e2
"""Weights of limbs that would be too long, and of limbs that were straight at their keys, against 1 for the step."""
SETTLED = 1e-15
STEPS = 30
WORK = 21
"""Numbers of scratch memory besides one a limb."""


@kernel(fastmath=EXACT)
def allowed(distance: float, length: float, soft: float, scale: float) -> float:
    """Return how far apart the ends of a limb shall be where the interpolated pose has them ``distance`` apart.

    With ``y`` the distance past ``soft`` in units of the margin ``m = length - soft``, it is
    ``length - m exp(-y) r^2``, ``r`` going over from 1 at ``y = 0`` to ``scale`` where the limb is left as long as it
    is: so the slope is continuous, and a limb that is as straight as at its keys stays so.

    Args:
        distance: [m].
        length: Of the straight limb, [m].
        soft: Where the limit begins to be felt, [m].
        scale: From 0 to 1; 1 for the limit as such.
    """
    margin = length - soft
    y = (distance - soft) / margin
    if y <= 0.0:
        return distance
    square = scale * scale
    factor = square
    if square < 1.0:
        fixed = 1.0
        for _ in range(STEPS):
            e = square * math.exp(-fixed)
            slope = e - 1.0
            if slope > -1e-9:
                break
            step = (1.0 - fixed - e) / slope
            fixed -= step
            if abs(step) < 1e-14:
                break
        u = y / fixed if fixed > 1e-9 else 1.0
        if u < 1.0:
            factor = 1.0 - (1.0 - square) * u * u * (3.0 - 2.0 * u)
    return length - margin * math.exp(-y) * factor


@kernel(fastmath=EXACT)
def _solve(H: F1, x: F1) -> None:
    """Replace ``x`` (3) by the solution of a positive definite system; its upper triangle is in ``H`` (6)."""
    l0 = math.sqrt(H[0])
    l1, l2 = H[1] / l0, H[2] / l0
    l3 = math.sqrt(H[3] - l1 * l1)
    l4 = (H[4] - l2 * l1) / l3
    l5 = math.sqrt(H[5] - l2 * l2 - l4 * l4)
    x[0] /= l0
    x[1] = (x[1] - l1 * x[0]) / l3
    x[2] = (x[2] - l2 * x[0] - l4 * x[1]) / l5
    x[2] /= l5
    x[1] = (x[1] - l4 * x[2]) / l3
    x[0] = (x[0] - l1 * x[1] - l2 * x[2]) / l0


@kernel(fastmath=EXACT)
def _add(H: F1, along: float, across: float, u: F1, scale: float) -> None:
    """Add ``along u u' + across I`` to the upper triangle of a symmetric matrix, ``u`` times ``scale`` being a unit."""
    a, b, c = u[0] * scale, u[1] * scale, u[2] * scale
    H[0] += along * a * a + across
    H[1] += along * a * b
    H[2] += along * a * c
    H[3] += along * b * b + across
    H[4] += along * b * c
    H[5] += along * c * c + across


@kernel(fastmath=EXACT)
def _energy(offsets: F2, wanted: F1, start: F1, t: F1, H: F1, gradient: F1, u: F1) -> float:
    """Return ``|t - start|^2 / 2`` and the cost of limbs that are too long; with its gradient and Hessian."""
    value = 0.0
    for i in range(3):
        gradient[i] = t[i] - start[i]
        value += 0.5 * gradient[i] * gradient[i]
    for i in range(6):
        H[i] = 1.0 if i == 0 or i == 3 or i == 5 else 0.0
    for j in range(len(wanted)):
        if wanted[j] < 0.0:
            continue
        for i in range(3):
            u[i] = offsets[j, i] - t[i]
        d = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
        error = d - wanted[j]
        if error <= 0.0:
            continue
        value += 0.5 * PULL * error * error
        for i in range(3):
            gradient[i] -= PULL * error * u[i] / d
        bent = PULL * error / d
        _add(H, PULL - bent, bent, u, 1.0 / d)
    return value


@kernel(fastmath=EXACT)
def steps(offsets: F3, lengths: F1, softs: F1, scales: F2, out: F2, work: F1) -> None:
    """Put the trunk's least steps into ``out``.

    Args:
        offsets: From base to goal of each limb in each pose, shape (m, k, 3), [m].
        lengths: Of the straight limbs, shape (k,), [m].
        softs: Where each limit begins to be felt, shape (k,), [m].
        scales: As in ``allowed``, shape (m, k); negative where a limb does not count in a pose.
        out: Shape (m, 3), [m].
        work: Scratch memory, shape (k + WORK,).
    """
    m, k = scales.shape
    wanted, H, g, u = view(work, 0, (k,)), view(work, k, (6,)), view(work, k + 6, (3,)), view(work, k + 9, (3,))
    start, t, new = view(work, k + 12, (3,)), view(work, k + 15, (3,)), view(work, k + 18, (3,))
    for i in range(m):
        near = False
        for c in range(3):
            start[c] = 0.0
        for c in range(6):
            H[c] = 1.0 if c == 0 or c == 3 or c == 5 else 0.0
        for j in range(k):
            d = math.sqrt(offsets[i, j, 0] ** 2 + offsets[i, j, 1] ** 2 + offsets[i, j, 2] ** 2)
            wanted[j] = softs[j]
            if scales[i, j] < 0.0:
                wanted[j] = -1.0
            elif d > softs[j]:
                near = True
                wanted[j] = allowed(d, lengths[j], softs[j], scales[i, j])
                if wanted[j] > d:
                    _add(H, PUSH, 0.0, offsets[i, j], 1.0 / d)
                    for c in range(3):
                        start[c] -= PUSH * (wanted[j] - d) * offsets[i, j, c] / d
        if near:
            _solve(H, start)
            for c in range(3):
                t[c] = start[c]
            value = _energy(offsets[i], wanted, start, t, H, g, u)
            for _ in range(STEPS):
                _solve(H, g)
                part = 1.0
                while True:
                    for c in range(3):
                        new[c] = t[c] - part * g[c]
                    moved = part * max(abs(g[0]), abs(g[1]), abs(g[2]))
                    out[i, 0], out[i, 1], out[i, 2] = g[0], g[1], g[2]
                    found = _energy(offsets[i], wanted, start, new, H, g, u)
                    if found <= value or part < 1e-6:
                        break
                    g[0], g[1], g[2] = out[i, 0], out[i, 1], out[i, 2]
                    part *= 0.5
                for c in range(3):
                    t[c] = new[c]
                value = found
                if moved <= SETTLED:
                    break
            for c in range(3):
                out[i, c] = t[c]
        else:
            for c in range(3):
                out[i, c] = 0.0
