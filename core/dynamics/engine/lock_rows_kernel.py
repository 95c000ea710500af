"""Rows of locks, which are equalities, and of strings, which pull only where they are tight."""

from __future__ import annotations

import math

from core.dynamics.engine.memory import LOCK_ROW, ORIENTATION, STRING, Lock, Memory, Node
from core.dynamics.engine.points_kernel import place_of_point, point_column, point_speed, turn_column
from core.dynamics.engine.rows_kernel import begin_row, half_solve, scatter
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(internal=True, fastmath=FAST)
def turned_away(W: Node, lock: Lock, x: float, y: float, z: float) -> float:
    """Return how far a node is turned about an axis against what the lock wants, by the rotation vector between."""
    wanted = lock.rotation
    d0 = d1 = d2 = trace = 0.0
    for k in range(3):
        a0, a1, a2 = W.R[k], W.R[3 + k], W.R[6 + k]
        b0, b1, b2 = wanted[k], wanted[3 + k], wanted[6 + k]
        # Of the column vectors before and after: their cross products add up to 2 sin, their products to 1 + 2 cos.
        d0, d1, d2 = d0 + b1 * a2 - b2 * a1, d1 + b2 * a0 - b0 * a2, d2 + b0 * a1 - b1 * a0
        trace += a0 * b0 + a1 * b1 + a2 * b2
    sine = 0.5 * math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    along = 0.5 * (d0 * x + d1 * y + d2 * z)
    return along * math.atan2(sine, 0.5 * (trace - 1.0)) / sine if sine > 1e-9 else along


@kernel(linked=True, fastmath=FAST)
def lock_rows(memory: Memory, h: float) -> None:
    """Add equalities, then strings that are, or will be, tight; twists without rows are in ``velocity``."""
    state = memory.state
    total = state.lock_count
    nodes = memory.nodes
    columns = memory.columns
    locks = memory.locks
    V = memory.velocity
    for strings in range(2):
        for k in range(total):
            lock = locks[k]
            kind, a, b = lock.kind, lock.a, lock.b
            if (kind == STRING) != (strings == 1):
                continue
            x, y, z = lock.axis[0], lock.axis[1], lock.axis[2]
            p0, p1, p2 = place_of_point(memory, a, lock.point_a)
            q0, q1, q2 = place_of_point(memory, b, lock.point_b)
            lock.force = 0.0
            if kind == ORIENTATION:
                gap = speed = 0.0
                if a >= 0:
                    gap = turned_away(nodes[a], lock, x, y, z)
                    speed = x * V[a, 0] + y * V[a, 1] + z * V[a, 2]
            else:
                if kind == STRING:
                    x, y, z = q0 - p0, q1 - p1, q2 - p2
                    distance = math.sqrt(x * x + y * y + z * z)
                    if distance > 1e-12:
                        x, y, z = x / distance, y / distance, z / distance
                    else:
                        x, y, z = 0.0, 1.0, 0.0
                    lock.axis[0], lock.axis[1], lock.axis[2] = x, y, z
                    gap = lock.length - distance
                else:
                    gap = x * (p0 - q0) + y * (p1 - q1) + z * (p2 - q2)
                speed = point_speed(memory, a, V, p0, p1, p2, x, y, z)
                speed -= point_speed(memory, b, V, q0, q1, q2, x, y, z)
            lock.gap = gap
            flag = 1
            if kind == STRING:
                if gap + h * min(speed, 0.0) >= state.margin:
                    continue
                # No faster than what overlaps comes apart: a share of a long way in a short part of a step is a blow.
                base = -gap / h if gap >= 0.0 else min(state.push_most, -state.lock_pull * gap / h)
                flag = memory.lock_flags[k]
            else:
                base = lock.speed - state.lock_pull * gap / h
            i = begin_row(memory, base, speed, LOCK_ROW, k, flag)
            if i < 0:
                continue
            for side in range(2):
                node, sign = (a, 1.0) if side == 0 else (b, -1.0)
                if node >= 0:
                    if kind == ORIENTATION:
                        turn_column(memory, columns, 0, node, x, y, z)
                    elif side == 0:
                        point_column(memory, columns, 0, node, p0, p1, p2, x, y, z)
                    else:
                        point_column(memory, columns, 0, node, q0, q1, q2, x, y, z)
                    half_solve(memory, columns, node, 1)
                    scatter(memory, columns[0], node, i, sign)
        if strings == 0:
            state.equality_count = state.row_count
