"""Values of hinges that turn the parts of a figure as they are wanted in the world, inside their limits.

What is made small is the sum over parts of ``|(R - R*) w|^2``, with ``R`` the rotation of a part, ``R*`` what is wanted
of it and ``w`` weights along its axes, and over points of ``v |p - p*|^2``. About one hinge the sum is
``-(a cos t + b sin t)`` and a constant, so its best angle is known; hinge after hinge is put there, from the root
outwards, then the root where the points want it in the mean, until nothing moves. Limits hold exactly, as each is an
interval. As every step is downhill there is no step length to choose and nothing that can fly off.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from core.kernels import F1, F2, F3, I1, kernel

FARTHER = 1.5
"""How much farther a hinge goes than its own best: parts in a row get there in fewer sweeps (over-relaxation)."""


class Figure(NamedTuple):
    """What turns.

    Attributes:
        parent: Parent of each joint, -1 for the root, parents first, shape (n,).
        fixed: Rotation of each joint on its parent before its degrees of freedom, shape (n, 3, 3).
        offset: Where each joint is in its parent's frame, shape (n, 3), [m].
        first: First degree of freedom of each joint and one past the last, shape (n + 1,).
        hinge: 1 for each degree of freedom that is a hinge, 0 for what stays, shape (d,).
        axes: Unit axes of the hinges, shape (d, 3).
        low: Lower limits, shape (d,), [rad].
        high: Upper limits, shape (d,), [rad].
    """

    parent: I1
    fixed: F3
    offset: F2
    first: I1
    hinge: I1
    axes: F2
    low: F1
    high: F1


class Wanted(NamedTuple):
    """How parts are to be turned.

    Attributes:
        weights: ``w w^T`` of each part, in its frame, zero for those that nothing is wanted of, shape (n, 3, 3).
        turns: Rotation of each part in the world, shape (n, 3, 3).
    """

    weights: F3
    turns: F3


class Points(NamedTuple):
    """Where points are to be.

    Attributes:
        joint: The joint that each moves with, shape (k,).
        own: Where it is in that joint's frame, shape (k, 3), [m].
        wanted: Where it is to be in the world, shape (k, 3), [m].
        weight: How much that counts, shape (k,), [1/m^2].
    """

    joint: I1
    own: F2
    wanted: F2
    weight: F1


class Work(NamedTuple):
    """Scratch memory; at the end ``R`` and ``P`` are the rotation and the place of each part in the world.

    ``K`` and ``M`` are what parts and points at and beyond a joint want, ``s``, ``u`` and ``v`` sums over the points of
    ``v p*``, ``v p`` and ``v``; ``Q`` and ``T`` how a joint has moved since these were made.
    """

    R: F3
    K: F3
    M: F3
    Q: F3
    P: F2
    T: F2
    u: F2
    s: F2
    v: F1
    scratch: F3
    axis: F1
    shift: F1


@kernel(internal=True)
def product(a: F2, b: F2, out: F2) -> None:
    """Write the product of two 3 x 3 matrices; ``out`` is neither of them."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@kernel(internal=True)
def copied(a: F2, out: F2) -> None:
    """Write a 3 x 3 matrix."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, j]


@kernel(internal=True)
def turn(axis: F1, angle: float, out: F2) -> None:
    """Write the rotation about a unit axis, [rad], shape (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z, d = axis[0], axis[1], axis[2], 1.0 - math.cos(angle)
    out[0, 0], out[0, 1], out[0, 2] = c + d * x * x, d * x * y - s * z, d * x * z + s * y
    out[1, 0], out[1, 1], out[1, 2] = d * x * y + s * z, c + d * y * y, d * y * z - s * x
    out[2, 0], out[2, 1], out[2, 2] = d * x * z - s * y, d * y * z + s * x, c + d * z * z


@kernel(internal=True)
def best(x: float, a: float, b: float, low: float, high: float) -> float:
    """Return where ``a cos(t - x) + b sin(t - x)`` peaks, or the angle in ``low..high`` before it on the way from x."""
    if a == 0.0 and b == 0.0:
        return min(max(x, low), high)
    return min(max(x + math.atan2(b, a), low), high)


@kernel(internal=True)
def gathered(figure: Figure, parts: Wanted, points: Points, x: F1, place: F1, work: Work) -> None:
    """Put all parts where values have them, and gather what each with all beyond it wants of a turn; see ``fit``."""
    parent, first = figure.parent, figure.first
    R, K, M, P, u, s, v = work.R, work.K, work.M, work.P, work.u, work.s, work.v
    A, B, C, n = work.scratch[0], work.scratch[1], work.scratch[2], work.axis
    joints = len(parent)
    for j in range(joints):
        i = parent[j]
        if i >= 0:
            product(R[i], figure.fixed[j], A)
            for r in range(3):
                P[j, r] = P[i, r]
                for c in range(3):
                    P[j, r] += R[i][r, c] * figure.offset[j, c]
        else:
            copied(figure.fixed[j], A)
            for r in range(3):
                P[j, r] = place[r]
        for k in range(first[j], first[j + 1]):
            if figure.hinge[k] == 1:
                turn(figure.axes[k], x[k], B)
                product(A, B, C)
                copied(C, A)
        copied(A, R[j])
        product(A, parts.weights[j], B)
        v[j] = 0.0
        for r in range(3):
            u[j, r], s[j, r] = 0.0, 0.0
            for c in range(3):
                M[j][r, c] = 0.0
                K[j][r, c] = 0.0
                for h in range(3):
                    K[j][r, c] += B[r, h] * parts.turns[j][c, h]
    for m in range(len(points.joint)):
        j, w = points.joint[m], points.weight[m]
        v[j] += w
        for r in range(3):
            n[r] = P[j, r]
            for c in range(3):
                n[r] += R[j][r, c] * points.own[m, c]
            u[j, r] += w * n[r]
            s[j, r] += w * points.wanted[m, r]
        for r in range(3):
            for c in range(3):
                M[j][r, c] += w * n[r] * points.wanted[m, c]
    for j in range(joints - 1, 0, -1):
        i = parent[j]
        v[i] += v[j]
        for r in range(3):
            u[i, r] += u[j, r]
            s[i, r] += s[j, r]
            for c in range(3):
                K[i][r, c] += K[j][r, c]
                M[i][r, c] += M[j][r, c]


@kernel(internal=True)
def sweep(figure: Figure, rest: F1, near: F1, pull: float, reach: float, x: F1, place: F1, work: Work) -> float:
    """Turn every hinge to where it is best, from the root outwards; return the farthest that anything went.

    What a joint and all before it have moved it by meanwhile is, first, a turn ``Q`` and, second, a shift ``T``.
    """
    parent, first = figure.parent, figure.first
    R, K, M, Q, P, T, u, s, v = work.R, work.K, work.M, work.Q, work.P, work.T, work.u, work.s, work.v
    A, B, C, own, n = work.scratch[0], work.scratch[1], work.scratch[2], work.scratch[3], work.axis
    moved = 0.0
    for j in range(len(parent)):
        i = parent[j]
        if i >= 0:
            copied(Q[i], Q[j])
            product(R[i], figure.fixed[j], own)
            for r in range(3):
                T[j, r], P[j, r] = T[i, r], P[i, r]
                for c in range(3):
                    P[j, r] += R[i][r, c] * figure.offset[j, c]
        else:
            for r in range(3):
                T[j, r] = FARTHER * (s[j, r] - u[j, r]) / v[j] if v[j] > 0.0 else 0.0
                place[r] += T[j, r]
                moved = max(moved, abs(T[j, r]))
                P[j, r] = place[r]
                for c in range(3):
                    Q[j][r, c] = 1.0 if r == c else 0.0
            copied(figure.fixed[j], own)
        if first[j + 1] > first[j]:
            product(Q[j], K[j], A)
            copied(A, K[j])
            # The same of the points, counted from the joint.
            for r in range(3):
                n[r] = v[j] * T[j, r]
                for c in range(3):
                    n[r] += Q[j][r, c] * u[j, c]
            product(Q[j], M[j], A)
            for r in range(3):
                for c in range(3):
                    A[r, c] += T[j, r] * s[j, c] - P[j, r] * s[j, c] - n[r] * P[j, c] + v[j] * P[j, r] * P[j, c]
                    K[j][r, c] += A[r, c]
        for k in range(first[j], first[j + 1]):
            if figure.hinge[k] == 0:
                continue
            axis = figure.axes[k]
            for r in range(3):
                n[r] = own[r, 0] * axis[0] + own[r, 1] * axis[1] + own[r, 2] * axis[2]
            G = K[j]
            along = 0.0
            for r in range(3):
                along += n[r] * (G[r, 0] * n[0] + G[r, 1] * n[1] + G[r, 2] * n[2])
            a = G[0, 0] + G[1, 1] + G[2, 2] - along
            b = n[0] * (G[1, 2] - G[2, 1]) + n[1] * (G[2, 0] - G[0, 2]) + n[2] * (G[0, 1] - G[1, 0])
            a += pull * (math.cos(rest[k] - x[k]) + math.cos(near[k] - x[k]))
            b += pull * (math.sin(rest[k] - x[k]) + math.sin(near[k] - x[k]))
            low, high = max(figure.low[k], near[k] - reach), min(figure.high[k], near[k] + reach)
            change = best(x[k], a, b, low, high) - x[k]
            change = min(max(x[k] + FARTHER * change, low), high) - x[k]
            if change != 0.0:
                moved = max(moved, abs(change))
                x[k] += change
                turn(n, change, B)
                product(B, K[j], A)
                copied(A, K[j])
                product(B, Q[j], A)
                copied(A, Q[j])
                for r in range(3):
                    work.shift[r] = P[j, r]
                    for c in range(3):
                        work.shift[r] += B[r, c] * (T[j, c] - P[j, c])
                for r in range(3):
                    T[j, r] = work.shift[r]
            turn(axis, x[k], B)
            product(own, B, C)
            copied(C, own)
        copied(own, R[j])
    return moved


@kernel
def fit(
    figure: Figure,
    parts: Wanted,
    points: Points,
    rest: F1,
    near: F1,
    pull: float,
    reach: float,
    x: F1,
    place: F1,
    sweeps: int,
    enough: float,
    work: Work,
) -> int:
    """Improve the values of a pose until nothing moves by more than ``enough``; return how many sweeps that took.

    Args:
        figure: The figure.
        parts: How its parts are to be turned.
        points: Where points of it are to be.
        rest: What values are drawn to where nothing else decides, shape (d,), [rad].
        near: What values are drawn to likewise, those of the pose before, shape (d,), [rad].
        pull: How strongly; the least weight of a part is 1.
        reach: How far values may be from those of the pose before, [rad].
        x: The values, changed in place, shape (d,), [rad].
        place: Where the root is in the world, changed in place, shape (3,), [m].
        sweeps: Most sweeps.
        enough: [rad] and [m].
        work: Scratch memory.
    """
    for number in range(sweeps):
        gathered(figure, parts, points, x, place, work)
        if sweep(figure, rest, near, pull, reach, x, place, work) <= enough:
            return number + 1
    return sweeps
