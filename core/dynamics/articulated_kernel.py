"""Articulated inertias of a packed tree: the pass inwards that eliminates coordinates, and back outwards.

Source: Sueda algorithms 9 and 10 (Featherstone's articulated bodies), in world axes about the nodes' origins, and every
joint as a row of single coordinates: eliminating its columns one after the other is the same as all at once.
"""

from __future__ import annotations

from core.dynamics.node_motion_kernel import FAST
from core.dynamics.slots import (
    ADDED,
    ARM,
    BIAS,
    BODY,
    FORCE,
    FREE,
    GAIN,
    GIVEN,
    INERTIA,
    KIND,
    LEAST,
    OPEN,
    PARENT,
    PIVOT,
    SLIDE,
    STAYS,
    S,
)
from core.kernels import F1, F2, kernel


@kernel(internal=True, fastmath=FAST)
def eliminate(rows: F2, tau: F1) -> int:
    """Make the inertias and wrenches articulated, from the tips inwards.

    Returns:
        -1, or a body with a joint whose pivot may be nothing but rounding.
    """
    doubtful = -1
    for i in range(len(tau), 0, -1):
        W = rows[i]
        A = rows[int(W[PARENT])]
        i0, i1, i2 = W[INERTIA], W[INERTIA + 1], W[INERTIA + 2]
        i3, i4, i5 = W[INERTIA + 3], W[INERTIA + 4], W[INERTIA + 5]
        h0, h1, h2 = W[INERTIA + 6], W[INERTIA + 7], W[INERTIA + 8]
        h3, h4, h5 = W[INERTIA + 9], W[INERTIA + 10], W[INERTIA + 11]
        h6, h7, h8 = W[INERTIA + 12], W[INERTIA + 13], W[INERTIA + 14]
        m0, m1, m2 = W[INERTIA + 15], W[INERTIA + 16], W[INERTIA + 17]
        m3, m4, m5 = W[INERTIA + 18], W[INERTIA + 19], W[INERTIA + 20]
        p0, p1, p2, p3, p4, p5 = W[FORCE], W[FORCE + 1], W[FORCE + 2], W[FORCE + 3], W[FORCE + 4], W[FORCE + 5]
        if W[KIND] < SLIDE:
            z0, z1, z2 = W[S], W[S + 1], W[S + 2]
            u0, u1, u2 = i0 * z0 + i1 * z1 + i2 * z2, i1 * z0 + i3 * z1 + i4 * z2, i2 * z0 + i4 * z1 + i5 * z2
            u3, u4, u5 = h0 * z0 + h3 * z1 + h6 * z2, h1 * z0 + h4 * z1 + h7 * z2, h2 * z0 + h5 * z1 + h8 * z2
            pivot = u0 * z0 + u1 * z1 + u2 * z2 + W[ADDED]
            effort = tau[i - 1] - p0 * z0 - p1 * z1 - p2 * z2
            least = W[LEAST]
        else:
            z0, z1, z2, z3, z4, z5 = W[S], W[S + 1], W[S + 2], W[S + 3], W[S + 4], W[S + 5]
            u0 = i0 * z0 + i1 * z1 + i2 * z2 + h0 * z3 + h1 * z4 + h2 * z5
            u1 = i1 * z0 + i3 * z1 + i4 * z2 + h3 * z3 + h4 * z4 + h5 * z5
            u2 = i2 * z0 + i4 * z1 + i5 * z2 + h6 * z3 + h7 * z4 + h8 * z5
            u3 = h0 * z0 + h3 * z1 + h6 * z2 + m0 * z3 + m1 * z4 + m2 * z5
            u4 = h1 * z0 + h4 * z1 + h7 * z2 + m1 * z3 + m3 * z4 + m4 * z5
            u5 = h2 * z0 + h5 * z1 + h8 * z2 + m2 * z3 + m4 * z4 + m5 * z5
            pivot = u0 * z0 + u1 * z1 + u2 * z2 + u3 * z3 + u4 * z4 + u5 * z5 + W[ADDED]
            effort = tau[i - 1] - p0 * z0 - p1 * z1 - p2 * z2 - p3 * z3 - p4 * z4 - p5 * z5
            least = W[LEAST] * (z0 * z0 + z1 * z1 + z2 * z2) + W[LEAST + 1] * (z3 * z3 + z4 * z4 + z5 * z5)
        if not pivot > least:
            doubtful = int(W[BODY])
        D = 1.0 / pivot
        # An infinite pivot leaves the inertia as it is and the acceleration as it is given.
        free = effort * D + W[GIVEN]
        k0, k1, k2, k3, k4, k5 = u0 * D, u1 * D, u2 * D, u3 * D, u4 * D, u5 * D
        b0, b1, b2, b3, b4, b5 = W[BIAS], W[BIAS + 1], W[BIAS + 2], W[BIAS + 3], W[BIAS + 4], W[BIAS + 5]
        r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
        W[GAIN], W[GAIN + 1], W[GAIN + 2], W[GAIN + 3], W[GAIN + 4], W[GAIN + 5] = k0, k1, k2, k3, k4, k5
        W[FREE], W[PIVOT] = free, D
        i0, i1, i2, i3, i4, i5 = (
            i0 - k0 * u0, i1 - k0 * u1, i2 - k0 * u2, i3 - k1 * u1, i4 - k1 * u2, i5 - k2 * u2,
        )  # fmt: skip
        h0, h1, h2 = h0 - k0 * u3, h1 - k0 * u4, h2 - k0 * u5
        h3, h4, h5 = h3 - k1 * u3, h4 - k1 * u4, h5 - k1 * u5
        h6, h7, h8 = h6 - k2 * u3, h7 - k2 * u4, h8 - k2 * u5
        m0, m1, m2, m3, m4, m5 = (
            m0 - k3 * u3, m1 - k3 * u4, m2 - k3 * u5, m3 - k4 * u4, m4 - k4 * u5, m5 - k5 * u5,
        )  # fmt: skip
        if W[OPEN] != 0.0:
            own = 0.0
            for k in range(i, i + 6):
                own += abs(rows[k, ADDED])
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
        if W[STAYS] != 0.0:
            A[INERTIA] += i0
            A[INERTIA + 1] += i1
            A[INERTIA + 2] += i2
            A[INERTIA + 3] += i3
            A[INERTIA + 4] += i4
            A[INERTIA + 5] += i5
            A[INERTIA + 6] += h0
            A[INERTIA + 7] += h1
            A[INERTIA + 8] += h2
            A[INERTIA + 9] += h3
            A[INERTIA + 10] += h4
            A[INERTIA + 11] += h5
            A[INERTIA + 12] += h6
            A[INERTIA + 13] += h7
            A[INERTIA + 14] += h8
            A[INERTIA + 15] += m0
            A[INERTIA + 16] += m1
            A[INERTIA + 17] += m2
            A[INERTIA + 18] += m3
            A[INERTIA + 19] += m4
            A[INERTIA + 20] += m5
            A[FORCE] += p0
            A[FORCE + 1] += p1
            A[FORCE + 2] += p2
            A[FORCE + 3] += p3
            A[FORCE + 4] += p4
            A[FORCE + 5] += p5
            continue
        # About the parent's origin: G = H + [r] M, I - H [r] + [r] G^T.
        g0, g1, g2 = h0 + r1 * m2 - r2 * m1, h1 + r1 * m4 - r2 * m3, h2 + r1 * m5 - r2 * m4
        g3, g4, g5 = h3 + r2 * m0 - r0 * m2, h4 + r2 * m1 - r0 * m4, h5 + r2 * m2 - r0 * m5
        g6, g7, g8 = h6 + r0 * m1 - r1 * m0, h7 + r0 * m3 - r1 * m1, h8 + r0 * m4 - r1 * m2
        A[INERTIA] += i0 - h1 * r2 + h2 * r1 + r1 * g2 - r2 * g1
        A[INERTIA + 1] += i1 - h2 * r0 + h0 * r2 + r1 * g5 - r2 * g4
        A[INERTIA + 2] += i2 - h0 * r1 + h1 * r0 + r1 * g8 - r2 * g7
        A[INERTIA + 3] += i3 - h5 * r0 + h3 * r2 + r2 * g3 - r0 * g5
        A[INERTIA + 4] += i4 - h3 * r1 + h4 * r0 + r2 * g6 - r0 * g8
        A[INERTIA + 5] += i5 - h6 * r1 + h7 * r0 + r0 * g7 - r1 * g6
        A[INERTIA + 6] += g0
        A[INERTIA + 7] += g1
        A[INERTIA + 8] += g2
        A[INERTIA + 9] += g3
        A[INERTIA + 10] += g4
        A[INERTIA + 11] += g5
        A[INERTIA + 12] += g6
        A[INERTIA + 13] += g7
        A[INERTIA + 14] += g8
        A[INERTIA + 15] += m0
        A[INERTIA + 16] += m1
        A[INERTIA + 17] += m2
        A[INERTIA + 18] += m3
        A[INERTIA + 19] += m4
        A[INERTIA + 20] += m5
        A[FORCE] += p0 + r1 * p5 - r2 * p4
        A[FORCE + 1] += p1 + r2 * p3 - r0 * p5
        A[FORCE + 2] += p2 + r0 * p4 - r1 * p3
        A[FORCE + 3] += p3
        A[FORCE + 4] += p4
        A[FORCE + 5] += p5
    return doubtful


@kernel(internal=True, fastmath=FAST)
def accelerate(rows: F2, vdot: F1) -> None:
    """Write the coordinates' accelerations, outwards from that of the world in its row's ``FORCE``."""
    for i in range(1, len(vdot) + 1):
        W = rows[i]
        A = rows[int(W[PARENT])]
        a0, a1, a2, a3, a4, a5 = A[FORCE], A[FORCE + 1], A[FORCE + 2], A[FORCE + 3], A[FORCE + 4], A[FORCE + 5]
        r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
        a3, a4, a5 = (
            a3 + a1 * r2 - a2 * r1 + W[BIAS + 3], a4 + a2 * r0 - a0 * r2 + W[BIAS + 4],
            a5 + a0 * r1 - a1 * r0 + W[BIAS + 5],
        )  # fmt: skip
        a0, a1, a2 = a0 + W[BIAS], a1 + W[BIAS + 1], a2 + W[BIAS + 2]
        y = W[FREE] - (
            W[GAIN] * a0 + W[GAIN + 1] * a1 + W[GAIN + 2] * a2
            + W[GAIN + 3] * a3 + W[GAIN + 4] * a4 + W[GAIN + 5] * a5
        )  # fmt: skip
        vdot[i - 1] = y
        if W[KIND] < SLIDE:
            a0, a1, a2 = a0 + W[S] * y, a1 + W[S + 1] * y, a2 + W[S + 2] * y
        else:
            a0, a1, a2 = a0 + W[S] * y, a1 + W[S + 1] * y, a2 + W[S + 2] * y
            a3, a4, a5 = a3 + W[S + 3] * y, a4 + W[S + 4] * y, a5 + W[S + 5] * y
        W[FORCE], W[FORCE + 1], W[FORCE + 2] = a0, a1, a2
        W[FORCE + 3], W[FORCE + 4], W[FORCE + 5] = a3, a4, a5


@kernel(internal=True, fastmath=FAST)
def load(rows: F2, tau: F1) -> None:
    """Pass generalized forces inwards through coordinates that are eliminated already: everything else rests."""
    for i in range(len(tau) + 1):
        W = rows[i]
        for k in range(6):
            W[FORCE + k] = 0.0
    for i in range(len(tau), 0, -1):
        W = rows[i]
        A = rows[int(W[PARENT])]
        p0, p1, p2, p3, p4, p5 = W[FORCE], W[FORCE + 1], W[FORCE + 2], W[FORCE + 3], W[FORCE + 4], W[FORCE + 5]
        if W[KIND] < SLIDE:
            effort = tau[i - 1] - p0 * W[S] - p1 * W[S + 1] - p2 * W[S + 2]
        else:
            effort = tau[i - 1] - p0 * W[S] - p1 * W[S + 1] - p2 * W[S + 2]
            effort -= p3 * W[S + 3] + p4 * W[S + 4] + p5 * W[S + 5]
        W[FREE] = effort * W[PIVOT]
        p0, p1, p2 = p0 + W[GAIN] * effort, p1 + W[GAIN + 1] * effort, p2 + W[GAIN + 2] * effort
        p3, p4, p5 = p3 + W[GAIN + 3] * effort, p4 + W[GAIN + 4] * effort, p5 + W[GAIN + 5] * effort
        r0, r1, r2 = W[ARM], W[ARM + 1], W[ARM + 2]
        A[FORCE] += p0 + r1 * p5 - r2 * p4
        A[FORCE + 1] += p1 + r2 * p3 - r0 * p5
        A[FORCE + 2] += p2 + r0 * p4 - r1 * p3
        A[FORCE + 3] += p3
        A[FORCE + 4] += p4
        A[FORCE + 5] += p5
