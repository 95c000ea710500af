"""Springs that pull points of bodies to places: implicit, as at the end of the substep, like ``stable_pd_kernel``."""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.engine.points_kernel import place_of_point, point_column, point_speed
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F2, kernel


@kernel(linked=True, fastmath=FAST)
def pull_forces(memory: Memory, V: F2, h: float, taken: bool) -> None:
    """Add the springs that pull points of bodies to places.

    Args:
        memory: The memory.
        V: Twists at the beginning, or, if ``taken``, those at the end, shape (n, 6).
        h: Length of the substep, [s].
        taken: Whether the force that a spring had is taken from ``right_side``, nothing else.
    """
    state = memory.state
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    columns = memory.columns
    pulls = memory.pulls
    right = memory.right_side
    for k in range(state.pull_count):
        own = pulls[k]
        node = own.node
        if node < 0:
            continue
        x, y, z = place_of_point(memory, node, own.point)
        point_column(memory, columns, 0, node, x, y, z, 1.0, 0.0, 0.0)
        point_column(memory, columns, 1, node, x, y, z, 0.0, 1.0, 0.0)
        point_column(memory, columns, 2, node, x, y, z, 0.0, 0.0, 1.0)
        stiffness = own.stiffness
        drag = stiffness * h + own.damping
        f0 = stiffness * (own.target[0] - x) - drag * point_speed(memory, node, V, x, y, z, 1.0, 0.0, 0.0)
        f1 = stiffness * (own.target[1] - y) - drag * point_speed(memory, node, V, x, y, z, 0.0, 1.0, 0.0)
        f2 = stiffness * (own.target[2] - z) - drag * point_speed(memory, node, V, x, y, z, 0.0, 0.0, 1.0)
        a, b, c = columns[0], columns[1], columns[2]
        at = start[node]
        for p in range(depth[node] + 1):
            i = chain[at + p]
            force = a[p] * f0 + b[p] * f1 + c[p] * f2
            if taken:
                right[i] -= force
                continue
            right[i] += h * force
            for j in range(p + 1):
                mass[start[i] + j] += h * drag * (a[p] * a[j] + b[p] * b[j] + c[p] * c[j])
