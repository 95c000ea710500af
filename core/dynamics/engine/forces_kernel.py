"""Springs, dampers and motors in the joints, and springs that pull points: implicit, as at the end of the substep.

With the velocity ``v`` there a spring exerts ``K (rest - x) - h K v``, so that ``h D + h^2 K`` goes to the mass matrix.
"""

from __future__ import annotations

from core.dynamics.engine.memory import ROTATION, TURNED, Memory
from core.dynamics.engine.points_kernel import place_of_point, point_column, point_speed
from core.dynamics.engine.prescribed_kernel import turn_to
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F2, kernel


@kernel(linked=True, fastmath=FAST)
def joint_forces(memory: Memory, h: float) -> None:
    """Write the right side of the equation for the change of velocities; add what is implicit to the mass matrix.

    ``effort`` gets what motors exert at no velocity (stable PD: Tan, Liu and Turk 2011), ``spring`` that of springs.
    """
    bias, damping, kd, kp, rest, stiffness = (
        memory.bias,
        memory.damping,
        memory.kd,
        memory.kp,
        memory.rest,
        memory.stiffness,
    )
    target, target_rate, torque = memory.target, memory.target_rate, memory.torque
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    mass = memory.mass
    depth, start = memory.depth, memory.start
    kind = memory.kind
    u, x, right, diagonal = memory.u, memory.x, memory.right_side, memory.diagonal
    motor, spring = memory.effort, memory.spring
    for i in range(n):
        if kind[i] != ROTATION and kind[i] != TURNED:
            spring[i], motor[i] = rest[i] - x[i], target[i] - x[i]
        elif kind[i] == ROTATION:
            if stiffness[i] + stiffness[i + 1] + stiffness[i + 2] != 0.0:
                spring[i], spring[i + 1], spring[i + 2] = turn_to(nodes[i].turn, nodes[i].rest_turn)
            else:
                spring[i] = spring[i + 1] = spring[i + 2] = 0.0
            if kp[i] + kp[i + 1] + kp[i + 2] != 0.0:
                motor[i], motor[i + 1], motor[i + 2] = turn_to(nodes[i].turn, nodes[i].target_turn)
            else:
                motor[i] = motor[i + 1] = motor[i + 2] = 0.0
    for i in range(n):
        motor[i] = kp[i] * motor[i] + kd[i] * target_rate[i]
        spring[i] = stiffness[i] * spring[i]
        diagonal[i] = h * (damping[i] + kd[i]) + h * h * (stiffness[i] + kp[i])
        right[i] = h * (motor[i] + spring[i] + torque[i] - bias[i]) - diagonal[i] * u[i]
        mass[start[i] + depth[i]] += diagonal[i]


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
