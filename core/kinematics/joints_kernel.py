"""Joints that are not made of hinges and slides, by the functions that evaluate them: their poses and twists.

A *record* holds one joint's constants in a block of numbers, as ``core.skeleton.joint_records`` writes it: the slot
that evaluates it (``core.kernels.functions``), how many coordinates it has, what lengths are divided by, how many
constants it has; then pose units per unit of x of each coordinate, and the constants.

``x`` is the coordinate in the units of whoever made the record: pose values in a skeleton's tree. Poses and twists are
tuples of numbers.
"""

from __future__ import annotations

from core.joints.pose_kernel import POSE, TWIST, carried, inverse, product
from core.kernels import F1, F2, F3, I1, THREE, call_slot, kernel, local
from core.skeleton.tree import KIND_BEFORE, KIND_GENERAL

HEAD = 4
"""Numbers in front of a record."""
MOTION = tuple[POSE, TWIST]


@kernel(linked=True)
def general(joints: F1, at: int, x: F1, last: int, changed: int, value: float, out: F1, order: int) -> int:
    """Evaluate a joint by its record, in the units of x.

    Args:
        joints: Block of records.
        at: Where the record begins.
        x: Values, among them the joint's coordinates.
        last: Where the last of these stands; the others stand before it.
        changed: One of these places whose value is another one, or -1.
        value: That value.
        out: Overwritten with Q, twelve numbers, and S, six a coordinate; 48 numbers.
        order: 0 for Q alone, 1 for S too.

    Returns:
        How many coordinates there are.
    """
    q = local(6)
    n, size = int(joints[at + 1]), joints[at + 2]
    first = last + 1 - n
    for i in range(n):
        q[i] = (value if first + i == changed else x[first + i]) * joints[at + HEAD + i]
    call_slot(joints[at], q, joints[at + HEAD + n :], out, order)
    out[3], out[7], out[11] = out[3] / size, out[7] / size, out[11] / size
    if order > 0:
        for i in range(n):
            unit, row = joints[at + HEAD + i], 12 + 6 * i
            for j in range(3):
                out[row + j] *= unit
                out[row + 3 + j] = out[row + 3 + j] * unit / size
    return n


@kernel(internal=True)
def pose_in(out: F1) -> POSE:
    """Return the pose that ``general`` wrote."""
    return (
        out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11],
    )  # fmt: skip


@kernel(internal=True)
def twist_in(out: F1, i: int) -> TWIST:
    """Return the twist of coordinate ``i`` that ``general`` wrote."""
    at = 12 + 6 * i
    return out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5]


@kernel(linked=True)
def general_pose(joints: F1, at: int, x: F1, last: int) -> POSE:
    """Return the transform of a joint; arguments as of ``general``."""
    out = local(48)
    general(joints, at, x, last, -1, 0.0, out, 0)
    return pose_in(out)


@kernel(internal=True)
def move_on(X: F2, Q: POSE) -> None:
    """Multiply an affine frame, the upper three rows of ``X``, by a pose."""
    for i in range(3):
        a, b, c = X[i, 0], X[i, 1], X[i, 2]
        X[i, 0] = a * Q[0] + b * Q[4] + c * Q[8]
        X[i, 1] = a * Q[1] + b * Q[5] + c * Q[9]
        X[i, 2] = a * Q[2] + b * Q[6] + c * Q[10]
        X[i, 3] += a * Q[3] + b * Q[7] + c * Q[11]


@kernel(internal=True)
def turn_on(M: F2, Q: POSE) -> None:
    """Multiply a matrix by the rotation of a pose."""
    for i in range(3):
        a, b, c = M[i, 0], M[i, 1], M[i, 2]
        M[i, 0] = a * Q[0] + b * Q[4] + c * Q[8]
        M[i, 1] = a * Q[1] + b * Q[5] + c * Q[9]
        M[i, 2] = a * Q[2] + b * Q[6] + c * Q[10]


@kernel(internal=True)
def put(S: F2, k: int, twist: TWIST) -> None:
    """Write a twist into row k."""
    S[k, 0], S[k, 1], S[k, 2] = twist[0], twist[1], twist[2]
    S[k, 3], S[k, 4], S[k, 5] = twist[3], twist[4], twist[5]


@kernel(linked=True)
def move_nodes(kind: I1, record: I1, joints: F1, fixed: F3, turn: F3, x: F1, F: F3, T: F3, S: F2) -> None:
    """Write the transforms of nodes that are coordinates of their own joints, and their twists; all others stay.

    Args:
        kind: Kinds of the nodes, shape (K,).
        record: Where each node's record begins, shape (K,).
        joints: Block of records, lengths in the nodes' unit.
        fixed: Transforms [M | t] from the parent to the node before it moves, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        x: Values of the nodes, shape (K,).
        F: Overwritten with the transforms at these values, shape (K, 3, 4).
        T: The same without scales, shape (K, 3, 3).
        S: Overwritten with the twists [w; v] per unit of x in the node's own frame, shape (K, 6).
    """
    out = local(48)
    for k in range(len(x)):
        if kind[k] != KIND_GENERAL:
            continue
        for i in range(3):
            for j in range(3):
                F[k, i, j], T[k, i, j] = fixed[k, i, j], turn[k, i, j]
            F[k, i, 3] = fixed[k, i, 3]
        n = general(joints, record[k], x, k, -1, 0.0, out, 1)
        Q = pose_in(out)
        for i in range(n - 1):
            put(S, k - n + 1 + i, carried(Q, twist_in(out, i)))
        put(S, k, twist_in(out, n - 1))
        move_on(F[k], Q)
        turn_on(T[k], Q)


@kernel(linked=True)
def motion_of(kind: I1, record: I1, joints: F1, k: int, x: F1, value: float) -> MOTION:
    """Return by which motion D a node's frame X is carried on to ``X D`` when its value becomes another.

    Args:
        kind: Kinds of the nodes, shape (K,).
        record: Where each node's record begins, shape (K,).
        joints: Block of records.
        k: The node.
        x: Values of all nodes now.
        value: Its value then.

    Returns:
        D, and the twist ``[w; v]`` with ``dD = hat(twist) D`` per unit of x.
    """
    out = local(48)
    last = k
    while kind[last] == KIND_BEFORE:
        last += 1
    n = general(joints, record[k], x, last, -1, 0.0, out, 0)
    before = pose_in(out)
    general(joints, record[k], x, last, k, value, out, 1)
    Q, S = pose_in(out), twist_in(out, n - 1 - (last - k))
    if k < last:
        return product(Q, inverse(before)), carried(Q, S)
    D = product(inverse(before), Q)
    return D, carried(D, S)


@kernel(internal=True)
def point_speed(X: F3, S: F2, k: int, a: float, b: float, c: float) -> THREE:
    """Return how a point moves with a coordinate: (a, b, c) in the node's frame, the speed in the world."""
    u = S[k, 3] + S[k, 1] * c - S[k, 2] * b
    v = S[k, 4] + S[k, 2] * a - S[k, 0] * c
    w = S[k, 5] + S[k, 0] * b - S[k, 1] * a
    return (
        X[k, 0, 0] * u + X[k, 0, 1] * v + X[k, 0, 2] * w,
        X[k, 1, 0] * u + X[k, 1, 1] * v + X[k, 1, 2] * w,
        X[k, 2, 0] * u + X[k, 2, 1] * v + X[k, 2, 2] * w,
    )


@kernel(internal=True)
def turn_speed(R: F3, S: F2, k: int) -> THREE:
    """Return how a frame turns with a coordinate: the angular velocity in the world."""
    a, b, c = S[k, 0], S[k, 1], S[k, 2]
    return (
        R[k, 0, 0] * a + R[k, 0, 1] * b + R[k, 0, 2] * c,
        R[k, 1, 0] * a + R[k, 1, 1] * b + R[k, 1, 2] * c,
        R[k, 2, 0] * a + R[k, 2, 1] * b + R[k, 2, 2] * c,
    )
