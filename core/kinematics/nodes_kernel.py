"""Frames of single degrees of freedom; and rotation vectors."""

from __future__ import annotations

import math

import numpy as np

from core.kernels import F1, F3, I1, THREE, kernel
from core.skeleton.tree import KIND_HINGE, KIND_SLIDE

CONE_STEPS = 60
"""Halvings that find how far a joint may swing in its cone."""

TWO_OVER_PI = 0.63661977236758134308
QUARTER_HIGH, QUARTER_LOW = 1.57079632673412561417, 6.07710050650619224932e-11
"""A quarter turn: its first 33 bits, whose multiples are exact, and the rest."""
MANY_TURNS = 1e5
S3, S5, S7, S9, S11, S13, S15 = ((-1) ** (n // 2) / math.factorial(n) for n in range(3, 16, 2))
C4, C6, C8, C10, C12, C14, C16 = ((-1) ** (n // 2) / math.factorial(n) for n in range(4, 17, 2))


@kernel(inline=True)
def spin(kind: I1, x: F1, cosines: F1, sines: F1) -> None:
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


@kernel(inline=True)
def place(
    parent: I1, kind: I1, F: F3, T: F3, affine: bool, base: F3, x: F1, cosines: F1, sines: F1, X: F3, R: F3,
) -> None:  # fmt: skip
    """Write the world frames of nodes into ``X``, and their rotations without scales into ``R``.

    Args:
        parent: Parent of each node, -1 for the base frame, shape (K,).
        kind: Hinges and slides move about or along their local z axis, shape (K,).
        F: Transforms [M | t] from the parent to the node at zero, of coordinates at ``x``, shape (K, 3, 4).
        T: The same without scales, rotations, shape (K, 3, 3).
        affine: Whether there are any scales.
        base: [0]: base frame; [1]: its rotation without scales in the first three columns, shape (2, 3, 4).
        x: Values of the nodes, shape (K,).
        cosines: Overwritten with those of the nodes, 1 for all but hinges, shape (K,).
        sines: Overwritten, shape (K,).
        X: Overwritten with the frames [M | t], shape (K, 3, 4).
        R: Overwritten with the rotations, shape (K, 3, 3).
    """
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


@kernel(internal=True)
def rotation_vector(
    d00: float, d01: float, d02: float, d10: float, d11: float, d12: float, d20: float, d21: float, d22: float,
) -> THREE:  # fmt: skip
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


@kernel(internal=True)
def in_frame(X: F3, k: int, a: float, b: float, c: float) -> THREE:
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


@kernel(internal=True)
def turn_back(x: F1, cone: float, a: int, b: int) -> None:
    """Bring two swings back on their way from zero until the cone whose cosine is given holds."""
    low, high = 0.0, 1.0
    for _ in range(CONE_STEPS):
        middle = 0.5 * (low + high)
        if math.cos(middle * x[a]) * math.cos(middle * x[b]) >= cone:
            low = middle
        else:
            high = middle
    x[a], x[b] = low * x[a], low * x[b]


@kernel(inline=True)
def clamp_values(lower: F1, upper: F1, partner: I1, cone: F1, x: F1) -> None:
    """Move values inside all limits, in place; a joint with a cone is turned back along its own arc.

    Args:
        lower: Lower limits, shape (K,).
        upper: Upper limits, shape (K,).
        partner: The other swing of a joint with a cone, else -1, shape (K,).
        cone: Cosine of the cone's half-angle, shape (K,).
        x: Values, shape (K,).
    """
    for k in range(len(x)):
        x[k] = min(max(x[k], lower[k]), upper[k])
    for k in range(len(x)):
        if partner[k] > k and math.cos(x[k]) * math.cos(x[partner[k]]) < cone[k]:
            turn_back(x, cone[k], k, partner[k])
