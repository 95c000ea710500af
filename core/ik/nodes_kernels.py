"""Frames, errors, Jacobian and limits of an inverse-kinematics problem, compiled."""

from __future__ import annotations

import math

import numba as nb

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
from core.kinematics.cones import NO_CONE
from core.kinematics.inlining import INTERNAL
from core.kinematics.nodes_kernels import clamp_values, in_frame, place, rotation_vector
from core.kinematics.splines_kernels import move_nodes, point_speed, turn_speed
from core.skeleton.tree import KIND_CURVE, KIND_HINGE

__all__ = [
    "AIMS", "F0", "F1", "F2", "F3", "I0", "I1", "I2", "INLINE", "NODES", "OPTIONS", "PACKED", "PAIR", "WORK", "bounds",
    "clamp", "clamp_values", "columns", "errors", "evaluate", "frames", "in_frame", "record", "record_start",
    "rotation_error", "rotation_vector", "slope", "steepness", "unpack",
]  # fmt: skip


@nb.njit(nb.void(NODES, AIMS, F1, WORK), **OPTIONS, forceinline=True)
def frames(nodes, aims, x, work):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.frames``."""
    base, X, R, P, O = aims.base, work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    c, s = work.spin[0], work.spin[1]
    if len(nodes.splines) > 0:
        move_nodes(nodes.kind, nodes.spline, nodes.splines, nodes.fixed, nodes.turn, x, work.F, work.T, work.S)
    place(nodes.parent, nodes.kind, work.F, work.T, nodes.affine[0] != 0, base, x, c, s, X, R)
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


@nb.njit(nb.void(AIMS, WORK, I0, I0), **INTERNAL)
def coordinate_column(aims, work, g, k):  # type: ignore[no-untyped-def]
    """Write the column of a coordinate of a spline for goal g."""
    J, row = work.J, 6 * g
    if aims.weight[g, 0] > 0.0:
        a, b, c = in_frame(work.X, k, work.P[g, 0], work.P[g, 1], work.P[g, 2])
        J[row, k], J[row + 1, k], J[row + 2, k] = point_speed(work.X, work.S, k, a, b, c)
    if aims.weight[g, 1] > 0.0:
        reach = aims.weight[g, 2]
        a, b, c = turn_speed(work.R, work.S, k)
        J[row + 3, k], J[row + 4, k], J[row + 5, k] = reach * a, reach * b, reach * c


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
                        a, b, _ = in_frame(X, k, P[g, 0], P[g, 1], P[g, 2])
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
            elif kind[k] >= KIND_CURVE:
                coordinate_column(aims, work, g, k)
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
