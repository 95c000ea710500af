"""Rows of contacts: pyramids of friction along the sliding, in the order of the substep before."""

from __future__ import annotations

import math

from core.dynamics.engine.memory import CONTACT_ROW, Contact, ContactState, Memory
from core.dynamics.engine.points_kernel import point_column, relative_velocity
from core.dynamics.engine.rows_kernel import begin_row, gap_bound, half_solve, scatter
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F2, kernel

SLOW, STILL = 1e-3, 1e-9
"""Speeds along a surface, [m/s], from which a contact slides, and below which it has no direction."""


@kernel(linked=True)
def reach_of_bodies(memory: Memory, V: F2, h: float, more: bool) -> None:
    """Write how near something must come to each body to matter within the substep, by twists ``V``, shape (n, 6).

    If ``more``, add to what is there what it must be nearer by these.
    """
    state = memory.state
    count = state.body_count
    nodes, bodies = memory.nodes, memory.bodies
    places, reach = memory.body_places, memory.reach
    node = memory.body_node
    margin = state.margin
    for b in range(count):
        if not more:
            reach[b] = margin
        if node[b] < 0:
            continue
        i = node[b]
        O = nodes[memory.reference[i]]  # noqa: E741
        r0, r1, r2 = places[b, 0] - O.p[0], places[b, 1] - O.p[1], places[b, 2] - O.p[2]
        w0, w1, w2 = V[i, 0], V[i, 1], V[i, 2]
        v0, v1, v2 = V[i, 3] + w1 * r2 - w2 * r1, V[i, 4] + w2 * r0 - w0 * r2, V[i, 5] + w0 * r1 - w1 * r0
        speed = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        reach[b] += h * (speed + math.sqrt(w0 * w0 + w1 * w1 + w2 * w2) * bodies[b].radius)


@kernel(internal=True, fastmath=FAST)
def find_remembered(memory: Memory, key: int, guess: int) -> int:
    """Return which of the contacts of the substep before has an id, or -1; looked for from ``guess`` on."""
    state = memory.state
    count = state.remembered_count
    for k in range(count):
        j = guess + k
        if j >= count:
            j -= count
        if memory.remembered_ids[j] == key:
            return j
    return -1


@kernel(internal=True, fastmath=FAST)
def pyramid(memory: Memory, columns: F2, node: int, i: int) -> None:
    """Add the sums and differences of three solved rows along a node's chain to the four rows from i on."""
    last = memory.depth[node]
    rows = memory.rows[i : i + 4]
    chain = memory.chain[memory.start[node] : memory.start[node] + last + 1]
    c, d, e = columns[0], columns[1], columns[2]
    for j in range(last + 1):
        k = chain[j]
        rows[0, k] += c[j] + d[j]
        rows[1, k] += c[j] - d[j]
        rows[2, k] += c[j] + e[j]
        rows[3, k] += c[j] - e[j]


@kernel(internal=True, fastmath=FAST)
def contact_columns(
    memory: Memory, columns: F2, node: int, contact: Contact, directions: ContactState, along: float, across: float
) -> None:  # fmt: skip
    """Write how fast a contact's point, fixed to a node, moves along its normal and tangents, for unit velocities.

    They are multiplied by ``along`` and, those along the tangents, by ``across``.
    """
    nodes = memory.nodes
    O = nodes[memory.reference[node]]  # noqa: E741
    a, b, c = contact.point[0] - O.p[0], contact.point[1] - O.p[1], contact.point[2] - O.p[2]
    normal, first, second = contact.normal, directions.first_tangent, directions.second_tangent
    n0, n1, n2 = along * normal[0], along * normal[1], along * normal[2]
    t0, t1, t2 = across * first[0], across * first[1], across * first[2]
    u0, u1, u2 = across * second[0], across * second[1], across * second[2]
    last = memory.depth[node]
    chain = memory.chain[memory.start[node] : memory.start[node] + last + 1]
    one, two, three = columns[0], columns[1], columns[2]
    for j in range(last + 1):
        B = nodes[chain[j]]
        w0, w1, w2 = B.S[0], B.S[1], B.S[2]
        v0, v1, v2 = B.S[3] + w1 * c - w2 * b, B.S[4] + w2 * a - w0 * c, B.S[5] + w0 * b - w1 * a
        one[j] = v0 * n0 + v1 * n1 + v2 * n2
        two[j] = v0 * t0 + v1 * t1 + v2 * t2
        three[j] = v0 * u0 + v1 * u1 + v2 * u2


@kernel(internal=True, fastmath=FAST)
def turn_tangents(
    directions: ContactState, nx: float, ny: float, nz: float, f0: float, f1: float, f2: float, falling: float,
    g0: float, g1: float, g2: float, b0: float, b1: float, b2: float,
) -> None:  # fmt: skip
    """Turn a contact's tangents along its sliding, or as they were in the substep before where it does not slide.

    Args:
        directions: Of the contact; its tangents are written.
        nx, ny, nz: Its normal.
        f0, f1, f2, falling: How fast its point moves without rows, and how fast along the normal.
        g0, g1, g2: How fast it moves at the beginning of the substep.
        b0, b1, b2: The first tangent in the substep before; zero if there was none.
    """
    along = g0 * nx + g1 * ny + g2 * nz
    t0, t1, t2 = g0 - along * nx, g1 - along * ny, g2 - along * nz
    length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    along = b0 * nx + b1 * ny + b2 * nz
    c0, c1, c2 = b0 - along * nx, b1 - along * ny, b2 - along * nz
    kept_length = math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
    slides = length > SLOW
    t0, t1, t2 = f0 - falling * nx, f1 - falling * ny, f2 - falling * nz
    length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    if kept_length > 0.5 and (length <= STILL or not slides):
        t0, t1, t2, length = c0, c1, c2, kept_length
    elif length <= STILL:
        if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
            t0, t1, t2 = 1.0 - nx * nx, -nx * ny, -nx * nz
        elif abs(ny) <= abs(nz):
            t0, t1, t2 = -ny * nx, 1.0 - ny * ny, -ny * nz
        else:
            t0, t1, t2 = -nz * nx, -nz * ny, 1.0 - nz * nz
        length = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    t0, t1, t2 = t0 / length, t1 / length, t2 / length
    u0, u1, u2 = ny * t2 - nz * t1, nz * t0 - nx * t2, nx * t1 - ny * t0
    # Of the four sides of a pyramid that next to the one before comes first, so that its flags still fit.
    c, s = t0 * b0 + t1 * b1 + t2 * b2, u0 * b0 + u1 * b1 + u2 * b2
    if abs(s) > abs(c):
        if s > 0.0:
            t0, t1, t2, u0, u1, u2 = u0, u1, u2, -t0, -t1, -t2
        else:
            t0, t1, t2, u0, u1, u2 = -u0, -u1, -u2, t0, t1, t2
    elif c < 0.0:
        t0, t1, t2, u0, u1, u2 = -t0, -t1, -t2, -u0, -u1, -u2
    directions.first_tangent[0], directions.first_tangent[1], directions.first_tangent[2] = t0, t1, t2
    directions.second_tangent[0], directions.second_tangent[1], directions.second_tangent[2] = u0, u1, u2


@kernel(linked=True, fastmath=FAST)
def contact_rows(memory: Memory, h: float, found: int) -> None:
    """Add the contacts that touch or may touch within the substep, a pyramid of four rows each, or one row.

    Twists of the velocities without rows are in ``velocity``, those at the beginning in ``other_velocity``.
    """
    state = memory.state
    columns = memory.columns
    contact, values = memory.contacts, memory.contact_values
    V, start_velocity = memory.velocity, memory.other_velocity
    states = memory.contact_states
    before = memory.remembered
    body_node = memory.body_node
    bodies = memory.bodies
    ids = memory.ids
    old_flags = memory.remembered_flags
    kept = guess = 0
    for k in range(found):
        K = contact[k]
        px, py, pz, nx, ny, nz = K.point[0], K.point[1], K.point[2], K.normal[0], K.normal[1], K.normal[2]
        a = body_node[int(K.body_a)] if K.body_a >= 0.0 else -1
        b = body_node[int(K.body_b)] if K.body_b >= 0.0 else -1
        for body in (int(K.body_a), int(K.body_b)):
            if body >= 0:
                K.gap += bodies[body].give
                K.friction *= bodies[body].grip
        gap, mu = K.gap, K.friction
        f0, f1, f2 = relative_velocity(memory, a, b, V, px, py, pz)
        falling = f0 * nx + f1 * ny + f2 * nz
        if not state.widely and gap + h * min(falling, 0.0) >= state.margin:
            continue
        if state.row_count + 4 > state.row_room:
            state.left_out += 1
            continue
        if kept != k:
            for j in range(values.shape[1]):
                values[kept, j] = values[k, j]
            ids[kept] = ids[k]
        W = states[kept]
        g0, g1, g2 = relative_velocity(memory, a, b, start_velocity, px, py, pz)
        old = find_remembered(memory, ids[kept], guess)
        b0 = b1 = b2 = 0.0
        if old >= 0:
            guess = old + 1
            b0, b1, b2 = before[old].tangent[0], before[old].tangent[1], before[old].tangent[2]
        turn_tangents(W, nx, ny, nz, f0, f1, f2, falling, g0, g1, g2, b0, b1, b2)
        t0, t1, t2 = W.first_tangent[0], W.first_tangent[1], W.first_tangent[2]
        u0, u1, u2 = W.second_tangent[0], W.second_tangent[1], W.second_tangent[2]
        W.force[0] = W.force[1] = W.force[2] = W.sliding = 0.0
        if old >= 0:
            W.sliding = before[old].sliding
        base = gap_bound(memory, gap, state.deep, h)
        if mu <= 0.0:
            flag = old_flags[old, 0] if old >= 0 else 0
            i = begin_row(memory, base, falling, CONTACT_ROW, kept, flag)
            W.row, W.row_count = i, 1
            for side in range(2):
                node, sign = (a, 1.0) if side == 0 else (b, -1.0)
                if node >= 0:
                    point_column(memory, columns, 0, node, px, py, pz, nx, ny, nz)
                    half_solve(memory, columns, node, 1)
                    scatter(memory, columns[0], node, i, sign)
            kept += 1
            continue
        v1, v2 = mu * (f0 * t0 + f1 * t1 + f2 * t2), mu * (f0 * u0 + f1 * u1 + f2 * u2)
        i = state.row_count
        W.row, W.row_count = i, 4
        for j in range(4):
            speed = v1 if j < 2 else v2
            flag = old_flags[old, j] if old >= 0 else 0
            begin_row(memory, base, falling + (speed if j % 2 == 0 else -speed), CONTACT_ROW, kept, flag)
        for side in range(2):
            node, sign = (a, 1.0) if side == 0 else (b, -1.0)
            if node >= 0:
                contact_columns(memory, columns, node, contact[kept], W, sign, sign * mu)
                half_solve(memory, columns, node, 3)
                pyramid(memory, columns, node, i)
        kept += 1
    state.contact_count = kept
