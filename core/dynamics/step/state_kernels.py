"""What a state is like, and blows to it, compiled: see ``measure`` and ``strike`` in ``step_plain``."""

from __future__ import annotations

import numba as nb

from core.dynamics.step.flight_kernels import call_mass_at
from core.dynamics.step.force_kernels import eliminate_held, load
from core.dynamics.step.motion_kernels import factor, place, place_bodies, solve_lower, solve_transposed, twists, weigh
from core.dynamics.step.rows_kernels import I8
from core.dynamics.step.slots import (
    ARMATURE,
    BODY_NODE,
    BODY_PLACES,
    CENTER,
    CHAIN,
    DEPTH,
    GIVEN,
    GRAVITY,
    INERTIA,
    KINETIC,
    MASS,
    MASS_AT,
    MASS_COUNT,
    MIDDLE,
    MOMENTUM,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBER_COUNT,
    NUMBERS,
    PARENT,
    PIVOT,
    POTENTIAL,
    REFERENCE,
    RIGHT,
    ROOT,
    START,
    VECTOR_COUNT,
    VECTORS,
    F,
    P,
    S,
    U,
    V,
)
from core.kinematics.inlining import F1, I0, I1, OPTIONS, view


@nb.njit(nb.void(F1, I1, I8), **OPTIONS)
def measure(floats, ints, flags):  # type: ignore[no-untyped-def]
    """See ``step_plain.measure``."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    u = vectors[U]
    place(floats, ints)
    place_bodies(floats, ints)
    weigh(floats, ints)
    twists(nodes, view(ints, ints[PARENT], (n,)), u, V)
    energy = mass = 0.0
    f0 = f1 = f2 = l0 = l1 = l2 = p0 = p1 = p2 = 0.0
    for i in range(n):
        W, O = nodes[i], nodes[ints[ints[REFERENCE] + i]]  # noqa: E741
        m, h0, h1, h2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3]
        w0, w1, w2, v0, v1, v2 = W[V], W[V + 1], W[V + 2], W[V + 3], W[V + 4], W[V + 5]
        a0 = W[INERTIA + 4] * w0 + W[INERTIA + 5] * w1 + W[INERTIA + 6] * w2 + h1 * v2 - h2 * v1
        a1 = W[INERTIA + 5] * w0 + W[INERTIA + 7] * w1 + W[INERTIA + 8] * w2 + h2 * v0 - h0 * v2
        a2 = W[INERTIA + 6] * w0 + W[INERTIA + 8] * w1 + W[INERTIA + 9] * w2 + h0 * v1 - h1 * v0
        b0, b1, b2 = m * v0 + w1 * h2 - w2 * h1, m * v1 + w2 * h0 - w0 * h2, m * v2 + w0 * h1 - w1 * h0
        energy += 0.5 * (w0 * a0 + w1 * a1 + w2 * a2 + v0 * b0 + v1 * b1 + v2 * b2)
        energy += 0.5 * vectors[ARMATURE, i] * u[i] * u[i]
        mass += m
        f0, f1, f2 = f0 + m * O[P] + h0, f1 + m * O[P + 1] + h1, f2 + m * O[P + 2] + h2
        l0, l1 = l0 + a0 + O[P + 1] * b2 - O[P + 2] * b1, l1 + a1 + O[P + 2] * b0 - O[P] * b2
        l2 += a2 + O[P] * b1 - O[P + 1] * b0
        p0, p1, p2 = p0 + b0, p1 + b1, p2 + b2
    numbers[KINETIC] = energy
    numbers[POTENTIAL] = -(f0 * numbers[GRAVITY] + f1 * numbers[GRAVITY + 1] + f2 * numbers[GRAVITY + 2])
    if mass > 0.0:
        f0, f1, f2 = f0 / mass, f1 / mass, f2 / mass
    numbers[CENTER], numbers[CENTER + 1], numbers[CENTER + 2] = f0, f1, f2
    numbers[MOMENTUM], numbers[MOMENTUM + 1] = l0 - f1 * p2 + f2 * p1, l1 - f2 * p0 + f0 * p2
    numbers[MOMENTUM + 2] = l2 - f0 * p1 + f1 * p0
    numbers[MOMENTUM + 3], numbers[MOMENTUM + 4], numbers[MOMENTUM + 5] = p0, p1, p2


@nb.njit(nb.void(F1, I1, I8, I0, F1), **OPTIONS)
def strike(floats, ints, flags, body, impulse):  # type: ignore[no-untyped-def]
    """See ``step_plain.strike``."""
    n = ints[NODE_COUNT]
    node = ints[ints[BODY_NODE] + body]
    if node < 0:
        return
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    right = vectors[RIGHT]
    for i in range(n):
        vectors[MIDDLE, i] = vectors[U, i]
        vectors[GIVEN, i] = vectors[U, i]
        right[i] = 0.0
    call_mass_at(ints[MASS_AT], (floats, ints))
    place_bodies(floats, ints)
    W = nodes[node]
    for k in range(6):
        W[F + k] = impulse[k] if k < 3 else 0.0
    p = view(floats, ints[BODY_PLACES] + 3 * body, (3,))
    load(floats, ints, node, p[0], p[1], p[2], impulse[3], impulse[4], impulse[5])
    for j in range(depth[node] + 1):
        i = chain[start[node] + j]
        for k in range(6):
            right[i] += nodes[i, S + k] * W[F + k]
    eliminate_held(floats, ints)
    factor(mass, depth, start, chain, vectors[PIVOT], vectors[ROOT])
    solve_transposed(mass, depth, start, chain, right)
    for i in range(n):
        right[i] *= vectors[PIVOT, i]
    solve_lower(mass, depth, start, chain, right)
    for i in range(n):
        vectors[U, i] += right[i]
