"""Springs, ropes and muscles along paths through points of bodies, as they are at the end of the substep.

With ``g = d length / d q`` over the nodes between the bodies of a path, its tension T exerts ``-T g``. At the end of
the substep it has grown by ``dT/dl h g u1 + dT/drate g (u1 - u)``, which adds ``(h dT/drate + h^2 dT/dl) g g^T`` to the
mass matrix (Sueda 1.61, 1.64: the first terms). Nodes that all points hang on have no part in g, so that momentum is
kept.

How active a muscle is counts as it is at the end of the substep, as all that is implicit does.

A taut segment pulls what moves across it back as well, with T over its length. That needs no foresight but inertia,
``h^2 T / l`` of the motion across, to be stable: the force stays as it is at the beginning, and no energy is lost.

That a body turns back to where its point lies along the pull, by ``T r`` for a point at r (Sueda 1.34), is left
explicit. It limits the step where ``h^2 T r`` is more than four times what the body's inertia about its joint is: at
240 steps a second a link of 1 kg and 0.3 m swings as it should under 10 kN at its end, and not under 20. Foreseen as in
``point_forces_kernel`` it would depend on how bodies turn in the world, and forces inside a figure would change its
angular momentum.

Where nodes do not hang on each other, ``w g g^T`` has no place in the sparse matrix. Along a path it then becomes a row
that gives way (see ``applied_kernel``); across a segment each side by itself gets twice its inertia, which is more
than both together; across one between two trees it is two rows, of motion beside the mean turning of the two bodies,
which keeps angular momentum.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import Memory
from core.dynamics.engine.motion_kernel import twists
from core.dynamics.engine.points_kernel import moving, place_of_point, point_velocity
from core.dynamics.engine.squares_kernel import add_square, fill_row, put_row
from core.dynamics.forces.path_kernel import segments, tension
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel
from core.keyed_curves.keyed_curve_kernel import value_at

TAUT = 0.05
"""Motion across a segment is looked after where that takes an inertia of more than this part of the mass that hangs on
either end: with less, it is far slower than steps."""


@kernel(linked=True, fastmath=FAST)
def across(memory: Memory, k: int, row: int, weight: float) -> None:
    """Give the motion across a segment inertia.

    Args:
        memory: The memory.
        k: Its first point.
        row: The first of its two rows, if it has some.
        weight: The inertia, [kg]; less than counts is none.
    """
    A, B = memory.path_points[k], memory.path_points[k + 1]
    one = memory.path_nodes[A.node_first : A.node_middle]
    two = memory.path_nodes[A.node_middle : A.node_end]
    m = len(one)
    if A.two_trees:
        put_row(memory, row)
        put_row(memory, row + 1)
    least = 1e300
    if A.node >= 0 and m > 0:
        least = memory.composite[A.node, 0]
    if B.node >= 0 and len(two) > 0:
        least = min(least, memory.composite[B.node, 0])
    if weight <= TAUT * least:
        return
    segment, out, axis = memory.path_segments[k], memory.columns[0], memory.projection[0:3]
    x, y, z = segment[0], segment[1], segment[2]
    # Two directions across: the first one from the axis that is farthest from the segment.
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        a, b, c = 0.0, -z, y
    elif abs(y) <= abs(z):
        a, b, c = z, 0.0, -x
    else:
        a, b, c = -y, x, 0.0
    size = 1.0 / math.sqrt(a * a + b * b + c * c)
    a, b, c = size * a, size * b, size * c
    turn = 0.5 * segment[3] if A.two_trees else 0.0
    for k2 in range(2):
        axis[0], axis[1], axis[2] = y * c - z * b, z * a - x * c, x * b - y * a
        d, e, f = axis[0], axis[1], axis[2]
        moving(memory, A.node, memory.path_places[k], a, b, c, -1.0, turn, axis, one, 0, out)
        moving(memory, B.node, memory.path_places[k + 1], a, b, c, 1.0, turn, axis, two, m, out)
        if A.two_trees:
            root = math.sqrt(weight)
            fill_row(memory, row + k2, one, out, 0, root)
            fill_row(memory, row + k2, two, out, m, root)
        else:
            own = 2.0 * weight if m > 0 and len(two) > 0 else weight
            add_square(memory, one, out, 0, own)
            add_square(memory, two, out, m, own)
        a, b, c = d, e, f


@kernel(linked=True, fastmath=FAST)
def path_forces(memory: Memory, h: float) -> None:
    """Add what acts along paths to ``applied``, and what is implicit of it to ``applied_mass`` and to rows."""
    state = memory.state
    V, g, out = memory.velocity, memory.path_column, memory.columns[0]
    points, places, velocities = memory.path_points, memory.path_places, memory.path_velocities
    twists(memory, memory.u, V)
    for n in range(state.path_count):
        own = memory.paths[n]
        first, end, row = own.first, own.end, own.row
        for k in range(first, end):
            P, place, velocity = points[k], places[k], velocities[k]
            place[0], place[1], place[2] = place_of_point(memory, P.node, P.point)
            velocity[0], velocity[1], velocity[2] = point_velocity(memory, P.node, V, place[0], place[1], place[2])
        length, rate = segments(places[first:end], velocities[first:end], memory.path_segments[first : end - 1])
        activation = value_at(memory.path_keys[own.key_first : own.key_end], state.time)
        pull, stiffness, damping, _ = tension(own.law, own.values, activation, length, rate)
        own.length, own.rate, own.tension = length, rate, pull
        nodes = memory.path_nodes[own.node_first : own.node_end]
        for j in range(len(nodes)):
            g[nodes[j]] = 0.0
        if not own.one_chain:
            row += 1
        for k in range(first, end - 1):
            A, segment = points[k], memory.path_segments[k]
            if A.node_end == A.node_first:
                continue
            x, y, z = segment[0], segment[1], segment[2]
            one = memory.path_nodes[A.node_first : A.node_middle]
            two = memory.path_nodes[A.node_middle : A.node_end]
            moving(memory, A.node, places[k], x, y, z, -1.0, 0.0, segment, one, 0, out)
            moving(memory, points[k + 1].node, places[k + 1], x, y, z, 1.0, 0.0, segment, two, len(one), out)
            for j in range(len(one)):
                g[one[j]] += out[j]
            for j in range(len(two)):
                g[two[j]] += out[len(one) + j]
            across(memory, k, row, h * h * pull / segment[3] if pull > 0.0 and segment[3] > 0.0 else 0.0)
            if A.two_trees:
                row += 2
        stiff = max(stiffness, 0.0)
        weight, taken = h * damping + h * h * stiff, pull + h * stiff * rate
        for j in range(len(nodes)):
            out[j] = g[nodes[j]]
            memory.applied[nodes[j]] -= taken * out[j]
        if own.one_chain:
            add_square(memory, nodes, out, 0, weight)
        else:
            put_row(memory, own.row)
            fill_row(memory, own.row, nodes, out, 0, math.sqrt(weight))
