"""How the nodes of a packed tree stand and move: the pass outwards that all kernels of the recursion share.

Everything is expressed in world axes about the node's own origin, whose velocity is never needed: only angular
velocities, and what they add to the acceleration of the next origin.
"""

from __future__ import annotations

import math

import numpy as np

from core.dynamics.tree_memory import (
    CONTINUED,
    HINGE,
    ROTATION_VECTOR,
    SLIDE,
    TURNED,
    Node,
    Nodes,
    TreeMemory,
)
from core.kernels import F1, F2, kernel

FAST = frozenset({"contract", "nsz", "arcp", "reassoc", "afn"})
"""Sums in any order, one over a divisor, no negative zero; NaN and infinity stay what they are."""

LARGE = 1e5
"""Angles beyond this, [rad], are left to the library's functions."""
QUARTERS = 2.0 / math.pi
QUARTER = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""A quarter of a turn, [rad]: parts of 33 bits, whose multiples are exact, and the rest."""
S1, S2, S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S4, S5, S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
"""Coefficients of the sine and cosine up to an eighth of a turn."""

SERIES_BELOW = 1.0
"""Squared angle below which the functions of a rotation vector are summed as series."""


@kernel(internal=True, fastmath=FAST)
def rotation_vector(nodes: Nodes, i: int, x: F1, v: F1) -> None:
    """Write the transform, the subspace ``J_r`` and the bias ``J_r' v`` of a rotation vector into node i and the next.

    ``R = 1 + A [x] + B [x]^2``, ``J_r = 1 - B [x] + C [x]^2``; ``B' = D x.v`` and ``C' = E x.v``.
    """
    W, W1, W2 = nodes[i], nodes[i + 1], nodes[i + 2]
    x0, x1, x2 = x[i - 1], x[i], x[i + 1]
    v0, v1, v2 = v[i - 1], v[i], v[i + 1]
    t = x0 * x0 + x1 * x1 + x2 * x2
    if t < SERIES_BELOW:
        A = B = C = D = E = 0.0
        factor = 1.0  # (-t)^k / (2k + 1)!
        for k in range(10):
            n = 2.0 * k
            A += factor
            B += factor / (n + 2.0)
            C += factor / ((n + 2.0) * (n + 3.0))
            below = factor / ((n + 3.0) * (n + 4.0))
            D -= below
            E -= below / (n + 5.0)
            factor *= -t / ((n + 2.0) * (n + 3.0))
    else:
        angle = math.sqrt(t)
        A = math.sin(angle) / angle
        half = math.sin(0.5 * angle) / angle
        B = 2.0 * half * half
        C = (1.0 - A) / t
        D = (A - 2.0 * B) / t
        E = (B - 3.0 * C) / t
    d = x0 * v0 + x1 * v1 + x2 * v2
    c0, c1, c2 = x1 * v2 - x2 * v1, x2 * v0 - x0 * v2, x0 * v1 - x1 * v0
    b, c = -D * d, E * d
    W.joint_rate[0] = b * c0 + c * (x1 * c2 - x2 * c1) + C * (v1 * c2 - v2 * c1)
    W.joint_rate[1] = b * c1 + c * (x2 * c0 - x0 * c2) + C * (v2 * c0 - v0 * c2)
    W.joint_rate[2] = b * c2 + c * (x0 * c1 - x1 * c0) + C * (v0 * c1 - v1 * c0)
    # [x]^2 = x x^T - t
    W.joint[0], W.joint[1], W.joint[2] = 1.0 - B * (x1 * x1 + x2 * x2), B * x0 * x1 - A * x2, B * x0 * x2 + A * x1
    W.joint[3], W.joint[4], W.joint[5] = B * x0 * x1 + A * x2, 1.0 - B * (x0 * x0 + x2 * x2), B * x1 * x2 - A * x0
    W.joint[6], W.joint[7], W.joint[8] = B * x0 * x2 - A * x1, B * x1 * x2 + A * x0, 1.0 - B * (x0 * x0 + x1 * x1)
    W.S[0], W.S[1], W.S[2] = 1.0 - C * (x1 * x1 + x2 * x2), C * x0 * x1 - B * x2, C * x0 * x2 + B * x1
    W1.S[0], W1.S[1], W1.S[2] = C * x0 * x1 + B * x2, 1.0 - C * (x0 * x0 + x2 * x2), C * x1 * x2 - B * x0
    W2.S[0], W2.S[1], W2.S[2] = C * x0 * x2 - B * x1, C * x1 * x2 + B * x0, 1.0 - C * (x0 * x0 + x1 * x1)
    for k in range(3):
        W.joint[9 + k] = W.joint_rate[3 + k] = W.S[3 + k] = W1.S[3 + k] = W2.S[3 + k] = 0.0


@kernel(internal=True, fastmath=FAST)
def several(nodes: Nodes, i: int, v: F1) -> None:
    """Place the first node i of a joint of several coordinates.

    Its transform, subspace and bias are given in the joint frame. With ``c = S v``, ``e = Sdot v`` in
    world axes, ``w`` the parent's angular velocity and ``r`` the arm:
    alpha += e_w + w x c_w, a += w x (w x r) + 2 w x c_v + e_v + c_w x c_v.
    """
    W = nodes[i]
    A = nodes[W.parent]
    w0, w1, w2 = A.omega[0], A.omega[1], A.omega[2]
    q0, q1, q2 = W.joint[9], W.joint[10], W.joint[11]
    t0 = W.at[0] + W.T[0] * q0 + W.T[1] * q1 + W.T[2] * q2
    t1 = W.at[1] + W.T[3] * q0 + W.T[4] * q1 + W.T[5] * q2
    t2 = W.at[2] + W.T[6] * q0 + W.T[7] * q1 + W.T[8] * q2
    for j in range(3):
        a0, a1, a2 = A.R[3 * j], A.R[3 * j + 1], A.R[3 * j + 2]
        W.arm[j] = a0 * t0 + a1 * t1 + a2 * t2
        e0 = a0 * W.T[0] + a1 * W.T[3] + a2 * W.T[6]
        e1 = a0 * W.T[1] + a1 * W.T[4] + a2 * W.T[7]
        e2 = a0 * W.T[2] + a1 * W.T[5] + a2 * W.T[8]
        for k in range(3):
            W.R[3 * j + k] = e0 * W.joint[k] + e1 * W.joint[3 + k] + e2 * W.joint[6 + k]
    c0 = c1 = c2 = c3 = c4 = c5 = 0.0
    for k in range(i, i + W.count):
        K = nodes[k]
        s0, s1, s2, s3, s4, s5 = K.S[0], K.S[1], K.S[2], K.S[3], K.S[4], K.S[5]
        for j in range(3):
            a0, a1, a2 = W.R[3 * j], W.R[3 * j + 1], W.R[3 * j + 2]
            K.S[j] = a0 * s0 + a1 * s1 + a2 * s2
            K.S[3 + j] = a0 * s3 + a1 * s4 + a2 * s5
        rate = v[k - 1]
        c0 += K.S[0] * rate
        c1 += K.S[1] * rate
        c2 += K.S[2] * rate
        c3 += K.S[3] * rate
        c4 += K.S[4] * rate
        c5 += K.S[5] * rate
    rates = W.joint_rate
    e0, e1, e2, e3, e4, e5 = rates[0], rates[1], rates[2], rates[3], rates[4], rates[5]
    for j in range(3):
        a0, a1, a2 = W.R[3 * j], W.R[3 * j + 1], W.R[3 * j + 2]
        W.bias[j] = a0 * e0 + a1 * e1 + a2 * e2
        W.bias[3 + j] = a0 * e3 + a1 * e4 + a2 * e5
    r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
    d, ww = w0 * r0 + w1 * r1 + w2 * r2, w0 * w0 + w1 * w1 + w2 * w2
    W.bias[0] += w1 * c2 - w2 * c1
    W.bias[1] += w2 * c0 - w0 * c2
    W.bias[2] += w0 * c1 - w1 * c0
    u0, u1, u2 = 2.0 * w0 + c0, 2.0 * w1 + c1, 2.0 * w2 + c2
    W.bias[3] += d * w0 - ww * r0 + u1 * c5 - u2 * c4
    W.bias[4] += d * w1 - ww * r1 + u2 * c3 - u0 * c5
    W.bias[5] += d * w2 - ww * r2 + u0 * c4 - u1 * c3
    W.omega[0], W.omega[1], W.omega[2] = w0 + c0, w1 + c1, w2 + c2


@kernel(internal=True, fastmath=FAST)
def continued(nodes: Nodes, i: int) -> None:
    """Place another node of a joint of several coordinates where the one before it is."""
    W, A = nodes[i], nodes[i - 1]
    for k in range(9):
        W.R[k] = A.R[k]
    for k in range(3):
        W.arm[k] = 0.0
        W.omega[k] = A.omega[k]
    for k in range(6):
        W.bias[k] = 0.0


@kernel(internal=True, fastmath=frozenset({"contract", "nsz"}))
def turns(x: F1, cosine: F1, sine: F1) -> None:
    """Write the cosines and sines of all coordinates, several at once: within two units of the last place.

    Quarter turns are taken off in three parts (Cody and Waite), the rest, up to an eighth of a turn, goes into the
    polynomials of fdlibm. Sums keep their order here. Whether a loop runs over single numbers or several at once, the
    results are the same.
    """
    large = False
    for i in range(len(x)):
        large |= abs(x[i]) > LARGE
    if large:
        for i in range(len(x)):
            cosine[i], sine[i] = math.cos(x[i]), math.sin(x[i])
        return
    for i in range(len(x)):
        quarters = np.rint(x[i] * QUARTERS)
        r = x[i] - quarters * QUARTER[0]
        r = r - quarters * QUARTER[1]
        r = r - quarters * QUARTER[2]
        z = r * r
        s = S5 + z * S6
        s = S1 + z * (S2 + z * (S3 + z * (S4 + z * s)))
        s = r + r * z * s
        c = C5 + z * C6
        c = C1 + z * (C2 + z * (C3 + z * (C4 + z * c)))
        c = 1.0 - 0.5 * z + z * z * c
        halves, later = np.floor(0.5 * quarters), np.floor(0.5 * quarters + 0.5)
        odd = quarters - 2.0 * halves != 0.0
        swapped_s, swapped_c = (c if odd else s), (s if odd else c)
        sine[i] = swapped_s * (1.0 - 2.0 * (halves - 2.0 * np.floor(0.5 * halves)))
        cosine[i] = swapped_c * (1.0 - 2.0 * (later - 2.0 * np.floor(0.5 * later)))


@kernel(inline=True, fastmath=FAST)
def weigh(W: Node) -> None:
    """Write a node's own inertia and the wrench of its velocity."""
    if W.empty != 0:
        for k in range(21):
            W.inertia[k] = 0.0
        for k in range(6):
            W.force[k] = 0.0
        return
    R0, R1, R2 = W.R[0], W.R[1], W.R[2]
    R3, R4, R5 = W.R[3], W.R[4], W.R[5]
    R6, R7, R8 = W.R[6], W.R[7], W.R[8]
    w0, w1, w2 = W.omega[0], W.omega[1], W.omega[2]
    M = W.second_moment
    xx, xy, xz, yy, yz, zz = M[0], M[1], M[2], M[3], M[4], M[5]
    h0, h1, h2 = R0 * xx + R1 * xy + R2 * xz, R0 * xy + R1 * yy + R2 * yz, R0 * xz + R1 * yz + R2 * zz
    h3, h4, h5 = R3 * xx + R4 * xy + R5 * xz, R3 * xy + R4 * yy + R5 * yz, R3 * xz + R4 * yz + R5 * zz
    h6, h7, h8 = R6 * xx + R7 * xy + R8 * xz, R6 * xy + R7 * yy + R8 * yz, R6 * xz + R7 * yz + R8 * zz
    xx, xy, xz = h0 * R0 + h1 * R1 + h2 * R2, h0 * R3 + h1 * R4 + h2 * R5, h0 * R6 + h1 * R7 + h2 * R8
    yy, yz, zz = h3 * R3 + h4 * R4 + h5 * R5, h3 * R6 + h4 * R7 + h5 * R8, h6 * R6 + h7 * R7 + h8 * R8
    c0, c1, c2, m = W.first_moment[0], W.first_moment[1], W.first_moment[2], W.mass
    g0, g1, g2 = R0 * c0 + R1 * c1 + R2 * c2, R3 * c0 + R4 * c1 + R5 * c2, R6 * c0 + R7 * c1 + R8 * c2
    k0, k1, k2 = xx * w0 + xy * w1 + xz * w2, xy * w0 + yy * w1 + yz * w2, xz * w0 + yz * w1 + zz * w2
    d, ww = w0 * g0 + w1 * g1 + w2 * g2, w0 * w0 + w1 * w1 + w2 * w2
    W.inertia[0], W.inertia[1], W.inertia[2] = xx, xy, xz
    W.inertia[3], W.inertia[4], W.inertia[5] = yy, yz, zz
    W.inertia[6], W.inertia[7], W.inertia[8] = 0.0, -g2, g1
    W.inertia[9], W.inertia[10], W.inertia[11] = g2, 0.0, -g0
    W.inertia[12], W.inertia[13], W.inertia[14] = -g1, g0, 0.0
    W.inertia[15], W.inertia[16], W.inertia[17] = m, 0.0, 0.0
    W.inertia[18], W.inertia[19], W.inertia[20] = m, 0.0, m
    W.force[0], W.force[1], W.force[2] = w1 * k2 - w2 * k1, w2 * k0 - w0 * k2, w0 * k1 - w1 * k0
    W.force[3], W.force[4], W.force[5] = d * w0 - ww * g0, d * w1 - ww * g1, d * w2 - ww * g2


@kernel(internal=True, fastmath=FAST)
def place(tree: TreeMemory, x: F1, v: F1) -> None:
    """Write every node's rotation, arm, angular velocity and bias, its own inertia and the wrench of its velocity."""
    nodes, cosine, sine = tree.nodes, tree.cosine, tree.sine
    turns(x, cosine, sine)
    for i in range(1, len(x) + 1):
        W = nodes[i]
        kind = W.kind
        if kind == HINGE or kind == SLIDE:
            A = nodes[W.parent]
            a0, a1, a2 = A.R[0], A.R[1], A.R[2]
            a3, a4, a5 = A.R[3], A.R[4], A.R[5]
            a6, a7, a8 = A.R[6], A.R[7], A.R[8]
            w0, w1, w2 = A.omega[0], A.omega[1], A.omega[2]
            t0, t1, t2 = W.at[0], W.at[1], W.at[2]
            r0 = a0 * t0 + a1 * t1 + a2 * t2
            r1 = a3 * t0 + a4 * t1 + a5 * t2
            r2 = a6 * t0 + a7 * t1 + a8 * t2
            q, rate = x[i - 1], v[i - 1]
            t0, t1, t2, t3, t4, t5, t6, t7, t8 = (
                W.T[0], W.T[1], W.T[2], W.T[3], W.T[4], W.T[5], W.T[6], W.T[7], W.T[8],
            )  # fmt: skip
            R2 = a0 * t2 + a1 * t5 + a2 * t8
            R5 = a3 * t2 + a4 * t5 + a5 * t8
            R8 = a6 * t2 + a7 * t5 + a8 * t8
            # w x z, which either turns the axis of a hinge or, twice, the velocity along a slide
            b0, b1, b2 = (w1 * R8 - w2 * R5) * rate, (w2 * R2 - w0 * R8) * rate, (w0 * R5 - w1 * R2) * rate
            if kind == HINGE:
                c, s = cosine[i - 1], sine[i - 1]
                # Both columns turned before they meet the parent's rotation: that much does not wait for it.
                e0, f0 = t0 * c + t1 * s, t1 * c - t0 * s
                e1, f1 = t3 * c + t4 * s, t4 * c - t3 * s
                e2, f2 = t6 * c + t7 * s, t7 * c - t6 * s
                d, ww = w0 * r0 + w1 * r1 + w2 * r2, w0 * w0 + w1 * w1 + w2 * w2
                W.S[0], W.S[1], W.S[2] = R2, R5, R8
                W.bias[0], W.bias[1], W.bias[2] = b0, b1, b2
                W.bias[3], W.bias[4], W.bias[5] = d * w0 - ww * r0, d * w1 - ww * r1, d * w2 - ww * r2
                w0, w1, w2 = w0 + R2 * rate, w1 + R5 * rate, w2 + R8 * rate
            else:
                e0, f0, e1, f1, e2, f2 = t0, t1, t3, t4, t6, t7
                r0, r1, r2 = r0 + R2 * q, r1 + R5 * q, r2 + R8 * q
                d, ww = w0 * r0 + w1 * r1 + w2 * r2, w0 * w0 + w1 * w1 + w2 * w2
                W.S[0], W.S[1], W.S[2], W.S[3], W.S[4], W.S[5] = 0.0, 0.0, 0.0, R2, R5, R8
                W.bias[0], W.bias[1], W.bias[2] = 0.0, 0.0, 0.0
                W.bias[3] = d * w0 - ww * r0 + 2.0 * b0
                W.bias[4] = d * w1 - ww * r1 + 2.0 * b1
                W.bias[5] = d * w2 - ww * r2 + 2.0 * b2
            R0, R1 = a0 * e0 + a1 * e1 + a2 * e2, a0 * f0 + a1 * f1 + a2 * f2
            R3, R4 = a3 * e0 + a4 * e1 + a5 * e2, a3 * f0 + a4 * f1 + a5 * f2
            R6, R7 = a6 * e0 + a7 * e1 + a8 * e2, a6 * f0 + a7 * f1 + a8 * f2
            W.R[0], W.R[1], W.R[2] = R0, R1, R2
            W.R[3], W.R[4], W.R[5] = R3, R4, R5
            W.R[6], W.R[7], W.R[8] = R6, R7, R8
            W.arm[0], W.arm[1], W.arm[2] = r0, r1, r2
            W.omega[0], W.omega[1], W.omega[2] = w0, w1, w2
        else:
            if kind == CONTINUED or kind == TURNED:
                continued(nodes, i)
            else:
                if kind == ROTATION_VECTOR:
                    rotation_vector(nodes, i, x, v)
                several(nodes, i, v)
        weigh(W)


@kernel(internal=True, fastmath=FAST)
def push(tree: TreeMemory, wrenches: F2) -> None:
    """Take external wrenches, at each body's origin in its axes, from the nodes' wrenches."""
    most, flat = 0.0, wrenches.reshape(wrenches.size)
    for k in range(len(flat)):
        most += abs(flat[k])
    if most == 0.0:
        return
    add_wrenches(tree, wrenches, -1.0)


@kernel(internal=True, fastmath=FAST)
def add_wrenches(tree: TreeMemory, wrenches: F2, factor: float) -> None:
    """Add wrenches on the bodies, at their origins in their axes, shape (nb, 6), times a factor, to the nodes'."""
    nodes = tree.nodes
    for b in range(len(wrenches)):
        B = tree.bodies[b]
        if B.parent == 0:
            continue
        W, w = nodes[B.parent], wrenches[b]
        f0 = B.T[0] * w[3] + B.T[1] * w[4] + B.T[2] * w[5]
        f1 = B.T[3] * w[3] + B.T[4] * w[4] + B.T[5] * w[5]
        f2 = B.T[6] * w[3] + B.T[7] * w[4] + B.T[8] * w[5]
        p0, p1, p2 = B.at[0], B.at[1], B.at[2]
        t0 = B.T[0] * w[0] + B.T[1] * w[1] + B.T[2] * w[2] + p1 * f2 - p2 * f1
        t1 = B.T[3] * w[0] + B.T[4] * w[1] + B.T[5] * w[2] + p2 * f0 - p0 * f2
        t2 = B.T[6] * w[0] + B.T[7] * w[1] + B.T[8] * w[2] + p0 * f1 - p1 * f0
        for j in range(3):
            a0, a1, a2 = W.R[3 * j], W.R[3 * j + 1], W.R[3 * j + 2]
            W.force[j] += factor * (a0 * t0 + a1 * t1 + a2 * t2)
            W.force[3 + j] += factor * (a0 * f0 + a1 * f1 + a2 * f2)
