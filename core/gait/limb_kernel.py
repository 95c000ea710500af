"""A limb brought to where its foot should be, pose by pose, by damped least squares on points of the foot."""

from __future__ import annotations

import numpy as np

from core.arrays import Array, Ints
from core.kernels import EXACT, F1, F2, F3, F4, I1, kernel
from core.kinematics.cholesky_kernel import solve_positive
from core.kinematics.forward_kernel import _forward
from core.kinematics.jacobian_kernel import point_rows
from core.skeleton.tree import Tree

STEPS = 14
CLOSE = 1e-11
"""No point is farther from where it should be, [m]: then it is there."""
_AT, _MOST = 1e-9, 0.3  # [rad]: so near its limit a hinge is at it; no hinge turns farther in a step
_SMALLER, _LARGER = 0.1, 8.0  # what a step that was right or wrong makes of the damping


@kernel(fastmath=EXACT)
def _errors(X: F2, marks: F2, goals: F1, error: F1) -> float:
    """Write where points of a frame should be from where they are; return the largest part of that."""
    worst = 0.0
    for n in range(len(marks)):
        for i in range(3):
            there = X[i, 3] + X[i, 0] * marks[n, 0] + X[i, 1] * marks[n, 1] + X[i, 2] * marks[n, 2]
            error[3 * n + i] = goals[3 * n + i] - there
            worst = max(worst, abs(error[3 * n + i]))
    return worst


@kernel(fastmath=EXACT)
def _step(J: F2, free: I1, error: F1, damping: float, A: F2, y: F1) -> None:
    """Write the damped step of the hinges that are free into ``y``; others do not turn."""
    count, size = J.shape
    for a in range(count):
        total = 0.0
        for i in range(size):
            total += J[a, i] * error[i]
        y[a] = total if free[a] else 0.0
        for b in range(a + 1):
            total = damping if a == b else 0.0
            if free[a] and free[b]:
                for i in range(size):
                    total += J[a, i] * J[b, i]
            A[a, b] = total
    solve_positive(A, y, count)


@kernel(nogil=True, fastmath=EXACT)
def _bring(
    parent: I1, offset: F2, rotation: F3, scale: F2, flags: I1, first: I1, kind: I1, letter: I1, axis: F2, record: I1,
    records: F1, q: F2, joint: int, marks: F2, goals: F2, columns: I1, ease: F1, low: F1, high: F1, damped: float,
    path: I1, linears: F3, rows: F2, tried: F2, X: F4, J: F2, A: F2, y: F1, error: F1, other: F1, free: I1,
) -> None:  # fmt: skip
    """Change the columns of each pose of ``q`` so that the marks of a joint come to their goals, in place."""
    count = len(columns)
    for m in range(len(q)):
        damping = damped
        for k in range(q.shape[1]):
            tried[0, k] = q[m, k]
        _forward(parent, offset, rotation, scale, flags, first, kind, letter, axis, record, records, tried, X)
        worst = _errors(X[0, joint], marks, goals[m], error)
        for _ in range(STEPS):
            if worst <= CLOSE:
                break
            for n in range(len(marks)):
                point_rows(
                    parent, offset, rotation, scale, first, kind, axis, record, records, q[m], joint, marks[n], path,
                    linears, rows,
                )  # fmt: skip
                for a in range(count):
                    for i in range(3):
                        J[a, 3 * n + i] = ease[a] * rows[i, columns[a]]
            for a in range(count):
                free[a] = 1
            _step(J, free, error, damping, A, y)
            blocked = 0
            for a in range(count):  # a hinge that would turn beyond its limit does not turn
                at = q[m, columns[a]]
                if (at <= low[a] + _AT and y[a] < 0.0) or (at >= high[a] - _AT and y[a] > 0.0):
                    free[a] = 0
                    blocked += 1
            if blocked > 0:
                _step(J, free, error, damping, A, y)
            for a in range(count):
                turned = q[m, columns[a]] + min(max(ease[a] * y[a], -_MOST), _MOST)
                tried[0, columns[a]] = min(max(turned, low[a]), high[a])
            _forward(parent, offset, rotation, scale, flags, first, kind, letter, axis, record, records, tried, X)
            left = _errors(X[0, joint], marks, goals[m], other)
            before = after = 0.0
            for i in range(len(error)):
                before += error[i] * error[i]
                after += other[i] * other[i]
            if after < before:
                worst = left
                damping *= _SMALLER
                for a in range(count):
                    q[m, columns[a]] = tried[0, columns[a]]
                for i in range(len(error)):
                    error[i] = other[i]
            else:
                damping *= _LARGER


def bring(tree: Tree, q: Array, joint: int, marks: Array, goals: Array, columns: Ints, ease: Array, limits: Array,
          damped: float) -> None:  # fmt: skip
    """Bring marks of a joint to goals by some columns of poses, in place, or as near as they get.

    Args:
        tree: The figure.
        q: Poses, shape (m, nq).
        joint: The joint.
        marks: Points in its frame, shape (k, 3), [m].
        goals: Where they should be in each pose, shape (m, 3 k), [m].
        columns: What of a pose may change, shape (c,).
        ease: How readily each does, shape (c,).
        limits: Its limits, shape (2, c).
        damped: What the damping begins with, [m^2].

    Source: Marquardt (1963), "An algorithm for least-squares estimation of nonlinear parameters", Journal of the
    Society for Industrial and Applied Mathematics 11, 431-441.
    """
    nq, n, c, size = q.shape[1], len(tree.parent), len(columns), goals.shape[1]
    _bring(
        tree.parent, tree.offset, tree.rotation, tree.scale, tree.flags, tree.first, tree.kind, tree.letter, tree.axis,
        tree.record, tree.records, q, joint, marks, goals, columns, ease, limits[0].copy(), limits[1].copy(), damped,
        np.empty(n, dtype=np.int64), np.empty((nq - 1, 3, 3)), np.empty((6, nq)), np.empty((1, nq)),
        np.empty((1, n, 4, 4)), np.empty((c, size)), np.empty((c, c)), np.empty(c), np.empty(size), np.empty(size),
        np.empty(c, dtype=np.int64),
    )  # fmt: skip
