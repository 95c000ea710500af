"""The rows of a substep, compiled: see ``rows_plain``. They are written half solved, ``W = D^-1/2 L^-T C^T``.

A row of a point or joint touches only the chain of nodes that it hangs on, and of the sparse factor only the rows of
that chain: those of the inner nodes are beginnings of those of the outer ones.
"""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.point_kernels import contact_columns, point_column, point_velocity
from core.dynamics.step.slots import (
    BASE,
    BODIES,
    BODY_COUNT,
    BODY_GIVE,
    BODY_GRIP,
    BODY_NODE,
    BODY_WIDTH,
    CHAIN,
    CONTACT,
    CONTACT_A,
    CONTACT_B,
    CONTACT_FRICTION,
    CONTACT_GAP,
    CONTACT_KIND,
    CONTACT_NORMAL,
    CONTACT_ROOM,
    CONTACT_ROW,
    CONTACT_ROWS,
    CONTACT_STATE,
    CONTACT_STATE_WIDTH,
    CONTACT_WIDTH,
    CONTACTS,
    DEEP,
    DEPTH,
    FIRST_TANGENT,
    FLAGS,
    FORCE,
    FREE,
    HELD,
    HIGH,
    HIGH_ROW,
    IDS,
    LEFT_OUT,
    LIMIT_FLAGS,
    LIMIT_MARGIN,
    LOCK_PULL,
    LOW,
    LOW_ROW,
    MARGIN,
    MASS,
    MASS_COUNT,
    NEW,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    PUSH,
    PUSH_MOST,
    PUSH_OUT,
    PUSH_RATE,
    REMEMBERED,
    REMEMBERED_FLAGS,
    REMEMBERED_IDS,
    ROOT,
    ROW,
    ROW_KIND,
    ROW_NUMBERS,
    ROW_OF,
    ROW_ROOM,
    ROW_SPEED,
    ROW_VALUES,
    ROWS,
    SECOND_TANGENT,
    SLIDING,
    SOLVE,
    SPEEDS,
    START,
    VECTOR_COUNT,
    VECTORS,
    WIDELY,
    A,
    V,
    X,
)
from core.kinematics.inlining import F0, F1, F2, I0, I1, view
from core.kinematics.linking import linked

I8 = nb.int8[::1]

SLOW, STILL = 1e-3, 1e-9
"""As in ``rows_plain``."""


@nb.njit(nb.void(F1, I1, F1, F2, I0, I0, I0), **INTERNAL)
def half(floats, ints, root, columns, node, first, count):  # type: ignore[no-untyped-def]
    """Solve rows in place: ``columns[first + r, j]`` belongs to the jth node of a node's chain."""
    n = ints[NODE_COUNT]
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain, held = view(ints, ints[CHAIN], mass.shape), view(ints, ints[HELD], (n,))
    at, d = start[node], depth[node]
    if count == 3:
        one, two, three = columns[first], columns[first + 1], columns[first + 2]
        for p in range(d, -1, -1):
            k = chain[at + p]
            if held[k]:
                one[p] = two[p] = three[p] = 0.0
                continue
            a, b, c, over = one[p], two[p], three[p], root[k]
            row = mass[start[k] : start[k] + p]
            for j in range(p):
                one[j] -= row[j] * a
                two[j] -= row[j] * b
                three[j] -= row[j] * c
            one[p], two[p], three[p] = a * over, b * over, c * over
        return
    for r in range(first, first + count):
        c = columns[r]
        for p in range(d, -1, -1):
            k = chain[at + p]
            if held[k]:
                c[p] = 0.0
            a = c[p]
            if a != 0.0:
                row = mass[start[k] : start[k] + p]
                for j in range(p):
                    c[j] -= row[j] * a
            c[p] = a * root[k]


@nb.njit(I0(F1, I1, I8, F0, F0, I0, I0, I0), **INTERNAL)
def begin(floats, ints, flags, base, speed, kind, of, flag):  # type: ignore[no-untyped-def]
    """Begin a row of zeros; return its number, or -1 if there is no room for it."""
    n, i = ints[NODE_COUNT], ints[ROWS]
    if i >= ints[ROW_ROOM]:
        return -1
    ints[ROWS] = i + 1
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    values[BASE, i], values[ROW_SPEED, i] = base, speed
    ints[ints[ROW_KIND] + i], ints[ints[ROW_OF] + i], flags[ints[FLAGS] + i] = kind, of, flag
    row = view(floats, ints[ROW] + i * n, (n,))
    for k in range(n):
        row[k] = 0.0
    return i


@nb.njit(nb.void(F1, I1, F2, I0, I0, I0, F0), **INTERNAL)
def scatter(floats, ints, columns, r, node, i, factor):  # type: ignore[no-untyped-def]
    """Add a multiple of a solved row along a node's chain to row i."""
    n = ints[NODE_COUNT]
    at, last = ints[ints[START] + node], ints[ints[DEPTH] + node]
    row = view(floats, ints[ROW] + i * n, (n,))
    chain = view(ints, ints[CHAIN] + at, (last + 1,))
    c = columns[r]
    for j in range(last + 1):
        row[chain[j]] += factor * c[j]


@nb.njit(F0(F1, F0, F0, F0), **INTERNAL)
def bound(numbers, gap, deep, h):  # type: ignore[no-untyped-def]
    """Return the least speed along a row of a gap; gaps below zero open slowly."""
    if gap >= 0.0:
        return -gap / h
    speed, more = numbers[PUSH_OUT], -gap - deep
    if more > 0.0:
        speed += numbers[PUSH_RATE] * more * more / (more + deep)
    return min(speed * numbers[PUSH], min(numbers[PUSH_MOST], -numbers[LOCK_PULL] * gap / h))


@linked
@nb.njit(nb.void(F1, I1, I8, F0), **INTERNAL)
def limit_rows(floats, ints, flags, h):  # type: ignore[no-untyped-def]
    """Add the limits of coordinates that are, or will be, reached."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    columns = view(floats, ints[SOLVE], (3, n))
    depth, held = view(ints, ints[DEPTH], (n,)), view(ints, ints[HELD], (n,))
    x, low, high, free, root = vectors[X], vectors[LOW], vectors[HIGH], vectors[FREE], vectors[ROOT]
    new = vectors[NEW]
    margin = numbers[LIMIT_MARGIN]
    for i in range(n):
        if held[i]:
            continue
        for side in range(2):
            sign, gap = (1.0, x[i] - low[i]) if side == 0 else (-1.0, high[i] - x[i])
            speed = sign * free[i]
            fall = min(speed, sign * new[i]) if ints[WIDELY] else speed
            if gap + h * min(fall, 0.0) < margin:
                flag = flags[ints[LIMIT_FLAGS] + side * n + i]
                kind = LOW_ROW if side == 0 else HIGH_ROW
                row = begin(floats, ints, flags, bound(numbers, gap, 10.0 * margin, h), speed, kind, i, flag)
                if row < 0:
                    return
                for j in range(depth[i]):
                    columns[0, j] = 0.0
                columns[0, depth[i]] = sign
                half(floats, ints, root, columns, i, 0, 1)
                scatter(floats, ints, columns, 0, i, row, 1.0)


@nb.njit(I0(I1, I0, I0), **INTERNAL)
def remembered(ints, key, guess):  # type: ignore[no-untyped-def]
    """Return which of the contacts of the substep before has an id, or -1; looked for from ``guess`` on."""
    count = ints[REMEMBERED]
    at = ints[REMEMBERED_IDS]
    for k in range(count):
        j = guess + k
        if j >= count:
            j -= count
        if ints[at + j] == key:
            return j
    return -1


@nb.njit(nb.void(F1, I1, F2, I0, I0), **INTERNAL)
def pyramid(floats, ints, columns, node, i):  # type: ignore[no-untyped-def]
    """Add the sums and differences of three solved rows along a node's chain to the four rows from i on."""
    n = ints[NODE_COUNT]
    last = ints[ints[DEPTH] + node]
    rows = view(floats, ints[ROW] + i * n, (4, n))
    chain = view(ints, ints[CHAIN] + ints[ints[START] + node], (last + 1,))
    c, d, e = columns[0], columns[1], columns[2]
    for j in range(last + 1):
        k = chain[j]
        rows[0, k] += c[j] + d[j]
        rows[1, k] += c[j] - d[j]
        rows[2, k] += c[j] + e[j]
        rows[3, k] += c[j] - e[j]


@nb.njit(nb.void(F1, I1, I8, F0, I0), **INTERNAL)
def contact_rows(floats, ints, flags, h, found):  # type: ignore[no-untyped-def]
    """Add the contacts that touch or may touch within the substep, a pyramid of four rows each, or one row.

    Twists of the velocities without rows are in the nodes' columns V, those at the beginning in A.
    """
    n, room = ints[NODE_COUNT], ints[CONTACT_ROOM]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    columns = view(floats, ints[SOLVE], (3, n))
    contact = view(floats, ints[CONTACT], (room, CONTACT_WIDTH))
    states = view(floats, ints[CONTACT_STATE], (room, CONTACT_STATE_WIDTH))
    speeds = view(floats, ints[SPEEDS], (room, 4))
    body_node = view(ints, ints[BODY_NODE], (ints[BODY_COUNT],))
    bodies = view(floats, ints[BODIES], (ints[BODY_COUNT], BODY_WIDTH))
    ids = view(ints, ints[IDS], (room,))
    old_flags = view(flags, ints[REMEMBERED_FLAGS], (room, 4))
    root = vectors[ROOT]
    kept = guess = 0
    for k in range(found):
        K = contact[k]
        px, py, pz, nx, ny, nz = K[0], K[1], K[2], K[CONTACT_NORMAL], K[CONTACT_NORMAL + 1], K[CONTACT_NORMAL + 2]
        a = body_node[int(K[CONTACT_A])] if K[CONTACT_A] >= 0.0 else -1
        b = body_node[int(K[CONTACT_B])] if K[CONTACT_B] >= 0.0 else -1
        for side in range(CONTACT_A, CONTACT_B + 1):
            if K[side] >= 0.0:
                K[CONTACT_GAP] += bodies[int(K[side]), BODY_GIVE]
                K[CONTACT_FRICTION] *= bodies[int(K[side]), BODY_GRIP]
        gap, mu = K[CONTACT_GAP], K[CONTACT_FRICTION]
        f0, f1, f2 = point_velocity(floats, ints, a, V, px, py, pz)
        if b >= 0:
            g0, g1, g2 = point_velocity(floats, ints, b, V, px, py, pz)
            f0, f1, f2 = f0 - g0, f1 - g1, f2 - g2
        falling = f0 * nx + f1 * ny + f2 * nz
        if not ints[WIDELY] and gap + h * min(falling, 0.0) >= numbers[MARGIN]:
            continue
        if ints[ROWS] + 4 > ints[ROW_ROOM]:
            ints[LEFT_OUT] += 1
            continue
        if kept != k:
            for j in range(CONTACT_WIDTH):
                contact[kept, j] = K[j]
            ids[kept] = ids[k]
        W = states[kept]
        g0, g1, g2 = point_velocity(floats, ints, a, A, px, py, pz)
        if b >= 0:
            t0, t1, t2 = point_velocity(floats, ints, b, A, px, py, pz)
            g0, g1, g2 = g0 - t0, g1 - t1, g2 - t2
        along = g0 * nx + g1 * ny + g2 * nz
        t0, t1, t2 = g0 - along * nx, g1 - along * ny, g2 - along * nz
        length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        old = remembered(ints, ids[kept], guess)
        b0 = b1 = b2 = 0.0
        if old >= 0:
            guess = old + 1
            b0, b1, b2 = speeds[old, 1], speeds[old, 2], speeds[old, 3]
        along = b0 * nx + b1 * ny + b2 * nz
        c0, c1, c2 = b0 - along * nx, b1 - along * ny, b2 - along * nz
        kept_length = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
        slides = length > SLOW
        t0, t1, t2 = f0 - falling * nx, f1 - falling * ny, f2 - falling * nz
        length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        if kept_length > 0.5 and (length <= STILL or not slides):
            t0, t1, t2, length = c0, c1, c2, kept_length
        elif length <= STILL:
            if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
                t0, t1, t2 = 1.0 - nx * nx, -nx * ny, -nx * nz
            elif abs(ny) <= abs(nz):
                t0, t1, t2 = -ny * nx, 1.0 - ny * ny, -ny * nz
            else:
                t0, t1, t2 = -nz * nx, -nz * ny, 1.0 - nz * nz
            length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
        t0, t1, t2 = t0 / length, t1 / length, t2 / length
        u0, u1, u2 = ny * t2 - nz * t1, nz * t0 - nx * t2, nx * t1 - ny * t0
        # Of the four sides of a pyramid that next to the one before comes first, so that its flags still fit.
        c, s = t0 * b0 + t1 * b1 + t2 * b2, u0 * b0 + u1 * b1 + u2 * b2
        if abs(s) > abs(c):
            if s > 0.0:
                t0, t1, t2, u0, u1, u2 = u0, u1, u2, -t0, -t1, -t2
            else:
                t0, t1, t2, u0, u1, u2 = -u0, -u1, -u2, t0, t1, t2
        elif c < 0.0:
            t0, t1, t2, u0, u1, u2 = -t0, -t1, -t2, -u0, -u1, -u2
        W[FIRST_TANGENT], W[FIRST_TANGENT + 1], W[FIRST_TANGENT + 2] = t0, t1, t2
        W[SECOND_TANGENT], W[SECOND_TANGENT + 1], W[SECOND_TANGENT + 2] = u0, u1, u2
        W[FORCE] = W[FORCE + 1] = W[FORCE + 2] = W[SLIDING] = 0.0
        if old >= 0:
            W[SLIDING] = speeds[old, 0]
        base = bound(numbers, gap, numbers[DEEP], h)
        if mu <= 0.0:
            flag = old_flags[old, 0] if old >= 0 else 0
            i = begin(floats, ints, flags, base, falling, CONTACT_KIND, kept, flag)
            W[CONTACT_ROW], W[CONTACT_ROWS] = i, 1
            for side in range(2):
                node, sign = (a, 1.0) if side == 0 else (b, -1.0)
                if node >= 0:
                    point_column(floats, ints, columns, 0, node, px, py, pz, nx, ny, nz)
                    half(floats, ints, root, columns, node, 0, 1)
                    scatter(floats, ints, columns, 0, node, i, sign)
            kept += 1
            continue
        v1, v2 = mu * (f0 * t0 + f1 * t1 + f2 * t2), mu * (f0 * u0 + f1 * u1 + f2 * u2)
        i = ints[ROWS]
        W[CONTACT_ROW], W[CONTACT_ROWS] = i, 4
        for j in range(4):
            speed = v1 if j < 2 else v2
            flag = old_flags[old, j] if old >= 0 else 0
            begin(floats, ints, flags, base, falling + (speed if j % 2 == 0 else -speed), CONTACT_KIND, kept, flag)
        for side in range(2):
            node, sign = (a, 1.0) if side == 0 else (b, -1.0)
            if node >= 0:
                contact_columns(floats, ints, columns, node, contact[kept], W, sign, sign * mu)
                half(floats, ints, root, columns, node, 0, 3)
                pyramid(floats, ints, columns, node, i)
        kept += 1
    ints[CONTACTS] = kept
