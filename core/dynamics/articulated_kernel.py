"""Articulated inertias of a packed tree: the pass inwards that eliminates coordinates, and back outwards.

Source: Sueda algorithms 9 and 10 (Featherstone's articulated bodies), in world axes about the nodes' origins, and every
joint as a row of single coordinates: eliminating its columns one after the other is the same as all at once.
"""

from __future__ import annotations

from core.dynamics.node_motion_kernel import FAST
from core.dynamics.rigid_kernel import add_wrench
from core.dynamics.tree_memory import SLIDE, Nodes
from core.kernels import F1, kernel


@kernel(internal=True, fastmath=FAST)
def eliminate(nodes: Nodes, tau: F1) -> int:
    """Make the inertias and wrenches articulated, from the tips inwards.

    Returns:
        -1, or a body with a joint whose pivot may be nothing but rounding.
    """
    # In one piece: a node's 36 numbers stay in registers from its columns to its parent's inertia; parts would hand all
    # of them on.
    doubtful = -1
    for i in range(len(tau), 0, -1):
        W = nodes[i]
        A = nodes[W.parent]
        i0, i1, i2 = W.inertia[0], W.inertia[1], W.inertia[2]
        i3, i4, i5 = W.inertia[3], W.inertia[4], W.inertia[5]
        h0, h1, h2 = W.inertia[6], W.inertia[7], W.inertia[8]
        h3, h4, h5 = W.inertia[9], W.inertia[10], W.inertia[11]
        h6, h7, h8 = W.inertia[12], W.inertia[13], W.inertia[14]
        m0, m1, m2 = W.inertia[15], W.inertia[16], W.inertia[17]
        m3, m4, m5 = W.inertia[18], W.inertia[19], W.inertia[20]
        p0, p1, p2, p3, p4, p5 = W.force[0], W.force[1], W.force[2], W.force[3], W.force[4], W.force[5]
        if W.kind < SLIDE:
            z0, z1, z2 = W.S[0], W.S[1], W.S[2]
            u0, u1, u2 = i0 * z0 + i1 * z1 + i2 * z2, i1 * z0 + i3 * z1 + i4 * z2, i2 * z0 + i4 * z1 + i5 * z2
            u3, u4, u5 = h0 * z0 + h3 * z1 + h6 * z2, h1 * z0 + h4 * z1 + h7 * z2, h2 * z0 + h5 * z1 + h8 * z2
            pivot = u0 * z0 + u1 * z1 + u2 * z2 + W.added
            effort = tau[i - 1] - p0 * z0 - p1 * z1 - p2 * z2
            least = W.least[0]
        else:
            z0, z1, z2, z3, z4, z5 = W.S[0], W.S[1], W.S[2], W.S[3], W.S[4], W.S[5]
            u0 = i0 * z0 + i1 * z1 + i2 * z2 + h0 * z3 + h1 * z4 + h2 * z5
            u1 = i1 * z0 + i3 * z1 + i4 * z2 + h3 * z3 + h4 * z4 + h5 * z5
            u2 = i2 * z0 + i4 * z1 + i5 * z2 + h6 * z3 + h7 * z4 + h8 * z5
            u3 = h0 * z0 + h3 * z1 + h6 * z2 + m0 * z3 + m1 * z4 + m2 * z5
            u4 = h1 * z0 + h4 * z1 + h7 * z2 + m1 * z3 + m3 * z4 + m4 * z5
            u5 = h2 * z0 + h5 * z1 + h8 * z2 + m2 * z3 + m4 * z4 + m5 * z5
            pivot = u0 * z0 + u1 * z1 + u2 * z2 + u3 * z3 + u4 * z4 + u5 * z5 + W.added
            effort = tau[i - 1] - p0 * z0 - p1 * z1 - p2 * z2 - p3 * z3 - p4 * z4 - p5 * z5
            least = W.least[0] * (z0 * z0 + z1 * z1 + z2 * z2) + W.least[1] * (z3 * z3 + z4 * z4 + z5 * z5)
        if not pivot > least:
            doubtful = W.body
        D = 1.0 / pivot
        # An infinite pivot leaves the inertia as it is and the acceleration as it is given.
        free = effort * D + W.given
        k0, k1, k2, k3, k4, k5 = u0 * D, u1 * D, u2 * D, u3 * D, u4 * D, u5 * D
        b0, b1, b2, b3, b4, b5 = W.bias[0], W.bias[1], W.bias[2], W.bias[3], W.bias[4], W.bias[5]
        r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
        W.gain[0], W.gain[1], W.gain[2], W.gain[3], W.gain[4], W.gain[5] = k0, k1, k2, k3, k4, k5
        W.free, W.pivot = free, D
        i0, i1, i2, i3, i4, i5 = (
            i0 - k0 * u0, i1 - k0 * u1, i2 - k0 * u2, i3 - k1 * u1, i4 - k1 * u2, i5 - k2 * u2,
        )  # fmt: skip
        h0, h1, h2 = h0 - k0 * u3, h1 - k0 * u4, h2 - k0 * u5
        h3, h4, h5 = h3 - k1 * u3, h4 - k1 * u4, h5 - k1 * u5
        h6, h7, h8 = h6 - k2 * u3, h7 - k2 * u4, h8 - k2 * u5
        m0, m1, m2, m3, m4, m5 = (
            m0 - k3 * u3, m1 - k3 * u4, m2 - k3 * u5, m3 - k4 * u4, m4 - k4 * u5, m5 - k5 * u5,
        )  # fmt: skip
        if W.open != 0:
            own = 0.0
            for k in range(i, i + 6):
                own += abs(nodes[k].added)
            if own == 0.0:  # what is left of the inertia is nothing but rounding
                i0 = i1 = i2 = i3 = i4 = i5 = 0.0
                h0 = h1 = h2 = h3 = h4 = h5 = h6 = h7 = h8 = 0.0
                m0 = m1 = m2 = m3 = m4 = m5 = 0.0
        p0 += u0 * free + i0 * b0 + i1 * b1 + i2 * b2 + h0 * b3 + h1 * b4 + h2 * b5
        p1 += u1 * free + i1 * b0 + i3 * b1 + i4 * b2 + h3 * b3 + h4 * b4 + h5 * b5
        p2 += u2 * free + i2 * b0 + i4 * b1 + i5 * b2 + h6 * b3 + h7 * b4 + h8 * b5
        p3 += u3 * free + h0 * b0 + h3 * b1 + h6 * b2 + m0 * b3 + m1 * b4 + m2 * b5
        p4 += u4 * free + h1 * b0 + h4 * b1 + h7 * b2 + m1 * b3 + m3 * b4 + m4 * b5
        p5 += u5 * free + h2 * b0 + h5 * b1 + h8 * b2 + m2 * b3 + m4 * b4 + m5 * b5
        if W.stays != 0:
            A.inertia[0] += i0
            A.inertia[1] += i1
            A.inertia[2] += i2
            A.inertia[3] += i3
            A.inertia[4] += i4
            A.inertia[5] += i5
            A.inertia[6] += h0
            A.inertia[7] += h1
            A.inertia[8] += h2
            A.inertia[9] += h3
            A.inertia[10] += h4
            A.inertia[11] += h5
            A.inertia[12] += h6
            A.inertia[13] += h7
            A.inertia[14] += h8
            A.inertia[15] += m0
            A.inertia[16] += m1
            A.inertia[17] += m2
            A.inertia[18] += m3
            A.inertia[19] += m4
            A.inertia[20] += m5
            A.force[0] += p0
            A.force[1] += p1
            A.force[2] += p2
            A.force[3] += p3
            A.force[4] += p4
            A.force[5] += p5
            continue
        # About the parent's origin: G = H + [r] M, I - H [r] + [r] G^T.
        g0, g1, g2 = h0 + r1 * m2 - r2 * m1, h1 + r1 * m4 - r2 * m3, h2 + r1 * m5 - r2 * m4
        g3, g4, g5 = h3 + r2 * m0 - r0 * m2, h4 + r2 * m1 - r0 * m4, h5 + r2 * m2 - r0 * m5
        g6, g7, g8 = h6 + r0 * m1 - r1 * m0, h7 + r0 * m3 - r1 * m1, h8 + r0 * m4 - r1 * m2
        A.inertia[0] += i0 - h1 * r2 + h2 * r1 + r1 * g2 - r2 * g1
        A.inertia[1] += i1 - h2 * r0 + h0 * r2 + r1 * g5 - r2 * g4
        A.inertia[2] += i2 - h0 * r1 + h1 * r0 + r1 * g8 - r2 * g7
        A.inertia[3] += i3 - h5 * r0 + h3 * r2 + r2 * g3 - r0 * g5
        A.inertia[4] += i4 - h3 * r1 + h4 * r0 + r2 * g6 - r0 * g8
        A.inertia[5] += i5 - h6 * r1 + h7 * r0 + r0 * g7 - r1 * g6
        A.inertia[6] += g0
        A.inertia[7] += g1
        A.inertia[8] += g2
        A.inertia[9] += g3
        A.inertia[10] += g4
        A.inertia[11] += g5
        A.inertia[12] += g6
        A.inertia[13] += g7
        A.inertia[14] += g8
        A.inertia[15] += m0
        A.inertia[16] += m1
        A.inertia[17] += m2
        A.inertia[18] += m3
        A.inertia[19] += m4
        A.inertia[20] += m5
        add_wrench(A, W, p0, p1, p2, p3, p4, p5)
    return doubtful


@kernel(internal=True, fastmath=FAST)
def accelerate(nodes: Nodes, vdot: F1) -> None:
    """Write the coordinates' accelerations, outwards from that of the world in its row's ``FORCE``."""
    for i in range(1, len(vdot) + 1):
        W = nodes[i]
        A = nodes[W.parent]
        a0, a1, a2, a3, a4, a5 = A.force[0], A.force[1], A.force[2], A.force[3], A.force[4], A.force[5]
        r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
        a3, a4, a5 = (
            a3 + a1 * r2 - a2 * r1 + W.bias[3], a4 + a2 * r0 - a0 * r2 + W.bias[4],
            a5 + a0 * r1 - a1 * r0 + W.bias[5],
        )  # fmt: skip
        a0, a1, a2 = a0 + W.bias[0], a1 + W.bias[1], a2 + W.bias[2]
        y = W.free - (
            W.gain[0] * a0 + W.gain[1] * a1 + W.gain[2] * a2
            + W.gain[3] * a3 + W.gain[4] * a4 + W.gain[5] * a5
        )  # fmt: skip
        vdot[i - 1] = y
        if W.kind < SLIDE:
            a0, a1, a2 = a0 + W.S[0] * y, a1 + W.S[1] * y, a2 + W.S[2] * y
        else:
            a0, a1, a2 = a0 + W.S[0] * y, a1 + W.S[1] * y, a2 + W.S[2] * y
            a3, a4, a5 = a3 + W.S[3] * y, a4 + W.S[4] * y, a5 + W.S[5] * y
        W.force[0], W.force[1], W.force[2] = a0, a1, a2
        W.force[3], W.force[4], W.force[5] = a3, a4, a5


@kernel(internal=True, fastmath=FAST)
def load(nodes: Nodes, tau: F1) -> None:
    """Pass generalized forces inwards through coordinates that are eliminated already: everything else rests."""
    for i in range(len(tau) + 1):
        W = nodes[i]
        for k in range(6):
            W.force[k] = 0.0
    for i in range(len(tau), 0, -1):
        W = nodes[i]
        A = nodes[W.parent]
        p0, p1, p2, p3, p4, p5 = W.force[0], W.force[1], W.force[2], W.force[3], W.force[4], W.force[5]
        if W.kind < SLIDE:
            effort = tau[i - 1] - p0 * W.S[0] - p1 * W.S[1] - p2 * W.S[2]
        else:
            effort = tau[i - 1] - p0 * W.S[0] - p1 * W.S[1] - p2 * W.S[2]
            effort -= p3 * W.S[3] + p4 * W.S[4] + p5 * W.S[5]
        W.free = effort * W.pivot
        p0, p1, p2 = p0 + W.gain[0] * effort, p1 + W.gain[1] * effort, p2 + W.gain[2] * effort
        p3, p4, p5 = p3 + W.gain[3] * effort, p4 + W.gain[4] * effort, p5 + W.gain[5] * effort
        add_wrench(A, W, p0, p1, p2, p3, p4, p5)
