"""Frames, errors, Jacobian and limits of an inverse-kinematics problem, compiled."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from core.ik.cones import NO_CONE
from core.ik.nodes_plain import STILL
from core.ik.unpacking import (
    AIMS,
    F0,
    F1,
    F2,
    F3,
    I0,
    I1,
    I2,
    INLINE,
    NODES,
    OPTIONS,
    PACKED,
    PAIR,
    WORK,
    unpack,
)
from core.skeleton.tree import KIND_HINGE

__all__ = [
    "AIMS", "F0", "F1", "F2", "F3", "I0", "I1", "I2", "INLINE", "NODES", "OPTIONS", "PACKED", "PAIR", "WORK", "bounds",
    "clamp", "clamp_values", "columns", "errors", "evaluate", "frames", "in_frame", "record", "record_start",
    "rotation_error", "rotation_vector", "slope", "spin", "steepness", "unpack",
]  # fmt: skip

TWO_OVER_PI = 0.63661977236758134308
QUARTER_HIGH, QUARTER_LOW = 1.57079632673412561417, 6.07710050650619224932e-11
"""A quarter turn: its first 33 bits, whose multiples are exact, and the rest."""
MANY_TURNS = 1e5
S3, S5, S7, S9, S11, S13, S15 = ((-1) ** (n // 2) / math.factorial(n) for n in range(3, 16, 2))
C4, C6, C8, C10, C12, C14, C16 = ((-1) ** (n // 2) / math.factorial(n) for n in range(4, 17, 2))

_CONE_STEPS = 60


@nb.njit(nb.void(NODES, F1, WORK), **INLINE)
def spin(nodes, x, work):  # type: ignore[no-untyped-def]
    """Write cosines and sines of the nodes into ``work.spin``, correct to the last bit or two.

    The angle less the nearest multiple of a quarter turn (in two parts, Cody and Waite), then Taylor's series, which
    there ends below the rounding after eight terms: without branches, so that several nodes are done at once.
    """
    cosines, sines, kind = work.spin[0], work.spin[1], nodes.kind
    for k in range(len(x)):
        a = x[k] if kind[k] == KIND_HINGE else 0.0
        n = np.floor(a * TWO_OVER_PI + 0.5)
        r = (a - n * QUARTER_HIGH) - n * QUARTER_LOW
        z = r * r
        s = r + r * z * (S3 + z * (S5 + z * (S7 + z * (S9 + z * (S11 + z * (S13 + z * S15))))))
        c = 1.0 - z * (0.5 - z * (C4 + z * (C6 + z * (C8 + z * (C10 + z * (C12 + z * (C14 + z * C16)))))))
        turns = n - 4.0 * np.floor(0.25 * n)
        odd = turns == 1.0 or turns == 3.0
        cosine, sine = (s if odd else c), (c if odd else s)
        cosines[k] = -cosine if turns == 1.0 or turns == 2.0 else cosine
        sines[k] = -sine if turns >= 2.0 else sine
    for k in range(len(x)):
        if abs(x[k]) > MANY_TURNS and kind[k] == KIND_HINGE:
            t = math.tan(0.5 * x[k])
            cosines[k], sines[k] = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)


@nb.njit(nb.void(NODES, AIMS, F1, WORK), **OPTIONS, forceinline=True)
def frames(nodes, aims, x, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.frames``."""
    affine = nodes.affine[0] != 0
    parent, kind, F, T = nodes.parent, nodes.kind, nodes.fixed, nodes.turn
    base, X, R, P, O = aims.base, work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    cosines, sines = work.spin[0], work.spin[1]
    spin(nodes, x, work)
    for k in range(len(x)):
        p = parent[k]
        c, s = cosines[k], sines[k]
        d = 0.0 if kind[k] == KIND_HINGE else x[k]
        for i in range(3):
            if p < 0:
                a0, a1, a2, a3 = base[0, i, 0], base[0, i, 1], base[0, i, 2], base[0, i, 3]
            else:
                a0, a1, a2, a3 = X[p, i, 0], X[p, i, 1], X[p, i, 2], X[p, i, 3]
            x0 = a0 * F[k, 0, 0] + a1 * F[k, 1, 0] + a2 * F[k, 2, 0]
            x1 = a0 * F[k, 0, 1] + a1 * F[k, 1, 1] + a2 * F[k, 2, 1]
            x2 = a0 * F[k, 0, 2] + a1 * F[k, 1, 2] + a2 * F[k, 2, 2]
            X[k, i, 0] = R[k, i, 0] = c * x0 + s * x1
            X[k, i, 1] = R[k, i, 1] = c * x1 - s * x0
            X[k, i, 2] = R[k, i, 2] = x2
            X[k, i, 3] = a0 * F[k, 0, 3] + a1 * F[k, 1, 3] + a2 * F[k, 2, 3] + a3 + x2 * d
    if affine:
        for k in range(len(x)):
            p = parent[k]
            c, s = cosines[k], sines[k]
            for i in range(3):
                if p < 0:
                    a0, a1, a2 = base[1, i, 0], base[1, i, 1], base[1, i, 2]
                else:
                    a0, a1, a2 = R[p, i, 0], R[p, i, 1], R[p, i, 2]
                x0 = a0 * T[k, 0, 0] + a1 * T[k, 1, 0] + a2 * T[k, 2, 0]
                x1 = a0 * T[k, 0, 1] + a1 * T[k, 1, 1] + a2 * T[k, 2, 1]
                R[k, i, 0] = c * x0 + s * x1
                R[k, i, 1] = c * x1 - s * x0
                R[k, i, 2] = a0 * T[k, 0, 2] + a1 * T[k, 1, 2] + a2 * T[k, 2, 2]
    for g in range(len(aims.node)):
        k = aims.node[g]
        x0, x1, x2 = aims.point[g, 0], aims.point[g, 1], aims.point[g, 2]
        for i in range(3):
            if k < 0:
                P[g, i] = base[0, i, 0] * x0 + base[0, i, 1] * x1 + base[0, i, 2] * x2 + base[0, i, 3]
                a0, a1, a2 = base[1, i, 0], base[1, i, 1], base[1, i, 2]
            else:
                P[g, i] = X[k, i, 0] * x0 + X[k, i, 1] * x1 + X[k, i, 2] * x2 + X[k, i, 3]
                a0, a1, a2 = R[k, i, 0], R[k, i, 1], R[k, i, 2]
            for m in range(3):
                O[g, i, m] = a0 * aims.twist[g, 0, m] + a1 * aims.twist[g, 1, m] + a2 * aims.twist[g, 2, m]


@nb.njit(F0(F3, F3, I0, I0, I0), **INLINE)
def dot_rows(a, b, g, i, j):  # type: ignore[no-untyped-def]
    """Return row i of matrix g of ``a`` times row j of matrix g of ``b``."""
    return a[g, i, 0] * b[g, j, 0] + a[g, i, 1] * b[g, j, 1] + a[g, i, 2] * b[g, j, 2]


@nb.njit(nb.types.UniTuple(F0, 3)(*[F0] * 9), **OPTIONS)
def rotation_vector(d00, d01, d02, d10, d11, d12, d20, d21, d22):  # type: ignore[no-untyped-def]
    """Return the logarithm of a rotation, exact from 0 to pi: through the quaternion's largest part (Shepperd)."""
    trace = d00 + d11 + d22
    s0, s1, s2 = d21 - d12, d02 - d20, d10 - d01
    if trace >= d00 and trace >= d11 and trace >= d22:
        w, x, y, z = 1.0 + trace, s0, s1, s2
    elif d00 >= d11 and d00 >= d22:
        w, x, y, z = s0, 1.0 + 2.0 * d00 - trace, d10 + d01, d20 + d02
    elif d11 >= d22:
        w, x, y, z = s1, d10 + d01, 1.0 + 2.0 * d11 - trace, d21 + d12
    else:
        w, x, y, z = s2, d20 + d02, d21 + d12, 1.0 + 2.0 * d22 - trace
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        norm = -norm
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    length = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(length, w) / length if length > 0.0 else 2.0
    return factor * x, factor * y, factor * z


@nb.njit(nb.types.UniTuple(F0, 3)(F3, F3, I0), **OPTIONS)
def rotation_error(wanted, current, g):  # type: ignore[no-untyped-def]
    """Return ``log(wanted[g] current[g]^T)``."""
    return rotation_vector(
        dot_rows(wanted, current, g, 0, 0), dot_rows(wanted, current, g, 0, 1), dot_rows(wanted, current, g, 0, 2),
        dot_rows(wanted, current, g, 1, 0), dot_rows(wanted, current, g, 1, 1), dot_rows(wanted, current, g, 1, 2),
        dot_rows(wanted, current, g, 2, 0), dot_rows(wanted, current, g, 2, 1), dot_rows(wanted, current, g, 2, 2),
    )  # fmt: skip


@nb.njit(PAIR(AIMS, WORK), **OPTIONS, forceinline=True)
def errors(aims, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.errors``."""
    merit = worst = 0.0
    E = work.E
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        for i in range(6):
            E[6 * g + i] = 0.0
        if at_position > 0.0:
            total = 0.0
            for i in range(3):
                e = aims.target[g, i] - work.P[g, i]
                E[6 * g + i] = e
                total += e * e
            merit += at_position * total
            worst = max(worst, math.sqrt(total))
        if at_rotation > 0.0:
            a, b, c = rotation_error(aims.wanted, work.O, g)
            a, b, c = a * reach, b * reach, c * reach
            E[6 * g + 3], E[6 * g + 4], E[6 * g + 5] = a, b, c
            total = a * a + b * b + c * c
            merit += at_rotation * total
            worst = max(worst, math.sqrt(total))
    work.score[0], work.score[1] = merit, worst
    return merit, worst


@nb.njit(nb.void(WORK, F0), **INLINE)
def record_start(work, merit):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.record_start``."""
    if work.used[0] == 0:
        work.trace[0] = merit
        work.used[0] = 1


@nb.njit(nb.void(WORK, F0), **INLINE)
def record(work, merit):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.record``."""
    if work.used[0] < len(work.trace):
        work.trace[work.used[0]] = merit
    work.used[0] += 1


@nb.njit(nb.types.UniTuple(F0, 3)(F3, I0, F2, I0), **OPTIONS)
def in_frame(X, k, P, g):  # type: ignore[no-untyped-def]
    """Return the world point ``P[g]`` in the affine frame ``X[k]``, by Cramer's rule."""
    a, b, c = P[g, 0] - X[k, 0, 3], P[g, 1] - X[k, 1, 3], P[g, 2] - X[k, 2, 3]
    n0 = X[k, 1, 1] * X[k, 2, 2] - X[k, 1, 2] * X[k, 2, 1]
    n1 = X[k, 0, 2] * X[k, 2, 1] - X[k, 0, 1] * X[k, 2, 2]
    n2 = X[k, 0, 1] * X[k, 1, 2] - X[k, 0, 2] * X[k, 1, 1]
    scale = 1.0 / (X[k, 0, 0] * n0 + X[k, 1, 0] * n1 + X[k, 2, 0] * n2)
    x = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[k, 1, 2] * X[k, 2, 0] - X[k, 1, 0] * X[k, 2, 2]
    n1 = X[k, 0, 0] * X[k, 2, 2] - X[k, 0, 2] * X[k, 2, 0]
    n2 = X[k, 0, 2] * X[k, 1, 0] - X[k, 0, 0] * X[k, 1, 2]
    y = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[k, 1, 0] * X[k, 2, 1] - X[k, 1, 1] * X[k, 2, 0]
    n1 = X[k, 0, 1] * X[k, 2, 0] - X[k, 0, 0] * X[k, 2, 1]
    n2 = X[k, 0, 0] * X[k, 1, 1] - X[k, 0, 1] * X[k, 1, 0]
    return x, y, (n0 * a + n1 * b + n2 * c) * scale


@nb.njit(nb.void(NODES, AIMS, WORK), **OPTIONS, forceinline=True)
def columns(nodes, aims, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.columns``."""
    affine = nodes.affine[0] != 0
    J, X, R, P = work.J, work.X, work.R, work.P
    kind, distal = nodes.kind, aims.distal
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        row = 6 * g
        for k in range(len(kind)):
            for i in range(6):
                J[row + i, k] = 0.0
            if distal[g, k] == 0:
                continue
            if kind[k] == KIND_HINGE:
                if at_position > 0.0:
                    if affine:
                        a, b, _ = in_frame(X, k, P, g)
                        for i in range(3):
                            J[row + i, k] = a * X[k, i, 1] - b * X[k, i, 0]
                    else:
                        a, b, c = P[g, 0] - X[k, 0, 3], P[g, 1] - X[k, 1, 3], P[g, 2] - X[k, 2, 3]
                        x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
                        J[row, k] = y * c - z * b
                        J[row + 1, k] = z * a - x * c
                        J[row + 2, k] = x * b - y * a
                if at_rotation > 0.0:
                    for i in range(3):
                        J[row + 3 + i, k] = reach * R[k, i, 2]
            elif at_position > 0.0:
                for i in range(3):
                    J[row + i, k] = X[k, i, 2]


@nb.njit(PAIR(*PACKED), **OPTIONS)
def evaluate(ints, floats, lower, upper, weight, gain, x, trace):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.evaluate``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    frames(nodes, aims, x, work)
    return errors(aims, work)


@nb.njit(PAIR(NODES, I0, F1), **INLINE)
def bounds(nodes, k, x):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.bounds``."""
    lower, upper = nodes.lower[k], nodes.upper[k]
    if nodes.cone[k] != NO_CONE:
        # The cosine by way of the tangent: compilers work out cosines ahead of the question whether there is a cone.
        t = math.tan(0.5 * x[nodes.partner[k]])
        c = (1.0 - t * t) / (1.0 + t * t)
        if c > 0.0 and nodes.cone[k] < c:
            most = math.acos(max(nodes.cone[k] / c, -1.0))
            lower, upper = max(lower, -most), min(upper, most)
        elif c > 0.0:
            lower, upper = max(lower, 0.0), min(upper, 0.0)
    return lower, upper


@nb.njit(nb.void(F1, F0, I0, I0), **OPTIONS)
def turn_back(x, cone, a, b):  # type: ignore[no-untyped-def]
    """Bring two swings back on their way from zero until the cone whose cosine is given holds."""
    low, high = 0.0, 1.0
    for _ in range(_CONE_STEPS):
        middle = 0.5 * (low + high)
        if math.cos(middle * x[a]) * math.cos(middle * x[b]) >= cone:
            low = middle
        else:
            high = middle
    x[a], x[b] = low * x[a], low * x[b]


@nb.njit(nb.void(F1, F1, I1, F1, F1), **INLINE)
def clamp_values(lower, upper, partner, cone, x):  # type: ignore[no-untyped-def]
    """Clamp values; see ``nodes_plain.clamp``."""
    for k in range(len(x)):
        x[k] = min(max(x[k], lower[k]), upper[k])
    for k in range(len(x)):
        if partner[k] > k and math.cos(x[k]) * math.cos(x[partner[k]]) < cone[k]:
            turn_back(x, cone[k], k, partner[k])


@nb.njit(nb.void(NODES, F1), **OPTIONS)
def clamp(nodes, x):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.clamp``."""
    clamp_values(nodes.lower, nodes.upper, nodes.partner, nodes.cone, x)


@nb.njit(F0(NODES, AIMS, F1, WORK), **OPTIONS)
def slope(nodes, aims, x, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.slope``."""
    columns(nodes, aims, work)
    J, E = work.J, work.E
    length = 0.0
    for i in range(len(E)):
        length += E[i] * E[i]
    length = math.sqrt(length)
    steepest = 0.0
    for k in range(len(x)):
        pull = column = 0.0
        for g in range(len(aims.node)):
            for i in range(6):
                j = J[6 * g + i, k]
                pull += j * E[6 * g + i] * aims.weight[g, i // 3]
                column += j * j
        column = math.sqrt(column)
        lower, upper = bounds(nodes, k, x)
        pressed = (pull > 0.0 and x[k] >= upper) or (pull < 0.0 and x[k] <= lower)
        if nodes.weight[k] > 0.0 and not pressed and column > STILL and length > 0.0:
            steepest = max(steepest, abs(pull) / (column * length))
    return steepest


@nb.njit(F0(*PACKED), **OPTIONS)
def steepness(ints, floats, lower, upper, weight, gain, x, trace):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.steepness``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return slope(nodes, aims, x, work)


@nb.njit(nb.types.UniTuple(F0, 3)(*PACKED), **OPTIONS)
def stretch(ints, floats, lower, upper, weight, gain, x, trace):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.stretch``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    frames(nodes, aims, x, work)
    X, P, target = work.X, work.P, aims.target
    first = -1
    links = a = b = c = 0.0
    for k in range(len(x)):
        if aims.distal[0, k] != 0:
            if first < 0:
                first = k
            else:
                links += math.sqrt((X[k, 0, 3] - a) ** 2 + (X[k, 1, 3] - b) ** 2 + (X[k, 2, 3] - c) ** 2)
            a, b, c = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
    if first < 0:
        return 0.0, 0.0, 0.0
    links += math.sqrt((P[0, 0] - a) ** 2 + (P[0, 1] - b) ** 2 + (P[0, 2] - c) ** 2)
    a, b, c = X[first, 0, 3], X[first, 1, 3], X[first, 2, 3]
    span = math.sqrt((P[0, 0] - a) ** 2 + (P[0, 1] - b) ** 2 + (P[0, 2] - c) ** 2)
    wanted = math.sqrt((target[0, 0] - a) ** 2 + (target[0, 1] - b) ** 2 + (target[0, 2] - c) ** 2)
    return span, links, wanted
