"""Values of hinges that turn the parts of a figure as they are wanted in the world, inside their limits.

What is made small is the sum over parts of ``|(R - R*) w|^2``, with ``R`` the rotation of a part, ``R*`` what is wanted
of it and ``w`` weights along its axes. About one hinge the sum is ``-(a cos t + b sin t)`` and a constant, so its best
angle is known; hinge after hinge is put there, from the root outwards, until none moves. Limits hold exactly, as each
is an interval. As every step is downhill there is no step length to choose and nothing that can fly off.
"""

from __future__ import annotations

import math

from core.kernels import F1, F2, F3, I1, kernel


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
    """Return the angle in ``low..high`` for which ``a cos(t - x) + b sin(t - x)`` is largest, near x where two are."""
    if a == 0.0 and b == 0.0:
        return x
    free = x + math.atan2(b, a)
    found = min(max(free, low), high)
    if found == free:
        return found
    # The other way round may reach it, or come nearer.
    for turns in (-2.0 * math.pi, 2.0 * math.pi):
        other = min(max(free + turns, low), high)
        if math.cos(other - free) > math.cos(found - free) + 1e-12:
            found = other
    return found


@kernel
def fit(
    parent: I1,
    fixed: F3,
    first: I1,
    hinge: I1,
    axes: F2,
    low: F1,
    high: F1,
    weights: F3,
    wanted: F3,
    rest: F1,
    near: F1,
    pull: float,
    x: F1,
    sweeps: int,
    enough: float,
    R: F3,
    K: F3,
    Q: F3,
    scratch: F3,
    n: F1,
) -> int:
    """Improve the values of a pose until no hinge turns by more than ``enough``; return how many sweeps that took.

    Args:
        parent: Parent of each joint, -1 for the root, parents first, shape (n,).
        fixed: Rotation of each joint on its parent before its degrees of freedom, shape (n, 3, 3).
        first: First degree of freedom of each joint and one past the last, shape (n + 1,).
        hinge: 1 for each degree of freedom that is a hinge, 0 for what stays, shape (d,).
        axes: Unit axes of the hinges, shape (d, 3).
        low: Lower limits, shape (d,), [rad].
        high: Upper limits, shape (d,), [rad].
        weights: ``w w^T`` of each part, in its frame, zero for those that nothing is wanted of, shape (n, 3, 3).
        wanted: Rotation of each part in the world, shape (n, 3, 3).
        rest: What values are drawn to where nothing else decides, shape (d,), [rad].
        near: What values are drawn to likewise, those of the pose before, shape (d,), [rad].
        pull: How strongly; the least weight of a part is 1.
        x: The values, changed in place, shape (d,), [rad].
        sweeps: Most sweeps.
        enough: [rad].
        R: Scratch memory; at the end the rotation of each part in the world, shape (n, 3, 3).
        K: Scratch memory, shape (n, 3, 3).
        Q: Scratch memory, shape (n, 3, 3).
        scratch: Scratch memory, shape (4, 3, 3).
        n: Scratch memory, shape (3,).
    """
    A, B, C, own = scratch[0], scratch[1], scratch[2], scratch[3]
    joints = len(parent)
    for sweep in range(sweeps):
        # Where all parts are, and what each with all beyond it wants of a turn.
        for j in range(joints):
            if parent[j] >= 0:
                product(R[parent[j]], fixed[j], A)
            else:
                copied(fixed[j], A)
            for k in range(first[j], first[j + 1]):
                if hinge[k] == 1:
                    turn(axes[k], x[k], B)
                    product(A, B, C)
                    copied(C, A)
            copied(A, R[j])
            product(A, weights[j], B)
            for r in range(3):
                for c in range(3):
                    K[j][r, c] = B[r, 0] * wanted[j][c, 0] + B[r, 1] * wanted[j][c, 1] + B[r, 2] * wanted[j][c, 2]
        for j in range(joints - 1, 0, -1):
            for r in range(3):
                for c in range(3):
                    K[parent[j]][r, c] += K[j][r, c]
        # From the root outwards; Q is what a joint's hinges and all before them have been turned by since.
        moved = 0.0
        for j in range(joints):
            if parent[j] >= 0:
                copied(Q[parent[j]], Q[j])
                product(R[parent[j]], fixed[j], own)
            else:
                for r in range(3):
                    for c in range(3):
                        Q[j][r, c] = 1.0 if r == c else 0.0
                copied(fixed[j], own)
            if first[j + 1] > first[j]:
                product(Q[j], K[j], A)
                copied(A, K[j])
            for k in range(first[j], first[j + 1]):
                if hinge[k] == 0:
                    continue
                for r in range(3):
                    n[r] = own[r, 0] * axes[k, 0] + own[r, 1] * axes[k, 1] + own[r, 2] * axes[k, 2]
                M = K[j]
                along = 0.0
                for r in range(3):
                    along += n[r] * (M[r, 0] * n[0] + M[r, 1] * n[1] + M[r, 2] * n[2])
                a = M[0, 0] + M[1, 1] + M[2, 2] - along
                b = n[0] * (M[1, 2] - M[2, 1]) + n[1] * (M[2, 0] - M[0, 2]) + n[2] * (M[0, 1] - M[1, 0])
                a += pull * (math.cos(rest[k] - x[k]) + math.cos(near[k] - x[k]))
                b += pull * (math.sin(rest[k] - x[k]) + math.sin(near[k] - x[k]))
                value = best(x[k], a, b, low[k], high[k])
                change = value - x[k]
                if change != 0.0:
                    moved = max(moved, abs(change))
                    x[k] = value
                    turn(n, change, B)
                    product(B, K[j], A)
                    copied(A, K[j])
                    product(B, Q[j], A)
                    copied(A, Q[j])
                turn(axes[k], x[k], B)
                product(own, B, C)
                copied(C, own)
            copied(own, R[j])
        if moved <= enough:
            return sweep + 1
    return sweeps
