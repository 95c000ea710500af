"""The point Jacobian: one walk from the root to the joint, then one from the joint back."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.joints.pose_kernel import TWIST
from core.kernels import EXACT, F1, F2, F3, I1, THREE, kernel, local
from core.kinematics.joints_kernel import general, pose_in, turn_on, twist_in
from core.skeleton.tree import KIND_BEFORE, KIND_GENERAL, KIND_HINGE, Tree


@kernel(fastmath=EXACT)
def _turn(M: F2, axis: F1, angle: float) -> None:
    """Multiply a matrix by the rotation about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    h = 2.0 * math.sin(0.5 * angle) ** 2
    x, y, z = axis[0], axis[1], axis[2]
    for i in range(3):
        a, b, d = M[i, 0], M[i, 1], M[i, 2]
        along = h * (a * x + b * y + d * z)
        M[i, 0] = c * a + along * x + s * (b * z - d * y)
        M[i, 1] = c * b + along * y + s * (d * x - a * z)
        M[i, 2] = c * d + along * z + s * (a * y - b * x)


@kernel(fastmath=EXACT)
def _point_column(out: F2, column: int, M: F2, twist: TWIST, x: float, y: float, z: float) -> None:
    """Write how the point (x, y, z) of the frame whose linear part is ``M`` moves with its twist."""
    a = twist[3] + twist[1] * z - twist[2] * y
    b = twist[4] + twist[2] * x - twist[0] * z
    d = twist[5] + twist[0] * y - twist[1] * x
    for i in range(3):
        out[i, column] = M[i, 0] * a + M[i, 1] * b + M[i, 2] * d


@kernel(fastmath=EXACT)
def _turn_column(out: F2, column: int, R: F2, twist: TWIST) -> None:
    """Write how the frame ``R`` turns with its twist."""
    for i in range(3):
        out[3 + i, column] = R[i, 0] * twist[0] + R[i, 1] * twist[1] + R[i, 2] * twist[2]


@kernel(linked=True, fastmath=EXACT)
def _turn_joint(records: F1, at: int, q: F1, last: int, M: F2, R: F2, columns: F2) -> None:
    """Turn the linear parts by what a joint turns by, and write how the frame turns with its coordinates."""
    out = local(48)
    n = general(records, at, q, last, -1, 0.0, out, 1)
    Q = pose_in(out)
    turn_on(M, Q)
    turn_on(R, Q)
    for i in range(n):
        _turn_column(columns, last + 1 - n + i, R, twist_in(out, i))


@kernel(linked=True, fastmath=EXACT)
def _move_joint(records: F1, at: int, q: F1, last: int, A: F2, x: float, y: float, z: float, columns: F2) -> THREE:
    """Return a point where a joint carries it, and write how it moves with its coordinates."""
    out = local(48)
    n = general(records, at, q, last, -1, 0.0, out, 1)
    for i in range(n):
        _point_column(columns, last + 1 - n + i, A, twist_in(out, i), x, y, z)
    Q = pose_in(out)
    return (
        Q[0] * x + Q[1] * y + Q[2] * z + Q[3], Q[4] * x + Q[5] * y + Q[6] * z + Q[7],
        Q[8] * x + Q[9] * y + Q[10] * z + Q[11],
    )  # fmt: skip


@kernel(internal=True, fastmath=EXACT)
def _walk_out(
    rotation: F3, scale: F2, first: I1, kind: I1, axis: F2, record: I1, records: F1, q: F1, path: I1, length: int,
    linears: F3, out: F2,
) -> None:  # fmt: skip
    """Write the linear part after each degree of freedom, and how it turns what is below it, from the root on."""
    # The last two entries of the scratch memory are the running linear part and the running rotation.
    M, R = linears[len(kind)], linears[len(kind) + 1]
    for i in range(3):
        for k in range(3):
            M[i, k] = R[i, k] = 1.0 if i == k else 0.0
    for step in range(length - 1, -1, -1):
        j = path[step]
        F = rotation[j]
        for i in range(3):
            a, b, d = M[i, 0], M[i, 1], M[i, 2]
            e, f, g = R[i, 0], R[i, 1], R[i, 2]
            for k in range(3):
                M[i, k] = a * F[0, k] + b * F[1, k] + d * F[2, k]
                R[i, k] = e * F[0, k] + f * F[1, k] + g * F[2, k]
        for k in range(first[j], first[j + 1]):
            if kind[k] == KIND_HINGE:
                for i in range(3):
                    out[3 + i, 3 + k] = R[i, 0] * axis[k, 0] + R[i, 1] * axis[k, 1] + R[i, 2] * axis[k, 2]
                _turn(M, axis[k], q[3 + k])
                _turn(R, axis[k], q[3 + k])
            elif kind[k] == KIND_GENERAL:
                _turn_joint(records, record[k], q, 3 + k, M, R, out)
            for i in range(3):
                for m in range(3):
                    linears[k, i, m] = M[i, m]
        for i in range(3):
            for k in range(3):
                M[i, k] *= scale[j, k]


@kernel(internal=True, fastmath=EXACT)
def _walk_back(
    offset: F2, rotation: F3, scale: F2, first: I1, kind: I1, axis: F2, record: I1, records: F1, q: F1, point: F1,
    path: I1, length: int, linears: F3, out: F2,
) -> None:  # fmt: skip
    """Write how each degree of freedom moves the point, from the joint down to the root."""
    # (x, y, z) is the point in the frame after the degree of freedom at hand.
    x, y, z = point[0], point[1], point[2]
    for step in range(length):
        j = path[step]
        x, y, z = x * scale[j, 0], y * scale[j, 1], z * scale[j, 2]
        for k in range(first[j + 1] - 1, first[j] - 1, -1):
            A = linears[k]
            if kind[k] >= KIND_BEFORE:
                if kind[k] == KIND_GENERAL:
                    x, y, z = _move_joint(records, record[k], q, 3 + k, A, x, y, z, out)
                continue
            u, v, w = axis[k, 0], axis[k, 1], axis[k, 2]
            if kind[k] == KIND_HINGE:
                a, b, d = v * z - w * y, w * x - u * z, u * y - v * x
                c, s = math.cos(q[3 + k]), math.sin(q[3 + k])
                h = 2.0 * math.sin(0.5 * q[3 + k]) ** 2 * (u * x + v * y + w * z)
                x, y, z = c * x + s * a + h * u, c * y + s * b + h * v, c * z + s * d + h * w
            else:
                a, b, d = u, v, w
                x, y, z = x + q[3 + k] * u, y + q[3 + k] * v, z + q[3 + k] * w
            for i in range(3):
                out[i, 3 + k] = A[i, 0] * a + A[i, 1] * b + A[i, 2] * d
        F = rotation[j]
        x, y, z = (
            offset[j, 0] + F[0, 0] * x + F[0, 1] * y + F[0, 2] * z,
            offset[j, 1] + F[1, 0] * x + F[1, 1] * y + F[1, 2] * z,
            offset[j, 2] + F[2, 0] * x + F[2, 1] * y + F[2, 2] * z,
        )


@kernel(fastmath=EXACT)
def point_rows(
    parent: I1, offset: F2, rotation: F3, scale: F2, first: I1, kind: I1, axis: F2, record: I1, records: F1, q: F1,
    joint: int, point: F1, path: I1, linears: F3, out: F2,
) -> None:  # fmt: skip
    """Write the Jacobian [v; w] of a point into ``out``, shape (6, nq).

    ``path`` (n,) and ``linears`` (d + 2, 3, 3) are scratch memory: the joints to walk, each DOF's linear part.
    """
    # Loops, not slices: numba takes seconds to compile an assignment to a slice.
    for i in range(6):
        for k in range(out.shape[1]):
            out[i, k] = 1.0 if i == k and i < 3 else 0.0
    length = 0
    j = joint
    while j >= 0:
        path[length] = j
        length += 1
        j = parent[j]
    _walk_out(rotation, scale, first, kind, axis, record, records, q, path, length, linears, out)
    _walk_back(offset, rotation, scale, first, kind, axis, record, records, q, point, path, length, linears, out)


def jacobian(tree: Tree, q: Array, joint: int, point: Array, out: Array) -> None:
    """Write the Jacobian [v; w] of ``point`` of ``joint`` into ``out``, shape (6, nq)."""
    path = np.empty(len(tree.parent), dtype=np.int64)
    linears = np.empty((len(tree.kind) + 2, 3, 3))
    point_rows(
        tree.parent, tree.offset, tree.rotation, tree.scale, tree.first, tree.kind, tree.axis,
        tree.record, tree.records, q, joint, point, path, linears, out,
    )  # fmt: skip
