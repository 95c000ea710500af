"""Rigid parts of a packed tree: accelerations outwards, wrenches inwards, and composite bodies.

Source: Liu & Jain section 7 (Newton and Euler's recursion); Featherstone's composite rigid bodies.
"""

from __future__ import annotations

from core.dynamics.node_motion_kernel import FAST
from core.dynamics.slots import ARM, BIAS, FORCE, INERTIA, KIND, PARENT, SLIDE, S
from core.kernels import F1, F2, kernel


@kernel(internal=True, fastmath=FAST)
def move(rows: F2, vdot: F1) -> None:
    """Add to each node's wrench what its own inertia takes to move at given accelerations of the coordinates.

    Its acceleration is left in ``BIAS``, in the world's row too, where it starts.
    """
    for i in range(1, len(vdot) + 1):
        W = rows[i]
        A = rows[int(W[PARENT])]
        a0, a1, a2, a3, a4, a5 = A[BIAS], A[BIAS + 1], A[BIAS + 2], A[BIAS + 3], A[BIAS + 4], A[BIAS + 5]
        r0, r1, r2, y = W[ARM], W[ARM + 1], W[ARM + 2], vdot[i - 1]
        a3, a4, a5 = (
            a3 + a1 * r2 - a2 * r1 + W[BIAS + 3], a4 + a2 * r0 - a0 * r2 + W[BIAS + 4],
            a5 + a0 * r1 - a1 * r0 + W[BIAS + 5],
        )  # fmt: skip
        a0, a1, a2 = a0 + W[BIAS], a1 + W[BIAS + 1], a2 + W[BIAS + 2]
        if W[KIND] < SLIDE:
            a0, a1, a2 = a0 + W[S] * y, a1 + W[S + 1] * y, a2 + W[S + 2] * y
        else:
            a0, a1, a2 = a0 + W[S] * y, a1 + W[S + 1] * y, a2 + W[S + 2] * y
            a3, a4, a5 = a3 + W[S + 3] * y, a4 + W[S + 4] * y, a5 + W[S + 5] * y
        W[BIAS], W[BIAS + 1], W[BIAS + 2], W[BIAS + 3], W[BIAS + 4], W[BIAS + 5] = a0, a1, a2, a3, a4, a5
        xx, xy, xz = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2]
        yy, yz, zz = W[INERTIA + 3], W[INERTIA + 4], W[INERTIA + 5]
        g0, g1, g2, m = -W[INERTIA + 11], W[INERTIA + 8], -W[INERTIA + 7], W[INERTIA + 15]
        W[FORCE] += xx * a0 + xy * a1 + xz * a2 + g1 * a5 - g2 * a4
        W[FORCE + 1] += xy * a0 + yy * a1 + yz * a2 + g2 * a3 - g0 * a5
        W[FORCE + 2] += xz * a0 + yz * a1 + zz * a2 + g0 * a4 - g1 * a3
        W[FORCE + 3] += m * a3 + a1 * g2 - a2 * g1
        W[FORCE + 4] += m * a4 + a2 * g0 - a0 * g2
        W[FORCE + 5] += m * a5 + a0 * g1 - a1 * g0


@kernel(internal=True, fastmath=FAST)
def gather(rows: F2, tau: F1) -> None:
    """Pass the nodes' wrenches inwards and write their parts along the joints."""
    for i in range(len(tau), 0, -1):
        W = rows[i]
        A = rows[int(W[PARENT])]
        p0, p1, p2, p3, p4, p5 = W[FORCE], W[FORCE + 1], W[FORCE + 2], W[FORCE + 3], W[FORCE + 4], W[FORCE + 5]
        if W[KIND] < SLIDE:
            tau[i - 1] = p0 * W[S] + p1 * W[S + 1] + p2 * W[S + 2]
        else:
            effort = p0 * W[S] + p1 * W[S + 1] + p2 * W[S + 2]
            tau[i - 1] = effort + p3 * W[S + 3] + p4 * W[S + 4] + p5 * W[S + 5]
        r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
        A[FORCE] += p0 + r1 * p5 - r2 * p4
        A[FORCE + 1] += p1 + r2 * p3 - r0 * p5
        A[FORCE + 2] += p2 + r0 * p4 - r1 * p3
        A[FORCE + 3] += p3
        A[FORCE + 4] += p4
        A[FORCE + 5] += p5


@kernel(internal=True, fastmath=FAST)
def composite(rows: F2, M: F2) -> None:
    """Write the mass matrix, row by row from the last: the wrench that moves what hangs on a node, seen by all before.

    The composite bodies take the places of the rigid inertias: six of the rotational one, mass times centre, mass.
    """
    n = len(M)
    world = rows[0]
    for k in range(10):
        world[INERTIA + k] = 0.0
    for i in range(1, n + 1):
        W = rows[i]
        g0, g1, g2, m = -W[INERTIA + 11], W[INERTIA + 8], -W[INERTIA + 7], W[INERTIA + 15]
        W[INERTIA + 6], W[INERTIA + 7], W[INERTIA + 8], W[INERTIA + 9] = g0, g1, g2, m
        for j in range(i):
            M[i - 1, j] = 0.0
    for i in range(n, 0, -1):
        W = rows[i]
        parent = int(W[PARENT])
        A = rows[parent]
        xx, xy, xz = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2]
        yy, yz, zz = W[INERTIA + 3], W[INERTIA + 4], W[INERTIA + 5]
        g0, g1, g2, m = W[INERTIA + 6], W[INERTIA + 7], W[INERTIA + 8], W[INERTIA + 9]
        r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
        # Steiner: I + (2 r.g + m r.r) 1 - (r g^T + g r^T) - m r r^T, with q = g + m r on one side.
        q0, q1, q2 = g0 + m * r0, g1 + m * r1, g2 + m * r2
        A[INERTIA] += xx + r1 * (g1 + q1) + r2 * (g2 + q2)
        A[INERTIA + 1] += xy - r0 * q1 - g0 * r1
        A[INERTIA + 2] += xz - r0 * q2 - g0 * r2
        A[INERTIA + 3] += yy + r0 * (g0 + q0) + r2 * (g2 + q2)
        A[INERTIA + 4] += yz - r1 * q2 - g1 * r2
        A[INERTIA + 5] += zz + r0 * (g0 + q0) + r1 * (g1 + q1)
        A[INERTIA + 6] += q0
        A[INERTIA + 7] += q1
        A[INERTIA + 8] += q2
        A[INERTIA + 9] += m
        if W[KIND] < SLIDE:
            s0, s1, s2 = W[S], W[S + 1], W[S + 2]
            s3 = s4 = s5 = 0.0
        else:
            s0, s1, s2, s3, s4, s5 = W[S], W[S + 1], W[S + 2], W[S + 3], W[S + 4], W[S + 5]
        p0 = xx * s0 + xy * s1 + xz * s2 + g1 * s5 - g2 * s4
        p1 = xy * s0 + yy * s1 + yz * s2 + g2 * s3 - g0 * s5
        p2 = xz * s0 + yz * s1 + zz * s2 + g0 * s4 - g1 * s3
        p3, p4, p5 = m * s3 + s1 * g2 - s2 * g1, m * s4 + s2 * g0 - s0 * g2, m * s5 + s0 * g1 - s1 * g0
        M[i - 1, i - 1] = p0 * s0 + p1 * s1 + p2 * s2 + p3 * s3 + p4 * s4 + p5 * s5
        j = parent
        while j > 0:
            p0, p1, p2 = p0 + r1 * p5 - r2 * p4, p1 + r2 * p3 - r0 * p5, p2 + r0 * p4 - r1 * p3
            W = rows[j]
            if W[KIND] < SLIDE:
                M[i - 1, j - 1] = p0 * W[S] + p1 * W[S + 1] + p2 * W[S + 2]
            else:
                effort = p0 * W[S] + p1 * W[S + 1] + p2 * W[S + 2]
                M[i - 1, j - 1] = effort + p3 * W[S + 3] + p4 * W[S + 4] + p5 * W[S + 5]
            r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
            j = int(W[PARENT])
    for i in range(n):
        for j in range(i):
            M[j, i] = M[i, j]
