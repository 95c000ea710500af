"""Frames of single degrees of freedom, compiled; and rotation vectors."""

from __future__ import annotations

import math

import numba as nb
import numpy as np

from core.kinematics.inlining import F0, F1, F3, I0, I1, INLINE, INTERNAL
from core.kinematics.nodes_plain import CONE_STEPS
from core.skeleton.tree import KIND_HINGE, KIND_SLIDE

TWO_OVER_PI = 0.63661977236758134308
QUARTER_HIGH, QUARTER_LOW = 1.57079632673412561417, 6.07710050650619224932e-11
"""A quarter turn: its first 33 bits, whose multiples are exact, and the rest."""
MANY_TURNS = 1e5
S3, S5, S7, S9, S11, S13, S15 = ((-1) ** (n // 2) / math.factorial(n) for n in range(3, 16, 2))
C4, C6, C8, C10, C12, C14, C16 = ((-1) ** (n // 2) / math.factorial(n) for n in range(4, 17, 2))


@nb.njit(nb.void(I1, F1, F1, F1), **INLINE)
def spin(kind, x, cosines, sines):  # type: ignore[no-untyped-def]
    """Write cosines and sines of the nodes, 1 and 0 for all but hinges, correct to the last bit or two.

    The angle less the nearest multiple of a quarter turn (in two parts, Cody and Waite), then Taylor's series, which
    there ends below the rounding after eight terms: without branches, so that several nodes are done at once.
    """
    for k in range(len(x)):
        a = x[k] if kind[k] == KIND_HINGE else 0.0
        n = np.floor(a * TWO_OVER_PI + 0.5)
        r = (a - n * QUARTER_HIGH) - n * QUARTER_LOW
        z = r * r
        s = r + r * z * (S3 + z * (S5 + z * (S7 + z * (S9 + z * (S11 + z * (S13 + z * S15))))))
        c = 1.0 - z * (0.5 - z * (C4 + z * (C6 + z * (C8 + z * (C10 + z * (C12 + z * (C14 + z * C16)))))))
        turns = n - 4.0 * np.floor(0.25 * n)
        odd = turns == 1.0 or turns == 3.0
        cosine, sine = (s if odd else c), (c if odd else s)
        cosines[k] = -cosine if turns == 1.0 or turns == 2.0 else cosine
        sines[k] = -sine if turns >= 2.0 else sine
    for k in range(len(x)):
        if abs(x[k]) > MANY_TURNS and kind[k] == KIND_HINGE:
            t = math.tan(0.5 * x[k])
            cosines[k], sines[k] = (1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t)


@nb.njit(nb.void(I1, I1, F3, F3, nb.boolean, F3, F1, F1, F1, F3, F3), **INLINE)
def place(parent, kind, F, T, affine, base, x, cosines, sines, X, R):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.place``."""
    spin(kind, x, cosines, sines)
    for k in range(len(x)):
        p = parent[k]
        c, s = cosines[k], sines[k]
        d = x[k] if kind[k] == KIND_SLIDE else 0.0
        for i in range(3):
            if p < 0:
                a0, a1, a2, a3 = base[0, i, 0], base[0, i, 1], base[0, i, 2], base[0, i, 3]
            else:
                a0, a1, a2, a3 = X[p, i, 0], X[p, i, 1], X[p, i, 2], X[p, i, 3]
            x0 = a0 * F[k, 0, 0] + a1 * F[k, 1, 0] + a2 * F[k, 2, 0]
            x1 = a0 * F[k, 0, 1] + a1 * F[k, 1, 1] + a2 * F[k, 2, 1]
            x2 = a0 * F[k, 0, 2] + a1 * F[k, 1, 2] + a2 * F[k, 2, 2]
            X[k, i, 0] = R[k, i, 0] = c * x0 + s * x1
            X[k, i, 1] = R[k, i, 1] = c * x1 - s * x0
            X[k, i, 2] = R[k, i, 2] = x2
            X[k, i, 3] = a0 * F[k, 0, 3] + a1 * F[k, 1, 3] + a2 * F[k, 2, 3] + a3 + x2 * d
    if affine:
        for k in range(len(x)):
            p = parent[k]
            c, s = cosines[k], sines[k]
            for i in range(3):
                if p < 0:
                    a0, a1, a2 = base[1, i, 0], base[1, i, 1], base[1, i, 2]
                else:
                    a0, a1, a2 = R[p, i, 0], R[p, i, 1], R[p, i, 2]
                x0 = a0 * T[k, 0, 0] + a1 * T[k, 1, 0] + a2 * T[k, 2, 0]
                x1 = a0 * T[k, 0, 1] + a1 * T[k, 1, 1] + a2 * T[k, 2, 1]
                R[k, i, 0] = c * x0 + s * x1
                R[k, i, 1] = c * x1 - s * x0
                R[k, i, 2] = a0 * T[k, 0, 2] + a1 * T[k, 1, 2] + a2 * T[k, 2, 2]


@nb.njit(nb.types.UniTuple(F0, 3)(*[F0] * 9), **INTERNAL)
def rotation_vector(d00, d01, d02, d10, d11, d12, d20, d21, d22):  # type: ignore[no-untyped-def]
    """Return the logarithm of a rotation, exact from 0 to pi: through the quaternion's largest part (Shepperd)."""
    trace = d00 + d11 + d22
    s0, s1, s2 = d21 - d12, d02 - d20, d10 - d01
    if trace >= d00 and trace >= d11 and trace >= d22:
        w, x, y, z = 1.0 + trace, s0, s1, s2
    elif d00 >= d11 and d00 >= d22:
        w, x, y, z = s0, 1.0 + 2.0 * d00 - trace, d10 + d01, d20 + d02
    elif d11 >= d22:
        w, x, y, z = s1, d10 + d01, 1.0 + 2.0 * d11 - trace, d21 + d12
    else:
        w, x, y, z = s2, d20 + d02, d21 + d12, 1.0 + 2.0 * d22 - trace
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        norm = -norm
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    length = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(length, w) / length if length > 0.0 else 2.0
    return factor * x, factor * y, factor * z


@nb.njit(nb.types.UniTuple(F0, 3)(F3, I0, F0, F0, F0), **INTERNAL)
def in_frame(X, k, a, b, c):  # type: ignore[no-untyped-def]
    """Return the world point (a, b, c) in the affine frame ``X[k]``, by Cramer's rule."""
    a, b, c = a - X[k, 0, 3], b - X[k, 1, 3], c - X[k, 2, 3]
    n0 = X[k, 1, 1] * X[k, 2, 2] - X[k, 1, 2] * X[k, 2, 1]
    n1 = X[k, 0, 2] * X[k, 2, 1] - X[k, 0, 1] * X[k, 2, 2]
    n2 = X[k, 0, 1] * X[k, 1, 2] - X[k, 0, 2] * X[k, 1, 1]
    scale = 1.0 / (X[k, 0, 0] * n0 + X[k, 1, 0] * n1 + X[k, 2, 0] * n2)
    x = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[k, 1, 2] * X[k, 2, 0] - X[k, 1, 0] * X[k, 2, 2]
    n1 = X[k, 0, 0] * X[k, 2, 2] - X[k, 0, 2] * X[k, 2, 0]
    n2 = X[k, 0, 2] * X[k, 1, 0] - X[k, 0, 0] * X[k, 1, 2]
    y = (n0 * a + n1 * b + n2 * c) * scale
    n0 = X[k, 1, 0] * X[k, 2, 1] - X[k, 1, 1] * X[k, 2, 0]
    n1 = X[k, 0, 1] * X[k, 2, 0] - X[k, 0, 0] * X[k, 2, 1]
    n2 = X[k, 0, 0] * X[k, 1, 1] - X[k, 0, 1] * X[k, 1, 0]
    return x, y, (n0 * a + n1 * b + n2 * c) * scale


@nb.njit(nb.void(F1, F0, I0, I0), **INTERNAL)
def turn_back(x, cone, a, b):  # type: ignore[no-untyped-def]
    """Bring two swings back on their way from zero until the cone whose cosine is given holds."""
    low, high = 0.0, 1.0
    for _ in range(CONE_STEPS):
        middle = 0.5 * (low + high)
        if math.cos(middle * x[a]) * math.cos(middle * x[b]) >= cone:
            low = middle
        else:
            high = middle
    x[a], x[b] = low * x[a], low * x[b]


@nb.njit(nb.void(F1, F1, I1, F1, F1), **INLINE)
def clamp_values(lower, upper, partner, cone, x):  # type: ignore[no-untyped-def]
    """See ``nodes_plain.clamp_values``."""
    for k in range(len(x)):
        x[k] = min(max(x[k], lower[k]), upper[k])
    for k in range(len(x)):
        if partner[k] > k and math.cos(x[k]) * math.cos(x[partner[k]]) < cone[k]:
            turn_back(x, cone[k], k, partner[k])
