"""Poses in and out of an inverse-kinematics problem: numpy takes longer for so few numbers than a solver does."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, F3, I1, kernel
from core.kinematics.goal import LARGEST


@kernel(fastmath=EXACT)
def clamp_values(q: F1, lower: F1, upper: F1) -> bool:
    """Bring a pose inside its limits; return False, with some of it as it was, if a number is NaN or absurd."""
    for k in range(len(q)):
        if not (-LARGEST <= q[k] <= LARGEST):
            return False
        if not q[k] > lower[k]:
            q[k] = lower[k]
        if not q[k] < upper[k]:
            q[k] = upper[k]
    return True


@kernel(fastmath=EXACT)
def take(q: F1, q_index: I1, unit: F1, size: float, fixed: bool, x: F1, base: F3) -> None:
    """Write the values of a problem's nodes from a pose, and the frame in which a root sits.

    Args:
        q: Pose, shape (nq,), [m] and [rad].
        q_index: Which of its values each node has, shape (K,).
        unit: What these are divided by, shape (K,).
        size: W, [m].
        fixed: Whether the root's translation is part of the frame, and no node's.
        x: Shape (K,); written.
        base: The frame [M | t] and its rotation, shape (2, 3, 4); written.
    """
    for k in range(len(x)):
        x[k] = q[q_index[k]] / unit[k]
    for h in range(2):
        for i in range(3):
            for j in range(4):
                base[h, i, j] = 1.0 if i == j else 0.0
    if fixed:
        for i in range(3):
            base[0, i, 3] = q[i] / size


@kernel(fastmath=EXACT)
def put(x: F1, unit: F1, lower: F1, upper: F1, q_index: I1, q: F1) -> None:
    """Write the values of a problem's nodes into a pose, inside the limits of its values, shape (K,) each."""
    for k in range(len(x)):
        # Lengths come back from units of W: rounding must not carry them over a limit.
        value = x[k] * unit[k]
        if not value > lower[k]:
            value = lower[k]
        if not value < upper[k]:
            value = upper[k]
        q[q_index[k]] = value


@kernel(fastmath=EXACT)
def put_errors(merits: F1, size: float, errors: F1) -> None:
    """Write the least error so far, [m], from merits as ``record`` wrote them, in units of W squared."""
    least = math.inf
    for k in range(len(errors)):
        if not merits[k] >= least:
            least = merits[k]
        errors[k] = math.sqrt(least) * size


@kernel(fastmath=EXACT)
def aim(position: F1, size: float, g: int, target: F2) -> None:
    """Write where the point of goal g should be, in units of W."""
    for i in range(3):
        target[g, i] = position[i] / size
