"""The trunk's least step that keeps limbs short of straight, compiled; see ``core.animation.locks.soft_reach``."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from core.animation.locks.soft_reach_plain import PULL, PUSH, SETTLED, STEPS
from core.kinematics.forward_kernels import F1, F2, F3


@nb.njit(nb.float64(nb.float64, nb.float64, nb.float64, nb.float64), cache=True, error_model="numpy")
def allowed(distance, length, soft, scale):  # type: ignore[no-untyped-def]
    """Return how far apart the ends of a limb shall be; see the plain twin."""
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


@nb.njit(nb.void(F1, F1), cache=True, error_model="numpy")
def _solve(H, x):  # type: ignore[no-untyped-def]
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


@nb.njit(nb.void(F1, nb.float64, nb.float64, F1, nb.float64), cache=True, error_model="numpy")
def _add(H, along, across, u, scale):  # type: ignore[no-untyped-def]
    """Add ``along u u' + across I`` to the upper triangle of a symmetric matrix, ``u`` times ``scale`` being a unit."""
    a, b, c = u[0] * scale, u[1] * scale, u[2] * scale
    H[0] += along * a * a + across
    H[1] += along * a * b
    H[2] += along * a * c
    H[3] += along * b * b + across
    H[4] += along * b * c
    H[5] += along * c * c + across


@nb.njit(nb.float64(F2, F1, F1, F1, F1, F1, F1), cache=True, error_model="numpy")
def _energy(ways, wanted, start, t, H, gradient, u):  # type: ignore[no-untyped-def]
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
            u[i] = ways[j, i] - t[i]
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


@nb.njit(nb.void(F3, F1, F1, F2, F2), cache=True, error_model="numpy")
def steps(ways, lengths, softs, scales, out):  # type: ignore[no-untyped-def]
    """Put the trunk's least steps into ``out``; see the plain twin."""
    m, k = scales.shape
    wanted, H, g, u = np.empty(k), np.empty(6), np.empty(3), np.empty(3)
    start, t, new = np.empty(3), np.empty(3), np.empty(3)
    for i in range(m):
        near = False
        for c in range(3):
            start[c] = 0.0
        for c in range(6):
            H[c] = 1.0 if c == 0 or c == 3 or c == 5 else 0.0
        for j in range(k):
            d = math.sqrt(ways[i, j, 0] ** 2 + ways[i, j, 1] ** 2 + ways[i, j, 2] ** 2)
            wanted[j] = softs[j]
            if scales[i, j] < 0.0:
                wanted[j] = -1.0
            elif d > softs[j]:
                near = True
                wanted[j] = allowed(d, lengths[j], softs[j], scales[i, j])
                if wanted[j] > d:
                    _add(H, PUSH, 0.0, ways[i, j], 1.0 / d)
                    for c in range(3):
                        start[c] -= PUSH * (wanted[j] - d) * ways[i, j, c] / d
        if near:
            _solve(H, start)
            for c in range(3):
                t[c] = start[c]
            value = _energy(ways[i], wanted, start, t, H, g, u)
            for _ in range(STEPS):
                _solve(H, g)
                part = 1.0
                while True:
                    for c in range(3):
                        new[c] = t[c] - part * g[c]
                    moved = part * max(abs(g[0]), abs(g[1]), abs(g[2]))
                    out[i, 0], out[i, 1], out[i, 2] = g[0], g[1], g[2]
                    found = _energy(ways[i], wanted, start, new, H, g, u)
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
