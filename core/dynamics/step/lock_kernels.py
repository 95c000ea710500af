"""Rows of locks, strings and the limits of balls, compiled: see ``rows_plain``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.point_kernels import point_column, point_speed
from core.dynamics.step.rows_kernels import I8, begin, bound, half, scatter
from core.dynamics.step.slots import (
    BALL_AFTER,
    BALL_ANGLES,
    BALL_AXES,
    BALL_BEFORE,
    BALL_COUNT,
    BALL_DIRECTIONS,
    BALL_FLAGS,
    BALL_HIGH,
    BALL_LOW,
    BALL_NODE,
    BALL_ROW,
    BALL_SPAN,
    BALL_WIDTH,
    BALLS,
    CHAIN,
    DEPTH,
    EQUALITIES,
    FREE,
    HELD,
    LIMIT_MARGIN,
    LOCK_A,
    LOCK_AXIS,
    LOCK_B,
    LOCK_COUNT,
    LOCK_FLAGS,
    LOCK_FORCE,
    LOCK_GAP,
    LOCK_KIND,
    LOCK_LENGTH,
    LOCK_POINT_A,
    LOCK_POINT_B,
    LOCK_PULL,
    LOCK_ROOM,
    LOCK_ROW,
    LOCK_SPEED,
    LOCK_TURN,
    LOCK_WIDTH,
    LOCKS,
    MARGIN,
    NEW,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBER_COUNT,
    NUMBERS,
    ORIENTATION,
    ROOT,
    ROWS,
    SOLVE,
    START,
    STRING,
    TURN,
    VECTOR_COUNT,
    VECTORS,
    WIDELY,
    P,
    R,
    S,
    V,
)
from core.kinematics.inlining import F0, F1, F2, I0, I1, view

THREE = nb.types.UniTuple(F0, 3)
LARGE = 1e300


@nb.njit(THREE(F2, I0, F1, I0), **INTERNAL)
def spot(nodes, node, lock, at):  # type: ignore[no-untyped-def]
    """Return where in the world the point of a lock is that is fixed to a node, or to the world."""
    x, y, z = lock[at], lock[at + 1], lock[at + 2]
    if node < 0:
        return x, y, z
    W = nodes[node]
    return (
        W[P] + W[R] * x + W[R + 1] * y + W[R + 2] * z,
        W[P + 1] + W[R + 3] * x + W[R + 4] * y + W[R + 5] * z,
        W[P + 2] + W[R + 6] * x + W[R + 7] * y + W[R + 8] * z,
    )


@nb.njit(F0(F1, F1, F0, F0, F0), **INTERNAL)
def turned_away(W, lock, x, y, z):  # type: ignore[no-untyped-def]
    """Return how far a node is turned about an axis against what the lock wants, by the rotation vector between."""
    q = LOCK_TURN
    d0 = d1 = d2 = trace = 0.0
    for k in range(3):
        a0, a1, a2 = W[R + k], W[R + 3 + k], W[R + 6 + k]
        b0, b1, b2 = lock[q + k], lock[q + 3 + k], lock[q + 6 + k]
        # Of the column vectors before and after: their cross products add up to 2 sin, their products to 1 + 2 cos.
        d0, d1, d2 = d0 + b1 * a2 - b2 * a1, d1 + b2 * a0 - b0 * a2, d2 + b0 * a1 - b1 * a0
        trace += a0 * b0 + a1 * b1 + a2 * b2
    sine = 0.5 * math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    along = 0.5 * (d0 * x + d1 * y + d2 * z)
    return along * math.atan2(sine, 0.5 * (trace - 1.0)) / sine if sine > 1e-9 else along


@nb.njit(nb.void(F1, I1, F2, I0, I0, F0, F0, F0), **INTERNAL)
def turn_column(floats, ints, columns, r, node, x, y, z):  # type: ignore[no-untyped-def]
    """Write how fast a node turns about an axis for unit velocities of its chain."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    last = ints[ints[DEPTH] + node]
    chain = view(ints, ints[CHAIN] + ints[ints[START] + node], (last + 1,))
    for j in range(last + 1):
        B = nodes[chain[j]]
        columns[r, j] = B[S] * x + B[S + 1] * y + B[S + 2] * z


@nb.njit(nb.void(F1, I1, I8, F0), **INTERNAL)
def lock_rows(floats, ints, flags, h):  # type: ignore[no-untyped-def]
    """Add equalities, then strings that are, or will be, tight; twists without rows are in the nodes' columns V."""
    n, total = ints[NODE_COUNT], ints[LOCK_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    columns = view(floats, ints[SOLVE], (3, n))
    locks = view(floats, ints[LOCKS], (ints[LOCK_ROOM], LOCK_WIDTH))
    root = vectors[ROOT]
    for strings in range(2):
        for k in range(total):
            lock = locks[k]
            kind, a, b = int(lock[LOCK_KIND]), int(lock[LOCK_A]), int(lock[LOCK_B])
            if (kind == STRING) != (strings == 1):
                continue
            x, y, z = lock[LOCK_AXIS], lock[LOCK_AXIS + 1], lock[LOCK_AXIS + 2]
            p0, p1, p2 = spot(nodes, a, lock, LOCK_POINT_A)
            q0, q1, q2 = spot(nodes, b, lock, LOCK_POINT_B)
            lock[LOCK_FORCE] = 0.0
            if kind == ORIENTATION:
                gap = speed = 0.0
                if a >= 0:
                    gap = turned_away(nodes[a], lock, x, y, z)
                    speed = x * nodes[a, V] + y * nodes[a, V + 1] + z * nodes[a, V + 2]
            else:
                if kind == STRING:
                    x, y, z = q0 - p0, q1 - p1, q2 - p2
                    distance = math.sqrt(x * x + y * y + z * z)
                    if distance > 1e-12:
                        x, y, z = x / distance, y / distance, z / distance
                    else:
                        x, y, z = 0.0, 1.0, 0.0
                    lock[LOCK_AXIS], lock[LOCK_AXIS + 1], lock[LOCK_AXIS + 2] = x, y, z
                    gap = lock[LOCK_LENGTH] - distance
                else:
                    gap = x * (p0 - q0) + y * (p1 - q1) + z * (p2 - q2)
                speed = point_speed(floats, ints, a, V, p0, p1, p2, x, y, z)
                speed -= point_speed(floats, ints, b, V, q0, q1, q2, x, y, z)
            lock[LOCK_GAP] = gap
            flag = 1
            if kind == STRING:
                if gap + h * min(speed, 0.0) >= numbers[MARGIN]:
                    continue
                base = -gap / h if gap >= 0.0 else -numbers[LOCK_PULL] * gap / h
                flag = flags[ints[LOCK_FLAGS] + k]
            else:
                base = lock[LOCK_SPEED] - numbers[LOCK_PULL] * gap / h
            i = begin(floats, ints, flags, base, speed, LOCK_ROW, k, flag)
            if i < 0:
                continue
            for side in range(2):
                node, sign = (a, 1.0) if side == 0 else (b, -1.0)
                if node >= 0:
                    if kind == ORIENTATION:
                        turn_column(floats, ints, columns, 0, node, x, y, z)
                    elif side == 0:
                        point_column(floats, ints, columns, 0, node, p0, p1, p2, x, y, z)
                    else:
                        point_column(floats, ints, columns, 0, node, q0, q1, q2, x, y, z)
                    half(floats, ints, root, columns, node, 0, 1)
                    scatter(floats, ints, columns, 0, node, i, sign)
        if strings == 0:
            ints[EQUALITIES] = ints[ROWS]


# -- balls ----------------------------------------------------------------------------------------------------------


@nb.njit(THREE(F1, I0, F0, F0, F0, F0), **INTERNAL)
def about(ball, axis, angle, x, y, z):  # type: ignore[no-untyped-def]
    """Return a vector turned about one of a ball's axes."""
    e = BALL_AXES + 3 * axis
    a, b, c = ball[e], ball[e + 1], ball[e + 2]
    cosine, sine = math.cos(angle), math.sin(angle)
    along = (1.0 - cosine) * (a * x + b * y + c * z)
    return (
        cosine * x + sine * (b * z - c * y) + along * a,
        cosine * y + sine * (c * x - a * z) + along * b,
        cosine * z + sine * (a * y - b * x) + along * c,
    )


@nb.njit(THREE(F1, I0, F0, F0, F0), **INTERNAL)
def back(ball, at, x, y, z):  # type: ignore[no-untyped-def]
    """Return a vector turned by the transpose of one of a ball's fixed turns."""
    return (
        ball[at] * x + ball[at + 3] * y + ball[at + 6] * z,
        ball[at + 1] * x + ball[at + 4] * y + ball[at + 7] * z,
        ball[at + 2] * x + ball[at + 5] * y + ball[at + 8] * z,
    )


@nb.njit(THREE(F1, F1, F0, F0, F0), **INTERNAL)
def turned(ball, node, x, y, z):  # type: ignore[no-untyped-def]
    """Return a vector turned by the three hinges of a ball: by its node's turn, without the fixed ones."""
    x, y, z = back(ball, BALL_AFTER, x, y, z)
    a, b, c, d = node[TURN], node[TURN + 1], node[TURN + 2], node[TURN + 3]
    # v + 2 a (q x v) + 2 q x (q x v)
    k0, k1, k2 = 2.0 * (c * z - d * y), 2.0 * (d * x - b * z), 2.0 * (b * y - c * x)
    x, y, z = x + a * k0 + c * k2 - d * k1, y + a * k1 + d * k0 - b * k2, z + a * k2 + b * k1 - c * k0
    return back(ball, BALL_BEFORE, x, y, z)


@nb.njit(nb.void(F1, F1), **INTERNAL)
def ball_angles(ball, node):  # type: ignore[no-untyped-def]
    """Write the three angles of a ball, next to those of the last step."""
    e = BALL_AXES
    a0, a1, a2, b0, b1, b2 = ball[e], ball[e + 1], ball[e + 2], ball[e + 3], ball[e + 4], ball[e + 5]
    c0, c1, c2 = ball[e + 6], ball[e + 7], ball[e + 8]
    r0, r1, r2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    t0, t1, t2 = turned(ball, node, c0, c1, c2)
    along, tb, tr = t0 * a0 + t1 * a1 + t2 * a2, t0 * b0 + t1 * b1 + t2 * b2, t0 * r0 + t1 * r1 + t2 * r2
    opening = math.atan2(math.sqrt(tb * tb + tr * tr), along)
    n0, n1, n2 = ball[BALL_ANGLES], ball[BALL_ANGLES + 1], ball[BALL_ANGLES + 2]
    # What the third angle is seen by: b, or a where b is along c, at right angles to c.
    if abs(b0 * c0 + b1 * c1 + b2 * c2) < 0.5:
        s0, s1, s2 = b0, b1, b2
    else:
        s0, s1, s2 = a0, a1, a2
    k = s0 * c0 + s1 * c1 + s2 * c2
    s0, s1, s2 = s0 - k * c0, s1 - k * c1, s2 - k * c2
    o0, o1, o2 = c1 * s2 - c2 * s1, c2 * s0 - c0 * s2, c0 * s1 - c1 * s0
    m0, m1, m2 = turned(ball, node, s0, s1, s2)
    least = LARGE
    whole = 2.0 * math.pi
    for j in range(2):
        s = 1.0 if j == 0 else -1.0
        second = ball[BALL_SPAN] - s * opening
        first = math.atan2(-s * tb, s * tr) if opening > 1e-9 else n0
        x, y, z = about(ball, 0, -first, m0, m1, m2)
        x, y, z = about(ball, 1, -second, x, y, z)
        third = math.atan2(o0 * x + o1 * y + o2 * z, s0 * x + s1 * y + s2 * z)
        first += whole * round((n0 - first) / whole)
        second += whole * round((n1 - second) / whole)
        third += whole * round((n2 - third) / whole)
        away = (first - n0) ** 2 + (second - n1) ** 2 + (third - n2) ** 2
        if away < least:
            least = away
            ball[BALL_ANGLES], ball[BALL_ANGLES + 1], ball[BALL_ANGLES + 2] = first, second, third


@nb.njit(nb.void(F1, I1, I8, F0), **INTERNAL)
def ball_rows(floats, ints, flags, h):  # type: ignore[no-untyped-def]
    """Add the limits of the angles of balls that are, or will be, reached."""
    n, total = ints[NODE_COUNT], ints[BALL_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    columns = view(floats, ints[SOLVE], (3, n))
    balls = view(floats, ints[BALLS], (total, BALL_WIDTH))
    depth, held = view(ints, ints[DEPTH], (n,)), view(ints, ints[HELD], (n,))
    free, new, root = vectors[FREE], vectors[NEW], vectors[ROOT]
    margin = numbers[LIMIT_MARGIN]
    for k in range(total):
        ball = balls[k]
        i = int(ball[BALL_NODE])
        if held[i]:
            continue
        ball_angles(ball, nodes[i])
        e = BALL_AXES
        q1, q2 = -ball[BALL_ANGLES + 1], -ball[BALL_ANGLES + 2]
        x0, x1, x2 = about(ball, 1, q1, ball[e], ball[e + 1], ball[e + 2])
        x0, x1, x2 = about(ball, 2, q2, x0, x1, x2)
        y0, y1, y2 = about(ball, 2, q2, ball[e + 3], ball[e + 4], ball[e + 5])
        x0, x1, x2 = back(ball, BALL_AFTER, x0, x1, x2)
        y0, y1, y2 = back(ball, BALL_AFTER, y0, y1, y2)
        z0, z1, z2 = back(ball, BALL_AFTER, ball[e + 6], ball[e + 7], ball[e + 8])
        c0, c1, c2 = y1 * z2 - y2 * z1, y2 * z0 - y0 * z2, y0 * z1 - y1 * z0
        d = x0 * c0 + x1 * c1 + x2 * c2
        sign = 1.0 if d >= 0.0 else -1.0
        for j in range(3):
            if j == 0:
                d0, d1, d2, scale = sign * c0, sign * c1, sign * c2, abs(d)
            elif j == 1:
                d0, d1, d2, scale = y0, y1, y2, 1.0
            else:
                d0, d1, d2 = sign * (x1 * y2 - x2 * y1), sign * (x2 * y0 - x0 * y2), sign * (x0 * y1 - x1 * y0)
                scale = abs(d)
            e = BALL_DIRECTIONS + 3 * j
            ball[e], ball[e + 1], ball[e + 2] = d0, d1, d2
            rate = d0 * free[i] + d1 * free[i + 1] + d2 * free[i + 2]
            later = d0 * new[i] + d1 * new[i + 1] + d2 * new[i + 2] if ints[WIDELY] else 0.0
            for side in range(2):
                angle = ball[BALL_ANGLES + j]
                away = angle - ball[BALL_LOW + j] if side == 0 else ball[BALL_HIGH + j] - angle
                speed = rate if side == 0 else -rate
                if scale * away + h * min(speed, later if side == 0 else -later, 0.0) >= scale * margin:
                    continue
                of = 6 * k + 2 * j + side
                flag = flags[ints[BALL_FLAGS] + of]
                base = scale * bound(numbers, away, 10.0 * margin, h)
                row = begin(floats, ints, flags, base, speed, BALL_ROW, of, flag)
                if row < 0:
                    return
                out = 1.0 if side == 0 else -1.0
                last = depth[i + 2]
                for p in range(last - 2):
                    columns[0, p] = 0.0
                columns[0, last - 2], columns[0, last - 1], columns[0, last] = out * d0, out * d1, out * d2
                half(floats, ints, root, columns, i + 2, 0, 1)
                scatter(floats, ints, columns, 0, i + 2, row, 1.0)
