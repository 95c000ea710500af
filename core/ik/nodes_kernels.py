"""Frames, errors, Jacobian and limits of an inverse-kinematics problem, compiled."""

from __future__ import annotations

import math

import numba as nb
from numba import types

from core.ik.problem import NO_CONE, Aims, Nodes, Work
from core.skeleton.tree import KIND_HINGE

F0, F1, F2, F3 = nb.float64, nb.float64[::1], nb.float64[:, ::1], nb.float64[:, :, ::1]
I0, I1 = nb.int64, nb.int64[::1]
PAIR = types.UniTuple(F0, 2)
NODES = types.NamedTuple([I1, I1, F3, F3, F1, F1, I1, F1, F1, F1, I1], Nodes)
AIMS = types.NamedTuple([I1, F2, F3, F2, F3, F2, nb.uint8[:, ::1], F3], Aims)
WORK = types.NamedTuple([F3, F3, F2, F3, F1, F2, F2, F1, F2], Work)

_CONE_STEPS = 60


@nb.njit(nb.void(NODES, AIMS, F1, WORK), cache=True)
def frames(nodes, aims, x, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.frames``."""
    affine = nodes.affine[0] != 0
    for k in range(len(x)):
        p = nodes.parent[k]
        if p < 0:
            A, B = aims.base[0], aims.base[1]
        else:
            A, B = work.X[p], work.R[p]
        X, R, T, F = work.X[k], work.R[k], nodes.turn[k], nodes.fixed[k]
        hinge = nodes.kind[k] == KIND_HINGE
        c, s, d = 1.0, 0.0, 0.0
        if hinge:
            c, s = math.cos(x[k]), math.sin(x[k])
        else:
            d = x[k]
        for i in range(3):
            a0, a1, a2 = A[i, 0], A[i, 1], A[i, 2]
            x0 = a0 * F[0, 0] + a1 * F[1, 0] + a2 * F[2, 0]
            x1 = a0 * F[0, 1] + a1 * F[1, 1] + a2 * F[2, 1]
            x2 = a0 * F[0, 2] + a1 * F[1, 2] + a2 * F[2, 2]
            X[i, 3] = a0 * F[0, 3] + a1 * F[1, 3] + a2 * F[2, 3] + A[i, 3] + x2 * d
            X[i, 0], X[i, 1], X[i, 2] = c * x0 + s * x1, c * x1 - s * x0, x2
            if affine:
                a0, a1, a2 = B[i, 0], B[i, 1], B[i, 2]
                x0 = a0 * T[0, 0] + a1 * T[1, 0] + a2 * T[2, 0]
                x1 = a0 * T[0, 1] + a1 * T[1, 1] + a2 * T[2, 1]
                R[i, 2] = a0 * T[0, 2] + a1 * T[1, 2] + a2 * T[2, 2]
                R[i, 0], R[i, 1] = c * x0 + s * x1, c * x1 - s * x0
            else:
                R[i, 0], R[i, 1], R[i, 2] = X[i, 0], X[i, 1], X[i, 2]
    for g in range(len(aims.node)):
        k = aims.node[g]
        if k < 0:
            A, B = aims.base[0], aims.base[1]
        else:
            A, B = work.X[k], work.R[k]
        point, twist = aims.point[g], aims.twist[g]
        for i in range(3):
            work.P[g, i] = A[i, 0] * point[0] + A[i, 1] * point[1] + A[i, 2] * point[2] + A[i, 3]
            for m in range(3):
                work.O[g, i, m] = B[i, 0] * twist[0, m] + B[i, 1] * twist[1, m] + B[i, 2] * twist[2, m]


@nb.njit(nb.types.UniTuple(F0, 3)(F2, F2), cache=True)
def rotation_error(wanted, current):  # type: ignore[no-untyped-def]
    """Return ``log(wanted current^T)``, exact from 0 to pi: through the quaternion's largest part (Shepperd)."""
    d00 = wanted[0, 0] * current[0, 0] + wanted[0, 1] * current[0, 1] + wanted[0, 2] * current[0, 2]
    d01 = wanted[0, 0] * current[1, 0] + wanted[0, 1] * current[1, 1] + wanted[0, 2] * current[1, 2]
    d02 = wanted[0, 0] * current[2, 0] + wanted[0, 1] * current[2, 1] + wanted[0, 2] * current[2, 2]
    d10 = wanted[1, 0] * current[0, 0] + wanted[1, 1] * current[0, 1] + wanted[1, 2] * current[0, 2]
    d11 = wanted[1, 0] * current[1, 0] + wanted[1, 1] * current[1, 1] + wanted[1, 2] * current[1, 2]
    d12 = wanted[1, 0] * current[2, 0] + wanted[1, 1] * current[2, 1] + wanted[1, 2] * current[2, 2]
    d20 = wanted[2, 0] * current[0, 0] + wanted[2, 1] * current[0, 1] + wanted[2, 2] * current[0, 2]
    d21 = wanted[2, 0] * current[1, 0] + wanted[2, 1] * current[1, 1] + wanted[2, 2] * current[1, 2]
    d22 = wanted[2, 0] * current[2, 0] + wanted[2, 1] * current[2, 1] + wanted[2, 2] * current[2, 2]
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


@nb.njit(PAIR(AIMS, WORK), cache=True)
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
            a, b, c = rotation_error(aims.wanted[g], work.O[g])
            a, b, c = a * reach, b * reach, c * reach
            E[6 * g + 3], E[6 * g + 4], E[6 * g + 5] = a, b, c
            total = a * a + b * b + c * c
            merit += at_rotation * total
            worst = max(worst, math.sqrt(total))
    return merit, worst


@nb.njit(nb.types.UniTuple(F0, 3)(F2, F1), cache=True)
def in_frame(X, point):  # type: ignore[no-untyped-def]
    """Return a world point in the affine frame ``X``, by Cramer's rule."""
    a, b, c = point[0] - X[0, 3], point[1] - X[1, 3], point[2] - X[2, 3]
    n0 = X[1, 1] * X[2, 2] - X[1, 2] * X[2, 1]
    n1 = X[0, 2] * X[2, 1] - X[0, 1] * X[2, 2]
    n2 = X[0, 1] * X[1, 2] - X[0, 2] * X[1, 1]
    scale = 1.0 / (X[0, 0] * n0 + X[1, 0] * n1 + X[2, 0] * n2)
    x = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[1, 2] * X[2, 0] - X[1, 0] * X[2, 2]
    n1 = X[0, 0] * X[2, 2] - X[0, 2] * X[2, 0]
    n2 = X[0, 2] * X[1, 0] - X[0, 0] * X[1, 2]
    y = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[1, 0] * X[2, 1] - X[1, 1] * X[2, 0]
    n1 = X[0, 1] * X[2, 0] - X[0, 0] * X[2, 1]
    n2 = X[0, 0] * X[1, 1] - X[0, 1] * X[1, 0]
    return x, y, (n0 * a + n1 * b + n2 * c) * scale


@nb.njit(nb.void(NODES, AIMS, WORK), cache=True)
def columns(nodes, aims, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.columns``."""
    affine = nodes.affine[0] != 0
    J = work.J
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        row = 6 * g
        P = work.P[g]
        for k in range(len(nodes.kind)):
            for i in range(6):
                J[row + i, k] = 0.0
            if aims.distal[g, k] == 0:
                continue
            X = work.X[k]
            if nodes.kind[k] == KIND_HINGE:
                if at_position > 0.0:
                    if affine:
                        a, b, _ = in_frame(X, P)
                        for i in range(3):
                            J[row + i, k] = a * X[i, 1] - b * X[i, 0]
                    else:
                        a, b, c = P[0] - X[0, 3], P[1] - X[1, 3], P[2] - X[2, 3]
                        J[row, k] = X[1, 2] * c - X[2, 2] * b
                        J[row + 1, k] = X[2, 2] * a - X[0, 2] * c
                        J[row + 2, k] = X[0, 2] * b - X[1, 2] * a
                if at_rotation > 0.0:
                    R = work.R[k]
                    for i in range(3):
                        J[row + 3 + i, k] = reach * R[i, 2]
            elif at_position > 0.0:
                for i in range(3):
                    J[row + i, k] = X[i, 2]


@nb.njit(PAIR(NODES, I0, F1), cache=True)
def bounds(nodes, k, x):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.bounds``."""
    lower, upper = nodes.lower[k], nodes.upper[k]
    if nodes.cone[k] != NO_CONE:
        c = math.cos(x[nodes.partner[k]])
        if c > 0.0 and nodes.cone[k] < c:
            most = math.acos(max(nodes.cone[k] / c, -1.0))
            lower, upper = max(lower, -most), min(upper, most)
        elif c > 0.0:
            lower, upper = max(lower, 0.0), min(upper, 0.0)
    return lower, upper


@nb.njit(nb.void(NODES, F1), cache=True)
def clamp(nodes, x):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.clamp``."""
    for k in range(len(x)):
        x[k] = min(max(x[k], nodes.lower[k]), nodes.upper[k])
    for a in range(len(x)):
        b = nodes.partner[a]
        if b <= a or math.cos(x[a]) * math.cos(x[b]) >= nodes.cone[a]:
            continue
        low, high = 0.0, 1.0
        for _ in range(_CONE_STEPS):
            middle = 0.5 * (low + high)
            if math.cos(middle * x[a]) * math.cos(middle * x[b]) >= nodes.cone[a]:
                low = middle
            else:
                high = middle
        x[a], x[b] = low * x[a], low * x[b]


@nb.njit(F0(NODES, AIMS, F1, WORK), cache=True)
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
        if nodes.weight[k] > 0.0 and not pressed and column * length > 0.0:
            steepest = max(steepest, abs(pull) / (column * length))
    return steepest
