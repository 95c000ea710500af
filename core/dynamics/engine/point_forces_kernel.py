"""Forces at points of bodies that stay what they are in the world.

A force F on a point at r from what its body turns about has the energy ``-F . r``, whose second derivative by turning
is ``(F . r) 1 - (F r^T + r F^T) / 2``: it swings the body back to where r lies along F. That needs no foresight but
inertia, h^2 times that, to be stable however strong it is: the force stays as it is at the beginning, and no energy is
lost. The positive part of it is that about two axes, with n at right angles to F and r and c the cosine between these:
``|F| |r| c`` about n if c is positive, and ``|F| |r| (1 + c) / 2`` about the axis in the plane of F and r that is at
right angles to what halves the angle between them. A point on a chain is as far as all its links together, each of
which has a part of this, by how it turns in the world.

Source: Sueda 1.33, 1.34; there of the wrench in the body's axes, not symmetric, which this is over the coordinates.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import Memory
from core.dynamics.engine.path_forces_kernel import TAUT
from core.dynamics.engine.points_kernel import place_of_point, point_column, turn_column
from core.dynamics.engine.squares_kernel import add_square
from core.dynamics.node_motion_kernel import FAST
from core.kernels import I1, kernel

ALONG = 1e-6
"""Sine of an angle up to which two directions are one."""


@kernel(linked=True, fastmath=FAST)
def swing(
    memory: Memory, node: int, nodes: I1, x: float, y: float, z: float, f0: float, f1: float, f2: float, h: float
) -> None:  # fmt: skip
    """Give a link on which a force pulls inertia against turning across it.

    Args:
        memory: The memory.
        node: The node that it turns with.
        nodes: The chain of that.
        x, y, z: From where it begins to its end, [m].
        f0, f1, f2: The force, [N].
        h: Length of the substep, [s].
    """
    length, size = math.sqrt(x * x + y * y + z * z), math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    if h * h * size <= TAUT * memory.composite[node, 0] * length or length == 0.0:
        return
    x, y, z, f0, f1, f2 = x / length, y / length, z / length, f0 / size, f1 / size, f2 / size
    cosine = f0 * x + f1 * y + f2 * z
    b0, b1, b2 = f0 + x, f1 + y, f2 + z
    half = math.sqrt(b0 * b0 + b1 * b1 + b2 * b2)
    if half < ALONG:
        return  # it pushes against the link: nothing swings back
    b0, b1, b2 = b0 / half, b1 / half, b2 / half
    n0, n1, n2 = f1 * z - f2 * y, f2 * x - f0 * z, f0 * y - f1 * x
    sine = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    if sine < ALONG:  # any axis across will do
        if abs(b0) <= abs(b1) and abs(b0) <= abs(b2):
            n0, n1, n2 = 0.0, -b2, b1
        elif abs(b1) <= abs(b2):
            n0, n1, n2 = b2, 0.0, -b0
        else:
            n0, n1, n2 = -b1, b0, 0.0
        sine = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    n0, n1, n2 = n0 / sine, n1 / sine, n2 / sine
    weight, g = h * h * size * length, memory.columns[0]
    if cosine > 0.0:
        turn_column(memory, memory.columns, 0, node, n0, n1, n2)
        add_square(memory, nodes, g, 0, weight * cosine)
    turn_column(memory, memory.columns, 0, node, n1 * b2 - n2 * b1, n2 * b0 - n0 * b2, n0 * b1 - n1 * b0)
    add_square(memory, nodes, g, 0, 0.5 * weight * (1.0 + cosine))


@kernel(linked=True, fastmath=FAST)
def point_forces(memory: Memory, h: float) -> None:
    """Add forces at points to ``applied``, and what is implicit of them to ``applied_mass``."""
    nodes, depth, start = memory.nodes, memory.depth, memory.start
    applied, g = memory.applied, memory.columns[0]
    for n in range(memory.state.point_force_count):
        own = memory.point_forces[n]
        node = own.node
        if node < 0:
            continue
        f0, f1, f2 = own.force[0], own.force[1], own.force[2]
        x, y, z = place_of_point(memory, node, own.point)
        point_column(memory, memory.columns, 0, node, x, y, z, f0, f1, f2)
        chain = memory.chain[start[node] : start[node] + depth[node] + 1]
        for j in range(len(chain)):
            applied[chain[j]] += g[j]
        for j in range(len(chain) - 1, -1, -1):
            W = nodes[chain[j]]
            swing(memory, chain[j], chain[0 : j + 1], x - W.p[0], y - W.p[1], z - W.p[2], f0, f1, f2, h)
            x, y, z = W.p[0], W.p[1], W.p[2]
