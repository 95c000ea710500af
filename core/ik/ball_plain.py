"""The closed-form step of a joint that turns about three axes: one rotation, with numpy."""

from __future__ import annotations

import math

import numpy as np

from core.skeleton.skeleton import Array
from core.spatial import so3

STILL = 1e-12
"""Sine of the angle between two arms, or part of ``B``, under which no rotation is better than another."""
PREFERENCE = 1e-6
"""How much of ``B`` is added for no rotation at all, so that among equally good ones the smallest is taken."""
LOCKED = 1e-9
"""Sine of the angle between the first and the third axis under which the first stays as it is."""


def arc(current: Array, desired: Array) -> tuple[bool, Array]:
    """Return whether there is one shortest arc from an arm to another, and its rotation vector.

    Args:
        current: From the joint to the end-effector, shape (3,).
        desired: From the joint to where it should be, shape (3,).
    """
    normal = np.cross(current, desired)
    sine, cosine = math.sqrt(float(normal @ normal)), float(current @ desired)
    if sine <= STILL * math.sqrt(float(current @ current) * float(desired @ desired)):
        return cosine > 0.0, np.zeros(3)
    return True, normal * (math.atan2(sine, cosine) / sine)


def best_rotation(B: Array) -> tuple[bool, Array]:
    """Return whether there is one rotation R that maximises ``sum_i d_i . R c_i``, and its rotation vector.

    Source: Wahba's problem, solved by singular value decomposition (Kabsch 1976, Markley 1988). The compiled twin
    solves it by Markley's fast optimal attitude matrix (1993) and Newton's method.

    Args:
        B: ``sum_i d_i c_i^T``, shape (3, 3).
    """
    size = math.sqrt(float(np.sum(B * B)))
    if not size > 0.0:
        return False, np.zeros(3)
    U, s, Vt = np.linalg.svd(B / size + PREFERENCE * np.eye(3))
    handed = math.copysign(1.0, float(np.linalg.det(U) * np.linalg.det(Vt)))
    if s[1] + handed * s[2] <= STILL:
        return False, np.zeros(3)
    return True, so3.log(U @ np.diag([1.0, 1.0, handed]) @ Vt)


def three_angles(fixed: Array, last: int, D: Array, near: Array) -> tuple[float, float, float]:
    """Return by how much three hinges must turn further to give a rotation, the way that turns them least.

    With ``D = Rz(a) F2 Rz(t2) F3 Rz(t3)``, where a is what the first turns further, the third column of D tells t2
    up to a sign, and with it the others.

    Args:
        fixed: ``Nodes.fixed``, shape (K, 3, 4).
        last: Node of the last hinge; the others come right before it.
        D: Rotation wanted after the last hinge in the present frame of the first, shape (3, 3).
        near: Present angles, shape (3,).

    Source: Davenport's general angles, both solutions, as ``core.spatial.three_axes`` does for many at once.
    """
    F2, F3 = fixed[last - 1, :, :3], fixed[last, :, :3]
    row, f = F2[2], F3[:, 2]
    a, b, c = row[0] * f[0] + row[1] * f[1], row[1] * f[0] - row[0] * f[1], row[2] * f[2]
    rest = 1.0 - (a * a + b * b) + c * c
    rest = 0.0 if abs(rest) < 1e-14 else rest
    square = D[0, 2] ** 2 + D[1, 2] ** 2 - (rest - 2.0 * D[2, 2] * c)
    opening, phase = math.atan2(math.sqrt(max(square, 0.0)), D[2, 2] - c), math.atan2(b, a)
    best, least = (0.0, 0.0, 0.0), math.inf
    for second in (phase + opening, phase - opening):
        v = F2 @ so3.axis_rotation("z", second) @ f
        locked = math.hypot(v[0], v[1]) <= LOCKED
        first = 0.0 if locked else math.atan2(v[0] * D[1, 2] - v[1] * D[0, 2], v[0] * D[0, 2] + v[1] * D[1, 2])
        rest_ = F3.T @ so3.axis_rotation("z", -second) @ F2.T @ so3.axis_rotation("z", -first) @ D[:, 0]
        third = math.atan2(rest_[1], rest_[0])
        steps = first, math.remainder(second - near[1], math.tau), math.remainder(third - near[2], math.tau)
        total = sum(step * step for step in steps)
        if total < least:
            best, least = steps, total
    return best
