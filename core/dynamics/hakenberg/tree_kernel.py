"""Forces and accelerations of jointed bodies in time linear in their number.

The matrix of (6) has a block for every two joints that share a body: it is full where many joints are on one. With the
bodies' motions as unknowns beside the joints' forces it is a tree's, and eliminating it from the tips, a body and then
the joint before it, fills in nothing. What is left of a body and all beyond it is its articulated inertia.

Motions are ``[alpha; a]`` and forces ``[t; f]`` of a point, in world axes; an inertia with its force takes seven rows
of six numbers, ``K A + P``.

Source: Hakenberg (3), (4) and (6); Featherstone's articulated bodies; Baraff (1996) for the order.
"""

from __future__ import annotations

import math

from core.kernels import F1, F2, F3, I1, I2, kernel

JOINT, BEYOND, BEFORE, SIGN = range(4)
"""What a row of ``order`` holds."""
P = 6
"""Row of the force below an inertia."""


@kernel(linked=True)
def solve(
    order: I2, roots: I1, masses: F1, inertias: F3, arms: F3, axes: F2, loads: F2, turning: F2, moving: F2,
    bodies: F3, joints: F3, free: F2, moved: F2, motions: F2, forces: F2,
) -> bool:  # fmt: skip
    """Write the bodies' motions and the joints' forces; return whether every pivot was positive.

    Args:
        order: Rows of ``Topology.order``.
        roots: Bodies that float.
        masses: Shape (nb,).
        inertias: About the centres in world axes, shape (nb, 3, 3).
        arms: From the centres of the two bodies of a joint to it, shape (n, 2, 3).
        axes: Unit axes of hinges, zero for spherical joints, shape (n, 3).
        loads: Forces on the bodies at their centres, shape (nb, 6).
        turning: What the angular motion of body ``E(j, 1)`` must be more than that of ``E(j, 2)``, across the axis of a
            hinge; zero for spherical joints, shape (n, 3).
        moving: The same of the joint's place, shape (n, 3).
        bodies: For the articulated inertias about the centres, shape (nb, 7, 6).
        joints: The same about the joints, shape (n, 7, 6).
        free: For one with the joint's free motion eliminated, shape (7, 6).
        moved: For that about the centre of the body before, shape (7, 6).
        motions: Written: of the centres, shape (nb, 6).
        forces: Written: on body ``E(j, 1)`` at the joint, shape (n, 6).
    """
    for i in range(len(masses)):
        for a in range(6):
            for b in range(6):
                bodies[i, a, b] = 0.0
            bodies[i, P, a] = -loads[i, a]
        for a in range(3):
            bodies[i, 3 + a, 3 + a] = masses[i]
            for b in range(3):
                bodies[i, a, b] = inertias[i, a, b]
    for k in range(len(order)):
        j, i, parent, side = order[k, JOINT], order[k, BEYOND], order[k, BEFORE], (1 - order[k, SIGN]) // 2
        carry(bodies[i], arms[j, side], 1.0, joints[j])
        for a in range(7):
            for b in range(6):
                free[a, b] = joints[j, a, b]
        if not release(free, axes[j]):
            return False
        if parent >= 0:
            wanted = motions[i]
            demand(turning[j], moving[j], float(order[k, SIGN]), wanted)
            for a in range(6):
                for b in range(6):
                    free[P, a] += free[a, b] * wanted[b]
            carry(free, arms[j, 1 - side], -1.0, moved)
            for a in range(7):
                for b in range(6):
                    bodies[parent, a, b] += moved[a, b]
    for k in range(len(roots)):
        if not rest(bodies[roots[k]], motions[roots[k]]):
            return False
    for k in range(len(order) - 1, -1, -1):
        j, i, parent, side = order[k, JOINT], order[k, BEYOND], order[k, BEFORE], (1 - order[k, SIGN]) // 2
        sign = float(order[k, SIGN])
        A, F = motions[i], forces[j]
        demand(turning[j], moving[j], sign, A)
        if parent >= 0:
            B = motions[parent]
            for a in range(6):
                A[a] += B[a]
            cross_to(B, arms[j, 1 - side], 1.0, A)
        follow(joints[j], axes[j], A, F)
        for a in range(6):
            F[a] *= sign
        cross_to(A, arms[j, side], -1.0, A)
    return True


@kernel(inline=True)
def demand(turning: F1, moving: F1, sign: float, A: F1) -> None:
    """Write the motion that a joint demands of the body beyond it against the one before it."""
    for a in range(3):
        A[a] = sign * turning[a]
        A[3 + a] = sign * moving[a]


@kernel(inline=True)
def cross_to(B: F1, r: F1, factor: float, A: F1) -> None:
    """Add ``factor alpha x r``, with the angular part of B, to the linear part of A."""
    x, y, z = B[1] * r[2] - B[2] * r[1], B[2] * r[0] - B[0] * r[2], B[0] * r[1] - B[1] * r[0]
    A[3] += factor * x
    A[4] += factor * y
    A[5] += factor * z


@kernel(internal=True)
def carry(K: F2, r: F1, factor: float, out: F2) -> None:
    """Write an inertia and its force as seen from another point, ``T^T K T`` with ``T = [[1, 0], [factor [r], 1]]``."""
    x, y, z = factor * r[0], factor * r[1], factor * r[2]
    for a in range(6):
        m0, m1, m2 = K[a, 3], K[a, 4], K[a, 5]
        out[a, 0] = K[a, 0] + m1 * z - m2 * y
        out[a, 1] = K[a, 1] + m2 * x - m0 * z
        out[a, 2] = K[a, 2] + m0 * y - m1 * x
        out[a, 3], out[a, 4], out[a, 5] = m0, m1, m2
    for b in range(6):
        m0, m1, m2 = out[3, b], out[4, b], out[5, b]
        out[0, b] += m1 * z - m2 * y
        out[1, b] += m2 * x - m0 * z
        out[2, b] += m0 * y - m1 * x
    m0, m1, m2 = K[P, 3], K[P, 4], K[P, 5]
    out[P, 0] = K[P, 0] + m1 * z - m2 * y
    out[P, 1] = K[P, 1] + m2 * x - m0 * z
    out[P, 2] = K[P, 2] + m0 * y - m1 * x
    out[P, 3], out[P, 4], out[P, 5] = m0, m1, m2


@kernel(internal=True)
def release(K: F2, axis: F1) -> bool:
    """Eliminate the motion that a joint leaves free, about its axis or about all; return whether it has mass."""
    if axis[0] != 0.0 or axis[1] != 0.0 or axis[2] != 0.0:
        return turn_freely(K, axis[0], axis[1], axis[2])
    return turn_freely(K, 1.0, 0.0, 0.0) and turn_freely(K, 0.0, 1.0, 0.0) and turn_freely(K, 0.0, 0.0, 1.0)


@kernel(internal=True)
def turn_freely(K: F2, x: float, y: float, z: float) -> bool:
    """Eliminate turning about an axis: ``K - K s s^T K / s^T K s``; return whether the pivot is positive."""
    u0 = K[0, 0] * x + K[0, 1] * y + K[0, 2] * z
    u1 = K[1, 0] * x + K[1, 1] * y + K[1, 2] * z
    u2 = K[2, 0] * x + K[2, 1] * y + K[2, 2] * z
    u3 = K[3, 0] * x + K[3, 1] * y + K[3, 2] * z
    u4 = K[4, 0] * x + K[4, 1] * y + K[4, 2] * z
    u5 = K[5, 0] * x + K[5, 1] * y + K[5, 2] * z
    pivot = u0 * x + u1 * y + u2 * z
    if not pivot > 0.0:
        return False
    effort = (K[P, 0] * x + K[P, 1] * y + K[P, 2] * z) / pivot
    for a in range(6):
        u = u0 if a == 0 else u1 if a == 1 else u2 if a == 2 else u3 if a == 3 else u4 if a == 4 else u5
        share = u / pivot
        K[a, 0] -= share * u0
        K[a, 1] -= share * u1
        K[a, 2] -= share * u2
        K[a, 3] -= share * u3
        K[a, 4] -= share * u4
        K[a, 5] -= share * u5
        K[P, a] -= u * effort
    return True


@kernel(internal=True)
def follow(K: F2, axis: F1, A: F1, F: F1) -> None:
    """Add to a motion what a joint leaves free, so that it passes on no torque there; write the force."""
    through(K, A, F)
    if axis[0] != 0.0 or axis[1] != 0.0 or axis[2] != 0.0:
        x, y, z = axis[0], axis[1], axis[2]
        u0 = K[0, 0] * x + K[0, 1] * y + K[0, 2] * z
        u1 = K[1, 0] * x + K[1, 1] * y + K[1, 2] * z
        u2 = K[2, 0] * x + K[2, 1] * y + K[2, 2] * z
        rate = (F[0] * x + F[1] * y + F[2] * z) / (u0 * x + u1 * y + u2 * z)
        A[0] -= rate * x
        A[1] -= rate * y
        A[2] -= rate * z
    else:  # L D L^T of the three by three block, by its rows
        d0 = K[0, 0]
        l1, l2 = K[1, 0] / d0, K[2, 0] / d0
        d1 = K[1, 1] - l1 * K[1, 0]
        m = (K[2, 1] - l2 * K[1, 0]) / d1
        d2 = K[2, 2] - l2 * K[2, 0] - m * m * d1
        y0 = F[0]
        y1 = F[1] - l1 * y0
        y2 = F[2] - l2 * y0 - m * y1
        s2 = y2 / d2
        s1 = y1 / d1 - m * s2
        A[0] -= y0 / d0 - l1 * s1 - l2 * s2
        A[1] -= s1
        A[2] -= s2
    through(K, A, F)


@kernel(internal=True)
def through(K: F2, A: F1, F: F1) -> None:
    """Write ``K A + P``."""
    for a in range(6):
        F[a] = K[P, a]
        for b in range(6):
            F[a] += K[a, b] * A[b]


@kernel(internal=True)
def rest(K: F2, A: F1) -> bool:
    """Write the motion with ``K A + P = 0``; K is lost. Return whether every pivot is positive."""
    for a in range(6):
        for b in range(a + 1):
            total = K[a, b]
            for c in range(b):
                total -= K[a, c] * K[b, c]
            if a == b:
                if not total > 0.0:
                    return False
                K[a, a] = math.sqrt(total)
            else:
                K[a, b] = total / K[b, b]
    for a in range(6):
        total = -K[P, a]
        for c in range(a):
            total -= K[a, c] * A[c]
        A[a] = total / K[a, a]
    for a in range(5, -1, -1):
        total = A[a]
        for c in range(a + 1, 6):
            total -= K[c, a] * A[c]
        A[a] = total / K[a, a]
    return True
