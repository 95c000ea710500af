"""Stable PD (Tan, Liu and Turk 2011): motors, springs and dampers in the joints, as they are at the end of the substep.

With the velocity ``v`` there a spring exerts ``K (rest - x) - h K v``, so that ``h D + h^2 K`` goes to the mass matrix.
"""

from __future__ import annotations

from core.dynamics.engine.memory import ROTATION, TURNED, Memory
from core.dynamics.engine.prescribed_kernel import turn_to
from core.dynamics.forces.stiffening_kernel import stiffening
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(linked=True, fastmath=FAST)
def stable_pd(memory: Memory, h: float) -> None:
    """Write the right side of the equation for the change of velocities; add what is implicit to the mass matrix.

    ``effort`` gets what motors exert at no velocity, ``spring`` that of springs.
    """
    bias, damping, kd, kp = memory.bias, memory.damping, memory.kd, memory.kp
    rest, stiffness = memory.rest, memory.stiffness
    target, target_rate, torque = memory.target, memory.target_rate, memory.torque
    viscous, dry_torque, dry_damping = memory.viscous, memory.dry_torque, memory.dry_damping
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    mass = memory.mass
    depth, start = memory.depth, memory.start
    kind = memory.kind
    u, x, right, diagonal = memory.u, memory.x, memory.right_side, memory.diagonal
    motor, spring, tangent = memory.effort, memory.spring, memory.tangent
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
        tangent[i] = stiffness[i]
        spring[i] = stiffness[i] * spring[i]
        if memory.stiffening[i] + memory.hardening[i] != 0.0:
            pull, steep, _ = stiffening(memory.stiffening[i], memory.hardening[i], memory.stiffening_rest[i] - x[i])
            spring[i] += pull
            tangent[i] += steep
        resist = damping[i] + viscous[i] + dry_damping[i] + kd[i]
        diagonal[i] = h * resist + h * h * (tangent[i] + kp[i])
        right[i] = h * (motor[i] + spring[i] + torque[i] + dry_torque[i] - bias[i]) - diagonal[i] * u[i]
        mass[start[i] + depth[i]] += diagonal[i]
