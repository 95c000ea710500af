"""Coordinates move on by velocities; free flight, where nothing touches and nothing takes energy.

A flight is a step of Runge-Kutta of fourth order on the rotations' own group (Munthe-Kaas 1999: the rates of rotation
vectors are ``dexp^-1``), whose momentum and energy are afterwards put back to what
they were, or what gravity makes them.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import ROTATION, TURNED, Memory, Node
from core.dynamics.engine.motion_kernel import mass_at, solve_mass
from core.dynamics.engine.prescribed_kernel import hold_at_rest, holding_efforts
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, THREE, kernel


@kernel(internal=True, fastmath=FAST)
def turn(q: F1, h: float, x: float, y: float, z: float) -> None:
    """Turn a quaternion by h times a rotation vector in own axes."""
    x, y, z = 0.5 * h * x, 0.5 * h * y, 0.5 * h * z
    t = x * x + y * y + z * z
    angle = math.sqrt(t)
    c, s = (math.cos(angle), math.sin(angle) / angle) if angle > 1e-4 else (1.0 - 0.5 * t, 1.0 - t / 6.0)
    b, d, e = s * x, s * y, s * z
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    w0 = q0 * c - q1 * b - q2 * d - q3 * e
    w1 = q0 * b + q1 * c + q2 * e - q3 * d
    w2 = q0 * d - q1 * e + q2 * c + q3 * b
    w3 = q0 * e + q1 * d - q2 * b + q3 * c
    over = 1.0 / math.sqrt(w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3)
    q[0], q[1], q[2], q[3] = w0 * over, w1 * over, w2 * over, w3 * over


@kernel(linked=True)
def move(memory: Memory, h: float) -> None:
    """Move the coordinates on by the velocities."""
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    kind = memory.kind
    u, x = memory.u, memory.x
    for i in range(n):
        if kind[i] == ROTATION:
            turn(nodes[i].turn, h, u[i], u[i + 1], u[i + 2])
        elif kind[i] != TURNED:
            x[i] += h * u[i]


@kernel(internal=True, fastmath=FAST)
def put(memory: Memory, away: F1, h: float) -> None:
    """Let coordinates be h times so much away from those at the start."""
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    x = memory.x
    kept = memory.flight[0]
    turns = memory.flight_turns
    kind = memory.kind
    for i in range(n):
        if kind[i] == ROTATION:
            for k in range(4):
                nodes[i].turn[k] = turns[i, k]
            turn(nodes[i].turn, h, away[i], away[i + 1], away[i + 2])
        elif kind[i] != TURNED:
            x[i] = kept[i] + h * away[i]


@kernel(internal=True, fastmath=FAST)
def spin(W: Node, a: float, b: float, c: float) -> THREE:
    """Return the angular velocity that an angular momentum about the centre of mass is, by a locked inertia."""
    m, h0, h1, h2 = W.inertia[0], W.inertia[1], W.inertia[2], W.inertia[3]
    hh = h0 * h0 + h1 * h1 + h2 * h2
    xx, xy, xz = W.inertia[4] - (hh - h0 * h0) / m, W.inertia[5] + h0 * h1 / m, W.inertia[6] + h0 * h2 / m
    yy, yz, zz = W.inertia[7] - (hh - h1 * h1) / m, W.inertia[8] + h1 * h2 / m, W.inertia[9] - (hh - h2 * h2) / m
    k0, k1, k2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    over = 1.0 / (xx * k0 + xy * k1 + xz * k2)
    k3, k4, k5 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (
        over * (k0 * a + k1 * b + k2 * c), over * (k1 * a + k3 * b + k4 * c), over * (k2 * a + k4 * b + k5 * c),
    )  # fmt: skip


@kernel(internal=True, fastmath=FAST)
def momentum(memory: Memory, first: int, end: int, u: F1, out: F1) -> None:
    """Write [angular about the centre of mass; linear] momentum of a tree; inertias are composite."""
    nodes = memory.nodes
    l0 = l1 = l2 = p0 = p1 = p2 = 0.0
    for i in range(first, end):
        W = nodes[i]
        a = u[i]
        s0, s1, s2, s3, s4, s5 = a * W.S[0], a * W.S[1], a * W.S[2], a * W.S[3], a * W.S[4], a * W.S[5]
        m, h0, h1, h2 = W.inertia[0], W.inertia[1], W.inertia[2], W.inertia[3]
        l0 += W.inertia[4] * s0 + W.inertia[5] * s1 + W.inertia[6] * s2 + h1 * s5 - h2 * s4
        l1 += W.inertia[5] * s0 + W.inertia[7] * s1 + W.inertia[8] * s2 + h2 * s3 - h0 * s5
        l2 += W.inertia[6] * s0 + W.inertia[8] * s1 + W.inertia[9] * s2 + h0 * s4 - h1 * s3
        p0, p1, p2 = p0 + m * s3 + s1 * h2 - s2 * h1, p1 + m * s4 + s2 * h0 - s0 * h2, p2 + m * s5 + s0 * h1 - s1 * h0
    W = nodes[first]
    r0, r1, r2 = W.inertia[1] / W.inertia[0], W.inertia[2] / W.inertia[0], W.inertia[3] / W.inertia[0]
    out[0], out[1], out[2] = l0 - r1 * p2 + r2 * p1, l1 - r2 * p0 + r0 * p2, l2 - r0 * p1 + r1 * p0
    out[3], out[4], out[5] = p0, p1, p2


@kernel(internal=True, fastmath=FAST)
def kinetic(memory: Memory, first: int, end: int, u: F1) -> float:
    """Return the kinetic energy of a tree; the mass matrix is not factored."""
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    total = 0.0
    for k in range(first, end):
        at, d = start[k], depth[k]
        own = 0.5 * mass[at + d] * u[k]
        for j in range(d):
            own += mass[at + j] * u[chain[at + j]]
        total += own * u[k]
    return total


@kernel(internal=True, fastmath=FAST)
def potential(memory: Memory, first: int) -> float:
    """Return the potential energy of the tree that a node begins; inertias are composite."""
    nodes = memory.nodes
    g = memory.state.gravity
    W, O = nodes[first], nodes[memory.reference[first]]  # noqa: E741
    total = 0.0
    for k in range(3):
        total -= g[k] * (W.inertia[0] * O.p[k] + W.inertia[1 + k])
    return total


@kernel(internal=True, fastmath=FAST)
def end_of_tree(memory: Memory, first: int) -> int:
    """Return the node after the last one of the tree that a node begins."""
    state = memory.state
    n = state.node_count
    reference = memory.reference
    end = first + 1
    while end < n and reference[end] == reference[first]:
        end += 1
    return end


@kernel(internal=True, fastmath=FAST)
def root_rates(memory: Memory, first: int, twist: F1, out: F1) -> bool:
    """Write the rates of six coordinates that make a twist, by elimination with pivots; false if they cannot."""
    nodes, work = memory.nodes, memory.elimination
    for c in range(6):
        for r in range(6):
            work[r, c] = nodes[first + c].S[r]
    for r in range(6):
        work[r, 6] = twist[r]
    for c in range(6):
        best = c
        for r in range(c + 1, 6):
            if abs(work[r, c]) > abs(work[best, c]):
                best = r
        if abs(work[best, c]) < 1e-9:
            return False
        for k in range(c, 7):
            a, b = work[c, k], work[best, k]
            work[c, k], work[best, k] = b, a
        for r in range(c + 1, 6):
            a = work[r, c] / work[c, c]
            for k in range(c, 7):
                work[r, k] -= a * work[c, k]
    for c in range(5, -1, -1):
        a = work[c, 6]
        for k in range(c + 1, 6):
            a -= work[c, k] * out[k]
        out[c] = a / work[c, c]
    return True


@kernel(internal=True, fastmath=FAST)
def project(memory: Memory, first: int, end: int, u: F1, h: float) -> None:
    """Change velocities so that momentum, if the tree is free, and energy are as they were, or as gravity makes them.

    Args:
        memory: The memory; in the row of the tree's first node ``conserved`` holds energy and momentum at the start.
        first, end: The tree's nodes.
        u: Velocities.
        h: Length of the step, [s].
    """
    nodes = memory.nodes
    g = memory.state.gravity
    W = nodes[first]
    conserved, rates = memory.conserved[first], memory.projection
    energy = conserved[0]
    m = W.inertia[0]
    locked = 0.0
    own, now, twist = rates[0:6], rates[6:12], rates[12:18]
    for k in range(6):
        own[k] = 0.0
    free = memory.reference[first] == first + 5
    for k in range(first, end):
        free = free and memory.held[k] == 0
    if free:
        momentum(memory, first, end, u, now)
        r0, r1, r2 = W.inertia[1] / m, W.inertia[2] / m, W.inertia[3] / m
        for both in range(2):
            # First what is missing, then all of it.
            for k in range(6):
                wanted = conserved[1 + k]
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
            if not root_rates(memory, first, twist, own):
                return
            if both == 0:
                for k in range(6):
                    u[first + k] += own[k]
    for k in range(6):
        if first + k < end:
            u[first + k] -= own[k]
    relative = kinetic(memory, first, end, u)
    left = energy - potential(memory, first) - locked
    scale = 1.0
    if relative > 1e-9 * (abs(energy) + locked) and 0.5 * relative < left < 2.0 * relative:
        scale = math.sqrt(left / relative)
    for k in range(first, end):
        u[k] *= scale
    for k in range(6):
        if first + k < end:
            u[first + k] += own[k]


@kernel(linked=True, fastmath=FAST)
def fly(memory: Memory, h: float) -> None:
    """Move on by h from where the nodes stand, by gravity alone and without rows; what is prescribed rests."""
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    flight = memory.flight
    turns = memory.flight_turns
    kind = memory.kind
    u, w, bias = memory.u, memory.u_middle, memory.bias
    x, dx, du, x_sum, u_sum = flight[0], flight[1], flight[2], flight[3], flight[4]
    for i in range(n):
        x[i] = memory.x[i]
        dx[i] = du[i] = x_sum[i] = u_sum[i] = 0.0
        for k in range(4):
            turns[i, k] = nodes[i].turn[k]
    for stage in range(4):
        share = 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        for i in range(n):
            w[i] = u[i] + share * h * du[i]
        put(memory, dx, share * h)
        mass_at(memory)
        if stage == 0:
            first = 0
            while first < n:
                end = end_of_tree(memory, first)
                conserved = memory.conserved[first]
                momentum(memory, first, end, u, conserved[1:7])
                conserved[0] = kinetic(memory, first, end, u) + potential(memory, first)
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
        hold_at_rest(memory, du)
        solve_mass(memory, du)
        for i in range(n):
            x_sum[i] += weight * dx[i]
            u_sum[i] += weight * du[i]
    put(memory, x_sum, h / 6.0)
    for i in range(n):
        u_sum[i] *= h / 6.0
        u[i] += u_sum[i]
        w[i] = u[i]
    mass_at(memory)
    holding_efforts(memory, u_sum, h)
    first = 0
    while first < n:
        end = end_of_tree(memory, first)
        project(memory, first, end, u, h)
        first = end
