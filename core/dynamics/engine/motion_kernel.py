"""How the nodes of a tree stand and move, their mass matrix and bias forces, and solving with it.

Everything is in world axes about the tree's reference point, so that nothing is transformed on the way from node
to node (Featherstone 2008, chapters 5 and 6: recursive Newton-Euler, composite rigid bodies, and the sparse factors
``M = L^T D L``). Row i of the mass matrix has the ancestors of node i in order, and itself; those of its ancestors are
the beginning of that.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import CONTINUED, GENERAL, HINGE, ROTATION, SLIDE, TURNED, Memory, Node
from core.dynamics.node_motion_kernel import FAST, turns
from core.kernels import F1, F2, I1, behind, call_slot, kernel, local


@kernel(linked=True)
def evaluate_joints(memory: Memory) -> None:
    """Write transforms, subspaces and ``Sdot v``, at the velocities in the middle, of what functions evaluate."""
    n = memory.state.node_count
    nodes = memory.nodes
    x, u, kind, count = memory.x, memory.u_middle, memory.kind, memory.count
    slot, constants, at = memory.slot, memory.constants, memory.constants_at
    out = local(264)
    for i in range(n):
        if kind[i] != GENERAL:
            continue
        W, c = nodes[i], count[i]
        call_slot(slot[i], behind(x, i), behind(constants, at[i]), out, 2)
        for j in range(3):
            for k in range(3):
                W.joint[3 * j + k] = out[4 * j + k]
            W.joint[9 + j] = out[4 * j + 3]
        for j in range(6):
            rate = 0.0
            for k in range(c):
                for m in range(c):
                    rate += out[12 + 6 * c + 6 * (k * c + m) + j] * u[i + k] * u[i + m]
            W.joint_rate[j] = rate
        for k in range(c):
            C = nodes[i + k]
            for j in range(6):
                C.joint_column[j] = out[12 + 6 * k + j]


@kernel(linked=True, fastmath=FAST)
def place_frames(memory: Memory) -> None:
    """Write rotation and place of every node at its coordinate."""
    state = memory.state
    n = state.node_count
    if state.general:
        evaluate_joints(memory)
    nodes = memory.nodes
    parent, kind = memory.parent, memory.kind
    x, cosine, sine = memory.x, memory.cosine, memory.sine
    turns(x, cosine, sine)
    for i in range(n):
        W = nodes[i]
        k = kind[i]
        if k == TURNED or k == CONTINUED:
            B = nodes[i - 1]
            for j in range(9):
                W.R[j] = B.R[j]
            for j in range(3):
                W.p[j] = B.p[j]
            continue
        t0, t1, t2, t3, t4, t5, t6, t7, t8 = (
            W.T[0], W.T[1], W.T[2], W.T[3], W.T[4], W.T[5], W.T[6], W.T[7], W.T[8],
        )  # fmt: skip
        p0, p1, p2 = W.at[0], W.at[1], W.at[2]
        if k == HINGE:
            c, s = cosine[i], sine[i]
            t0, t1 = t0 * c + t1 * s, t1 * c - t0 * s
            t3, t4 = t3 * c + t4 * s, t4 * c - t3 * s
            t6, t7 = t6 * c + t7 * s, t7 * c - t6 * s
        elif k == SLIDE:
            p0, p1, p2 = p0 + t2 * x[i], p1 + t5 * x[i], p2 + t8 * x[i]
        else:
            if k == ROTATION:
                a, b, c, d = W.turn[0], W.turn[1], W.turn[2], W.turn[3]
                q0, q1, q2 = 1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)
                q3, q4, q5 = 2.0 * (b * c + a * d), 1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d - a * b)
                q6, q7, q8 = 2.0 * (b * d - a * c), 2.0 * (c * d + a * b), 1.0 - 2.0 * (b * b + c * c)
            else:
                q0, q1, q2, q3, q4, q5, q6, q7, q8 = (
                    W.joint[0], W.joint[1], W.joint[2], W.joint[3], W.joint[4], W.joint[5], W.joint[6],
                    W.joint[7], W.joint[8],
                )  # fmt: skip
                a, b, c = W.joint[9], W.joint[10], W.joint[11]
                p0, p1, p2 = (
                    p0 + t0 * a + t1 * b + t2 * c, p1 + t3 * a + t4 * b + t5 * c, p2 + t6 * a + t7 * b + t8 * c,
                )  # fmt: skip
            t0, t1, t2 = t0 * q0 + t1 * q3 + t2 * q6, t0 * q1 + t1 * q4 + t2 * q7, t0 * q2 + t1 * q5 + t2 * q8
            t3, t4, t5 = t3 * q0 + t4 * q3 + t5 * q6, t3 * q1 + t4 * q4 + t5 * q7, t3 * q2 + t4 * q5 + t5 * q8
            t6, t7, t8 = t6 * q0 + t7 * q3 + t8 * q6, t6 * q1 + t7 * q4 + t8 * q7, t6 * q2 + t7 * q5 + t8 * q8
        if parent[i] >= 0:
            B = nodes[parent[i]]
            for j in range(3):
                r0, r1, r2 = B.R[3 * j], B.R[3 * j + 1], B.R[3 * j + 2]
                W.p[j] = B.p[j] + r0 * p0 + r1 * p1 + r2 * p2
                W.R[3 * j] = r0 * t0 + r1 * t3 + r2 * t6
                W.R[3 * j + 1] = r0 * t1 + r1 * t4 + r2 * t7
                W.R[3 * j + 2] = r0 * t2 + r1 * t5 + r2 * t8
        else:
            W.p[0], W.p[1], W.p[2] = p0, p1, p2
            W.R[0], W.R[1], W.R[2], W.R[3], W.R[4], W.R[5] = t0, t1, t2, t3, t4, t5
            W.R[6], W.R[7], W.R[8] = t6, t7, t8


@kernel(internal=True, fastmath=FAST)
def weigh(W: Node, r0: float, r1: float, r2: float, whole: F1) -> None:
    """Write the inertia of what is fixed to a node that is so far from its tree's reference point; begin the composite.

    Args:
        W: The node, turned as it is to be.
        r0, r1, r2: From the reference point to it.
        whole: Its composite inertia, so far without what hangs on it.
    """
    m, c0, c1, c2 = W.weight, W.first_moment[0], W.first_moment[1], W.first_moment[2]
    xx, xy, xz, yy, yz, zz = (
        W.second_moment[0],
        W.second_moment[1],
        W.second_moment[2],
        W.second_moment[3],
        W.second_moment[4],
        W.second_moment[5],
    )
    if m == 0.0 and xx + yy + zz == 0.0:
        for k in range(10):
            W.inertia[k] = whole[k] = 0.0
        return
    R0, R1, R2, R3, R4, R5, R6, R7, R8 = (
        W.R[0], W.R[1], W.R[2], W.R[3], W.R[4], W.R[5], W.R[6], W.R[7], W.R[8],
    )  # fmt: skip
    h0, h1, h2 = R0 * xx + R1 * xy + R2 * xz, R0 * xy + R1 * yy + R2 * yz, R0 * xz + R1 * yz + R2 * zz
    h3, h4, h5 = R3 * xx + R4 * xy + R5 * xz, R3 * xy + R4 * yy + R5 * yz, R3 * xz + R4 * yz + R5 * zz
    h6, h7, h8 = R6 * xx + R7 * xy + R8 * xz, R6 * xy + R7 * yy + R8 * yz, R6 * xz + R7 * yz + R8 * zz
    xx, xy, xz = h0 * R0 + h1 * R1 + h2 * R2, h0 * R3 + h1 * R4 + h2 * R5, h0 * R6 + h1 * R7 + h2 * R8
    yy, yz, zz = h3 * R3 + h4 * R4 + h5 * R5, h3 * R6 + h4 * R7 + h5 * R8, h6 * R6 + h7 * R7 + h8 * R8
    g0, g1, g2 = R0 * c0 + R1 * c1 + R2 * c2, R3 * c0 + R4 * c1 + R5 * c2, R6 * c0 + R7 * c1 + R8 * c2
    # Moved by r: I + 2 g.r - r g^T - g r^T + m (r.r - r r^T), g + m r.
    k0, k1, k2 = g0 + m * r0, g1 + m * r1, g2 + m * r2
    both = (g0 + k0) * r0 + (g1 + k1) * r1 + (g2 + k2) * r2
    own = W.inertia
    own[0], own[1], own[2], own[3] = m, k0, k1, k2
    own[4] = xx + both - r0 * (g0 + k0)
    own[5] = xy - r0 * g1 - k0 * r1
    own[6] = xz - r0 * g2 - k0 * r2
    own[7] = yy + both - r1 * (g1 + k1)
    own[8] = yz - r1 * g2 - k1 * r2
    own[9] = zz + both - r2 * (g2 + k2)
    for k in range(10):
        whole[k] = own[k]


@kernel(linked=True, fastmath=FAST)
def place(memory: Memory) -> None:
    """Write rotation, place, motion subspace and inertia of every node at its coordinate."""
    place_frames(memory)
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    kind = memory.kind
    reference = memory.reference
    first = 0
    for i in range(n):
        W, O = nodes[i], nodes[reference[i]]  # noqa: E741
        k = kind[i]
        r0, r1, r2 = W.p[0] - O.p[0], W.p[1] - O.p[1], W.p[2] - O.p[2]
        if k == ROTATION or k == GENERAL:
            first = i
        v0, v1, v2 = 0.0, 0.0, 0.0
        if k == GENERAL or k == CONTINUED:
            a, b, c = W.joint_column[0], W.joint_column[1], W.joint_column[2]
            d, e, f = W.joint_column[3], W.joint_column[4], W.joint_column[5]
            w0 = W.R[0] * a + W.R[1] * b + W.R[2] * c
            w1 = W.R[3] * a + W.R[4] * b + W.R[5] * c
            w2 = W.R[6] * a + W.R[7] * b + W.R[8] * c
            v0 = W.R[0] * d + W.R[1] * e + W.R[2] * f
            v1 = W.R[3] * d + W.R[4] * e + W.R[5] * f
            v2 = W.R[6] * d + W.R[7] * e + W.R[8] * f
        elif k == SLIDE:
            w0 = w1 = w2 = 0.0
            v0, v1, v2 = W.R[2], W.R[5], W.R[8]
        else:
            j = 2 if k == HINGE else i - first
            w0, w1, w2 = W.R[j], W.R[3 + j], W.R[6 + j]
        W.S[0], W.S[1], W.S[2] = w0, w1, w2
        W.S[3], W.S[4], W.S[5] = v0 + r1 * w2 - r2 * w1, v1 + r2 * w0 - r0 * w2, v2 + r0 * w1 - r1 * w0
        weigh(W, r0, r1, r2, memory.composite[i])


@kernel(linked=True, fastmath=FAST)
def place_bodies(memory: Memory) -> None:
    """Write the poses of the bodies where the nodes stand."""
    state = memory.state
    count = state.body_count
    nodes, bodies = memory.nodes, memory.bodies
    rotations = memory.body_rotations
    places = memory.body_places
    node = memory.body_node
    for b in range(count):
        B, Q, p = bodies[b], rotations[b], places[b]
        if node[b] < 0:
            for k in range(9):
                Q[k // 3, k % 3] = B.R[k]
            for k in range(3):
                p[k] = B.p[k]
            continue
        W = nodes[node[b]]
        for j in range(3):
            r0, r1, r2 = W.R[3 * j], W.R[3 * j + 1], W.R[3 * j + 2]
            Q[j, 0] = r0 * B.R[0] + r1 * B.R[3] + r2 * B.R[6]
            Q[j, 1] = r0 * B.R[1] + r1 * B.R[4] + r2 * B.R[7]
            Q[j, 2] = r0 * B.R[2] + r1 * B.R[5] + r2 * B.R[8]
            p[j] = W.p[j] + r0 * B.p[0] + r1 * B.p[1] + r2 * B.p[2]


@kernel(internal=True, fastmath=FAST)
def twists(memory: Memory, u: F1, out: F2) -> None:
    """Write the twist [w; v] of each node at velocities ``u``, shape (n, 6)."""
    nodes, parent = memory.nodes, memory.parent
    for i in range(len(u)):
        W = nodes[i]
        rate = u[i]
        j = parent[i]
        if j >= 0:
            for k in range(6):
                out[i, k] = out[j, k] + W.S[k] * rate
        else:
            for k in range(6):
                out[i, k] = W.S[k] * rate


@kernel(linked=True, fastmath=FAST)
def bias_wrenches(memory: Memory) -> None:
    """Write the wrench of each node at the velocities ``u_middle`` and no change of them, gravity included (RNEA)."""
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    parent, kind, count = memory.parent, memory.kind, memory.count
    reference = memory.reference
    u = memory.u_middle
    V, A = memory.velocity, memory.acceleration
    twists(memory, u, V)
    for i in range(n):
        W = nodes[i]
        k = kind[i]
        if parent[i] >= 0:
            j = parent[i]
            a0, a1, a2, a3, a4, a5 = A[j, 0], A[j, 1], A[j, 2], A[j, 3], A[j, 4], A[j, 5]
            w0, w1, w2, v0, v1, v2 = V[j, 0], V[j, 1], V[j, 2], V[j, 3], V[j, 4], V[j, 5]
        else:
            a0 = a1 = a2 = w0 = w1 = w2 = v0 = v1 = v2 = 0.0
            a3, a4, a5 = -state.gravity[0], -state.gravity[1], -state.gravity[2]
        if k != TURNED and k != CONTINUED:
            # The own motion turns along with the parent's: V_p x (V - V_p), of all nodes of the joint together.
            e = i + count[i] - 1 if k == ROTATION or k == GENERAL else i
            s0, s1, s2 = V[e, 0] - w0, V[e, 1] - w1, V[e, 2] - w2
            s3, s4, s5 = V[e, 3] - v0, V[e, 4] - v1, V[e, 5] - v2
            a0, a1, a2 = a0 + w1 * s2 - w2 * s1, a1 + w2 * s0 - w0 * s2, a2 + w0 * s1 - w1 * s0
            a3 += w1 * s5 - w2 * s4 + v1 * s2 - v2 * s1
            a4 += w2 * s3 - w0 * s5 + v2 * s0 - v0 * s2
            a5 += w0 * s4 - w1 * s3 + v0 * s1 - v1 * s0
        if k == GENERAL:
            O = nodes[reference[i]]  # noqa: E741
            r0, r1, r2 = W.p[0] - O.p[0], W.p[1] - O.p[1], W.p[2] - O.p[2]
            b, c, d = W.joint_rate[0], W.joint_rate[1], W.joint_rate[2]
            e, f, g = W.joint_rate[3], W.joint_rate[4], W.joint_rate[5]
            s0 = W.R[0] * b + W.R[1] * c + W.R[2] * d
            s1 = W.R[3] * b + W.R[4] * c + W.R[5] * d
            s2 = W.R[6] * b + W.R[7] * c + W.R[8] * d
            a0, a1, a2 = a0 + s0, a1 + s1, a2 + s2
            a3 += W.R[0] * e + W.R[1] * f + W.R[2] * g + r1 * s2 - r2 * s1
            a4 += W.R[3] * e + W.R[4] * f + W.R[5] * g + r2 * s0 - r0 * s2
            a5 += W.R[6] * e + W.R[7] * f + W.R[8] * g + r0 * s1 - r1 * s0
        A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5] = a0, a1, a2, a3, a4, a5
        m, h0, h1, h2 = W.inertia[0], W.inertia[1], W.inertia[2], W.inertia[3]
        xx, xy, xz = W.inertia[4], W.inertia[5], W.inertia[6]
        yy, yz, zz = W.inertia[7], W.inertia[8], W.inertia[9]
        w0, w1, w2, v0, v1, v2 = V[i, 0], V[i, 1], V[i, 2], V[i, 3], V[i, 4], V[i, 5]
        l0 = xx * w0 + xy * w1 + xz * w2 + h1 * v2 - h2 * v1
        l1 = xy * w0 + yy * w1 + yz * w2 + h2 * v0 - h0 * v2
        l2 = xz * w0 + yz * w1 + zz * w2 + h0 * v1 - h1 * v0
        p0, p1, p2 = m * v0 + w1 * h2 - w2 * h1, m * v1 + w2 * h0 - w0 * h2, m * v2 + w0 * h1 - w1 * h0
        W.F[0] = xx * a0 + xy * a1 + xz * a2 + h1 * a5 - h2 * a4 + w1 * l2 - w2 * l1 + v1 * p2 - v2 * p1
        W.F[1] = xy * a0 + yy * a1 + yz * a2 + h2 * a3 - h0 * a5 + w2 * l0 - w0 * l2 + v2 * p0 - v0 * p2
        W.F[2] = xz * a0 + yz * a1 + zz * a2 + h0 * a4 - h1 * a3 + w0 * l1 - w1 * l0 + v0 * p1 - v1 * p0
        W.F[3] = m * a3 + a1 * h2 - a2 * h1 + w1 * p2 - w2 * p1
        W.F[4] = m * a4 + a2 * h0 - a0 * h2 + w2 * p0 - w0 * p2
        W.F[5] = m * a5 + a0 * h1 - a1 * h0 + w0 * p1 - w1 * p0


@kernel(linked=True, fastmath=FAST)
def composites(memory: Memory) -> None:
    """Write composite inertias, what nodes carry, and the sparse mass matrix with armature; nodes are placed."""
    n = memory.state.node_count
    nodes, parent = memory.nodes, memory.parent
    depth, start, chain = memory.depth, memory.start, memory.chain
    mass, armature, composite, carried = memory.full_mass, memory.armature, memory.composite, memory.carried
    for i in range(n - 1, -1, -1):
        W, C = nodes[i], composite[i]
        s0, s1, s2, s3, s4, s5 = W.S[0], W.S[1], W.S[2], W.S[3], W.S[4], W.S[5]
        m, h0, h1, h2 = C[0], C[1], C[2], C[3]
        xx, xy, xz, yy, yz, zz = C[4], C[5], C[6], C[7], C[8], C[9]
        f0 = xx * s0 + xy * s1 + xz * s2 + h1 * s5 - h2 * s4
        f1 = xy * s0 + yy * s1 + yz * s2 + h2 * s3 - h0 * s5
        f2 = xz * s0 + yz * s1 + zz * s2 + h0 * s4 - h1 * s3
        f3, f4, f5 = m * s3 + s1 * h2 - s2 * h1, m * s4 + s2 * h0 - s0 * h2, m * s5 + s0 * h1 - s1 * h0
        own = carried[i]
        own[0], own[1], own[2], own[3], own[4], own[5] = f0, f1, f2, f3, f4, f5
        at = start[i]
        for j in range(depth[i] + 1):
            B = nodes[chain[at + j]]
            mass[at + j] = (
                B.S[0] * f0 + B.S[1] * f1 + B.S[2] * f2 + B.S[3] * f3 + B.S[4] * f4 + B.S[5] * f5
            )  # fmt: skip
        mass[at + depth[i]] += armature[i]
        if parent[i] >= 0:
            above = composite[parent[i]]
            for k in range(10):
                above[k] += C[k]


@kernel(linked=True, fastmath=FAST)
def bias_forces(memory: Memory) -> None:
    """Write the bias forces at the velocities ``u_middle``; nodes stand.

    The wrench of a tree's first node is then that of the whole tree.
    """
    bias_wrenches(memory)
    nodes, parent, bias = memory.nodes, memory.parent, memory.bias
    for i in range(memory.state.node_count - 1, -1, -1):
        W = nodes[i]
        bias[i] = (
            W.S[0] * W.F[0] + W.S[1] * W.F[1] + W.S[2] * W.F[2] + W.S[3] * W.F[3] + W.S[4] * W.F[4] + W.S[5] * W.F[5]
        )  # fmt: skip
        if parent[i] >= 0:
            B = nodes[parent[i]]
            for k in range(6):
                B.F[k] += W.F[k]


@kernel(linked=True, fastmath=FAST)
def factor(mass: F1, depth: I1, start: I1, chain: I1, pivot: F1, root: F1) -> None:
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


@kernel(internal=True, fastmath=FAST)
def solve_transposed(mass: F1, depth: I1, start: I1, chain: I1, x: F1) -> None:
    """Replace x by ``L^-T x``."""
    for k in range(len(x) - 1, -1, -1):
        at, a = start[k], x[k]
        if a != 0.0:
            for j in range(at, at + depth[k]):
                x[chain[j]] -= mass[j] * a


@kernel(internal=True, fastmath=FAST)
def solve_lower(mass: F1, depth: I1, start: I1, chain: I1, x: F1) -> None:
    """Replace x by ``L^-1 x``."""
    for k in range(len(x)):
        at, a = start[k], x[k]
        for j in range(at, at + depth[k]):
            a -= mass[j] * x[chain[j]]
        x[k] = a


@kernel(linked=True, fastmath=FAST)
def stand(memory: Memory) -> None:
    """Let the nodes stand where the coordinates are: frames, inertias, and the whole mass matrix with armature."""
    place(memory)
    composites(memory)
    memory.state.placed = 1


@kernel(linked=True, fastmath=FAST)
def mass_at(memory: Memory) -> None:
    """Write mass matrix, armature included, and bias forces, where the coordinates are."""
    if not memory.state.placed:
        stand(memory)
    mass, full = memory.mass, memory.full_mass
    for k in range(len(mass)):
        mass[k] = full[k]
    bias_forces(memory)


@kernel(linked=True, fastmath=FAST)
def solve_mass(memory: Memory, x: F1) -> None:
    """Replace x by ``M^-1 x``; the mass matrix is factored."""
    pivot = memory.pivot
    state = memory.state
    n = state.node_count
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain = memory.chain
    factor(mass, depth, start, chain, memory.pivot, memory.root)
    solve_transposed(mass, depth, start, chain, x)
    for k in range(n):
        x[k] *= pivot[k]
    solve_lower(mass, depth, start, chain, x)
