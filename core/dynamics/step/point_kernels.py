"""How points that are fixed to nodes move, compiled: along one direction or three, and for unit velocities."""

from __future__ import annotations

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.slots import (
    CHAIN,
    CONTACT_NORMAL,
    DEPTH,
    FIRST_TANGENT,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    REFERENCE,
    SECOND_TANGENT,
    START,
    P,
    S,
)
from core.kinematics.inlining import F0, F1, F2, I0, I1, INLINE, view

THREE = nb.types.UniTuple(F0, 3)


@nb.njit(nb.void(F1, I1, F2, I0, I0, F0, F0, F0, F0, F0, F0), **INTERNAL)
def point_column(floats, ints, columns, r, node, px, py, pz, x, y, z):  # type: ignore[no-untyped-def]
    """Write how fast a point fixed to a node moves along a direction for unit velocities of its chain."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    O = nodes[ints[ints[REFERENCE] + node]]  # noqa: E741
    a, b, c = px - O[P], py - O[P + 1], pz - O[P + 2]
    t0, t1, t2 = b * z - c * y, c * x - a * z, a * y - b * x
    last = ints[ints[DEPTH] + node]
    chain = view(ints, ints[CHAIN] + ints[ints[START] + node], (last + 1,))
    own = columns[r]
    for j in range(last + 1):
        B = nodes[chain[j]]
        own[j] = B[S] * t0 + B[S + 1] * t1 + B[S + 2] * t2 + B[S + 3] * x + B[S + 4] * y + B[S + 5] * z


@nb.njit(F0(F1, I1, I0, I0, F0, F0, F0, F0, F0, F0), **INTERNAL)
def point_speed(floats, ints, node, at, px, py, pz, x, y, z):  # type: ignore[no-untyped-def]
    """Return how fast a point fixed to a node (-1: the world) moves along a direction, its twist in columns ``at``."""
    if node < 0:
        return 0.0
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    W, O = nodes[node], nodes[ints[ints[REFERENCE] + node]]  # noqa: E741
    a, b, c = px - O[P], py - O[P + 1], pz - O[P + 2]
    w0, w1, w2 = W[at], W[at + 1], W[at + 2]
    return (
        x * (W[at + 3] + w1 * c - w2 * b) + y * (W[at + 4] + w2 * a - w0 * c) + z * (W[at + 5] + w0 * b - w1 * a)
    )  # fmt: skip


@nb.njit(THREE(F1, I1, I0, I0, F0, F0, F0), **INLINE)
def point_velocity(floats, ints, node, at, px, py, pz):  # type: ignore[no-untyped-def]
    """Return the velocity of a point fixed to a node (-1: the world), its twist in columns ``at``."""
    if node < 0:
        return 0.0, 0.0, 0.0
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    W, O = nodes[node], nodes[ints[ints[REFERENCE] + node]]  # noqa: E741
    a, b, c = px - O[P], py - O[P + 1], pz - O[P + 2]
    w0, w1, w2 = W[at], W[at + 1], W[at + 2]
    return W[at + 3] + w1 * c - w2 * b, W[at + 4] + w2 * a - w0 * c, W[at + 5] + w0 * b - w1 * a


@nb.njit(nb.void(F1, I1, F2, I0, F1, F1, F0, F0), **INTERNAL)
def contact_columns(floats, ints, columns, node, contact, state, along, across):  # type: ignore[no-untyped-def]
    """Write how fast a contact's point, fixed to a node, moves along its normal and tangents, for unit velocities.

    They are multiplied by ``along`` and, those along the tangents, by ``across``.
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    O = nodes[ints[ints[REFERENCE] + node]]  # noqa: E741
    a, b, c = contact[0] - O[P], contact[1] - O[P + 1], contact[2] - O[P + 2]
    at = CONTACT_NORMAL
    n0, n1, n2 = along * contact[at], along * contact[at + 1], along * contact[at + 2]
    at = FIRST_TANGENT
    t0, t1, t2 = across * state[at], across * state[at + 1], across * state[at + 2]
    at = SECOND_TANGENT
    u0, u1, u2 = across * state[at], across * state[at + 1], across * state[at + 2]
    last = ints[ints[DEPTH] + node]
    chain = view(ints, ints[CHAIN] + ints[ints[START] + node], (last + 1,))
    one, two, three = columns[0], columns[1], columns[2]
    for j in range(last + 1):
        B = nodes[chain[j]]
        w0, w1, w2 = B[S], B[S + 1], B[S + 2]
        v0, v1, v2 = B[S + 3] + w1 * c - w2 * b, B[S + 4] + w2 * a - w0 * c, B[S + 5] + w0 * b - w1 * a
        one[j] = v0 * n0 + v1 * n1 + v2 * n2
        two[j] = v0 * t0 + v1 * t1 + v2 * t2
        three[j] = v0 * u0 + v1 * u1 + v2 * u2
