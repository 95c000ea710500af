"""Whether a substep is as it should be, and how it is undone."""

from __future__ import annotations

from core.dynamics.contact.pairs_kernel import find
from core.dynamics.engine.joint_rows_kernel import cone_bend, cone_speed
from core.dynamics.engine.memory import ROTATION, Memory
from core.dynamics.engine.motion_kernel import place_bodies
from core.kernels import F1, I1, kernel

OVER = 0.01
"""Limits without a row may be exceeded by this, [rad] or [m]."""
OUTSIDE = 2e-4
"""Swings may end a substep outside their cones by this, or so much farther outside than they began it, [rad]."""
DEEPER = 1e-4
"""Depths that grow by less than this in a substep are left alone, [m]."""


@kernel(linked=True)
def keep(memory: Memory) -> None:
    """Keep coordinates and velocities, those of the substep before too."""
    u, u_before, x = memory.u, memory.u_before, memory.x
    state = memory.state
    n = state.node_count
    kept = memory.flight
    nodes, turns = memory.nodes, memory.flight_turns
    kind = memory.kind
    for i in range(n):
        kept[0, i], kept[1, i], kept[2, i] = x[i], u[i], u_before[i]
        if kind[i] == ROTATION:
            for k in range(4):
                turns[i, k] = nodes[i].turn[k]


@kernel(linked=True)
def go_back(memory: Memory) -> None:
    """Go back to what is kept."""
    memory.state.placed = 0
    u, u_before, x = memory.u, memory.u_before, memory.x
    state = memory.state
    n = state.node_count
    kept = memory.flight
    nodes, turns = memory.nodes, memory.flight_turns
    kind = memory.kind
    for i in range(n):
        x[i], u[i], u_before[i] = kept[0, i], kept[1, i], kept[2, i]
        if kind[i] == ROTATION:
            for k in range(4):
                nodes[i].turn[k] = turns[i, k]


@kernel(linked=True)
def misses(memory: Memory, h: float) -> bool:
    """Return whether a limit that has no row is exceeded at the end of the substep."""
    state = memory.state
    n = state.node_count
    margin = state.limit_margin
    held = memory.held
    x, low, high, free, new = memory.x, memory.low, memory.high, memory.u_free, memory.u_new
    for i in range(n):
        if held[i]:
            continue
        if x[i] + h * new[i] < low[i] - OVER and x[i] - low[i] + h * min(free[i], 0.0) >= margin:
            return True
        if x[i] + h * new[i] > high[i] + OVER and high[i] - x[i] - h * max(free[i], 0.0) >= margin:
            return True
    balls = memory.balls
    for k in range(state.ball_count):
        B = balls[k]
        i = B.node
        if held[i]:
            continue
        for j in range(3):
            d0, d1, d2 = B.directions[3 * j], B.directions[3 * j + 1], B.directions[3 * j + 2]
            speed = d0 * free[i] + d1 * free[i + 1] + d2 * free[i + 2]
            later = d0 * new[i] + d1 * new[i + 1] + d2 * new[i + 2]
            angle = B.angles[j]
            below, above = angle - B.low[j], B.high[j] - angle
            if below + h * later < -OVER and below + h * min(speed, 0.0) >= margin:
                return True
            if above - h * later < -OVER and above - h * max(speed, 0.0) >= margin:
                return True
    return leaves_cones(memory, h)


@kernel(linked=True)
def leaves_cones(memory: Memory, h: float) -> bool:
    """Return whether a swing is outside its cone, or farther outside, at the end of the substep."""
    new = memory.u_new
    for k in range(memory.state.cone_count):
        cone = memory.cones[k]
        farther = h * cone_speed(cone, memory, new) + cone_bend(memory, cone, new, h)
        if farther > max(cone.limit - cone.swing, 0.0) + OUTSIDE:
            return True
    return False


@kernel(linked=True)
def sinks(memory: Memory, shape_ints: I1, shape_floats: F1) -> bool:
    """Return whether anything is too deep in something else, and deeper than its contacts say that it was.

    The nodes stand where the substep ends.
    """
    state = memory.state
    count = state.body_count
    most = state.too_deep
    bodies, reach = memory.bodies, memory.reach
    contact, sunk = memory.contacts, memory.sunk
    for k in range(state.contact_count):
        most = max(most, DEEPER - contact[k].gap)
    place_bodies(memory)
    for b in range(count):
        reach[b] = 0.0
    found = find(
        shape_ints, shape_floats, memory.body_rotations, memory.body_places, reach, memory.sunk_values, memory.sunk_ids
    )
    for k in range(found):
        gap = sunk[k].gap
        for body in (int(sunk[k].body_a), int(sunk[k].body_b)):
            if body >= 0:
                gap += bodies[body].give
        if gap < -most:
            return True
    return False
