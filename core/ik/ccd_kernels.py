"""Cyclic-coordinate descent, compiled."""

from __future__ import annotations

import math

import numba as nb

from core.ik.ccd_plain import CLIMBS, NEGLIGIBLE, STALL, STALL_SWEEPS, TWO_PI
from core.ik.nodes_kernels import (
    AIMS,
    F0,
    F1,
    I0,
    INLINE,
    NODES,
    OPTIONS,
    PACKED,
    WORK,
    bounds,
    errors,
    frames,
    in_frame,
    record,
    record_start,
    unpack,
)
from core.skeleton.tree import KIND_HINGE


@nb.njit(F0(F0, F0), **OPTIONS)
def on_circle(angle, period):  # type: ignore[no-untyped-def]
    """Return how far ``angle`` is from the nearest multiple of ``period``."""
    return abs(angle - period * math.floor(angle / period + 0.5))


@nb.njit(F0(F0, F0, F0, F0, F0), **OPTIONS)
def choose(best, weight, value, lower, upper):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.choose``."""
    if weight < 1.0:
        return min(max(weight * best, lower - value), upper - value)
    if lower <= value + best <= upper:
        return best
    other = best - math.copysign(TWO_PI, best)
    if lower <= value + other <= upper:
        return other
    to_lower = on_circle(lower - value - best, TWO_PI) if math.isfinite(lower) else math.inf
    to_upper = on_circle(upper - value - best, TWO_PI) if math.isfinite(upper) else math.inf
    return (lower if to_lower < to_upper else upper) - value


@nb.njit(**INLINE)
def turn(nodes, aims, k, work, value, lower, upper):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.turn``."""
    X, P, O = work.X, work.P, work.O  # noqa: E741 - the thesis' name
    target, wanted = aims.target, aims.wanted
    x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    j0, j1, j2 = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
    k1 = k2 = k3 = scale = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0:
            w_p, w_o = aims.weight[g, 0], 0.5 * aims.weight[g, 1] * aims.weight[g, 2] * aims.weight[g, 2]
            if w_p > 0.0:
                c0, c1, c2 = P[g, 0] - j0, P[g, 1] - j1, P[g, 2] - j2
                d0, d1, d2 = target[g, 0] - j0, target[g, 1] - j1, target[g, 2] - j2
                k1 += w_p * (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z)
                k2 += w_p * (d0 * c0 + d1 * c1 + d2 * c2)
                k3 += w_p * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
                scale += w_p * (c0 * c0 + c1 * c1 + c2 * c2 + d0 * d0 + d1 * d1 + d2 * d2)
            if w_o > 0.0:
                for j in range(3):
                    c0, c1, c2 = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                    d0, d1, d2 = wanted[g, 0, j], wanted[g, 1, j], wanted[g, 2, j]
                    k1 += w_o * (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z)
                    k2 += w_o * (d0 * c0 + d1 * c1 + d2 * c2)
                    k3 += w_o * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
                scale += w_o
    step = 0.0
    if math.sqrt(k3 * k3 + (k2 - k1) ** 2) > NEGLIGIBLE * scale:
        step = choose(math.atan2(k3, k2 - k1), nodes.weight[k], value, lower, upper)
    return step


@nb.njit(F0(F0, F0, F0, F0, F0), **OPTIONS)
def height(C1, S1, C2, S2, a):  # type: ignore[no-untyped-def]
    """Objective of a hinge below a scaled joint."""
    return C1 * math.cos(a) + S1 * math.sin(a) + C2 * math.cos(2.0 * a) + S2 * math.sin(2.0 * a)


@nb.njit(F0(NODES, AIMS, I0, WORK, F0, F0), **OPTIONS)
def turn_affine(nodes, aims, k, work, least, most):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.turn_affine``."""
    X, R = work.X, work.R
    C1 = S1 = C2 = S2 = scale = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] == 0:
            continue
        w_p, w_o = aims.weight[g, 0], 0.5 * aims.weight[g, 1] * aims.weight[g, 2] * aims.weight[g, 2]
        if w_p > 0.0:
            a, b, c = in_frame(X, k, work.P, g)
            for i in range(3):
                U = X[k, i, 0] * a + X[k, i, 1] * b
                V = X[k, i, 1] * a - X[k, i, 0] * b
                rest = aims.target[g, i] - X[k, i, 3] - X[k, i, 2] * c
                C1 += w_p * rest * U
                S1 += w_p * rest * V
                C2 -= 0.25 * w_p * (U * U - V * V)
                S2 -= 0.5 * w_p * U * V
                scale += w_p * (rest * rest + U * U + V * V)
        if w_o > 0.0:
            x, y, z = R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]
            for j in range(3):
                c0, c1, c2 = work.O[g, 0, j], work.O[g, 1, j], work.O[g, 2, j]
                d0, d1, d2 = aims.wanted[g, 0, j], aims.wanted[g, 1, j], aims.wanted[g, 2, j]
                along = (d0 * x + d1 * y + d2 * z) * (c0 * x + c1 * y + c2 * z)
                C1 += w_o * (d0 * c0 + d1 * c1 + d2 * c2 - along)
                S1 += w_o * (x * (c1 * d2 - c2 * d1) + y * (c2 * d0 - c0 * d2) + z * (c0 * d1 - c1 * d0))
            scale += w_o
    steepest = math.hypot(C1, S1) + 4.0 * math.hypot(C2, S2)
    if steepest <= NEGLIGIBLE * scale:
        return 0.0
    here = height(C1, S1, C2, S2, 0.0)
    a = min(max(math.atan2(S1, C1), least), most)
    if height(C1, S1, C2, S2, a) < here:
        a = 0.0
    for _ in range(CLIMBS):
        rise = S1 * math.cos(a) - C1 * math.sin(a) + 2.0 * (S2 * math.cos(2.0 * a) - C2 * math.sin(2.0 * a))
        a = min(max(a + rise / steepest, least), most)
    part = min(max(nodes.weight[k] * a, least), most)
    return part if height(C1, S1, C2, S2, part) >= here else 0.0


@nb.njit(**INLINE)
def shift(nodes, aims, k, work):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.shift``."""
    X, P, target = work.X, work.P, aims.target
    x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
    along = total = 0.0
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0 and aims.weight[g, 0] > 0.0:
            w_p = aims.weight[g, 0]
            d0, d1, d2 = target[g, 0] - P[g, 0], target[g, 1] - P[g, 1], target[g, 2] - P[g, 2]
            along += w_p * (d0 * x + d1 * y + d2 * z)
            total += w_p * (x * x + y * y + z * z)
    return nodes.weight[k] * along / total if total > 0.0 else 0.0


@nb.njit(**INLINE)
def move(nodes, aims, k, work, step):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.move``."""
    X, R, P, O = work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    hinge, affine = nodes.kind[k] == KIND_HINGE, nodes.affine[0] != 0
    x, y, z = R[k, 0, 2], R[k, 1, 2], R[k, 2, 2]
    c, s = math.cos(step), math.sin(step)
    h = 2.0 * math.sin(0.5 * step) ** 2
    for g in range(len(aims.node)):
        if aims.distal[g, k] != 0 and not hinge:
            for i in range(3):
                P[g, i] += X[k, i, 2] * step
        elif aims.distal[g, k] != 0:
            if aims.weight[g, 1] > 0.0:
                for j in range(3):
                    a, b, d = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                    along = h * (x * a + y * b + z * d)
                    O[g, 0, j] = c * a + along * x + s * (y * d - z * b)
                    O[g, 1, j] = c * b + along * y + s * (z * a - x * d)
                    O[g, 2, j] = c * d + along * z + s * (x * b - y * a)
            if affine:
                a, b, d = in_frame(X, k, P, g)
                a, b = c * a - s * b, s * a + c * b
                for i in range(3):
                    P[g, i] = X[k, i, 3] + X[k, i, 0] * a + X[k, i, 1] * b + X[k, i, 2] * d
            else:
                a, b, d = P[g, 0] - X[k, 0, 3], P[g, 1] - X[k, 1, 3], P[g, 2] - X[k, 2, 3]
                along = h * (x * a + y * b + z * d)
                P[g, 0] = X[k, 0, 3] + c * a + along * x + s * (y * d - z * b)
                P[g, 1] = X[k, 1, 3] + c * b + along * y + s * (z * a - x * d)
                P[g, 2] = X[k, 2, 3] + c * d + along * z + s * (x * b - y * a)


@nb.njit(nb.void(NODES, AIMS, F1, WORK), **OPTIONS)
def sweep(nodes, aims, x, work):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.sweep``."""
    number = len(x)
    for i in range(number):
        k = number - 1 - i
        if nodes.weight[k] <= 0.0:
            continue
        lower, upper = bounds(nodes, k, x)
        if nodes.kind[k] != KIND_HINGE:
            step = shift(nodes, aims, k, work)
        elif nodes.affine[0] != 0:
            step = turn_affine(nodes, aims, k, work, lower - x[k], upper - x[k])
        else:
            step = turn(nodes, aims, k, work, x[k], lower, upper)
        new = min(max(x[k] + step, lower), upper)
        if new != x[k]:
            move(nodes, aims, k, work, new - x[k])
        x[k] = new


@nb.njit(I0(NODES, AIMS, F1, WORK, F0, I0), **OPTIONS)
def solve(nodes, aims, x, work, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.solve``."""
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    record_start(work, merit)
    mark = math.sqrt(merit)
    for sweeps in range(max_iterations):
        if worst <= tolerance:
            return sweeps
        sweep(nodes, aims, x, work)
        frames(nodes, aims, x, work)
        merit, worst = errors(aims, work)
        record(work, merit)
        if sweeps % STALL_SWEEPS == STALL_SWEEPS - 1:
            if mark - math.sqrt(merit) < STALL * tolerance:
                return sweeps + 1
            mark = math.sqrt(merit)
    return max_iterations


@nb.njit(I0(*PACKED, F0, I0), **OPTIONS)
def run(ints, floats, lower, upper, weight, gain, x, trace, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``ccd_plain.run``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
