"""Springs, motors, pulls and prescribed motions of a substep, compiled; and what they and limits come to.

Springs, dampers and motors act as they are at the end of the substep: with the velocity there, ``v``, a spring exerts
``K (rest - x) - h K v``, so that ``h D + h^2 K`` goes to the diagonal of the mass matrix.
"""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.lock_kernels import spot
from core.dynamics.step.point_kernels import point_column, point_speed
from core.dynamics.step.slots import (
    BALL_COUNT,
    BALL_DIRECTIONS,
    BALL_NODE,
    BALL_ROW,
    BALL_WIDTH,
    BALLS,
    BIAS,
    BODY_COUNT,
    BODY_NODE,
    CHAIN,
    CONTACT,
    CONTACT_A,
    CONTACT_B,
    CONTACT_ROOM,
    CONTACT_STATE,
    CONTACT_STATE_WIDTH,
    CONTACT_WIDTH,
    CONTACTS,
    DAMPING,
    DEPTH,
    DIAGONAL,
    EFFORT,
    FORCE,
    FULL_MASS,
    GIVEN,
    HELD,
    HIGH_ROW,
    KD,
    KIND,
    KP,
    LOCK_A,
    LOCK_AXIS,
    LOCK_B,
    LOCK_COUNT,
    LOCK_FORCE,
    LOCK_KIND,
    LOCK_POINT_A,
    LOCK_POINT_B,
    LOCK_ROOM,
    LOCK_WIDTH,
    LOCKS,
    LOW_ROW,
    MASS,
    MASS_COUNT,
    MULTIPLIER,
    NEW,
    NEXT,
    NEXT_TURN,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    ORIENTATION,
    PARENT,
    PULL_COUNT,
    PULL_DAMPING,
    PULL_NODE,
    PULL_POINT,
    PULL_ROOM,
    PULL_STIFFNESS,
    PULL_TARGET,
    PULL_WIDTH,
    PULLS,
    REFERENCE,
    REST,
    REST_TURN,
    RIGHT,
    ROTATION,
    ROW_KIND,
    ROW_NUMBERS,
    ROW_OF,
    ROW_ROOM,
    ROW_VALUES,
    ROWS,
    SOLVE,
    START,
    STIFFNESS,
    SUM,
    TARGET,
    TARGET_RATE,
    TARGET_TURN,
    TORQUE,
    TURN,
    TURNED,
    VECTOR_COUNT,
    VECTORS,
    F,
    P,
    S,
    U,
    V,
    X,
)
from core.kinematics.inlining import F0, F1, I0, I1, view
from core.kinematics.linking import linked

THREE = nb.types.UniTuple(F0, 3)


@nb.njit(THREE(F1, I0), **INTERNAL)
def turn_to(node, at):  # type: ignore[no-untyped-def]
    """Return the rotation vector, in own axes, from a node's turn to the quaternion in its columns ``at``."""
    a, b, c, d = node[TURN], -node[TURN + 1], -node[TURN + 2], -node[TURN + 3]
    w, x, y, z = node[at], node[at + 1], node[at + 2], node[at + 3]
    w, x, y, z = (
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )  # fmt: skip
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return factor * x, factor * y, factor * z


@linked
@nb.njit(nb.void(F1, I1, F0, I0), **INTERNAL)
def give(floats, ints, h, left):  # type: ignore[no-untyped-def]
    """Write the velocities at which prescribed coordinates get to where they are to be after so many parts."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    kind, held = view(ints, ints[KIND], (n,)), view(ints, ints[HELD], (n,))
    given = vectors[GIVEN]
    over = 1.0 / (h * left)
    for i in range(n):
        if not held[i]:
            continue
        if kind[i] == ROTATION:
            x, y, z = turn_to(nodes[i], NEXT_TURN)
            given[i], given[i + 1], given[i + 2] = x * over, y * over, z * over
        elif kind[i] != TURNED:
            given[i] = (vectors[NEXT, i] - vectors[X, i]) * over


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def arrive(floats, ints):  # type: ignore[no-untyped-def]
    """Put prescribed coordinates where they are to be, to the last bit."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    held = view(ints, ints[HELD], (n,))
    for i in range(n):
        if held[i]:
            vectors[X, i] = vectors[NEXT, i]
            for k in range(4):
                nodes[i, TURN + k] = nodes[i, NEXT_TURN + k]


@linked
@nb.njit(nb.void(F1, I1, F0), **INTERNAL)
def forces(floats, ints, h):  # type: ignore[no-untyped-def]
    """Write the right side of the equation for the change of velocities; add what is implicit to the mass matrix.

    ``EFFORT`` gets what motors exert at no velocity, ``SUM`` the same of springs.
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    kind = view(ints, ints[KIND], (n,))
    u, x, right, diagonal = vectors[U], vectors[X], vectors[RIGHT], vectors[DIAGONAL]
    motor, spring = vectors[EFFORT], vectors[SUM]
    for i in range(n):
        if kind[i] != ROTATION and kind[i] != TURNED:
            spring[i], motor[i] = vectors[REST, i] - x[i], vectors[TARGET, i] - x[i]
        elif kind[i] == ROTATION:
            if vectors[STIFFNESS, i] + vectors[STIFFNESS, i + 1] + vectors[STIFFNESS, i + 2] != 0.0:
                spring[i], spring[i + 1], spring[i + 2] = turn_to(nodes[i], REST_TURN)
            else:
                spring[i] = spring[i + 1] = spring[i + 2] = 0.0
            if vectors[KP, i] + vectors[KP, i + 1] + vectors[KP, i + 2] != 0.0:
                motor[i], motor[i + 1], motor[i + 2] = turn_to(nodes[i], TARGET_TURN)
            else:
                motor[i] = motor[i + 1] = motor[i + 2] = 0.0
    for i in range(n):
        motor[i] = vectors[KP, i] * motor[i] + vectors[KD, i] * vectors[TARGET_RATE, i]
        spring[i] = vectors[STIFFNESS, i] * spring[i]
        diagonal[i] = h * (vectors[DAMPING, i] + vectors[KD, i]) + h * h * (vectors[STIFFNESS, i] + vectors[KP, i])
        right[i] = h * (motor[i] + spring[i] + vectors[TORQUE, i] - vectors[BIAS, i]) - diagonal[i] * u[i]
        mass[start[i] + depth[i]] += diagonal[i]


@linked
@nb.njit(nb.void(F1, I1, F0, nb.boolean), **INTERNAL)
def pull(floats, ints, h, told):  # type: ignore[no-untyped-def]
    """Add the springs that pull points of bodies to places.

    Args:
        floats, ints: The memory; twists at the beginning are in the nodes' columns V, or, if told, those at the end.
        h: Length of the substep, [s].
        told: Whether the force that a spring had is taken from ``RIGHT``, nothing else.
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    columns = view(floats, ints[SOLVE], (3, n))
    pulls = view(floats, ints[PULLS], (ints[PULL_ROOM], PULL_WIDTH))
    right = vectors[RIGHT]
    for k in range(ints[PULL_COUNT]):
        own = pulls[k]
        node = int(own[PULL_NODE])
        if node < 0:
            continue
        x, y, z = spot(nodes, node, own, PULL_POINT)
        point_column(floats, ints, columns, 0, node, x, y, z, 1.0, 0.0, 0.0)
        point_column(floats, ints, columns, 1, node, x, y, z, 0.0, 1.0, 0.0)
        point_column(floats, ints, columns, 2, node, x, y, z, 0.0, 0.0, 1.0)
        stiffness = own[PULL_STIFFNESS]
        drag = stiffness * h + own[PULL_DAMPING]
        f0 = stiffness * (own[PULL_TARGET] - x) - drag * point_speed(floats, ints, node, V, x, y, z, 1.0, 0.0, 0.0)
        f1 = stiffness * (own[PULL_TARGET + 1] - y) - drag * point_speed(floats, ints, node, V, x, y, z, 0.0, 1.0, 0.0)
        f2 = stiffness * (own[PULL_TARGET + 2] - z) - drag * point_speed(floats, ints, node, V, x, y, z, 0.0, 0.0, 1.0)
        a, b, c = columns[0], columns[1], columns[2]
        at = start[node]
        for p in range(depth[node] + 1):
            i = chain[at + p]
            force = a[p] * f0 + b[p] * f1 + c[p] * f2
            if told:
                right[i] -= force
                continue
            right[i] += h * force
            for j in range(p + 1):
                mass[start[i] + j] += h * drag * (a[p] * a[j] + b[p] * b[j] + c[p] * c[j])


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def eliminate_held(floats, ints):  # type: ignore[no-untyped-def]
    """Take prescribed coordinates out of the equation: what their change of velocity does to others is known."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    held = view(ints, ints[HELD], (n,))
    right, given, u = vectors[RIGHT], vectors[GIVEN], vectors[U]
    for k in range(n):
        at = start[k]
        for j in range(depth[k]):
            c = chain[at + j]
            if held[k] or held[c]:
                if not held[c]:
                    right[c] -= mass[at + j] * (given[k] - u[k])
                elif not held[k]:
                    right[k] -= mass[at + j] * (given[c] - u[c])
                mass[at + j] = 0.0
    for k in range(n):
        if held[k]:
            mass[start[k] + depth[k]] = 1.0
            right[k] = given[k] - u[k]


@nb.njit(nb.void(F1, I1, I0, F0, F0, F0, F0, F0, F0), **INTERNAL)
def load(floats, ints, node, px, py, pz, x, y, z):  # type: ignore[no-untyped-def]
    """Add a force at a point to a node's wrench."""
    if node < 0:
        return
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    W, O = nodes[node], nodes[ints[ints[REFERENCE] + node]]  # noqa: E741
    a, b, c = px - O[P], py - O[P + 1], pz - O[P + 2]
    W[F], W[F + 1], W[F + 2] = W[F] + b * z - c * y, W[F + 1] + c * x - a * z, W[F + 2] + a * y - b * x
    W[F + 3], W[F + 4], W[F + 5] = W[F + 3] + x, W[F + 4] + y, W[F + 5] + z


@nb.njit(nb.void(F1, I1, F0, nb.boolean), **INTERNAL)
def efforts(floats, ints, h, drives):  # type: ignore[no-untyped-def]
    """Write what motors, limits and, if there are any, drives exert in the joints; ``forces`` has begun with motors.

    A drive exerts what is missing to the motion that was: ``M dv / h + bias`` less all that acts besides.
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    row_kind, row_of = view(ints, ints[ROW_KIND], (ints[ROW_ROOM],)), view(ints, ints[ROW_OF], (ints[ROW_ROOM],))
    balls = view(floats, ints[BALLS], (ints[BALL_COUNT], BALL_WIDTH))
    effort, new, limits = vectors[EFFORT], vectors[NEW], vectors[RIGHT]
    for i in range(n):
        effort[i] -= (h * vectors[KP, i] + vectors[KD, i]) * new[i]
        limits[i] = 0.0
    for r in range(ints[ROWS]):
        force, of = values[MULTIPLIER, r] / h, row_of[r]
        if row_kind[r] == LOW_ROW:
            limits[of] += force
        elif row_kind[r] == HIGH_ROW:
            limits[of] -= force
        elif row_kind[r] == BALL_ROW:
            ball = balls[of // 6]
            i, j = int(ball[BALL_NODE]), (of % 6) // 2
            out = force if of % 2 == 0 else -force
            for k in range(3):
                limits[i + k] += out * ball[BALL_DIRECTIONS + 3 * j + k]
    for i in range(n):
        effort[i] += limits[i]
    if not drives:
        return
    mass = view(floats, ints[FULL_MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    parent, held = view(ints, ints[PARENT], (n,)), view(ints, ints[HELD], (n,))
    body_node = view(ints, ints[BODY_NODE], (ints[BODY_COUNT],))
    contact = view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH))
    states = view(floats, ints[CONTACT_STATE], (ints[CONTACT_ROOM], CONTACT_STATE_WIDTH))
    locks = view(floats, ints[LOCKS], (ints[LOCK_ROOM], LOCK_WIDTH))
    right, u = vectors[RIGHT], vectors[U]
    for i in range(n):
        W = nodes[i]
        for k in range(6):
            W[F + k] = 0.0
        right[i] = vectors[BIAS, i] - vectors[TORQUE, i] - limits[i] - vectors[SUM, i]
        right[i] += (h * vectors[STIFFNESS, i] + vectors[DAMPING, i]) * new[i]
        at, d = start[i], depth[i]
        for j in range(d):
            c = chain[at + j]
            right[i] += mass[at + j] * (new[c] - u[c]) / h
        right[i] += mass[at + d] * (new[i] - u[i]) / h
    for i in range(n):
        at = start[i]
        for j in range(depth[i]):
            right[chain[at + j]] += mass[at + j] * (new[i] - u[i]) / h
    pull(floats, ints, h, True)
    for k in range(ints[CONTACTS]):
        K, W = contact[k], states[k]
        a = body_node[int(K[CONTACT_A])] if K[CONTACT_A] >= 0.0 else -1
        b = body_node[int(K[CONTACT_B])] if K[CONTACT_B] >= 0.0 else -1
        load(floats, ints, a, K[0], K[1], K[2], W[FORCE], W[FORCE + 1], W[FORCE + 2])
        load(floats, ints, b, K[0], K[1], K[2], -W[FORCE], -W[FORCE + 1], -W[FORCE + 2])
    for k in range(ints[LOCK_COUNT]):
        lock = locks[k]
        a, b, force = int(lock[LOCK_A]), int(lock[LOCK_B]), lock[LOCK_FORCE]
        x, y, z = force * lock[LOCK_AXIS], force * lock[LOCK_AXIS + 1], force * lock[LOCK_AXIS + 2]
        if int(lock[LOCK_KIND]) == ORIENTATION:
            if a >= 0:
                W = nodes[a]
                W[F], W[F + 1], W[F + 2] = W[F] + x, W[F + 1] + y, W[F + 2] + z
            continue
        p0, p1, p2 = spot(nodes, a, lock, LOCK_POINT_A)
        load(floats, ints, a, p0, p1, p2, x, y, z)
        p0, p1, p2 = spot(nodes, b, lock, LOCK_POINT_B)
        load(floats, ints, b, p0, p1, p2, -x, -y, -z)
    for i in range(n - 1, -1, -1):
        W = nodes[i]
        for k in range(6):
            right[i] -= W[S + k] * W[F + k]
        if parent[i] >= 0:
            for k in range(6):
                nodes[parent[i], F + k] += W[F + k]
        if held[i]:
            effort[i] = right[i]
