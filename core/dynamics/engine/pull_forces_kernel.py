"""Springs that pull points of bodies to places: implicit, as at the end of the substep, like ``stable_pd_kernel``."""

from __future__ import annotations

from core.dynamics.engine.memory import Memory, Pull
from core.dynamics.engine.points_kernel import load, place_of_point, point_column, point_velocity
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F2, THREE, kernel


@kernel(inline=True)
def pull_of(memory: Memory, own: Pull, V: F2, h: float, x: float, y: float, z: float) -> THREE:
    """Return the force of a spring on its point, at a place, that moves with twists ``V`` for a time h."""
    v0, v1, v2 = point_velocity(memory, own.node, V, x, y, z)
    stiffness = own.stiffness
    drag = stiffness * h + own.damping
    return (
        stiffness * (own.target[0] - x) - drag * v0, stiffness * (own.target[1] - y) - drag * v1,
        stiffness * (own.target[2] - z) - drag * v2,
    )  # fmt: skip


@kernel(linked=True, fastmath=FAST)
def pull_forces(memory: Memory, V: F2, h: float) -> None:
    """Add the springs that pull points of bodies to places.

    Args:
        memory: The memory.
        V: Twists at the beginning, shape (n, 6).
        h: Length of the substep, [s].
    """
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    columns = memory.columns
    right = memory.right_side
    for k in range(memory.state.pull_count):
        own = memory.pulls[k]
        node = own.node
        if node < 0:
            continue
        x, y, z = place_of_point(memory, node, own.point)
        point_column(memory, columns, 0, node, x, y, z, 1.0, 0.0, 0.0)
        point_column(memory, columns, 1, node, x, y, z, 0.0, 1.0, 0.0)
        point_column(memory, columns, 2, node, x, y, z, 0.0, 0.0, 1.0)
        drag = own.stiffness * h + own.damping
        f0, f1, f2 = pull_of(memory, own, V, h, x, y, z)
        a, b, c = columns[0], columns[1], columns[2]
        at = start[node]
        for p in range(depth[node] + 1):
            i = chain[at + p]
            right[i] += h * (a[p] * f0 + b[p] * f1 + c[p] * f2)
            for j in range(p + 1):
                mass[start[i] + j] += h * drag * (a[p] * a[j] + b[p] * b[j] + c[p] * c[j])


@kernel(linked=True, fastmath=FAST)
def note_pulls(memory: Memory, V: F2, h: float) -> None:
    """Write the force that each spring had in a substep: that of the place where it began and of its last velocities.

    Args:
        memory: The memory.
        V: Twists at the end, shape (n, 6).
        h: Length of the substep, [s].
    """
    for k in range(memory.state.pull_count):
        own = memory.pulls[k]
        f0 = f1 = f2 = 0.0
        if own.node >= 0:
            x, y, z = place_of_point(memory, own.node, own.point)
            f0, f1, f2 = pull_of(memory, own, V, h, x, y, z)
        own.force[0], own.force[1], own.force[2] = f0, f1, f2


@kernel(linked=True, fastmath=FAST)
def load_pulls(memory: Memory) -> None:
    """Add the forces that ``note_pulls`` has written to the wrenches of the nodes."""
    for k in range(memory.state.pull_count):
        own = memory.pulls[k]
        x, y, z = place_of_point(memory, own.node, own.point)
        load(memory, own.node, x, y, z, own.force[0], own.force[1], own.force[2])
