"""Poses and twists as tuples of numbers."""

from __future__ import annotations

import math

from core.kernels import EXACT, SIX, kernel

POSE = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
"""Rows of [R | p], one after the other."""
TWIST = SIX
"""[w; v]."""


@kernel(internal=True, fastmath=EXACT)
def motion(x: float, y: float, z: float, u: float, v: float, w: float) -> POSE:
    """Return the exponential of a twist; see ``core.spatial.se3.exp``."""
    xx, yy, zz = x * x, y * y, z * z
    s = xx + yy + zz
    if s < 0.25:
        c = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))) / 6.0
        b = (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0))))) / 2.0
        a = 1.0 - s * c
    else:
        t = math.sqrt(s)
        sine = math.sin(t)
        a, b, c = sine / t, 2.0 * math.sin(0.5 * t) ** 2 / s, (t - sine) / (s * t)
    f, g, h = y * w - z * v, z * u - x * w, x * v - y * u
    return (
        1.0 - b * (yy + zz), b * x * y - a * z, b * x * z + a * y, u + b * f + c * (y * h - z * g),
        b * x * y + a * z, 1.0 - b * (xx + zz), b * y * z - a * x, v + b * g + c * (z * f - x * h),
        b * x * z - a * y, b * y * z + a * x, 1.0 - b * (xx + yy), w + b * h + c * (x * g - y * f),
    )  # fmt: skip


@kernel(internal=True, fastmath=EXACT)
def product(A: POSE, B: POSE) -> POSE:
    """Return the product of two poses."""
    return (
        A[0] * B[0] + A[1] * B[4] + A[2] * B[8], A[0] * B[1] + A[1] * B[5] + A[2] * B[9],
        A[0] * B[2] + A[1] * B[6] + A[2] * B[10], A[0] * B[3] + A[1] * B[7] + A[2] * B[11] + A[3],
        A[4] * B[0] + A[5] * B[4] + A[6] * B[8], A[4] * B[1] + A[5] * B[5] + A[6] * B[9],
        A[4] * B[2] + A[5] * B[6] + A[6] * B[10], A[4] * B[3] + A[5] * B[7] + A[6] * B[11] + A[7],
        A[8] * B[0] + A[9] * B[4] + A[10] * B[8], A[8] * B[1] + A[9] * B[5] + A[10] * B[9],
        A[8] * B[2] + A[9] * B[6] + A[10] * B[10], A[8] * B[3] + A[9] * B[7] + A[10] * B[11] + A[11],
    )  # fmt: skip


@kernel(internal=True, fastmath=EXACT)
def inverse(Q: POSE) -> POSE:
    """Return the inverse of a pose."""
    return (
        Q[0], Q[4], Q[8], -(Q[0] * Q[3] + Q[4] * Q[7] + Q[8] * Q[11]),
        Q[1], Q[5], Q[9], -(Q[1] * Q[3] + Q[5] * Q[7] + Q[9] * Q[11]),
        Q[2], Q[6], Q[10], -(Q[2] * Q[3] + Q[6] * Q[7] + Q[10] * Q[11]),
    )  # fmt: skip


@kernel(internal=True, fastmath=EXACT)
def carried(Q: POSE, S: TWIST) -> TWIST:
    """Return a twist expressed in B as it is expressed in A, for the pose of B in A."""
    w0 = Q[0] * S[0] + Q[1] * S[1] + Q[2] * S[2]
    w1 = Q[4] * S[0] + Q[5] * S[1] + Q[6] * S[2]
    w2 = Q[8] * S[0] + Q[9] * S[1] + Q[10] * S[2]
    return (
        w0, w1, w2,
        Q[0] * S[3] + Q[1] * S[4] + Q[2] * S[5] + Q[7] * w2 - Q[11] * w1,
        Q[4] * S[3] + Q[5] * S[4] + Q[6] * S[5] + Q[11] * w0 - Q[3] * w2,
        Q[8] * S[3] + Q[9] * S[4] + Q[10] * S[5] + Q[3] * w1 - Q[7] * w0,
    )  # fmt: skip
