"""Coordinates move on by velocities; free flight, where nothing touches and nothing takes energy.

A flight is a step of Runge-Kutta of fourth order on the rotations' own group (Munthe-Kaas 1999: the rates of rotation
vectors are ``dexp^-1``), whose momentum and energy are afterwards put back to what
they were, or what gravity makes them.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import ROTATION, TURNED, Memory
from core.dynamics.engine.momentum_kernel import (
    central_momentum,
    floats,
    kinetic,
    potential,
    rigid_motion,
    root_rates,
    tree_momenta,
)
from core.dynamics.engine.motion_kernel import mass_at, solve_mass
from core.dynamics.engine.prescribed_kernel import hold_at_rest, holding_efforts
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, kernel


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
    state.placed = 0


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
    state.placed = 0


@kernel(internal=True, fastmath=FAST)
def end_of_tree(memory: Memory, first: int) -> int:
    """Return the node after the last one of the tree that a node begins; the nodes of each tree follow each other."""
    n = memory.state.node_count
    reference = memory.reference
    end = first + 1
    while end < n and reference[end] == reference[first]:
        end += 1
    return end


@kernel(internal=True, fastmath=FAST)
def project(memory: Memory, first: int, end: int, u: F1) -> None:
    """Change velocities so that momentum, if the tree floats, and energy are what they are to be.

    Args:
        memory: The memory; in the row of the tree's first node ``conserved`` holds the energy and the momentum that
            are wanted, and ``momenta`` is that of the velocities.
        first, end: The tree's nodes.
        u: Velocities.
    """
    conserved, work = memory.conserved[first], memory.projection
    energy = conserved[0]
    locked = 0.0
    own, change, wanted, missing = work[0:6], work[6:12], work[12:18], work[18:24]
    for k in range(6):
        own[k] = 0.0
    if floats(memory, first):
        central_momentum(memory, first, missing)
        for k in range(6):
            wanted[k] = conserved[1 + k]
            missing[k] = wanted[k] - missing[k]
        locked = rigid_motion(memory, first, wanted)
        rigid_motion(memory, first, missing)
        if not root_rates(memory, first, missing, wanted, change, own):
            return
        for k in range(6):
            u[first + k] += change[k]
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
def note_conserved(memory: Memory, h: float) -> None:
    """Write what energy and momentum each tree has, or will have in a time h by gravity alone, into ``conserved``.

    The nodes stand where the coordinates are.
    """
    n = memory.state.node_count
    g = memory.state.gravity
    tree_momenta(memory, memory.u)
    first = 0
    while first < n:
        end = end_of_tree(memory, first)
        conserved = memory.conserved[first]
        central_momentum(memory, first, conserved[1:7])
        conserved[0] = kinetic(memory, first, end, memory.u) + potential(memory, first)
        for k in range(3):
            conserved[4 + k] += h * memory.composite[first, 0] * g[k]
        first = end


@kernel(linked=True, fastmath=FAST)
def put_conserved(memory: Memory) -> None:
    """Give the velocities of each tree the energy and the momentum of ``conserved``; as in ``note_conserved``."""
    n = memory.state.node_count
    tree_momenta(memory, memory.u)
    first = 0
    while first < n:
        end = end_of_tree(memory, first)
        project(memory, first, end, memory.u)
        first = end


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
        if stage > 0:
            put(memory, dx, share * h)
        elif state.general:
            state.placed = 0  # rates of general joints are evaluated with their frames
        mass_at(memory)
        if stage == 0:
            note_conserved(memory, h)
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
    put_conserved(memory)
    if state.general:
        state.placed = 0
