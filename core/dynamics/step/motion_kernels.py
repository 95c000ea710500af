"""How the nodes of a tree stand and move, their mass matrix and bias forces, compiled: see ``motion_plain``.

Everything is told in world axes about the tree's reference point, so that nothing is transformed on the way from node
to node (Featherstone's composite rigid bodies and recursive Newton-Euler). Row i of the mass matrix has the ancestors
of node i in order, and itself; those of its ancestors are the beginning of that.
"""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL, turns
from core.dynamics.step.slots import (
    AT,
    BIAS,
    BODIES,
    BODY_COUNT,
    BODY_NODE,
    BODY_PLACES,
    BODY_ROTATIONS,
    BODY_WIDTH,
    CHAIN,
    CONTINUED,
    COUNT,
    DEPTH,
    FIRST,
    GENERAL,
    GRAVITY,
    HINGE,
    INERTIA,
    JOINT,
    JOINT_COLUMN,
    JOINT_RATE,
    KIND,
    MASS,
    MASS_COUNT,
    MIDDLE,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBER_COUNT,
    NUMBERS,
    PARENT,
    REFERENCE,
    ROTATION,
    SECOND,
    SLIDE,
    START,
    START_X,
    SUM,
    TURN,
    TURNED,
    VECTOR_COUNT,
    VECTORS,
    WEIGHT,
    A,
    F,
    P,
    R,
    S,
    T,
    V,
    X,
)
from core.kinematics.inlining import F1, F2, I0, I1, view
from core.kinematics.linking import linked


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def place(floats, ints):  # type: ignore[no-untyped-def]
    """Write rotation, place and motion subspace of every node at its coordinate."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    parent, kind = view(ints, ints[PARENT], (n,)), view(ints, ints[KIND], (n,))
    x, cosine, sine = vectors[X], vectors[START_X], vectors[SUM]
    turns(x, cosine, sine)
    for i in range(n):
        W = nodes[i]
        k = kind[i]
        if k == TURNED or k == CONTINUED:
            B = nodes[i - 1]
            for j in range(12):
                W[R + j] = B[R + j]
            continue
        t0, t1, t2, t3, t4, t5, t6, t7, t8 = (
            W[T], W[T + 1], W[T + 2], W[T + 3], W[T + 4], W[T + 5], W[T + 6], W[T + 7], W[T + 8],
        )  # fmt: skip
        p0, p1, p2 = W[AT], W[AT + 1], W[AT + 2]
        if k == HINGE:
            c, s = cosine[i], sine[i]
            t0, t1 = t0 * c + t1 * s, t1 * c - t0 * s
            t3, t4 = t3 * c + t4 * s, t4 * c - t3 * s
            t6, t7 = t6 * c + t7 * s, t7 * c - t6 * s
        elif k == SLIDE:
            p0, p1, p2 = p0 + t2 * x[i], p1 + t5 * x[i], p2 + t8 * x[i]
        else:
            if k == ROTATION:
                a, b, c, d = W[TURN], W[TURN + 1], W[TURN + 2], W[TURN + 3]
                q0, q1, q2 = 1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)
                q3, q4, q5 = 2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)
                q6, q7, q8 = 2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)
            else:
                q0, q1, q2, q3, q4, q5, q6, q7, q8 = (
                    W[JOINT], W[JOINT + 1], W[JOINT + 2], W[JOINT + 3], W[JOINT + 4], W[JOINT + 5], W[JOINT + 6],
                    W[JOINT + 7], W[JOINT + 8],
                )  # fmt: skip
                a, b, c = W[JOINT + 9], W[JOINT + 10], W[JOINT + 11]
                p0, p1, p2 = (
                    p0 + t0 * a + t1 * b + t2 * c, p1 + t3 * a + t4 * b + t5 * c, p2 + t6 * a + t7 * b + t8 * c,
                )  # fmt: skip
            t0, t1, t2 = t0 * q0 + t1 * q3 + t2 * q6, t0 * q1 + t1 * q4 + t2 * q7, t0 * q2 + t1 * q5 + t2 * q8
            t3, t4, t5 = t3 * q0 + t4 * q3 + t5 * q6, t3 * q1 + t4 * q4 + t5 * q7, t3 * q2 + t4 * q5 + t5 * q8
            t6, t7, t8 = t6 * q0 + t7 * q3 + t8 * q6, t6 * q1 + t7 * q4 + t8 * q7, t6 * q2 + t7 * q5 + t8 * q8
        if parent[i] >= 0:
            B = nodes[parent[i]]
            for j in range(3):
                r0, r1, r2 = B[R + 3 * j], B[R + 3 * j + 1], B[R + 3 * j + 2]
                W[P + j] = B[P + j] + r0 * p0 + r1 * p1 + r2 * p2
                W[R + 3 * j] = r0 * t0 + r1 * t3 + r2 * t6
                W[R + 3 * j + 1] = r0 * t1 + r1 * t4 + r2 * t7
                W[R + 3 * j + 2] = r0 * t2 + r1 * t5 + r2 * t8
        else:
            W[P], W[P + 1], W[P + 2] = p0, p1, p2
            W[R], W[R + 1], W[R + 2], W[R + 3], W[R + 4], W[R + 5] = t0, t1, t2, t3, t4, t5
            W[R + 6], W[R + 7], W[R + 8] = t6, t7, t8
    reference = view(ints, ints[REFERENCE], (n,))
    first = 0
    for i in range(n):
        W, O = nodes[i], nodes[reference[i]]  # noqa: E741
        k = kind[i]
        r0, r1, r2 = W[P] - O[P], W[P + 1] - O[P + 1], W[P + 2] - O[P + 2]
        if k == ROTATION or k == GENERAL:
            first = i
        v0, v1, v2 = 0.0, 0.0, 0.0
        if k == GENERAL or k == CONTINUED:
            a, b, c = W[JOINT_COLUMN], W[JOINT_COLUMN + 1], W[JOINT_COLUMN + 2]
            d, e, f = W[JOINT_COLUMN + 3], W[JOINT_COLUMN + 4], W[JOINT_COLUMN + 5]
            w0 = W[R] * a + W[R + 1] * b + W[R + 2] * c
            w1 = W[R + 3] * a + W[R + 4] * b + W[R + 5] * c
            w2 = W[R + 6] * a + W[R + 7] * b + W[R + 8] * c
            v0 = W[R] * d + W[R + 1] * e + W[R + 2] * f
            v1 = W[R + 3] * d + W[R + 4] * e + W[R + 5] * f
            v2 = W[R + 6] * d + W[R + 7] * e + W[R + 8] * f
        elif k == SLIDE:
            w0 = w1 = w2 = 0.0
            v0, v1, v2 = W[R + 2], W[R + 5], W[R + 8]
        else:
            j = 2 if k == HINGE else i - first
            w0, w1, w2 = W[R + j], W[R + 3 + j], W[R + 6 + j]
        W[S], W[S + 1], W[S + 2] = w0, w1, w2
        W[S + 3], W[S + 4], W[S + 5] = v0 + r1 * w2 - r2 * w1, v1 + r2 * w0 - r0 * w2, v2 + r0 * w1 - r1 * w0


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def place_bodies(floats, ints):  # type: ignore[no-untyped-def]
    """Write the poses of the bodies where the nodes stand."""
    n, count = ints[NODE_COUNT], ints[BODY_COUNT]
    nodes, bodies = view(floats, ints[NODES], (n, NODE_WIDTH)), view(floats, ints[BODIES], (count, BODY_WIDTH))
    rotations = view(floats, ints[BODY_ROTATIONS], (count, 9))
    places = view(floats, ints[BODY_PLACES], (count, 3))
    node = view(ints, ints[BODY_NODE], (count,))
    for b in range(count):
        B, Q, p = bodies[b], rotations[b], places[b]
        if node[b] < 0:
            for k in range(9):
                Q[k] = B[k]
            for k in range(3):
                p[k] = B[9 + k]
            continue
        W = nodes[node[b]]
        for j in range(3):
            r0, r1, r2 = W[R + 3 * j], W[R + 3 * j + 1], W[R + 3 * j + 2]
            Q[3 * j] = r0 * B[0] + r1 * B[3] + r2 * B[6]
            Q[3 * j + 1] = r0 * B[1] + r1 * B[4] + r2 * B[7]
            Q[3 * j + 2] = r0 * B[2] + r1 * B[5] + r2 * B[8]
            p[j] = W[P + j] + r0 * B[9] + r1 * B[10] + r2 * B[11]


@nb.njit(nb.void(F2, I1, F1, I0), **INTERNAL)
def twists(nodes, parent, u, at):  # type: ignore[no-untyped-def]
    """Write the twist of each node at velocities ``u`` into its columns from ``at`` on."""
    for i in range(len(u)):
        W = nodes[i]
        rate = u[i]
        if parent[i] >= 0:
            B = nodes[parent[i]]
            for k in range(6):
                W[at + k] = B[at + k] + W[S + k] * rate
        else:
            for k in range(6):
                W[at + k] = W[S + k] * rate


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def weigh(floats, ints):  # type: ignore[no-untyped-def]
    """Write the inertia of what is fixed to each node about its tree's reference point."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    reference = view(ints, ints[REFERENCE], (n,))
    for i in range(n):
        W, O = nodes[i], nodes[reference[i]]  # noqa: E741
        m, c0, c1, c2 = W[WEIGHT], W[FIRST], W[FIRST + 1], W[FIRST + 2]
        xx, xy, xz, yy, yz, zz = W[SECOND], W[SECOND + 1], W[SECOND + 2], W[SECOND + 3], W[SECOND + 4], W[SECOND + 5]
        if m == 0.0 and xx + yy + zz == 0.0:
            for k in range(10):
                W[INERTIA + k] = 0.0
            continue
        R0, R1, R2, R3, R4, R5, R6, R7, R8 = (
            W[R], W[R + 1], W[R + 2], W[R + 3], W[R + 4], W[R + 5], W[R + 6], W[R + 7], W[R + 8],
        )  # fmt: skip
        h0, h1, h2 = R0 * xx + R1 * xy + R2 * xz, R0 * xy + R1 * yy + R2 * yz, R0 * xz + R1 * yz + R2 * zz
        h3, h4, h5 = R3 * xx + R4 * xy + R5 * xz, R3 * xy + R4 * yy + R5 * yz, R3 * xz + R4 * yz + R5 * zz
        h6, h7, h8 = R6 * xx + R7 * xy + R8 * xz, R6 * xy + R7 * yy + R8 * yz, R6 * xz + R7 * yz + R8 * zz
        xx, xy, xz = h0 * R0 + h1 * R1 + h2 * R2, h0 * R3 + h1 * R4 + h2 * R5, h0 * R6 + h1 * R7 + h2 * R8
        yy, yz, zz = h3 * R3 + h4 * R4 + h5 * R5, h3 * R6 + h4 * R7 + h5 * R8, h6 * R6 + h7 * R7 + h8 * R8
        g0, g1, g2 = R0 * c0 + R1 * c1 + R2 * c2, R3 * c0 + R4 * c1 + R5 * c2, R6 * c0 + R7 * c1 + R8 * c2
        r0, r1, r2 = W[P] - O[P], W[P + 1] - O[P + 1], W[P + 2] - O[P + 2]
        # Moved by r: I + 2 g.r - r g^T - g r^T + m (r.r - r r^T), g + m r.
        k0, k1, k2 = g0 + m * r0, g1 + m * r1, g2 + m * r2
        both = (g0 + k0) * r0 + (g1 + k1) * r1 + (g2 + k2) * r2
        W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3] = m, k0, k1, k2
        W[INERTIA + 4] = xx + both - r0 * (g0 + k0)
        W[INERTIA + 5] = xy - r0 * g1 - k0 * r1
        W[INERTIA + 6] = xz - r0 * g2 - k0 * r2
        W[INERTIA + 7] = yy + both - r1 * (g1 + k1)
        W[INERTIA + 8] = yz - r1 * g2 - k1 * r2
        W[INERTIA + 9] = zz + both - r2 * (g2 + k2)


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def mass_and_bias(floats, ints):  # type: ignore[no-untyped-def]
    """Write the sparse mass matrix, and the bias forces at the velocities ``MIDDLE``; nodes stand and are weighed."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    parent, kind, count = view(ints, ints[PARENT], (n,)), view(ints, ints[KIND], (n,)), view(ints, ints[COUNT], (n,))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    reference = view(ints, ints[REFERENCE], (n,))
    u, bias = vectors[MIDDLE], vectors[BIAS]
    twists(nodes, parent, u, V)
    for i in range(n):
        W = nodes[i]
        k = kind[i]
        if parent[i] >= 0:
            B = nodes[parent[i]]
            a0, a1, a2, a3, a4, a5 = B[A], B[A + 1], B[A + 2], B[A + 3], B[A + 4], B[A + 5]
            w0, w1, w2, v0, v1, v2 = B[V], B[V + 1], B[V + 2], B[V + 3], B[V + 4], B[V + 5]
        else:
            a0 = a1 = a2 = w0 = w1 = w2 = v0 = v1 = v2 = 0.0
            a3, a4, a5 = -numbers[GRAVITY], -numbers[GRAVITY + 1], -numbers[GRAVITY + 2]
        if k != TURNED and k != CONTINUED:
            # The own motion turns along with the parent's: V_p x (V - V_p), of all nodes of the joint together.
            E = nodes[i + count[i] - 1] if k == ROTATION or k == GENERAL else W
            s0, s1, s2 = E[V] - w0, E[V + 1] - w1, E[V + 2] - w2
            s3, s4, s5 = E[V + 3] - v0, E[V + 4] - v1, E[V + 5] - v2
            a0, a1, a2 = a0 + w1 * s2 - w2 * s1, a1 + w2 * s0 - w0 * s2, a2 + w0 * s1 - w1 * s0
            a3 += w1 * s5 - w2 * s4 + v1 * s2 - v2 * s1
            a4 += w2 * s3 - w0 * s5 + v2 * s0 - v0 * s2
            a5 += w0 * s4 - w1 * s3 + v0 * s1 - v1 * s0
        if k == GENERAL:
            O = nodes[reference[i]]  # noqa: E741
            r0, r1, r2 = W[P] - O[P], W[P + 1] - O[P + 1], W[P + 2] - O[P + 2]
            b, c, d = W[JOINT_RATE], W[JOINT_RATE + 1], W[JOINT_RATE + 2]
            e, f, g = W[JOINT_RATE + 3], W[JOINT_RATE + 4], W[JOINT_RATE + 5]
            s0 = W[R] * b + W[R + 1] * c + W[R + 2] * d
            s1 = W[R + 3] * b + W[R + 4] * c + W[R + 5] * d
            s2 = W[R + 6] * b + W[R + 7] * c + W[R + 8] * d
            a0, a1, a2 = a0 + s0, a1 + s1, a2 + s2
            a3 += W[R] * e + W[R + 1] * f + W[R + 2] * g + r1 * s2 - r2 * s1
            a4 += W[R + 3] * e + W[R + 4] * f + W[R + 5] * g + r2 * s0 - r0 * s2
            a5 += W[R + 6] * e + W[R + 7] * f + W[R + 8] * g + r0 * s1 - r1 * s0
        W[A], W[A + 1], W[A + 2], W[A + 3], W[A + 4], W[A + 5] = a0, a1, a2, a3, a4, a5
        m, h0, h1, h2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3]
        xx, xy, xz = W[INERTIA + 4], W[INERTIA + 5], W[INERTIA + 6]
        yy, yz, zz = W[INERTIA + 7], W[INERTIA + 8], W[INERTIA + 9]
        w0, w1, w2, v0, v1, v2 = W[V], W[V + 1], W[V + 2], W[V + 3], W[V + 4], W[V + 5]
        l0 = xx * w0 + xy * w1 + xz * w2 + h1 * v2 - h2 * v1
        l1 = xy * w0 + yy * w1 + yz * w2 + h2 * v0 - h0 * v2
        l2 = xz * w0 + yz * w1 + zz * w2 + h0 * v1 - h1 * v0
        p0, p1, p2 = m * v0 + w1 * h2 - w2 * h1, m * v1 + w2 * h0 - w0 * h2, m * v2 + w0 * h1 - w1 * h0
        W[F] = xx * a0 + xy * a1 + xz * a2 + h1 * a5 - h2 * a4 + w1 * l2 - w2 * l1 + v1 * p2 - v2 * p1
        W[F + 1] = xy * a0 + yy * a1 + yz * a2 + h2 * a3 - h0 * a5 + w2 * l0 - w0 * l2 + v2 * p0 - v0 * p2
        W[F + 2] = xz * a0 + yz * a1 + zz * a2 + h0 * a4 - h1 * a3 + w0 * l1 - w1 * l0 + v0 * p1 - v1 * p0
        W[F + 3] = m * a3 + a1 * h2 - a2 * h1 + w1 * p2 - w2 * p1
        W[F + 4] = m * a4 + a2 * h0 - a0 * h2 + w2 * p0 - w0 * p2
        W[F + 5] = m * a5 + a0 * h1 - a1 * h0 + w0 * p1 - w1 * p0
    for i in range(n - 1, -1, -1):
        W = nodes[i]
        s0, s1, s2, s3, s4, s5 = W[S], W[S + 1], W[S + 2], W[S + 3], W[S + 4], W[S + 5]
        bias[i] = s0 * W[F] + s1 * W[F + 1] + s2 * W[F + 2] + s3 * W[F + 3] + s4 * W[F + 4] + s5 * W[F + 5]
        m, h0, h1, h2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2], W[INERTIA + 3]
        xx, xy, xz = W[INERTIA + 4], W[INERTIA + 5], W[INERTIA + 6]
        yy, yz, zz = W[INERTIA + 7], W[INERTIA + 8], W[INERTIA + 9]
        f0 = xx * s0 + xy * s1 + xz * s2 + h1 * s5 - h2 * s4
        f1 = xy * s0 + yy * s1 + yz * s2 + h2 * s3 - h0 * s5
        f2 = xz * s0 + yz * s1 + zz * s2 + h0 * s4 - h1 * s3
        f3, f4, f5 = m * s3 + s1 * h2 - s2 * h1, m * s4 + s2 * h0 - s0 * h2, m * s5 + s0 * h1 - s1 * h0
        at = start[i]
        for j in range(depth[i] + 1):
            B = nodes[chain[at + j]]
            mass[at + j] = (
                B[S] * f0 + B[S + 1] * f1 + B[S + 2] * f2 + B[S + 3] * f3 + B[S + 4] * f4 + B[S + 5] * f5
            )  # fmt: skip
        if parent[i] >= 0:
            B = nodes[parent[i]]
            for k in range(6):
                B[F + k] += W[F + k]
            for k in range(10):
                B[INERTIA + k] += W[INERTIA + k]


@linked
@nb.njit(nb.void(F1, I1, I1, I1, F1, F1), **INTERNAL)
def factor(mass, depth, start, chain, pivot, root):  # type: ignore[no-untyped-def]
    """Replace a sparse matrix by its factors ``L^T D L``; write one over D, and the root of that."""
    k = len(pivot) - 1
    while k >= 0:
        d = depth[k]
        if k >= 2 and d >= 2 and chain[start[k] + d - 2] == k - 2 and chain[start[k] + d - 1] == k - 1:
            # Three that hang on each other, as the axes of a joint do, leave what they hang on together.
            one, two, three = mass[start[k] :], mass[start[k - 1] :], mass[start[k - 2] :]
            first = 1.0 / one[d]
            a, b = one[d - 1] * first, one[d - 2] * first
            for j in range(d):
                two[j] -= a * one[j]
            second = 1.0 / two[d - 1]
            c = two[d - 2] * second
            for j in range(d - 1):
                three[j] -= b * one[j] + c * two[j]
            third = 1.0 / three[d - 2]
            pivot[k], pivot[k - 1], pivot[k - 2] = first, second, third
            root[k], root[k - 1], root[k - 2] = math.sqrt(first), math.sqrt(second), math.sqrt(third)
            one[d - 1], one[d - 2], two[d - 2] = a, b, c
            for p in range(d - 3, -1, -1):
                a, b, c = one[p] * first, two[p] * second, three[p] * third
                above = mass[start[chain[start[k] + p]] :]
                for j in range(p + 1):
                    above[j] -= a * one[j] + b * two[j] + c * three[j]
                one[p], two[p], three[p] = a, b, c
            k -= 3
            continue
        at = start[k]
        row = mass[at : at + d + 1]
        over = 1.0 / row[d]
        pivot[k], root[k] = over, math.sqrt(over)
        for p in range(d - 1, -1, -1):
            a = row[p] * over
            if a != 0.0:
                above = mass[start[chain[at + p]] :]
                for j in range(p + 1):
                    above[j] -= a * row[j]
            row[p] = a
        k -= 1


@nb.njit(nb.void(F1, I1, I1, I1, F1), **INTERNAL)
def solve_transposed(mass, depth, start, chain, x):  # type: ignore[no-untyped-def]
    """Replace x by ``L^-T x``."""
    for k in range(len(x) - 1, -1, -1):
        at, a = start[k], x[k]
        if a != 0.0:
            for j in range(at, at + depth[k]):
                x[chain[j]] -= mass[j] * a


@nb.njit(nb.void(F1, I1, I1, I1, F1), **INTERNAL)
def solve_lower(mass, depth, start, chain, x):  # type: ignore[no-untyped-def]
    """Replace x by ``L^-1 x``."""
    for k in range(len(x)):
        at, a = start[k], x[k]
        for j in range(at, at + depth[k]):
            a -= mass[j] * x[chain[j]]
        x[k] = a
