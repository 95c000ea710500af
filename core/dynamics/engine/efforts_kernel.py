"""What motors, limits and prescribed motions exerted in the joints, from the motion that came of it."""

from __future__ import annotations

from core.dynamics.engine.applied_kernel import take_applied
from core.dynamics.engine.friction_kernel import take_friction
from core.dynamics.engine.memory import BALL_ROW, CONE_ROW, HIGH_ROW, LOW_ROW, ORIENTATION, Memory
from core.dynamics.engine.points_kernel import load, place_of_point
from core.dynamics.engine.pull_forces_kernel import load_pulls
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(linked=True, fastmath=FAST)
def drive_efforts(memory: Memory, h: float) -> None:
    """Write what drives exert: what is missing to the motion that was, ``M dv / h + bias`` less all that acts besides.

    What limits exert is in ``right_side``.
    """
    bias, damping, torque = memory.bias, memory.damping, memory.torque
    viscous, dry_torque, dry_damping = memory.viscous, memory.dry_torque, memory.dry_damping
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    effort, new, limits = memory.effort, memory.u_new, memory.right_side
    mass = memory.full_mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    parent, held = memory.parent, memory.held
    body_node = memory.body_node
    contact = memory.contacts
    states = memory.contact_states
    locks = memory.locks
    right, u = memory.right_side, memory.u
    for i in range(n):
        W = nodes[i]
        for k in range(6):
            W.F[k] = 0.0
        right[i] = bias[i] - torque[i] - dry_torque[i] - limits[i] - memory.spring[i]
        right[i] += (h * memory.tangent[i] + damping[i] + viscous[i] + dry_damping[i]) * new[i]
        at, d = start[i], depth[i]
        for j in range(d):
            c = chain[at + j]
            right[i] += mass[at + j] * (new[c] - u[c]) / h
        right[i] += mass[at + d] * (new[i] - u[i]) / h
    for i in range(n):
        at = start[i]
        for j in range(depth[i]):
            right[chain[at + j]] += mass[at + j] * (new[i] - u[i]) / h
    if state.friction_count:
        take_friction(memory)
    if state.applied or state.acting:
        take_applied(memory, h)
    for k in range(state.contact_count):
        K, W = contact[k], states[k]
        a = body_node[int(K.body_a)] if K.body_a >= 0.0 else -1
        b = body_node[int(K.body_b)] if K.body_b >= 0.0 else -1
        load(memory, a, K.point[0], K.point[1], K.point[2], W.force[0], W.force[1], W.force[2])
        load(memory, b, K.point[0], K.point[1], K.point[2], -W.force[0], -W.force[1], -W.force[2])
    for k in range(state.lock_count):
        lock = locks[k]
        a, b, force = lock.a, lock.b, lock.force
        x, y, z = force * lock.axis[0], force * lock.axis[1], force * lock.axis[2]
        if lock.kind == ORIENTATION:
            if a >= 0:
                W = nodes[a]
                W.F[0], W.F[1], W.F[2] = W.F[0] + x, W.F[1] + y, W.F[2] + z
            continue
        p0, p1, p2 = place_of_point(memory, a, lock.point_a)
        load(memory, a, p0, p1, p2, x, y, z)
        p0, p1, p2 = place_of_point(memory, b, lock.point_b)
        load(memory, b, p0, p1, p2, -x, -y, -z)
    load_pulls(memory)
    for i in range(n - 1, -1, -1):
        W = nodes[i]
        for k in range(6):
            right[i] -= W.S[k] * W.F[k]
        if parent[i] >= 0:
            for k in range(6):
                nodes[parent[i]].F[k] += W.F[k]
        if held[i]:
            effort[i] = right[i]


@kernel(linked=True, fastmath=FAST)
def efforts(memory: Memory, h: float, drives: bool) -> None:
    """Write what motors, limits and, if there are any, drives exert in the joints.

    ``stable_pd`` has begun with motors.
    """
    kd, kp, multiplier = memory.kd, memory.kp, memory.multiplier
    state = memory.state
    n = state.node_count
    row_kind, row_of = memory.row_kind, memory.row_of
    balls = memory.balls
    effort, new, limits = memory.effort, memory.u_new, memory.right_side
    for i in range(n):
        effort[i] -= (h * kp[i] + kd[i]) * new[i]
        limits[i] = 0.0
    for r in range(state.row_count):
        force, of = multiplier[r] / h, row_of[r]
        if row_kind[r] == LOW_ROW:
            limits[of] += force
        elif row_kind[r] == HIGH_ROW:
            limits[of] -= force
        elif row_kind[r] == BALL_ROW:
            ball = balls[of // 6]
            i, j = ball.node, (of % 6) // 2
            out = force if of % 2 == 0 else -force
            for k in range(3):
                limits[i + k] += out * ball.directions[3 * j + k]
        elif row_kind[r] == CONE_ROW:
            cone = memory.cones[of]
            for side in range(2):
                i = cone.nodes[side]
                if i >= 0:
                    for k in range(3 if cone.balls[side] >= 0 else 1):
                        limits[i + k] -= force * cone.rates[3 * side + k]
    for i in range(n):
        effort[i] += limits[i]
    if drives:
        drive_efforts(memory, h)
