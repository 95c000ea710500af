"""Coordinates that move as they are prescribed: their rates, and what they do to all others."""

from __future__ import annotations

import math

from core.dynamics.engine.memory import ROTATION, TURNED, Memory
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, THREE, kernel

RESTS = 1e-9
"""Prescribed coordinates that are slower than this, [rad/s] or [m/s], rest."""


@kernel(internal=True, fastmath=FAST)
def turn_to(now: F1, wanted: F1) -> THREE:
    """Return the rotation vector, in own axes, from a quaternion to another, the shorter way."""
    a, b, c, d = now[0], -now[1], -now[2], -now[3]
    w, x, y, z = wanted[0], wanted[1], wanted[2], wanted[3]
    w, x, y, z = (
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )  # fmt: skip
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return factor * x, factor * y, factor * z


@kernel(linked=True, fastmath=FAST)
def prescribed_rates(memory: Memory, h: float, left: int) -> None:
    """Write the velocities at which prescribed coordinates get to where they are to be after so many parts."""
    x_next = memory.x_next
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    kind, held = memory.kind, memory.held
    given = memory.u_given
    over = 1.0 / (h * left)
    for i in range(n):
        if not held[i]:
            continue
        if kind[i] == ROTATION:
            x, y, z = turn_to(nodes[i].turn, nodes[i].next_turn)
            given[i], given[i + 1], given[i + 2] = x * over, y * over, z * over
        elif kind[i] != TURNED:
            given[i] = (x_next[i] - memory.x[i]) * over


@kernel(linked=True, fastmath=FAST)
def arrive(memory: Memory) -> None:
    """Put prescribed coordinates where they are to be, to the last bit."""
    x, x_next = memory.x, memory.x_next
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    held = memory.held
    for i in range(n):
        if held[i]:
            x[i] = x_next[i]
            for k in range(4):
                nodes[i].turn[k] = nodes[i].next_turn[k]


@kernel(linked=True, fastmath=FAST)
def eliminate_prescribed(memory: Memory) -> None:
    """Take prescribed coordinates out of the equation: what their change of velocity does to others is known."""
    state = memory.state
    n = state.node_count
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    held = memory.held
    right, given, u = memory.right_side, memory.u_given, memory.u
    for k in range(n):
        at = start[k]
        for j in range(depth[k]):
            c = chain[at + j]
            if held[k] or held[c]:
                if not held[c]:
                    right[c] -= mass[at + j] * (given[k] - u[k])
                elif not held[k]:
                    right[k] -= mass[at + j] * (given[c] - u[c])
                mass[at + j] = 0.0
    for k in range(n):
        if held[k]:
            mass[start[k] + depth[k]] = 1.0
            right[k] = given[k] - u[k]


@kernel(internal=True, fastmath=FAST)
def prescribed_rest(memory: Memory) -> bool:
    """Return whether all prescribed coordinates rest, as they must in free flight."""
    u, u_given = memory.u, memory.u_given
    state = memory.state
    n = state.node_count
    for k in range(n):
        if memory.held[k] and not max(abs(u_given[k]), abs(u[k])) <= RESTS:
            return False
    return True


@kernel(internal=True, fastmath=FAST)
def hold_at_rest(memory: Memory, x: F1) -> None:
    """Take prescribed coordinates, which rest, out of ``M vdot = x``."""
    state = memory.state
    n = state.node_count
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain, held = memory.chain, memory.held
    for k in range(n):
        at, d = start[k], depth[k]
        for j in range(d):
            if held[k] or held[chain[at + j]]:
                mass[at + j] = 0.0
        if held[k]:
            mass[at + d] = 1.0
            x[k] = 0.0


@kernel(internal=True, fastmath=FAST)
def holding_efforts(memory: Memory, change: F1, h: float) -> None:
    """Write what keeps prescribed coordinates at rest while velocities change so much in a time h."""
    bias = memory.bias
    state = memory.state
    n = state.node_count
    mass = memory.full_mass
    depth, start = memory.depth, memory.start
    chain, held = memory.chain, memory.held
    effort = memory.effort
    for k in range(n):
        effort[k] = bias[k] if held[k] else 0.0
    for k in range(n):
        at = start[k]
        for j in range(depth[k]):
            c = chain[at + j]
            if held[c]:
                effort[c] += mass[at + j] * change[k] / h
            if held[k]:
                effort[k] += mass[at + j] * change[c] / h
