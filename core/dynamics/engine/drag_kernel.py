"""Drag on bodies, ``-d`` times the twist of one beside that of another, as it is at the end of the substep.

The twists are compared at the origin of the dragged body. Each of their six numbers is ``g u`` over the nodes that move
one of the bodies and not the other, so that within a figure momentum is kept: ``h d g g^T`` goes to the mass matrix,
or, where these nodes do not hang on each other, becomes a row that gives way. (How the directions turn at equal twists
is left out: beside the damping it is as little as what turns in a step.)
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import Memory
from core.dynamics.engine.points_kernel import moving, place_of_point
from core.dynamics.engine.squares_kernel import add_square, fill_row, put_row
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(linked=True, fastmath=FAST)
def drags(memory: Memory, h: float) -> None:
    """Add drag on bodies to ``applied``, and what is implicit of it to ``applied_mass`` and to rows."""
    applied, u, g = memory.applied, memory.u, memory.columns[0]
    axis, place = memory.projection[0:3], memory.projection[3:6]
    for n in range(memory.state.drag_count):
        own = memory.drags[n]
        one, two = (
            memory.drag_nodes[own.node_first : own.node_middle],
            memory.drag_nodes[own.node_middle : own.node_end],
        )
        nodes = memory.drag_nodes[own.node_first : own.node_end]
        m = len(one)
        place[0], place[1], place[2] = place_of_point(memory, own.a, own.point)
        for k in range(6):
            for j in range(3):
                axis[j] = 1.0 if j == k % 3 else 0.0
            if k < 3:
                moving(memory, own.a, place, axis[0], axis[1], axis[2], 1.0, 0.0, axis, one, 0, g)
                moving(memory, own.b, place, axis[0], axis[1], axis[2], -1.0, 0.0, axis, two, m, g)
            else:  # a turn taken off with the other sign
                moving(memory, own.a, place, 0.0, 0.0, 0.0, 1.0, -1.0, axis, one, 0, g)
                moving(memory, own.b, place, 0.0, 0.0, 0.0, 1.0, 1.0, axis, two, m, g)
            speed = 0.0
            for j in range(len(nodes)):
                speed += g[j] * u[nodes[j]]
            for j in range(len(nodes)):
                applied[nodes[j]] -= own.damping * speed * g[j]
            if own.one_chain:
                add_square(memory, nodes, g, 0, h * own.damping)
            else:
                put_row(memory, own.row + k)
                fill_row(memory, own.row + k, nodes, g, 0, math.sqrt(h * own.damping))
