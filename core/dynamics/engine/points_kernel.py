"""How points that are fixed to nodes stand and move, and forces at them."""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, F2, I1, THREE, kernel


@kernel(internal=True, fastmath=FAST)
def point_column(
    memory: Memory, columns: F2, r: int, node: int, px: float, py: float, pz: float, x: float, y: float, z: float
) -> None:  # fmt: skip
    """Write how fast a point fixed to a node moves along a direction for unit velocities of its chain."""
    nodes = memory.nodes
    O = nodes[memory.reference[node]]  # noqa: E741
    a, b, c = px - O.p[0], py - O.p[1], pz - O.p[2]
    t0, t1, t2 = b * z - c * y, c * x - a * z, a * y - b * x
    last = memory.depth[node]
    chain = memory.chain[memory.start[node] : memory.start[node] + last + 1]
    own = columns[r]
    for j in range(last + 1):
        B = nodes[chain[j]]
        own[j] = B.S[0] * t0 + B.S[1] * t1 + B.S[2] * t2 + B.S[3] * x + B.S[4] * y + B.S[5] * z


@kernel(internal=True, fastmath=FAST)
def point_speed(
    memory: Memory, node: int, V: F2, px: float, py: float, pz: float, x: float, y: float, z: float
) -> float:  # fmt: skip
    """Return how fast a point fixed to a node (-1: the world) moves along a direction, with twists ``V``."""
    if node < 0:
        return 0.0
    nodes = memory.nodes
    O = nodes[memory.reference[node]]  # noqa: E741
    a, b, c = px - O.p[0], py - O.p[1], pz - O.p[2]
    w0, w1, w2 = V[node, 0], V[node, 1], V[node, 2]
    return (
        x * (V[node, 3] + w1 * c - w2 * b) + y * (V[node, 4] + w2 * a - w0 * c) + z * (V[node, 5] + w0 * b - w1 * a)
    )  # fmt: skip


@kernel(inline=True)
def point_velocity(memory: Memory, node: int, V: F2, px: float, py: float, pz: float) -> THREE:
    """Return the velocity of a point fixed to a node (-1: the world), with twists ``V``."""
    if node < 0:
        return 0.0, 0.0, 0.0
    nodes = memory.nodes
    O = nodes[memory.reference[node]]  # noqa: E741
    a, b, c = px - O.p[0], py - O.p[1], pz - O.p[2]
    w0, w1, w2 = V[node, 0], V[node, 1], V[node, 2]
    return V[node, 3] + w1 * c - w2 * b, V[node, 4] + w2 * a - w0 * c, V[node, 5] + w0 * b - w1 * a


@kernel(inline=True)
def relative_velocity(memory: Memory, a: int, b: int, V: F2, px: float, py: float, pz: float) -> THREE:
    """Return the velocity at a point of node a beside that of node b; either may be -1, the world."""
    v0, v1, v2 = point_velocity(memory, a, V, px, py, pz)
    if b >= 0:
        u0, u1, u2 = point_velocity(memory, b, V, px, py, pz)
        return v0 - u0, v1 - u1, v2 - u2
    return v0, v1, v2


@kernel(internal=True, fastmath=FAST)
def turn_column(memory: Memory, columns: F2, r: int, node: int, x: float, y: float, z: float) -> None:
    """Write how fast a node turns about an axis for unit velocities of its chain."""
    nodes = memory.nodes
    last = memory.depth[node]
    chain = memory.chain[memory.start[node] : memory.start[node] + last + 1]
    for j in range(last + 1):
        B = nodes[chain[j]]
        columns[r, j] = B.S[0] * x + B.S[1] * y + B.S[2] * z


@kernel(internal=True, fastmath=FAST)
def place_of_point(memory: Memory, node: int, point: F1) -> THREE:
    """Return where in the world a point is that is fixed to a node, or (-1) to the world."""
    x, y, z = point[0], point[1], point[2]
    if node < 0:
        return x, y, z
    W = memory.nodes[node]
    return (
        W.p[0] + W.R[0] * x + W.R[1] * y + W.R[2] * z,
        W.p[1] + W.R[3] * x + W.R[4] * y + W.R[5] * z,
        W.p[2] + W.R[6] * x + W.R[7] * y + W.R[8] * z,
    )


@kernel(internal=True, fastmath=FAST)
def load(memory: Memory, node: int, px: float, py: float, pz: float, x: float, y: float, z: float) -> None:
    """Add a force at a point to a node's wrench."""
    if node < 0:
        return
    nodes = memory.nodes
    W, O = nodes[node], nodes[memory.reference[node]]  # noqa: E741
    a, b, c = px - O.p[0], py - O.p[1], pz - O.p[2]
    W.F[0], W.F[1], W.F[2] = W.F[0] + b * z - c * y, W.F[1] + c * x - a * z, W.F[2] + a * y - b * x
    W.F[3], W.F[4], W.F[5] = W.F[3] + x, W.F[4] + y, W.F[5] + z


@kernel(internal=True, fastmath=FAST)
def moving(
    memory: Memory, node: int, place: F1, x: float, y: float, z: float, sign: float, turn: float, other: F1,
    nodes: I1, first: int, out: F1,
) -> None:  # fmt: skip
    """Write how fast a point fixed to a node moves along a direction for unit velocities of some nodes.

    Args:
        memory: The memory.
        node: The node; -1 is the world.
        place: The point, world axes, shape (3,).
        x, y, z: The direction.
        sign: 1, or -1 for the opposite.
        turn: How much of their turning about ``other`` is taken off.
        other: An axis, shape (3,).
        nodes: The nodes that count.
        first: Where in ``out`` the first is written.
        out: Where they are written.
    """
    if node < 0:
        return
    N = memory.nodes
    O = N[memory.reference[node]]  # noqa: E741
    a, b, c = place[0] - O.p[0], place[1] - O.p[1], place[2] - O.p[2]
    t0, t1, t2 = sign * (b * z - c * y), sign * (c * x - a * z), sign * (a * y - b * x)
    t0, t1, t2 = t0 - turn * other[0], t1 - turn * other[1], t2 - turn * other[2]
    x, y, z = sign * x, sign * y, sign * z
    for j in range(len(nodes)):
        S = N[nodes[j]].S
        out[first + j] = S[0] * t0 + S[1] * t1 + S[2] * t2 + S[3] * x + S[4] * y + S[5] * z
