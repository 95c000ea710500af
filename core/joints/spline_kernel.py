"""Spline curves and surfaces as kernels call them: see ``core.joints.base.JointModel.evaluation``.

Constants of a curve: how many control frames it has, whether it is closed, its basis; the frames [R | p], shape
(m, 3, 4), and their differences ``log(C_i^-1 C_(i+1))``, shape (m, 6). Of a surface: rows and columns of its net, its
basis; the control values of translation and turns about x, y and z, shape (6, a, b).

Source: Lee and Terzopoulos (2008); Sueda algorithms 3 and 4.
"""

from __future__ import annotations

import math

from core.joints.pose_kernel import POSE, TWIST, carried, inverse, motion, product
from core.joints.splines import BEZIER, CATMULL_ROM, FARTHEST
from core.kernels import EXACT, FOUR, P1, kernel

CURVE_HEAD = SURFACE_HEAD = 3
"""Numbers in front."""
CELL = tuple[int, float]


@kernel(internal=True, fastmath=EXACT)
def segment(value: float, count: float, closed: bool) -> CELL:
    """Return the span that a place lies in, and the place in it: 0 to 1, beyond that only past the ends."""
    if closed:
        value = value % count
        if value >= count:  # rounding: it was a hair below zero
            value = 0.0
        first = math.floor(value)
        return int(first), value - first
    value = min(max(value, -FARTHEST), count + FARTHEST)
    cell = min(max(math.floor(value), 0.0), count - 1.0)
    return int(cell), value - cell


@kernel(internal=True, fastmath=EXACT)
def basis_bend(kind: float, u: float) -> FOUR:
    """Return the second derivatives of the four basis functions at a place in a span."""
    t = min(max(u, 0.0), 1.0)
    if u != t:
        return 0.0, 0.0, 0.0, 0.0
    r = 1.0 - t
    if kind == BEZIER:
        return 6.0 * r, 6.0 * t - 12.0 * r, 6.0 * r - 12.0 * t, 6.0 * t
    if kind == CATMULL_ROM:
        return 2.0 - 3.0 * t, 9.0 * t - 5.0, 4.0 - 9.0 * t, 3.0 * t - 1.0
    return r, 3.0 * t - 2.0, 1.0 - 3.0 * t, t


@kernel(internal=True, fastmath=EXACT)
def basis_slope(kind: float, u: float) -> FOUR:
    """Return their first derivatives."""
    t = min(max(u, 0.0), 1.0)
    tt, r = t * t, 1.0 - t
    if kind == BEZIER:
        return -3.0 * r * r, 3.0 * r * (r - 2.0 * t), 3.0 * t * (2.0 * r - t), 3.0 * tt
    if kind == CATMULL_ROM:
        return (
            0.5 * (4.0 * t - 1.0 - 3.0 * tt), 0.5 * (9.0 * tt - 10.0 * t), 0.5 * (1.0 + 8.0 * t - 9.0 * tt),
            0.5 * (3.0 * tt - 2.0 * t),
        )  # fmt: skip
    return -0.5 * r * r, 1.5 * tt - 2.0 * t, 0.5 + t - 1.5 * tt, 0.5 * tt


@kernel(internal=True, fastmath=EXACT)
def basis(kind: float, u: float) -> FOUR:
    """Return their values."""
    t = min(max(u, 0.0), 1.0)
    tt, r, d = t * t, 1.0 - t, u - t
    a, b, c, e = basis_slope(kind, t)
    if kind == BEZIER:
        return r * r * r + d * a, 3.0 * t * r * r + d * b, 3.0 * tt * r + d * c, tt * t + d * e
    if kind == CATMULL_ROM:
        return (
            0.5 * t * (2.0 * t - 1.0 - tt) + d * a, 0.5 * (2.0 - 5.0 * tt + 3.0 * tt * t) + d * b,
            0.5 * t * (1.0 + 4.0 * t - 3.0 * tt) + d * c, 0.5 * tt * (t - 1.0) + d * e,
        )  # fmt: skip
    return (
        r * r * r / 6.0 + d * a, (4.0 - 6.0 * tt + 3.0 * tt * t) / 6.0 + d * b,
        (1.0 + 3.0 * (t + tt - tt * t)) / 6.0 + d * c, tt * t / 6.0 + d * e,
    )  # fmt: skip


@kernel(internal=True, fastmath=EXACT)
def nothing(out: P1, count: int) -> None:
    """Write that there is no place."""
    for i in range(count):
        out[i] = math.nan


@kernel(internal=True, fastmath=EXACT)
def put_pose(out: P1, Q: POSE) -> None:
    """Write a pose in front."""
    out[0], out[1], out[2], out[3], out[4], out[5] = Q[0], Q[1], Q[2], Q[3], Q[4], Q[5]
    out[6], out[7], out[8], out[9], out[10], out[11] = Q[6], Q[7], Q[8], Q[9], Q[10], Q[11]


@kernel(internal=True, fastmath=EXACT)
def put_twist(out: P1, at: int, S: TWIST) -> None:
    """Write a twist where six numbers begin."""
    out[at], out[at + 1], out[at + 2] = S[0], S[1], S[2]
    out[at + 3], out[at + 4], out[at + 5] = S[3], S[4], S[5]


@kernel(internal=True, fastmath=EXACT)
def bracket(S: TWIST, T: TWIST) -> TWIST:
    """Return ``ad(S) T``; see ``core.spatial.se3.ad``."""
    return (
        S[1] * T[2] - S[2] * T[1], S[2] * T[0] - S[0] * T[2], S[0] * T[1] - S[1] * T[0],
        S[4] * T[2] - S[5] * T[1] + S[1] * T[5] - S[2] * T[4],
        S[5] * T[0] - S[3] * T[2] + S[2] * T[3] - S[0] * T[5],
        S[3] * T[1] - S[4] * T[0] + S[0] * T[4] - S[1] * T[3],
    )  # fmt: skip


@kernel(pointers=True, fastmath=EXACT)
def curve(q: P1, constants: P1, out: P1, order: int) -> None:
    """Write Q, S and dS/dq of a curve.

    Source: Sueda algorithm 3 (line 10 with the derivative of the basis function).
    """
    if not abs(q[0]) < math.inf:
        nothing(out, 12 + 6 * order)
        return
    m, closed, kind = int(constants[0]), constants[1] != 0.0, constants[2]
    stride = 3 if kind == BEZIER else 1
    count = m // stride if closed else (m - 1) // 3 if kind == BEZIER else m - 3
    cell, u = segment(q[0], float(count), closed)
    first = cell * stride
    values, slopes, bends = basis(kind, u), basis_slope(kind, u), basis_bend(kind, u)
    f = CURVE_HEAD + 12 * first
    Q = (
        constants[f], constants[f + 1], constants[f + 2], constants[f + 3], constants[f + 4], constants[f + 5],
        constants[f + 6], constants[f + 7], constants[f + 8], constants[f + 9], constants[f + 10], constants[f + 11],
    )  # fmt: skip
    S = dS = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(3):
        weight, rate, bend = values[3], slopes[3], bends[3]
        if i < 2:
            weight, rate, bend = weight + values[2], rate + slopes[2], bend + bends[2]
        if i < 1:
            weight, rate, bend = weight + values[1], rate + slopes[1], bend + bends[1]
        d = CURVE_HEAD + 12 * m + 6 * ((first + i) % m)
        d0, d1, d2 = constants[d], constants[d + 1], constants[d + 2]
        d3, d4, d5 = constants[d + 3], constants[d + 4], constants[d + 5]
        step = motion(weight * d0, weight * d1, weight * d2, weight * d3, weight * d4, weight * d5)
        Q = product(Q, step)
        if order < 1:
            continue
        back = inverse(step)
        own = (rate * d0, rate * d1, rate * d2, rate * d3, rate * d4, rate * d5)
        turned = bracket(S, own)
        r0, r1, r2, r3, r4, r5 = carried(
            back, (
                dS[0] + turned[0], dS[1] + turned[1], dS[2] + turned[2], dS[3] + turned[3], dS[4] + turned[4],
                dS[5] + turned[5],
            )
        )  # fmt: skip
        dS = bend * d0 + r0, bend * d1 + r1, bend * d2 + r2, bend * d3 + r3, bend * d4 + r4, bend * d5 + r5
        r0, r1, r2, r3, r4, r5 = carried(back, S)
        S = own[0] + r0, own[1] + r1, own[2] + r2, own[3] + r3, own[4] + r4, own[5] + r5
    put_pose(out, Q)
    if order >= 1:
        put_twist(out, 12, S)
    if order >= 2:
        put_twist(out, 18, dS)


@kernel(internal=True, fastmath=EXACT)
def blended(values: P1, at: int, columns: int, a: FOUR, b: FOUR) -> float:
    """Return the sum of a patch of control values that begins at ``at``, weighted by rows and columns."""
    total = 0.0
    for i in range(4):
        row = at + i * columns
        part = b[0] * values[row] + b[1] * values[row + 1] + b[2] * values[row + 2] + b[3] * values[row + 3]
        total += a[i] * part
    return total


@kernel(internal=True, fastmath=EXACT)
def six(values: P1, at: int, size: int, columns: int, a: FOUR, b: FOUR) -> TWIST:
    """Return ``blended`` of all six tables of control values."""
    return (
        blended(values, at, columns, a, b), blended(values, at + size, columns, a, b),
        blended(values, at + 2 * size, columns, a, b), blended(values, at + 3 * size, columns, a, b),
        blended(values, at + 4 * size, columns, a, b), blended(values, at + 5 * size, columns, a, b),
    )  # fmt: skip


@kernel(pointers=True, fastmath=EXACT)
def surface(q: P1, constants: P1, out: P1, order: int) -> None:
    """Write Q, S and dS/dq of a surface.

    ``S_k = [E f_k; R^T p_k]`` for the derivatives ``f_k`` of the angles and ``p_k`` of the place, with E of Euler
    angles x, y, z in moved axes; its derivatives by both coordinates follow term by term.

    Source: Sueda eqs. 2.68 to 2.71.
    """
    if not abs(q[0]) + abs(q[1]) < math.inf:
        nothing(out, 12 if order < 1 else 24 if order < 2 else 48)
        return
    rows, columns, kind = int(constants[0]), int(constants[1]), constants[2]
    stride = 3 if kind == BEZIER else 1
    up = (rows - 1) // 3 if kind == BEZIER else rows - 3
    across = (columns - 1) // 3 if kind == BEZIER else columns - 3
    i, u = segment(q[0], float(up), False)
    j, v = segment(q[1], float(across), False)
    size, at = rows * columns, SURFACE_HEAD + stride * (i * columns + j)
    a, b = basis(kind, u), basis(kind, v)
    f = six(constants, at, size, columns, a, b)
    cx, cy, cz = math.cos(f[3]), math.cos(f[4]), math.cos(f[5])
    sx, sy, sz = math.sin(f[3]), math.sin(f[4]), math.sin(f[5])
    R0, R1, R2 = cy * cz, -cy * sz, sy
    R3, R4, R5 = cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy
    R6, R7, R8 = sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy
    put_pose(out, (R0, R1, R2, f[0], R3, R4, R5, f[1], R6, R7, R8, f[2]))
    if order < 1:
        return
    da, db = basis_slope(kind, u), basis_slope(kind, v)
    d = six(constants, at, size, columns, da, b)
    e = six(constants, at, size, columns, a, db)
    for k in range(2):
        g = d if k == 0 else e
        put_twist(
            out, 12 + 6 * k, (
                cy * cz * g[3] + sz * g[4], cz * g[4] - cy * sz * g[3], sy * g[3] + g[5],
                R0 * g[0] + R3 * g[1] + R6 * g[2], R1 * g[0] + R4 * g[1] + R7 * g[2], R2 * g[0] + R5 * g[1] + R8 * g[2],
            ),
        )  # fmt: skip
    if order < 2:
        return
    dd = six(constants, at, size, columns, basis_bend(kind, u), b)
    de = six(constants, at, size, columns, da, db)
    ee = six(constants, at, size, columns, a, basis_bend(kind, v))
    for k in range(4):
        g = d if k < 2 else e  # of the column that is differentiated
        h = d if k % 2 == 0 else e  # by what
        s = dd if k == 0 else ee if k == 3 else de
        w0, w1, w2 = cy * cz * h[3] + sz * h[4], cz * h[4] - cy * sz * h[3], sy * h[3] + h[5]
        v0 = R0 * g[0] + R3 * g[1] + R6 * g[2]
        v1 = R1 * g[0] + R4 * g[1] + R7 * g[2]
        v2 = R2 * g[0] + R5 * g[1] + R8 * g[2]
        put_twist(
            out, 24 + 6 * k, (
                cy * cz * s[3] + sz * s[4] - (sy * cz * h[4] + cy * sz * h[5]) * g[3] + cz * h[5] * g[4],
                cz * s[4] - cy * sz * s[3] - sz * h[5] * g[4] + (sy * sz * h[4] - cy * cz * h[5]) * g[3],
                sy * s[3] + s[5] + cy * h[4] * g[3],
                R0 * s[0] + R3 * s[1] + R6 * s[2] - w1 * v2 + w2 * v1,
                R1 * s[0] + R4 * s[1] + R7 * s[2] - w2 * v0 + w0 * v2,
                R2 * s[0] + R5 * s[1] + R8 * s[2] - w0 * v1 + w1 * v0,
            ),
        )  # fmt: skip
