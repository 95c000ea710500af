"""Rigid parts of a packed tree: accelerations outwards, wrenches inwards, and composite bodies.

Source: Liu & Jain section 7 (Newton and Euler's recursion); Featherstone's composite rigid bodies.
"""

from __future__ import annotations

from core.dynamics.node_motion_kernel import FAST
from core.dynamics.tree_memory import SLIDE, Node, Nodes
from core.kernels import F1, F2, kernel


@kernel(inline=True, fastmath=FAST)
def add_wrench(A: Node, W: Node, p0: float, p1: float, p2: float, p3: float, p4: float, p5: float) -> None:
    """Add a wrench about the origin of node W to that of its parent A, about A's."""
    r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
    A.force[0] += p0 + r1 * p5 - r2 * p4
    A.force[1] += p1 + r2 * p3 - r0 * p5
    A.force[2] += p2 + r0 * p4 - r1 * p3
    A.force[3] += p3
    A.force[4] += p4
    A.force[5] += p5


@kernel(internal=True, fastmath=FAST)
def move(nodes: Nodes, vdot: F1) -> None:
    """Add to each node's wrench what its own inertia takes to move at given accelerations of the coordinates.

    Its acceleration is left in ``BIAS``, in the world's row too, where it starts.
    """
    for i in range(1, len(vdot) + 1):
        W = nodes[i]
        A = nodes[W.parent]
        a0, a1, a2, a3, a4, a5 = A.bias[0], A.bias[1], A.bias[2], A.bias[3], A.bias[4], A.bias[5]
        r0, r1, r2, y = W.arm[0], W.arm[1], W.arm[2], vdot[i - 1]
        a3, a4, a5 = (
            a3 + a1 * r2 - a2 * r1 + W.bias[3], a4 + a2 * r0 - a0 * r2 + W.bias[4],
            a5 + a0 * r1 - a1 * r0 + W.bias[5],
        )  # fmt: skip
        a0, a1, a2 = a0 + W.bias[0], a1 + W.bias[1], a2 + W.bias[2]
        if W.kind < SLIDE:
            a0, a1, a2 = a0 + W.S[0] * y, a1 + W.S[1] * y, a2 + W.S[2] * y
        else:
            a0, a1, a2 = a0 + W.S[0] * y, a1 + W.S[1] * y, a2 + W.S[2] * y
            a3, a4, a5 = a3 + W.S[3] * y, a4 + W.S[4] * y, a5 + W.S[5] * y
        W.bias[0], W.bias[1], W.bias[2], W.bias[3], W.bias[4], W.bias[5] = a0, a1, a2, a3, a4, a5
        xx, xy, xz = W.inertia[0], W.inertia[1], W.inertia[2]
        yy, yz, zz = W.inertia[3], W.inertia[4], W.inertia[5]
        g0, g1, g2, m = -W.inertia[11], W.inertia[8], -W.inertia[7], W.inertia[15]
        W.force[0] += xx * a0 + xy * a1 + xz * a2 + g1 * a5 - g2 * a4
        W.force[1] += xy * a0 + yy * a1 + yz * a2 + g2 * a3 - g0 * a5
        W.force[2] += xz * a0 + yz * a1 + zz * a2 + g0 * a4 - g1 * a3
        W.force[3] += m * a3 + a1 * g2 - a2 * g1
        W.force[4] += m * a4 + a2 * g0 - a0 * g2
        W.force[5] += m * a5 + a0 * g1 - a1 * g0


@kernel(internal=True, fastmath=FAST)
def gather(nodes: Nodes, tau: F1) -> None:
    """Pass the nodes' wrenches inwards and write their parts along the joints."""
    for i in range(len(tau), 0, -1):
        W = nodes[i]
        A = nodes[W.parent]
        p0, p1, p2, p3, p4, p5 = W.force[0], W.force[1], W.force[2], W.force[3], W.force[4], W.force[5]
        if W.kind < SLIDE:
            tau[i - 1] = p0 * W.S[0] + p1 * W.S[1] + p2 * W.S[2]
        else:
            effort = p0 * W.S[0] + p1 * W.S[1] + p2 * W.S[2]
            tau[i - 1] = effort + p3 * W.S[3] + p4 * W.S[4] + p5 * W.S[5]
        add_wrench(A, W, p0, p1, p2, p3, p4, p5)


@kernel(internal=True, fastmath=FAST)
def composite(nodes: Nodes, M: F2) -> None:
    """Write the mass matrix, row by row from the last: the wrench that moves what hangs on a node, seen by all before.

    The composite bodies take the places of the rigid inertias, see ``NODE``.
    """
    n = len(M)
    world = nodes[0]
    for k in range(10):
        world.inertia[k] = 0.0
    for i in range(1, n + 1):
        W = nodes[i]
        g0, g1, g2, m = -W.inertia[11], W.inertia[8], -W.inertia[7], W.inertia[15]
        W.composite[0], W.composite[1], W.composite[2], W.composite[3] = g0, g1, g2, m
        for j in range(i):
            M[i - 1, j] = 0.0
    for i in range(n, 0, -1):
        W = nodes[i]
        parent = W.parent
        A = nodes[parent]
        xx, xy, xz = W.inertia[0], W.inertia[1], W.inertia[2]
        yy, yz, zz = W.inertia[3], W.inertia[4], W.inertia[5]
        g0, g1, g2, m = W.composite[0], W.composite[1], W.composite[2], W.composite[3]
        r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
        # Steiner: I + (2 r.g + m r.r) 1 - (r g^T + g r^T) - m r r^T, with q = g + m r on one side.
        q0, q1, q2 = g0 + m * r0, g1 + m * r1, g2 + m * r2
        A.inertia[0] += xx + r1 * (g1 + q1) + r2 * (g2 + q2)
        A.inertia[1] += xy - r0 * q1 - g0 * r1
        A.inertia[2] += xz - r0 * q2 - g0 * r2
        A.inertia[3] += yy + r0 * (g0 + q0) + r2 * (g2 + q2)
        A.inertia[4] += yz - r1 * q2 - g1 * r2
        A.inertia[5] += zz + r0 * (g0 + q0) + r1 * (g1 + q1)
        A.composite[0] += q0
        A.composite[1] += q1
        A.composite[2] += q2
        A.composite[3] += m
        if W.kind < SLIDE:
            s0, s1, s2 = W.S[0], W.S[1], W.S[2]
            s3 = s4 = s5 = 0.0
        else:
            s0, s1, s2, s3, s4, s5 = W.S[0], W.S[1], W.S[2], W.S[3], W.S[4], W.S[5]
        p0 = xx * s0 + xy * s1 + xz * s2 + g1 * s5 - g2 * s4
        p1 = xy * s0 + yy * s1 + yz * s2 + g2 * s3 - g0 * s5
        p2 = xz * s0 + yz * s1 + zz * s2 + g0 * s4 - g1 * s3
        p3, p4, p5 = m * s3 + s1 * g2 - s2 * g1, m * s4 + s2 * g0 - s0 * g2, m * s5 + s0 * g1 - s1 * g0
        M[i - 1, i - 1] = p0 * s0 + p1 * s1 + p2 * s2 + p3 * s3 + p4 * s4 + p5 * s5
        j = parent
        while j > 0:
            p0, p1, p2 = p0 + r1 * p5 - r2 * p4, p1 + r2 * p3 - r0 * p5, p2 + r0 * p4 - r1 * p3
            W = nodes[j]
            if W.kind < SLIDE:
                M[i - 1, j - 1] = p0 * W.S[0] + p1 * W.S[1] + p2 * W.S[2]
            else:
                effort = p0 * W.S[0] + p1 * W.S[1] + p2 * W.S[2]
                M[i - 1, j - 1] = effort + p3 * W.S[3] + p4 * W.S[4] + p5 * W.S[5]
            r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
            j = W.parent
    for i in range(n):
        for j in range(i):
            M[j, i] = M[i, j]
