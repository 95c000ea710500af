"""Joints that run along a spline curve or over a spline surface, packed as numbers: their poses and twists.

A *record* holds one joint's constants in a block of numbers, as ``core.skeleton.joint_records`` writes it:

- curve: how many control frames, whether it is closed, pose units per unit of x; then the frames [R | p], shape
  (m, 3, 4), and their differences ``log(C_(i-1)^-1 C_i)``, shape (m, 6);
- surface: rows and columns of its net, pose units per unit of x of both coordinates; then the control values of
  translation and turns about x, y and z, shape (6, a, b).
- any other joint: the slot that evaluates it (``core.kernels.functions``), how many coordinates it has, what lengths
  are divided by, how many constants it has; then pose units per unit of x of each coordinate, and
  the constants.

``x`` is the coordinate in the units of whoever made the record: pose values in a skeleton's tree. Poses and twists are
tuples of numbers.

Source: Lee and Terzopoulos (2008); Sueda algorithms 3 and 4.
"""

from __future__ import annotations

import math

from core.joints.splines import FARTHEST
from core.kernels import F1, F2, F3, FOUR, I1, SIX, THREE, call_slot, kernel, local
from core.skeleton.tree import KIND_BEFORE, KIND_CURVE, KIND_FIRST, KIND_GENERAL, KIND_SURFACE

CURVE_HEAD, SURFACE_HEAD, GENERAL_HEAD = 3, 4, 4
"""Numbers in front of a record."""

POSE = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
"""Rows of [R | p], one after the other."""
TWIST = SIX
"""[w; v]."""
CELL = tuple[int, float]
CURVE = tuple[POSE, TWIST]
SURFACE = tuple[POSE, TWIST, TWIST]


@kernel(internal=True)
def motion(x: float, y: float, z: float, u: float, v: float, w: float) -> POSE:
    """Return the exponential of a twist; see ``core.spatial.se3.exp``."""
    xx, yy, zz = x * x, y * y, z * z
    s = xx + yy + zz
    if s < 0.25:
        c = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0
        b = (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0))))) / 2.0
        a = 1.0 - s * c
    else:
        t = math.sqrt(s)
        sine = math.sin(t)
        a, b, c = sine / t, 2.0 * math.sin(0.5 * t) ** 2 / s, (t - sine) / (s * t)
    f, g, h = y * w - z * v, z * u - x * w, x * v - y * u
    return (
        1.0 - b * (yy + zz), b * x * y - a * z, b * x * z + a * y, u + b * f + c * (y * h - z * g),
        b * x * y + a * z, 1.0 - b * (xx + zz), b * y * z - a * x, v + b * g + c * (z * f - x * h),
        b * x * z - a * y, b * y * z + a * x, 1.0 - b * (xx + yy), w + b * h + c * (x * g - y * f),
    )  # fmt: skip


@kernel(internal=True)
def product(A: POSE, B: POSE) -> POSE:
    """Return the product of two poses."""
    return (
        A[0] * B[0] + A[1] * B[4] + A[2] * B[8], A[0] * B[1] + A[1] * B[5] + A[2] * B[9],
        A[0] * B[2] + A[1] * B[6] + A[2] * B[10], A[0] * B[3] + A[1] * B[7] + A[2] * B[11] + A[3],
        A[4] * B[0] + A[5] * B[4] + A[6] * B[8], A[4] * B[1] + A[5] * B[5] + A[6] * B[9],
        A[4] * B[2] + A[5] * B[6] + A[6] * B[10], A[4] * B[3] + A[5] * B[7] + A[6] * B[11] + A[7],
        A[8] * B[0] + A[9] * B[4] + A[10] * B[8], A[8] * B[1] + A[9] * B[5] + A[10] * B[9],
        A[8] * B[2] + A[9] * B[6] + A[10] * B[10], A[8] * B[3] + A[9] * B[7] + A[10] * B[11] + A[11],
    )  # fmt: skip


@kernel(internal=True)
def inverse(Q: POSE) -> POSE:
    """Return the inverse of a pose."""
    return (
        Q[0], Q[4], Q[8], -(Q[0] * Q[3] + Q[4] * Q[7] + Q[8] * Q[11]),
        Q[1], Q[5], Q[9], -(Q[1] * Q[3] + Q[5] * Q[7] + Q[9] * Q[11]),
        Q[2], Q[6], Q[10], -(Q[2] * Q[3] + Q[6] * Q[7] + Q[10] * Q[11]),
    )  # fmt: skip


@kernel(internal=True)
def carried(Q: POSE, S: TWIST) -> TWIST:
    """Return a twist expressed in B as it is expressed in A, for the pose of B in A."""
    w0 = Q[0] * S[0] + Q[1] * S[1] + Q[2] * S[2]
    w1 = Q[4] * S[0] + Q[5] * S[1] + Q[6] * S[2]
    w2 = Q[8] * S[0] + Q[9] * S[1] + Q[10] * S[2]
    return (
        w0, w1, w2,
        Q[0] * S[3] + Q[1] * S[4] + Q[2] * S[5] + Q[7] * w2 - Q[11] * w1,
        Q[4] * S[3] + Q[5] * S[4] + Q[6] * S[5] + Q[11] * w0 - Q[3] * w2,
        Q[8] * S[3] + Q[9] * S[4] + Q[10] * S[5] + Q[3] * w1 - Q[7] * w0,
    )  # fmt: skip


@kernel(internal=True)
def segment(value: float, count: float, closed: bool) -> CELL:
    """See ``core.joints.splines.segment``."""
    if closed:
        value = value % count
        if value >= count:  # rounding: it was a hair below zero
            value = 0.0
    else:
        value = min(max(value, -FARTHEST), count + FARTHEST)
    first = min(max(math.floor(value), 0.0), count - 1.0)
    return int(first), value - first


@kernel(internal=True)
def basis_slope(u: float) -> FOUR:
    """Return the first derivatives of ``core.joints.splines.basis``."""
    t = min(max(u, 0.0), 1.0)
    tt, r = t * t, 1.0 - t
    return -0.5 * r * r, 1.5 * tt - 2.0 * t, 0.5 + t - 1.5 * tt, 0.5 * tt


@kernel(internal=True)
def basis(u: float) -> FOUR:
    """Return the values of ``core.joints.splines.basis``."""
    t = min(max(u, 0.0), 1.0)
    tt, r, d = t * t, 1.0 - t, u - t
    a, b, c, e = basis_slope(t)
    return (
        r * r * r / 6.0 + d * a, (4.0 - 6.0 * tt + 3.0 * tt * t) / 6.0 + d * b,
        (1.0 + 3.0 * (t + tt - tt * t)) / 6.0 + d * c, tt * t / 6.0 + d * e,
    )  # fmt: skip


@kernel(linked=True)
def curve(splines: F1, at: int, x: float) -> CURVE:
    """Return the transform of a spline curve joint and its twist per unit of x.

    Args:
        splines: Block of records.
        at: Where the record begins.
        x: Coordinate.

    Returns:
        ``Q`` and ``[w; v]`` in the moved frame.

    Source: Sueda algorithm 3.
    """
    m, closed, unit = int(splines[at]), splines[at + 1] != 0.0, splines[at + 2]
    frames = at + CURVE_HEAD
    differences = frames + 12 * m
    first, u = segment(x * unit, float(m) if closed else float(m - 3), closed)
    values, slopes = basis(u), basis_slope(u)
    f = frames + 12 * first
    Q = (
        splines[f], splines[f + 1], splines[f + 2], splines[f + 3], splines[f + 4], splines[f + 5],
        splines[f + 6], splines[f + 7], splines[f + 8], splines[f + 9], splines[f + 10], splines[f + 11],
    )  # fmt: skip
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    for i in range(3):
        weight, rate = values[3], slopes[3]
        if i < 2:
            weight, rate = weight + values[2], rate + slopes[2]
        if i < 1:
            weight, rate = weight + values[1], rate + slopes[1]
        d = differences + 6 * ((first + 1 + i) % m)
        d0, d1, d2 = splines[d], splines[d + 1], splines[d + 2]
        d3, d4, d5 = splines[d + 3], splines[d + 4], splines[d + 5]
        step = motion(weight * d0, weight * d1, weight * d2, weight * d3, weight * d4, weight * d5)
        Q = product(Q, step)
        r0, r1, r2, r3, r4, r5 = carried(inverse(step), (s0, s1, s2, s3, s4, s5))
        s0, s1, s2 = rate * d0 + r0, rate * d1 + r1, rate * d2 + r2
        s3, s4, s5 = rate * d3 + r3, rate * d4 + r4, rate * d5 + r5
    return Q, (s0 * unit, s1 * unit, s2 * unit, s3 * unit, s4 * unit, s5 * unit)


@kernel(internal=True)
def blended(splines: F1, at: int, columns: int, a: FOUR, b: FOUR) -> float:
    """Return the sum of a patch of control values that begins at ``at``, weighted by rows and columns."""
    total = 0.0
    for i in range(4):
        row = at + i * columns
        part = b[0] * splines[row] + b[1] * splines[row + 1] + b[2] * splines[row + 2] + b[3] * splines[row + 3]
        total += a[i] * part
    return total


@kernel(internal=True)
def six(splines: F1, at: int, size: int, columns: int, a: FOUR, b: FOUR) -> TWIST:
    """Return ``blended`` of all six tables of control values."""
    return (
        blended(splines, at, columns, a, b), blended(splines, at + size, columns, a, b),
        blended(splines, at + 2 * size, columns, a, b), blended(splines, at + 3 * size, columns, a, b),
        blended(splines, at + 4 * size, columns, a, b), blended(splines, at + 5 * size, columns, a, b),
    )  # fmt: skip


@kernel(linked=True)
def surface(splines: F1, at: int, x: float, y: float) -> SURFACE:
    """Return the transform of a spline surface joint and its twists per unit of x and y, all as ``curve`` does.

    Source: Sueda eqs. 2.68 to 2.71.
    """
    rows, columns = int(splines[at]), int(splines[at + 1])
    unit_x, unit_y = splines[at + 2], splines[at + 3]
    i, u = segment(x * unit_x, float(rows - 3), False)
    j, v = segment(y * unit_y, float(columns - 3), False)
    size, start = rows * columns, at + SURFACE_HEAD + i * columns + j
    across, along = basis(u), basis(v)
    f = six(splines, start, size, columns, across, along)
    cx, cy, cz = math.cos(f[3]), math.cos(f[4]), math.cos(f[5])
    sx, sy, sz = math.sin(f[3]), math.sin(f[4]), math.sin(f[5])
    Q = (
        cy * cz, -cy * sz, sy, f[0],
        cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy, f[1],
        sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy, f[2],
    )  # fmt: skip
    d = six(splines, start, size, columns, basis_slope(u), along)
    e = six(splines, start, size, columns, across, basis_slope(v))
    first = (
        unit_x * (cy * cz * d[3] + sz * d[4]), unit_x * (cz * d[4] - cy * sz * d[3]), unit_x * (sy * d[3] + d[5]),
        unit_x * (Q[0] * d[0] + Q[4] * d[1] + Q[8] * d[2]), unit_x * (Q[1] * d[0] + Q[5] * d[1] + Q[9] * d[2]),
        unit_x * (Q[2] * d[0] + Q[6] * d[1] + Q[10] * d[2]),
    )  # fmt: skip
    second = (
        unit_y * (cy * cz * e[3] + sz * e[4]), unit_y * (cz * e[4] - cy * sz * e[3]), unit_y * (sy * e[3] + e[5]),
        unit_y * (Q[0] * e[0] + Q[4] * e[1] + Q[8] * e[2]), unit_y * (Q[1] * e[0] + Q[5] * e[1] + Q[9] * e[2]),
        unit_y * (Q[2] * e[0] + Q[6] * e[1] + Q[10] * e[2]),
    )  # fmt: skip
    return Q, first, second


@kernel(linked=True)
def general(splines: F1, at: int, x: F1, last: int, changed: int, value: float, out: F1, order: int) -> int:
    """Evaluate a joint by its record, in the units of x.

    Args:
        splines: Block of records.
        at: Where the record begins.
        x: Values, among them the joint's coordinates.
        last: Where the last of these stands; the others stand before it.
        changed: One of these places whose value is another one, or -1.
        value: That value.
        out: Overwritten with Q, twelve numbers, and S, six a coordinate; 48 numbers.
        order: 0 for Q alone, 1 for S too.

    Returns:
        How many coordinates there are.
    """
    q = local(6)
    n, size = int(splines[at + 1]), splines[at + 2]
    first = last + 1 - n
    for i in range(n):
        q[i] = (value if first + i == changed else x[first + i]) * splines[at + GENERAL_HEAD + i]
    call_slot(splines[at], q, splines[at + GENERAL_HEAD + n :], out, order)
    out[3], out[7], out[11] = out[3] / size, out[7] / size, out[11] / size
    if order > 0:
        for i in range(n):
            unit, row = splines[at + GENERAL_HEAD + i], 12 + 6 * i
            for j in range(3):
                out[row + j] *= unit
                out[row + 3 + j] = out[row + 3 + j] * unit / size
    return n


@kernel(internal=True)
def pose_in(out: F1) -> POSE:
    """Return the pose that ``general`` wrote."""
    return (
        out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11],
    )  # fmt: skip


@kernel(internal=True)
def twist_in(out: F1, i: int) -> TWIST:
    """Return the twist of coordinate ``i`` that ``general`` wrote."""
    at = 12 + 6 * i
    return out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5]


@kernel(linked=True)
def general_pose(splines: F1, at: int, x: F1, last: int) -> POSE:
    """Return the transform of a joint; arguments as of ``general``."""
    out = local(48)
    general(splines, at, x, last, -1, 0.0, out, 0)
    return pose_in(out)


@kernel(internal=True)
def move_on(X: F2, Q: POSE) -> None:
    """Multiply an affine frame, the upper three rows of ``X``, by a pose."""
    for i in range(3):
        a, b, c = X[i, 0], X[i, 1], X[i, 2]
        X[i, 0] = a * Q[0] + b * Q[4] + c * Q[8]
        X[i, 1] = a * Q[1] + b * Q[5] + c * Q[9]
        X[i, 2] = a * Q[2] + b * Q[6] + c * Q[10]
        X[i, 3] += a * Q[3] + b * Q[7] + c * Q[11]


@kernel(internal=True)
def turn_on(M: F2, Q: POSE) -> None:
    """Multiply a matrix by the rotation of a pose."""
    for i in range(3):
        a, b, c = M[i, 0], M[i, 1], M[i, 2]
        M[i, 0] = a * Q[0] + b * Q[4] + c * Q[8]
        M[i, 1] = a * Q[1] + b * Q[5] + c * Q[9]
        M[i, 2] = a * Q[2] + b * Q[6] + c * Q[10]


@kernel(internal=True)
def put(S: F2, k: int, twist: TWIST) -> None:
    """Write a twist into row k."""
    S[k, 0], S[k, 1], S[k, 2] = twist[0], twist[1], twist[2]
    S[k, 3], S[k, 4], S[k, 5] = twist[3], twist[4], twist[5]


@kernel(linked=True)
def move_nodes(kind: I1, spline: I1, splines: F1, fixed: F3, turn: F3, x: F1, F: F3, T: F3, S: F2) -> None:
    """Write the transforms of nodes that are coordinates of a spline, and their twists; all others stay.

    Args:
        kind: Kinds of the nodes, shape (K,).
        spline: Where each node's record begins, shape (K,).
        splines: Block of records, lengths in the nodes' unit.
        fixed: Transforms [M | t] from the parent to the node before it moves, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        x: Values of the nodes, shape (K,).
        F: Overwritten with the transforms at these values, shape (K, 3, 4).
        T: The same without scales, shape (K, 3, 3).
        S: Overwritten with the twists [w; v] per unit of x in the node's own frame, shape (K, 6).
    """
    out = local(48)
    for k in range(len(x)):
        if kind[k] < KIND_CURVE:
            continue
        for i in range(3):
            for j in range(3):
                F[k, i, j], T[k, i, j] = fixed[k, i, j], turn[k, i, j]
            F[k, i, 3] = fixed[k, i, 3]
        if kind[k] == KIND_CURVE:
            Q, twist = curve(splines, spline[k], x[k])
        elif kind[k] == KIND_SURFACE:
            Q, first, twist = surface(splines, spline[k], x[k - 1], x[k])
            put(S, k - 1, carried(Q, first))
        elif kind[k] == KIND_GENERAL:
            n = general(splines, spline[k], x, k, -1, 0.0, out, 1)
            Q, twist = pose_in(out), twist_in(out, n - 1)
            for i in range(n - 1):
                put(S, k - n + 1 + i, carried(Q, twist_in(out, i)))
        else:
            continue
        put(S, k, twist)
        move_on(F[k], Q)
        turn_on(T[k], Q)


@kernel(linked=True)
def motion_of(kind: I1, spline: I1, splines: F1, k: int, x: F1, value: float) -> CURVE:
    """Return by which motion D a node's frame X is carried on to ``X D`` when its value becomes another.

    Args:
        kind: Kinds of the nodes, shape (K,).
        spline: Where each node's record begins, shape (K,).
        splines: Block of records.
        k: The node.
        x: Values of all nodes now.
        value: Its value then.

    Returns:
        D, and the twist ``[w; v]`` with ``dD = hat(twist) D`` per unit of x.
    """
    if kind[k] >= KIND_BEFORE:
        out = local(48)
        last = k
        while kind[last] == KIND_BEFORE:
            last += 1
        n = general(splines, spline[k], x, last, -1, 0.0, out, 0)
        before = pose_in(out)
        general(splines, spline[k], x, last, k, value, out, 1)
        Q, S = pose_in(out), twist_in(out, n - 1 - (last - k))
        if k < last:
            return product(Q, inverse(before)), carried(Q, S)
        D = product(inverse(before), Q)
        return D, carried(D, S)
    if kind[k] == KIND_FIRST:
        before = surface(splines, spline[k], x[k], x[k + 1])[0]
        Q, S, _ = surface(splines, spline[k], value, x[k + 1])
        return product(Q, inverse(before)), carried(Q, S)
    if kind[k] == KIND_CURVE:
        before = curve(splines, spline[k], x[k])[0]
        Q, S = curve(splines, spline[k], value)
    else:
        before = surface(splines, spline[k], x[k - 1], x[k])[0]
        Q, _, S = surface(splines, spline[k], x[k - 1], value)
    D = product(inverse(before), Q)
    return D, carried(D, S)


@kernel(internal=True)
def point_speed(X: F3, S: F2, k: int, a: float, b: float, c: float) -> THREE:
    """Return how a point moves with a coordinate: (a, b, c) in the node's frame, the speed in the world."""
    u = S[k, 3] + S[k, 1] * c - S[k, 2] * b
    v = S[k, 4] + S[k, 2] * a - S[k, 0] * c
    w = S[k, 5] + S[k, 0] * b - S[k, 1] * a
    return (
        X[k, 0, 0] * u + X[k, 0, 1] * v + X[k, 0, 2] * w,
        X[k, 1, 0] * u + X[k, 1, 1] * v + X[k, 1, 2] * w,
        X[k, 2, 0] * u + X[k, 2, 1] * v + X[k, 2, 2] * w,
    )


@kernel(internal=True)
def turn_speed(R: F3, S: F2, k: int) -> THREE:
    """Return how a frame turns with a coordinate: the angular velocity in the world."""
    a, b, c = S[k, 0], S[k, 1], S[k, 2]
    return (
        R[k, 0, 0] * a + R[k, 0, 1] * b + R[k, 0, 2] * c,
        R[k, 1, 0] * a + R[k, 1, 1] * b + R[k, 1, 2] * c,
        R[k, 2, 0] * a + R[k, 2, 1] * b + R[k, 2, 2] * c,
    )
