"""Wahba's problem: the one rotation that brings vectors nearest to others, and its angles about three axes."""

from __future__ import annotations

import math

from core.kernels import F3, FOUR, THREE, kernel
from core.kinematics.nodes_kernel import rotation_vector

LOCKED = 1e-9
"""Sine of the angle between the first and the third axis under which the first stays as it is."""
PREFERENCE = 1e-6
"""How much of ``B`` is added for no rotation at all, so that among equally good ones the smallest is taken."""
STILL = 1e-12
"""Sine of the angle between two arms, or part of ``B``, under which no rotation is better than another; and squared
sine by which a rotation may miss what three hinges can give."""

TAU = 2.0 * math.pi
_NEWTON_STEPS = 60
_POLISH_STEPS = 2


@kernel
def arc(c0: float, c1: float, c2: float, d0: float, d1: float, d2: float) -> FOUR:
    """Return whether there is one shortest arc from an arm to another, 1 or 0, and its rotation vector.

    Args:
        c0, c1, c2: From the joint to the end-effector.
        d0, d1, d2: From the joint to where it should be.
    """
    n0, n1, n2 = c1 * d2 - c2 * d1, c2 * d0 - c0 * d2, c0 * d1 - c1 * d0
    sine, cosine = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2), c0 * d0 + c1 * d1 + c2 * d2
    if sine <= STILL * math.sqrt((c0 * c0 + c1 * c1 + c2 * c2) * (d0 * d0 + d1 * d1 + d2 * d2)):
        return 1.0 if cosine > 0.0 else 0.0, 0.0, 0.0, 0.0
    a = math.atan2(sine, cosine) / sine
    return 1.0, n0 * a, n1 * a, n2 * a


@kernel(internal=True)
def product(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float, j: float, k: float,
    l: float, m: float, n: float, o: float, p: float, q: float, r: float,  # noqa: E741
) -> tuple[float, float, float, float, float, float, float, float, float]:  # fmt: skip
    """Return the product of two matrices, rows first."""
    return (
        a * j + b * m + c * p, a * k + b * n + c * q, a * l + b * o + c * r,
        d * j + e * m + f * p, d * k + e * n + f * q, d * l + e * o + f * r,
        g * j + h * m + i * p, g * k + h * n + i * q, g * l + h * o + i * r,
    )  # fmt: skip


@kernel(internal=True)
def rotation(x: float, y: float, z: float) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return the matrix of a rotation vector, rows first."""
    angle = math.sqrt(x * x + y * y + z * z)
    half = math.sin(0.5 * angle)
    s = math.sin(angle) / angle if angle > 0.0 else 1.0
    h = 2.0 * half * half / (angle * angle) if angle > 1e-150 else 0.5
    return (
        1.0 - h * (y * y + z * z), h * x * y - s * z, h * x * z + s * y,
        h * x * y + s * z, 1.0 - h * (x * x + z * z), h * y * z - s * x,
        h * x * z - s * y, h * y * z + s * x, 1.0 - h * (x * x + y * y),
    )  # fmt: skip


@kernel(internal=True)
def uphill(a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float) -> THREE:
    """Return Newton's step, a rotation vector, toward the maximum of ``trace(R^T A)`` from no rotation."""
    x, y, z = h - f, c - g, d - b
    p, q, r = e + i, a + i, a + e
    u, v, w = -0.5 * (b + d), -0.5 * (c + g), -0.5 * (f + h)
    c00, c01, c02 = q * r - w * w, v * w - u * r, u * w - v * q
    det = p * c00 + u * c01 + v * c02
    if not (det > 0.0 and p > 0.0 and p * q - u * u > 0.0):
        return 0.0, 0.0, 0.0
    c11, c12, c22 = p * r - v * v, u * v - p * w, p * q - u * u
    return (c00 * x + c01 * y + c02 * z) / det, (c01 * x + c11 * y + c12 * z) / det, (c02 * x + c12 * y + c22 * z) / det


@kernel(linked=True, python=True)
def best_rotation(a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float) -> FOUR:
    """Return whether one rotation R maximises ``sum_i d_i . R c_i``, 1 or 0, and its rotation vector.

    Wahba's problem, solved by the quaternion of Davenport's largest eigenvalue, which Newton's method finds.

    Args:
        a, b, c, d, e, f, g, h, i: Rows of ``B = sum_i d_i c_i^T``, one after the other.

    Source: Markley's fast optimal attitude matrix (1993), for Wahba's problem.
    """
    size = math.sqrt(a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i)
    if not size > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    a, b, c, d, e, f, g, h, i = a / size, b / size, c / size, d / size, e / size, f / size, g / size, h / size, i / size
    a, e, i = a + PREFERENCE, e + PREFERENCE, i + PREFERENCE
    square = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i
    # Cofactors.
    A, B, C = e * i - f * h, f * g - d * i, d * h - e * g
    D, E, F = c * h - b * i, a * i - c * g, b * g - a * h
    G, H, I = b * f - c * e, c * d - a * f, a * e - b * d  # noqa: E741
    det = a * A + b * B + c * C
    cofactors = A * A + B * B + C * C + D * D + E * E + F * F + G * G + H * H + I * I
    # The largest root of Markley's quartic, from above.
    root = math.sqrt(3.0 * square)
    for _ in range(_NEWTON_STEPS):
        rest = root * root - square
        step = (rest * rest - 8.0 * root * det - 4.0 * cofactors) / (4.0 * root * rest - 8.0 * det)
        if not step > 1e-16 * root:
            break
        root -= step
    kappa = 0.5 * (root * root - square)
    zeta = kappa * root - det
    if not zeta > STILL:
        return 0.0, 0.0, 0.0, 0.0
    m = product(a, b, c, d, e, f, g, h, i, a, d, g, b, e, h, c, f, i)
    m = product(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], a, b, c, d, e, f, g, h, i)
    k, n, s = (kappa + square) / zeta, root / zeta, 1.0 / zeta
    v0, v1, v2 = rotation_vector(
        k * a + n * A - s * m[0], k * b + n * B - s * m[1], k * c + n * C - s * m[2],
        k * d + n * D - s * m[3], k * e + n * E - s * m[4], k * f + n * F - s * m[5],
        k * g + n * G - s * m[6], k * h + n * H - s * m[7], k * i + n * I - s * m[8],
    )  # fmt: skip
    for _ in range(_POLISH_STEPS):
        r = rotation(v0, v1, v2)
        m = product(a, b, c, d, e, f, g, h, i, r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8])
        x, y, z = uphill(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
        o = rotation(x, y, z)
        m = product(o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8],
                    r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8])  # fmt: skip
        v0, v1, v2 = rotation_vector(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
    return 1.0, v0, v1, v2


@kernel(internal=True)
def wrapped(angle: float) -> float:
    """Return an angle less the nearest multiple of a whole turn."""
    return angle - TAU * math.floor(angle / TAU + 0.5)


@kernel(linked=True, python=True)
def three_angles(
    fixed: F3, last: int, d00: float, d10: float, d20: float, d02: float, d12: float, d22: float, near1: float,
    near2: float,
) -> FOUR:  # fmt: skip
    """Return whether three hinges can give a rotation, 1 or 0, and by how much they must turn further, the least way.

    With ``D = Rz(a) F2 Rz(t2) F3 Rz(t3)``, where a is what the first turns further, the third column of D gives t2
    up to a sign, and with it the others. Axes that are not at right angles do not reach every rotation.

    Args:
        fixed: ``Nodes.fixed``, shape (K, 3, 4).
        last: The third hinge's node.
        d00, d10, d20: First column of D, the rotation in the frame of the first hinge as it is.
        d02, d12, d22: Its third column.
        near1, near2: Angles of the second and the third hinge as they are.
    """
    q, p = last - 1, last
    f0, f1, f2 = fixed[p, 0, 2], fixed[p, 1, 2], fixed[p, 2, 2]
    a = fixed[q, 2, 0] * f0 + fixed[q, 2, 1] * f1
    b = fixed[q, 2, 1] * f0 - fixed[q, 2, 0] * f1
    c = fixed[q, 2, 2] * f2
    rest = 1.0 - (a * a + b * b) + c * c
    if abs(rest) < 1e-14:
        rest = 0.0
    square = d02 * d02 + d12 * d12 - (rest - 2.0 * d22 * c)
    if square < -STILL:
        return 0.0, 0.0, 0.0, 0.0
    opening, phase = math.atan2(math.sqrt(max(square, 0.0)), d22 - c), math.atan2(b, a)
    best0 = best1 = best2 = 0.0
    least = math.inf
    for side in range(2):
        second = phase + opening if side == 0 else phase - opening
        cosine, sine = math.cos(second), math.sin(second)
        w0, w1 = cosine * f0 - sine * f1, sine * f0 + cosine * f1
        v0 = fixed[q, 0, 0] * w0 + fixed[q, 0, 1] * w1 + fixed[q, 0, 2] * f2
        v1 = fixed[q, 1, 0] * w0 + fixed[q, 1, 1] * w1 + fixed[q, 1, 2] * f2
        if math.sqrt(v0 * v0 + v1 * v1) <= LOCKED:
            first = 0.0
        else:
            first = math.atan2(v0 * d12 - v1 * d02, v0 * d02 + v1 * d12)
        c1, s1 = math.cos(first), math.sin(first)
        x, y, z = c1 * d00 + s1 * d10, c1 * d10 - s1 * d00, d20
        u0 = fixed[q, 0, 0] * x + fixed[q, 1, 0] * y + fixed[q, 2, 0] * z
        u1 = fixed[q, 0, 1] * x + fixed[q, 1, 1] * y + fixed[q, 2, 1] * z
        u2 = fixed[q, 0, 2] * x + fixed[q, 1, 2] * y + fixed[q, 2, 2] * z
        x, y, z = cosine * u0 + sine * u1, cosine * u1 - sine * u0, u2
        third = math.atan2(
            fixed[p, 0, 1] * x + fixed[p, 1, 1] * y + fixed[p, 2, 1] * z,
            fixed[p, 0, 0] * x + fixed[p, 1, 0] * y + fixed[p, 2, 0] * z,
        )
        second, third = wrapped(second - near1), wrapped(third - near2)
        total = first * first + second * second + third * third
        if total < least:
            best0, best1, best2, least = first, second, third, total
    return 1.0, best0, best1, best2
