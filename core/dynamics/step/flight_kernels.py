"""Free flight, compiled: see ``flight_plain``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.by_address import by_address
from core.dynamics.step.motion_kernels import factor, mass_and_bias, place, solve_lower, solve_transposed, weigh
from core.dynamics.step.slots import (
    ARMATURE,
    BIAS,
    CHAIN,
    DEPTH,
    EFFORT,
    FLIGHT,
    GIVEN,
    GRAVITY,
    HELD,
    INERTIA,
    JOINT,
    KIND,
    MASS,
    MASS_AT,
    MASS_COUNT,
    MIDDLE,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBERS,
    PIVOT,
    PLACED,
    REFERENCE,
    ROOT,
    ROTATION,
    START,
    TURN,
    TURNED,
    VECTOR_COUNT,
    VECTORS,
    P,
    S,
    U,
    X,
)
from core.kinematics.inlining import F0, F1, F2, I0, I1, view

THREE = nb.types.UniTuple(F0, 3)
call_mass_at = by_address(nb.void(F1, I1))
RESTS = 1e-9
"""Prescribed coordinates that are slower than this, [rad/s] or [m/s], rest."""


@nb.njit(nb.void(F1, I0, F0, F0, F0, F0), **INTERNAL)
def turn(row, at, h, x, y, z):  # type: ignore[no-untyped-def]
    """Turn the quaternion in a row by h times a rotation vector in own axes."""
    x, y, z = 0.5 * h * x, 0.5 * h * y, 0.5 * h * z
    t = x * x + y * y + z * z
    angle = math.sqrt(t)
    c, s = (math.cos(angle), math.sin(angle) / angle) if angle > 1e-4 else (1.0 - 0.5 * t, 1.0 - t / 6.0)
    b, d, e = s * x, s * y, s * z
    q0, q1, q2, q3 = row[at], row[at + 1], row[at + 2], row[at + 3]
    w0 = q0 * c - q1 * b - q2 * d - q3 * e
    w1 = q0 * b + q1 * c + q2 * e - q3 * d
    w2 = q0 * d - q1 * e + q2 * c + q3 * b
    w3 = q0 * e + q1 * d - q2 * b + q3 * c
    over = 1.0 / math.sqrt(w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3)
    row[at], row[at + 1], row[at + 2], row[at + 3] = w0 * over, w1 * over, w2 * over, w3 * over


@nb.njit(nb.void(F1, I1), **INTERNAL)
def mass_at(floats, ints):  # type: ignore[no-untyped-def]
    """Write mass matrix, armature included, and bias forces, where the coordinates are."""
    n = ints[NODE_COUNT]
    if not ints[PLACED]:
        place(floats, ints)
        weigh(floats, ints)
    mass_and_bias(floats, ints)
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    for k in range(n):
        mass[ints[ints[START] + k] + ints[ints[DEPTH] + k]] += vectors[ARMATURE, k]


@nb.njit(nb.boolean(F1, I1), **INTERNAL)
def at_rest(floats, ints):  # type: ignore[no-untyped-def]
    """Return whether all prescribed coordinates rest, as they must in free flight."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    for k in range(n):
        if ints[ints[HELD] + k] and not max(abs(vectors[GIVEN, k]), abs(vectors[U, k])) <= RESTS:
            return False
    return True


@nb.njit(nb.void(F1, I1, F1), **INTERNAL)
def keep_held(floats, ints, x):  # type: ignore[no-untyped-def]
    """Take prescribed coordinates, which rest, out of ``M vdot = x``."""
    n = ints[NODE_COUNT]
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain, held = view(ints, ints[CHAIN], mass.shape), view(ints, ints[HELD], (n,))
    for k in range(n):
        at, d = start[k], depth[k]
        for j in range(d):
            if held[k] or held[chain[at + j]]:
                mass[at + j] = 0.0
        if held[k]:
            mass[at + d] = 1.0
            x[k] = 0.0


@nb.njit(nb.void(F1, I1, F1, F0), **INTERNAL)
def hold(floats, ints, change, h):  # type: ignore[no-untyped-def]
    """Write what keeps prescribed coordinates at rest while velocities change so much in a time h."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain, held = view(ints, ints[CHAIN], mass.shape), view(ints, ints[HELD], (n,))
    effort = vectors[EFFORT]
    for k in range(n):
        effort[k] = vectors[BIAS, k] if held[k] else 0.0
    for k in range(n):
        at = start[k]
        for j in range(depth[k]):
            c = chain[at + j]
            if held[c]:
                effort[c] += mass[at + j] * change[k] / h
            if held[k]:
                effort[k] += mass[at + j] * change[c] / h


@nb.njit(nb.void(F1, I1, F1), **INTERNAL)
def solved(floats, ints, x):  # type: ignore[no-untyped-def]
    """Replace x by ``M^-1 x``; the mass matrix is factored."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    factor(mass, depth, start, chain, vectors[PIVOT], vectors[ROOT])
    solve_transposed(mass, depth, start, chain, x)
    for k in range(n):
        x[k] *= vectors[PIVOT, k]
    solve_lower(mass, depth, start, chain, x)


@nb.njit(nb.void(F1, I1, F1, F0), **INTERNAL)
def put(floats, ints, away, h):  # type: ignore[no-untyped-def]
    """Let coordinates be h times so much away from those at the start."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    x = view(floats, ints[VECTORS] + X * n, (n,))
    kept = view(floats, ints[FLIGHT], (n,))
    turns = view(floats, ints[FLIGHT] + 6 * n, (n, 4))
    kind = view(ints, ints[KIND], (n,))
    for i in range(n):
        if kind[i] == ROTATION:
            for k in range(4):
                nodes[i, TURN + k] = turns[i, k]
            turn(nodes[i], TURN, h, away[i], away[i + 1], away[i + 2])
        elif kind[i] != TURNED:
            x[i] = kept[i] + h * away[i]


@nb.njit(THREE(F1, F0, F0, F0), **INTERNAL)
def spin(W, a, b, c):  # type: ignore[no-untyped-def]
    """Return the angular velocity that an angular momentum about the centre of mass is, by a locked inertia."""
    m, h0, h1, h2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3]
    hh = h0 * h0 + h1 * h1 + h2 * h2
    xx, xy, xz = W[INERTIA + 4] - (hh - h0 * h0) / m, W[INERTIA + 5] + h0 * h1 / m, W[INERTIA + 6] + h0 * h2 / m
    yy, yz, zz = W[INERTIA + 7] - (hh - h1 * h1) / m, W[INERTIA + 8] + h1 * h2 / m, W[INERTIA + 9] - (hh - h2 * h2) / m
    k0, k1, k2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    over = 1.0 / (xx * k0 + xy * k1 + xz * k2)
    k3, k4, k5 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (
        over * (k0 * a + k1 * b + k2 * c), over * (k1 * a + k3 * b + k4 * c), over * (k2 * a + k4 * b + k5 * c),
    )  # fmt: skip


@nb.njit(nb.void(F1, I1, I0, I0, F1, F1), **INTERNAL)
def momentum(floats, ints, first, end, u, out):  # type: ignore[no-untyped-def]
    """Write [angular about the centre of mass; linear] momentum of a tree; inertias are composite."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    l0 = l1 = l2 = p0 = p1 = p2 = 0.0
    for i in range(first, end):
        W = nodes[i]
        a = u[i]
        s0, s1, s2, s3, s4, s5 = a * W[S], a * W[S + 1], a * W[S + 2], a * W[S + 3], a * W[S + 4], a * W[S + 5]
        m, h0, h1, h2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3]
        l0 += W[INERTIA + 4] * s0 + W[INERTIA + 5] * s1 + W[INERTIA + 6] * s2 + h1 * s5 - h2 * s4
        l1 += W[INERTIA + 5] * s0 + W[INERTIA + 7] * s1 + W[INERTIA + 8] * s2 + h2 * s3 - h0 * s5
        l2 += W[INERTIA + 6] * s0 + W[INERTIA + 8] * s1 + W[INERTIA + 9] * s2 + h0 * s4 - h1 * s3
        p0, p1, p2 = p0 + m * s3 + s1 * h2 - s2 * h1, p1 + m * s4 + s2 * h0 - s0 * h2, p2 + m * s5 + s0 * h1 - s1 * h0
    W = nodes[first]
    r0, r1, r2 = W[INERTIA + 1] / W[INERTIA], W[INERTIA + 2] / W[INERTIA], W[INERTIA + 3] / W[INERTIA]
    out[0], out[1], out[2] = l0 - r1 * p2 + r2 * p1, l1 - r2 * p0 + r0 * p2, l2 - r0 * p1 + r1 * p0
    out[3], out[4], out[5] = p0, p1, p2


@nb.njit(F0(F1, I1, I0, I0, F1), **INTERNAL)
def kinetic(floats, ints, first, end, u):  # type: ignore[no-untyped-def]
    """Return the kinetic energy of a tree; the mass matrix is not factored."""
    n = ints[NODE_COUNT]
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    total = 0.0
    for k in range(first, end):
        at, d = start[k], depth[k]
        own = 0.5 * mass[at + d] * u[k]
        for j in range(d):
            own += mass[at + j] * u[chain[at + j]]
        total += own * u[k]
    return total


@nb.njit(F0(F1, I1, I0), **INTERNAL)
def potential(floats, ints, first):  # type: ignore[no-untyped-def]
    """Return the potential energy of the tree that a node begins; inertias are composite."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    g = view(floats, ints[NUMBERS] + GRAVITY, (3,))
    W, O = nodes[first], nodes[ints[ints[REFERENCE] + first]]  # noqa: E741
    total = 0.0
    for k in range(3):
        total -= g[k] * (W[INERTIA] * O[P + k] + W[INERTIA + 1 + k])
    return total


@nb.njit(I0(I1, I0), **INTERNAL)
def end_of_tree(ints, first):  # type: ignore[no-untyped-def]
    """Return the node after the last one of the tree that a node begins."""
    n = ints[NODE_COUNT]
    reference = view(ints, ints[REFERENCE], (n,))
    end = first + 1
    while end < n and reference[end] == reference[first]:
        end += 1
    return end


@nb.njit(nb.boolean(F2, I0, F1, F1), **INTERNAL)
def root_rates(nodes, first, twist, out):  # type: ignore[no-untyped-def]
    """Write the rates of six coordinates that make a twist, by elimination with pivots; false if they cannot.

    The nodes' columns ``JOINT + 7`` on, which only general joints need, are what it works in.
    """
    at = JOINT + 7
    for c in range(6):
        for r in range(6):
            nodes[first + r, at + c] = nodes[first + c, S + r]
    for r in range(6):
        nodes[first + r, at + 6] = twist[r]
    for c in range(6):
        best = c
        for r in range(c + 1, 6):
            if abs(nodes[first + r, at + c]) > abs(nodes[first + best, at + c]):
                best = r
        if abs(nodes[first + best, at + c]) < 1e-9:
            return False
        for k in range(c, 7):
            a, b = nodes[first + c, at + k], nodes[first + best, at + k]
            nodes[first + c, at + k], nodes[first + best, at + k] = b, a
        for r in range(c + 1, 6):
            a = nodes[first + r, at + c] / nodes[first + c, at + c]
            for k in range(c, 7):
                nodes[first + r, at + k] -= a * nodes[first + c, at + k]
    for c in range(5, -1, -1):
        a = nodes[first + c, at + 6]
        for k in range(c + 1, 6):
            a -= nodes[first + c, at + k] * out[k]
        out[c] = a / nodes[first + c, at + c]
    return True


@nb.njit(nb.void(F1, I1, I0, I0, F1, F1, F0), **INTERNAL)
def project(floats, ints, first, end, u, rates, h):  # type: ignore[no-untyped-def]
    """Change velocities so that momentum, if the tree is free, and energy are as they were, or as gravity makes them.

    Args:
        floats, ints: The memory.
        first, end: The tree's nodes; the first one's columns ``JOINT`` on hold energy and momentum at the start.
        u: Velocities.
        rates: Room for 18 numbers.
        h: Length of the step, [s].
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    g = view(floats, ints[NUMBERS] + GRAVITY, (3,))
    W = nodes[first]
    energy = W[JOINT]
    m = W[INERTIA]
    locked = 0.0
    own, now, twist = rates[0:6], rates[6:12], rates[12:18]
    for k in range(6):
        own[k] = 0.0
    free = ints[ints[REFERENCE] + first] == first + 5
    for k in range(first, end):
        free = free and ints[ints[HELD] + k] == 0
    if free:
        momentum(floats, ints, first, end, u, now)
        r0, r1, r2 = W[INERTIA + 1] / m, W[INERTIA + 2] / m, W[INERTIA + 3] / m
        for both in range(2):
            # First what is missing, then all of it.
            for k in range(6):
                wanted = W[JOINT + 1 + k]
                if k >= 3:
                    wanted += h * m * g[k - 3]
                twist[k] = wanted - now[k] if both == 0 else wanted
            l0, l1, l2, p0, p1, p2 = twist[0], twist[1], twist[2], twist[3], twist[4], twist[5]
            w0, w1, w2 = spin(W, l0, l1, l2)
            twist[0], twist[1], twist[2] = w0, w1, w2
            twist[3] = p0 / m - w1 * r2 + w2 * r1
            twist[4] = p1 / m - w2 * r0 + w0 * r2
            twist[5] = p2 / m - w0 * r1 + w1 * r0
            if both == 1:
                locked = 0.5 * (w0 * l0 + w1 * l1 + w2 * l2 + (p0 * p0 + p1 * p1 + p2 * p2) / m)
            if not root_rates(nodes, first, twist, own):
                return
            if both == 0:
                for k in range(6):
                    u[first + k] += own[k]
    for k in range(6):
        if first + k < end:
            u[first + k] -= own[k]
    relative = kinetic(floats, ints, first, end, u)
    left = energy - potential(floats, ints, first) - locked
    scale = 1.0
    if relative > 1e-9 * (abs(energy) + locked) and 0.5 * relative < left < 2.0 * relative:
        scale = math.sqrt(left / relative)
    for k in range(first, end):
        u[k] *= scale
    for k in range(6):
        if first + k < end:
            u[first + k] += own[k]


@nb.njit(nb.void(F1, I1, F0), **INTERNAL)
def fly(floats, ints, h):  # type: ignore[no-untyped-def]
    """Move on by h from where the nodes stand, by gravity alone and without rows; what is prescribed rests."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    flight = view(floats, ints[FLIGHT], (6, n))
    turns = view(floats, ints[FLIGHT] + 6 * n, (n, 4))
    kind = view(ints, ints[KIND], (n,))
    u, w, bias = vectors[U], vectors[MIDDLE], vectors[BIAS]
    x, dx, du, x_sum, u_sum = flight[0], flight[1], flight[2], flight[3], flight[4]
    for i in range(n):
        x[i] = vectors[X, i]
        dx[i] = du[i] = x_sum[i] = u_sum[i] = 0.0
        for k in range(4):
            turns[i, k] = nodes[i, TURN + k]
    for stage in range(4):
        share = 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        for i in range(n):
            w[i] = u[i] + share * h * du[i]
        put(floats, ints, dx, share * h)
        call_mass_at(ints[MASS_AT], (floats, ints))
        if stage == 0:
            first = 0
            while first < n:
                end = end_of_tree(ints, first)
                W = nodes[first]
                momentum(floats, ints, first, end, u, W[JOINT + 1 : JOINT + 7])
                W[JOINT] = kinetic(floats, ints, first, end, u) + potential(floats, ints, first)
                first = end
        for i in range(n):
            if kind[i] == ROTATION:
                t0, t1, t2 = share * h * dx[i], share * h * dx[i + 1], share * h * dx[i + 2]
                a, b, c = w[i], w[i + 1], w[i + 2]
                k0, k1, k2 = t1 * c - t2 * b, t2 * a - t0 * c, t0 * b - t1 * a
                dx[i] = a + 0.5 * k0 + (t1 * k2 - t2 * k1) / 12.0
                dx[i + 1] = b + 0.5 * k1 + (t2 * k0 - t0 * k2) / 12.0
                dx[i + 2] = c + 0.5 * k2 + (t0 * k1 - t1 * k0) / 12.0
            elif kind[i] != TURNED:
                dx[i] = w[i]
            du[i] = -bias[i]
        keep_held(floats, ints, du)
        solved(floats, ints, du)
        for i in range(n):
            x_sum[i] += weight * dx[i]
            u_sum[i] += weight * du[i]
    put(floats, ints, x_sum, h / 6.0)
    for i in range(n):
        u_sum[i] *= h / 6.0
        u[i] += u_sum[i]
        w[i] = u[i]
    call_mass_at(ints[MASS_AT], (floats, ints))
    hold(floats, ints, u_sum, h)
    first = 0
    while first < n:
        end = end_of_tree(ints, first)
        project(floats, ints, first, end, u, view(floats, ints[FLIGHT], (18,)), h)
        first = end
