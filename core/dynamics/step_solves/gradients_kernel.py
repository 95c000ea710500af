"""Steps solved in linear time: products with the matrix of a step over the tree, and conjugate gradients.

The matrix is ``J^T T J + E``: T has blocks of 6 x 6 numbers by pairs of bodies, their inertias among them, E entries of
the coordinates, and J, which takes rates to the bodies' twists, is never made. Its part that is a tree of *clusters*,
coordinates that hang together and are eliminated at once, is eliminated from the tips inwards and serves as the
preconditioner. A cluster hangs on one node, its root; what acts among its coordinates alone is in it exactly.

Tables, of integers: ``where``, shape (nv, 2), has the cluster of each coordinate and its place in it; ``clusters``,
shape (k, 3), of each cluster its first place in ``members``, how many it has, and where its matrix begins in ``H``;
``members``, shape (nv,), the nodes of all clusters, each from its root outwards.

Source: Sueda algorithms 5, 6 and 10, the last by clusters; Hestenes & Stiefel (1952) with a preconditioner.
"""

from __future__ import annotations

import math

from core.dynamics.node_motion_kernel import FAST, add_wrenches, place
from core.dynamics.rigid_kernel import gather
from core.dynamics.tree_memory import SLIDE, BodyPlace, Node, Nodes, TreeMemory
from core.kernels import F1, F2, F3, I1, I2, kernel, local

NOT_POSITIVE = -1
"""Along some direction the matrix is not positive."""


@kernel(internal=True, fastmath=FAST)
def add_about(A: Node, C: F1, p0: float, p1: float, p2: float) -> None:
    """Add an inertia C, 6 x 6 numbers about a place p from a node's origin, world axes, to the node's; C changes.

    ``[[1, [p]], [0, 1]] C [[1, 0], [-[p], 1]]``, its symmetric part.
    """
    for j in range(6):  # columns of turning less those of moving times [p]
        f0, f1, f2 = C[6 * j + 3], C[6 * j + 4], C[6 * j + 5]
        C[6 * j] -= f1 * p2 - f2 * p1
        C[6 * j + 1] -= f2 * p0 - f0 * p2
        C[6 * j + 2] -= f0 * p1 - f1 * p0
    for k in range(6):  # rows of turning plus [p] times those of moving
        f0, f1, f2 = C[18 + k], C[24 + k], C[30 + k]
        C[k] += p1 * f2 - p2 * f1
        C[6 + k] += p2 * f0 - p0 * f2
        C[12 + k] += p0 * f1 - p1 * f0
    A.inertia[0] += C[0]
    A.inertia[1] += 0.5 * (C[1] + C[6])
    A.inertia[2] += 0.5 * (C[2] + C[12])
    A.inertia[3] += C[7]
    A.inertia[4] += 0.5 * (C[8] + C[13])
    A.inertia[5] += C[14]
    for j in range(3):
        for k in range(3):
            A.inertia[6 + 3 * j + k] += 0.5 * (C[6 * j + 3 + k] + C[6 * (3 + k) + j])
    A.inertia[15] += C[21]
    A.inertia[16] += 0.5 * (C[22] + C[27])
    A.inertia[17] += 0.5 * (C[23] + C[33])
    A.inertia[18] += C[28]
    A.inertia[19] += 0.5 * (C[29] + C[34])
    A.inertia[20] += C[35]


@kernel(internal=True, fastmath=FAST)
def whole_inertia(W: Node, C: F1) -> None:
    """Write the 6 x 6 numbers of a node's inertia."""
    J = W.inertia
    C[0], C[1], C[2], C[7], C[8], C[14] = J[0], J[1], J[2], J[3], J[4], J[5]
    C[6], C[12], C[13] = J[1], J[2], J[4]
    for j in range(3):
        for k in range(3):
            C[6 * j + 3 + k] = C[6 * (3 + k) + j] = J[6 + 3 * j + k]
    C[21], C[22], C[23], C[28], C[29], C[35] = J[15], J[16], J[17], J[18], J[19], J[20]
    C[27], C[33], C[34] = J[16], J[17], J[19]


@kernel(internal=True, fastmath=FAST)
def add_block(W: Node, B: BodyPlace, block: F2) -> None:
    """Add a body's block, at its origin in its axes, to the inertia of the node that carries it."""
    R, C, p = local(9), local(36), local(3)
    for j in range(3):
        p[j] = W.R[3 * j] * B.at[0] + W.R[3 * j + 1] * B.at[1] + W.R[3 * j + 2] * B.at[2]
        for k in range(3):
            R[3 * j + k] = W.R[3 * j] * B.T[k] + W.R[3 * j + 1] * B.T[3 + k] + W.R[3 * j + 2] * B.T[6 + k]
    for a in range(2):
        for b in range(2):
            for j in range(3):
                for k in range(3):
                    total = 0.0
                    for m in range(3):
                        for n in range(3):
                            total += R[3 * j + m] * block[3 * a + m, 3 * b + n] * R[3 * k + n]
                    C[6 * (3 * a + j) + 3 * b + k] = total
    add_about(W, C, p[0], p[1], p[2])


@kernel(internal=True, fastmath=FAST)
def along(W: Node, p: F1) -> float:
    """Return the part of a wrench or twist, 6 numbers about a node's origin, along its coordinate."""
    total = p[0] * W.S[0] + p[1] * W.S[1] + p[2] * W.S[2]
    if W.kind >= SLIDE:
        total += p[3] * W.S[3] + p[4] * W.S[4] + p[5] * W.S[5]
    return total


@kernel(internal=True, fastmath=FAST)
def raise_wrench(W: Node, f: F1) -> None:
    """Take a wrench about a node's origin to be about its parent's."""
    f[0] += W.arm[1] * f[5] - W.arm[2] * f[4]
    f[1] += W.arm[2] * f[3] - W.arm[0] * f[5]
    f[2] += W.arm[0] * f[4] - W.arm[1] * f[3]


@kernel(internal=True, fastmath=FAST)
def factor(H: F1, at: int, n: int) -> int:
    """Replace a matrix by its Cholesky factor; return -1, or the first row whose pivot is not positive."""
    for j in range(n):
        for i in range(j, n):
            total = H[at + n * i + j]
            for k in range(j):
                total -= H[at + n * i + k] * H[at + n * j + k]
            if i > j:
                H[at + n * i + j] = total / H[at + n * j + j]
            elif total > 0.0:
                H[at + n * j + j] = math.sqrt(total)
            else:
                return j
    return -1


@kernel(internal=True, fastmath=FAST)
def solve_cluster(members: I1, first: int, n: int, at: int, H: F1, z: F1) -> None:
    """Solve with the factor of a cluster's matrix; z, by coordinates, shape (nv,), becomes the solution in its own."""
    for a in range(n):
        total = z[members[first + a] - 1]
        for b in range(a):
            total -= H[at + n * a + b] * z[members[first + b] - 1]
        z[members[first + a] - 1] = total / H[at + n * a + a]
    for a in range(n - 1, -1, -1):
        total = z[members[first + a] - 1]
        for b in range(a + 1, n):
            total -= H[at + n * b + a] * z[members[first + b] - 1]
        z[members[first + a] - 1] = total / H[at + n * a + a]


@kernel(internal=True, fastmath=FAST)
def prepare_cluster(nodes: Nodes, members: I1, first: int, n: int, at: int, H: F1, U: F2, G: F2) -> int:
    """Eliminate the coordinates of a cluster: factor its matrix, and take from its root what moves with them.

    Returns:
        -1, or a body with a joint whose pivot may be nothing but rounding.
    """
    C = local(36)
    if factor(H, at, n) >= 0:
        return nodes[members[first]].body
    for a in range(n):
        W = nodes[members[first + a]]
        least = W.least[0] * (W.S[0] * W.S[0] + W.S[1] * W.S[1] + W.S[2] * W.S[2])
        if W.kind >= SLIDE:
            least += W.least[1] * (W.S[3] * W.S[3] + W.S[4] * W.S[4] + W.S[5] * W.S[5])
        if not H[at + n * a + a] * H[at + n * a + a] > least:
            return W.body
    for k in range(36):
        C[k] = 0.0
    for c in range(6):
        for a in range(n):
            m = members[first + a] - 1
            G[c, m] = U[m, c]
        solve_cluster(members, first, n, at, H, G[c])
    for a in range(n):
        row = members[first + a] - 1
        for j in range(6):
            for k in range(6):
                C[6 * j + k] -= U[row, j] * G[k, row]
    add_about(nodes[nodes[members[first]].parent], C, 0.0, 0.0, 0.0)
    return -1


@kernel(fastmath=FAST)
def prepare(
    tree: TreeMemory, x: F1, rest: F1, bodies: I1, blocks: F3, where: I2, clusters: I2, members: I1, H: F1, U: F2, G: F2
) -> int:
    """Eliminate the part of the matrix that is a tree; return -1, or a body whose pivot may be nothing but rounding.

    Args:
        tree: The memory; it is for ``solve`` and ``product`` alone until they are done.
        x: Coordinates, shape (nv,).
        rest: Zeros, shape (nv,).
        bodies: Bodies that have blocks besides their inertia, shape (k,).
        blocks: These, at the bodies' origins in their axes, symmetric, shape (k, 6, 6).
        where: See above.
        clusters: See above.
        members: See above.
        H: What acts among the coordinates of each cluster; replaced by the factor of its matrix.
        U: Wrench about its root that moves each coordinate of a cluster alone, shape (nv, 6); written.
        G: The same over the cluster's matrix, shape (6, nv); written.
    """
    nodes, C, f = tree.nodes, local(36), local(6)
    place(tree, x, rest)
    for k in range(21):
        nodes[0].inertia[k] = 0.0
    for k in range(len(bodies)):
        B = tree.bodies[bodies[k]]
        if B.parent > 0:
            add_block(nodes[B.parent], B, blocks[k])
    for i in range(len(x), 0, -1):
        W = nodes[i]
        own, row = where[i - 1, 0], where[i - 1, 1]
        n, at = clusters[own, 1], clusters[own, 2]
        whole_inertia(W, C)
        for k in range(6):
            f[k] = C[6 * k] * W.S[0] + C[6 * k + 1] * W.S[1] + C[6 * k + 2] * W.S[2]
            if W.kind >= SLIDE:
                f[k] += C[6 * k + 3] * W.S[3] + C[6 * k + 4] * W.S[4] + C[6 * k + 5] * W.S[5]
        j = i
        while j > 0 and where[j - 1, 0] == own:
            column = where[j - 1, 1]
            effort = along(nodes[j], f)
            H[at + n * row + column] += effort
            if column != row:
                H[at + n * column + row] += effort
            raise_wrench(nodes[j], f)
            j = nodes[j].parent
        for k in range(6):
            U[i - 1, k] = f[k]
        add_about(nodes[W.parent], C, W.arm[0], W.arm[1], W.arm[2])
        if row == 0:
            doubtful = prepare_cluster(nodes, members, clusters[own, 0], n, at, H, U, G)
            if doubtful >= 0:
                return doubtful
    return -1


@kernel(internal=True, fastmath=FAST)
def eliminated(nodes: Nodes, where: I2, clusters: I2, members: I1, H: F1, U: F2, G: F2, r: F1, z: F1) -> None:
    """Write what the part that is a tree answers to a right side r."""
    f = local(6)
    for i in range(len(r) + 1):
        for k in range(6):
            nodes[i].force[k] = 0.0
    for i in range(len(r), 0, -1):
        W = nodes[i]
        for k in range(6):
            f[k] = W.force[k]
        z[i - 1] = r[i - 1] - along(W, f)
        raise_wrench(W, f)
        A = nodes[W.parent]
        for k in range(6):
            A.force[k] += f[k]
        if where[i - 1, 1] == 0:
            own = where[i - 1, 0]
            first, n, at = clusters[own, 0], clusters[own, 1], clusters[own, 2]
            solve_cluster(members, first, n, at, H, z)
            for a in range(n):
                m = members[first + a] - 1
                for k in range(6):
                    A.force[k] += U[m, k] * z[m]
    for k in range(6):
        nodes[0].force[k] = 0.0
    for i in range(1, len(r) + 1):
        W = nodes[i]
        A = nodes[W.parent]
        if where[i - 1, 1] == 0:
            own = where[i - 1, 0]
            for a in range(clusters[own, 0], clusters[own, 0] + clusters[own, 1]):
                m = members[a] - 1
                for k in range(6):
                    z[m] -= G[k, m] * A.force[k]
        pass_on(A, W, z[i - 1])


@kernel(inline=True, fastmath=FAST)
def pass_on(A: Node, W: Node, y: float) -> None:
    """Leave in a node's wrench its twist, that of its parent there and the rate y of its coordinate."""
    a0, a1, a2, a3, a4, a5 = A.force[0], A.force[1], A.force[2], A.force[3], A.force[4], A.force[5]
    r0, r1, r2 = W.arm[0], W.arm[1], W.arm[2]
    a3, a4, a5 = a3 + a1 * r2 - a2 * r1, a4 + a2 * r0 - a0 * r2, a5 + a0 * r1 - a1 * r0
    a0, a1, a2 = a0 + W.S[0] * y, a1 + W.S[1] * y, a2 + W.S[2] * y
    if W.kind >= SLIDE:
        a3, a4, a5 = a3 + W.S[3] * y, a4 + W.S[4] * y, a5 + W.S[5] * y
    W.force[0], W.force[1], W.force[2] = a0, a1, a2
    W.force[3], W.force[4], W.force[5] = a3, a4, a5


@kernel(internal=True, fastmath=FAST)
def outwards(nodes: Nodes, v: F1) -> None:
    """Leave in each node's wrench its twist at rates of the coordinates, about its origin in world axes."""
    for k in range(6):
        nodes[0].force[k] = 0.0
    for i in range(1, len(v) + 1):
        pass_on(nodes[nodes[i].parent], nodes[i], v[i - 1])


@kernel(internal=True, fastmath=FAST)
def see_twists(tree: TreeMemory, twists: F2) -> None:
    """Write the bodies' twists at their origins in their axes, from those of the nodes."""
    nodes = tree.nodes
    for b in range(len(twists)):
        B = tree.bodies[b]
        if B.parent == 0:
            for k in range(6):
                twists[b, k] = 0.0
            continue
        W = nodes[B.parent]
        a0, a1, a2, a3, a4, a5 = W.force[0], W.force[1], W.force[2], W.force[3], W.force[4], W.force[5]
        w0 = W.R[0] * a0 + W.R[3] * a1 + W.R[6] * a2
        w1 = W.R[1] * a0 + W.R[4] * a1 + W.R[7] * a2
        w2 = W.R[2] * a0 + W.R[5] * a1 + W.R[8] * a2
        p0, p1, p2 = B.at[0], B.at[1], B.at[2]
        u0 = W.R[0] * a3 + W.R[3] * a4 + W.R[6] * a5 + w1 * p2 - w2 * p1
        u1 = W.R[1] * a3 + W.R[4] * a4 + W.R[7] * a5 + w2 * p0 - w0 * p2
        u2 = W.R[2] * a3 + W.R[5] * a4 + W.R[8] * a5 + w0 * p1 - w1 * p0
        for k in range(3):
            t0, t1, t2 = B.T[k], B.T[3 + k], B.T[6 + k]
            twists[b, k] = t0 * w0 + t1 * w1 + t2 * w2
            twists[b, 3 + k] = t0 * u0 + t1 * u1 + t2 * u2


@kernel(internal=True, fastmath=FAST)
def feel_wrenches(tree: TreeMemory, wrenches: F2) -> None:
    """Write into the nodes the sums of wrenches on the bodies at their origins in their axes."""
    nodes = tree.nodes
    for i in range(tree.state.node_count):
        for k in range(6):
            nodes[i].force[k] = 0.0
    add_wrenches(tree, wrenches, 1.0)


@kernel(python=True, linked=True, fastmath=FAST)
def product(
    tree: TreeMemory, pairs: I2, blocks: F3, places: I2, entries: F1, twists: F2, wrenches: F2, v: F1, out: F1
) -> None:
    """Write ``(J^T T J + E) v``.

    Args:
        tree: Where ``prepare`` has been.
        pairs: Of each block of T the body that feels it and the body whose twist it is of, shape (k, 2).
        blocks: At the bodies' origins in their axes, shape (k, 6, 6).
        places: Row and column of each entry of E, shape (m, 2).
        entries: Shape (m,).
        twists: Memory, shape (nb, 6).
        wrenches: Memory, shape (nb, 6).
        v: Shape (nv,).
        out: Shape (nv,); written.
    """
    outwards(tree.nodes, v)
    see_twists(tree, twists)
    for b in range(len(wrenches)):
        for k in range(6):
            wrenches[b, k] = 0.0
    for m in range(len(pairs)):
        i, j = pairs[m, 0], pairs[m, 1]
        a0, a1, a2, a3, a4, a5 = twists[j, 0], twists[j, 1], twists[j, 2], twists[j, 3], twists[j, 4], twists[j, 5]
        for k in range(6):
            turning = blocks[m, k, 0] * a0 + blocks[m, k, 1] * a1 + blocks[m, k, 2] * a2
            wrenches[i, k] += turning + blocks[m, k, 3] * a3 + blocks[m, k, 4] * a4 + blocks[m, k, 5] * a5
    feel_wrenches(tree, wrenches)
    gather(tree.nodes, out)
    for m in range(len(entries)):
        out[places[m, 0]] += entries[m] * v[places[m, 1]]


@kernel(internal=True, fastmath=FAST)
def dot(a: F1, b: F1) -> float:
    """Return the sum of products."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@kernel(fastmath=FAST)
def solve(
    tree: TreeMemory, where: I2, clusters: I2, members: I1, H: F1, U: F2, G: F2, pairs: I2, blocks: F3, places: I2,
    entries: F1, twists: F2, wrenches: F2, work: F2, rhs: F1, out: F1, tolerance: float, most: int,
) -> int:  # fmt: skip
    """Write ``(J^T T J + E)^-1 rhs``; return how many products that took, or ``NOT_POSITIVE``.

    Args:
        tree: Where ``prepare`` has been.
        where: As of ``prepare``, and what follows.
        clusters: The same.
        members: The same.
        H: The same.
        U: The same.
        G: The same.
        pairs: As of ``product``, and what follows.
        blocks: The same.
        places: The same.
        entries: The same.
        twists: The same.
        wrenches: The same.
        work: Memory, shape (4, nv).
        rhs: Shape (nv,).
        out: Shape (nv,); written.
        tolerance: Size of what is left of the right side, as kinetic energy measures it, to what was there.
        most: Products after which it is given up; the answer is ``most`` + 1 then.
    """
    n, nodes = len(rhs), tree.nodes
    r, z, p, q = work[0], work[1], work[2], work[3]
    for k in range(n):
        out[k] = 0.0
        r[k] = rhs[k]
    eliminated(nodes, where, clusters, members, H, U, G, r, z)
    for k in range(n):
        p[k] = z[k]
    size = dot(r, z)
    goal = tolerance * tolerance * size
    if size == 0.0:
        return 0
    for count in range(1, most + 1):
        product(tree, pairs, blocks, places, entries, twists, wrenches, p, q)
        bent = dot(p, q)
        if not bent > 0.0:
            return NOT_POSITIVE
        step = size / bent
        for k in range(n):
            out[k] += step * p[k]
            r[k] -= step * q[k]
        eliminated(nodes, where, clusters, members, H, U, G, r, z)
        ahead = dot(r, z)
        if ahead <= goal:
            return count
        share = ahead / size
        for k in range(n):
            p[k] = z[k] + share * p[k]
        size = ahead
    return most + 1
