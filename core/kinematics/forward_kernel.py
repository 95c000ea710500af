"""Forward kinematics: one pass over packed joints, principal axes mixing two columns only."""

from __future__ import annotations

import math

from core.arrays import Array
from core.kernels import EXACT, F1, F2, F3, F4, I1, kernel
from core.kinematics.joints_kernel import general_pose, move_on
from core.skeleton.tree import GENERAL_AXIS, KIND_BEFORE, KIND_GENERAL, KIND_HINGE, SCALED, TURNED, Tree


@kernel(fastmath=EXACT)
def turn_general(X: F2, axis: F1, angle: float) -> None:
    """Multiply the linear part of frame ``X`` by a rotation about a unit axis that is no coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    h = 2.0 * math.sin(0.5 * angle) ** 2
    x, y, z = axis[0], axis[1], axis[2]
    r00, r01, r02 = c + h * x * x, h * x * y - s * z, h * x * z + s * y
    r10, r11, r12 = h * x * y + s * z, c + h * y * y, h * y * z - s * x
    r20, r21, r22 = h * x * z - s * y, h * y * z + s * x, c + h * z * z
    for i in range(3):
        a, b, d = X[i, 0], X[i, 1], X[i, 2]
        X[i, 0] = a * r00 + b * r10 + d * r20
        X[i, 1] = a * r01 + b * r11 + d * r21
        X[i, 2] = a * r02 + b * r12 + d * r22


@kernel(python=True, linked=True, fastmath=EXACT)
def _forward(
    parent: I1, offset: F2, rotation: F3, scale: F2, flags: I1, first: I1, kind: I1, letter: I1, axis: F2, record: I1,
    records: F1, q: F2, out: F4,
) -> None:  # fmt: skip
    n = len(parent)
    for pose in range(len(q)):
        for j in range(n):
            X = out[pose, j]
            o0, o1, o2 = offset[j, 0], offset[j, 1], offset[j, 2]
            p = parent[j]
            if p >= 0:
                A = out[pose, p]
                for i in range(3):
                    X[i, 0], X[i, 1], X[i, 2] = A[i, 0], A[i, 1], A[i, 2]
                    X[i, 3] = A[i, 3] + A[i, 0] * o0 + A[i, 1] * o1 + A[i, 2] * o2
            else:
                for i in range(3):
                    for k in range(3):
                        X[i, k] = 1.0 if i == k else 0.0
                    X[i, 3] = offset[j, i] + q[pose, i]
            X[3, 0] = X[3, 1] = X[3, 2] = 0.0
            X[3, 3] = 1.0
            if flags[j] & TURNED:
                R = rotation[j]
                for i in range(3):
                    a, b, d = X[i, 0], X[i, 1], X[i, 2]
                    X[i, 0] = a * R[0, 0] + b * R[1, 0] + d * R[2, 0]
                    X[i, 1] = a * R[0, 1] + b * R[1, 1] + d * R[2, 1]
                    X[i, 2] = a * R[0, 2] + b * R[1, 2] + d * R[2, 2]
            for k in range(first[j], first[j + 1]):
                value = q[pose, 3 + k]
                if kind[k] >= KIND_BEFORE:
                    if kind[k] == KIND_GENERAL:
                        move_on(X, general_pose(records, record[k], q[pose], 3 + k))
                elif kind[k] != KIND_HINGE:
                    for i in range(3):
                        X[i, 3] += value * (X[i, 0] * axis[k, 0] + X[i, 1] * axis[k, 1] + X[i, 2] * axis[k, 2])
                elif letter[k] == GENERAL_AXIS:
                    turn_general(X, axis[k], value)
                else:
                    c = math.cos(value)
                    s = math.sin(value)
                    if letter[k] == 0:
                        s *= axis[k, 0]
                        for i in range(3):
                            a, b = X[i, 1], X[i, 2]
                            X[i, 1] = c * a + s * b
                            X[i, 2] = c * b - s * a
                    elif letter[k] == 1:
                        s *= axis[k, 1]
                        for i in range(3):
                            a, b = X[i, 2], X[i, 0]
                            X[i, 2] = c * a + s * b
                            X[i, 0] = c * b - s * a
                    else:
                        s *= axis[k, 2]
                        for i in range(3):
                            a, b = X[i, 0], X[i, 1]
                            X[i, 0] = c * a + s * b
                            X[i, 1] = c * b - s * a
            if flags[j] & SCALED:
                for i in range(3):
                    X[i, 0] *= scale[j, 0]
                    X[i, 1] *= scale[j, 1]
                    X[i, 2] *= scale[j, 2]


@kernel(nogil=True, fastmath=EXACT)
def _forward_rows(
    parent: I1, offset: F2, rotation: F3, scale: F2, flags: I1, first: I1, kind: I1, letter: I1, axis: F2, record: I1,
    records: F1, q: F2, out: F4,
) -> None:  # fmt: skip
    _forward(parent, offset, rotation, scale, flags, first, kind, letter, axis, record, records, q, out)


def forward_rows(tree: Tree, q: Array, out: Array) -> None:
    """Do what ``forward`` does, while other threads of Python run."""
    _forward_rows(
        tree.parent, tree.offset, tree.rotation, tree.scale, tree.flags,
        tree.first, tree.kind, tree.letter, tree.axis, tree.record, tree.records, q, out,
    )  # fmt: skip


def forward(tree: Tree, q: Array, out: Array) -> None:
    """Write the world frames of all joints, shape (m, n, 4, 4), of the poses ``q``, shape (m, nq), into ``out``."""
    _forward(
        tree.parent, tree.offset, tree.rotation, tree.scale, tree.flags,
        tree.first, tree.kind, tree.letter, tree.axis, tree.record, tree.records, q, out,
    )  # fmt: skip
