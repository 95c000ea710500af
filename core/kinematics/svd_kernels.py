"""Singular value decomposition by one-sided Jacobi rotations, compiled."""

from __future__ import annotations

import math
from typing import Any

import numba as nb
from numba import types

from core.kinematics.svd_plain import NOTHING, ROUNDING

F2 = nb.float64[:, ::1]
OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy"}


@nb.njit(nb.int64(F2, nb.int64, nb.int64, nb.int64), **OPTIONS)
def orthogonalize(rows, m, count, sweeps):  # type: ignore[no-untyped-def]
    """See ``svd_plain.orthogonalize``."""
    rotations = 0
    width = rows.shape[1]
    for _ in range(sweeps):
        turned = 0
        total = 0.0
        for i in range(m):
            for k in range(count):
                total += rows[i, k] * rows[i, k]
        least = NOTHING * NOTHING * total
        for i in range(m - 1):
            for j in range(i + 1, m):
                a = b = c = 0.0
                for k in range(count):
                    x, y = rows[i, k], rows[j, k]
                    a += x * x
                    b += y * y
                    c += x * y
                if min(a, b) <= least or abs(c) <= ROUNDING * math.sqrt(a) * math.sqrt(b):
                    continue
                turned += 1
                ratio = (b - a) / (2.0 * c)
                tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for k in range(width):
                    x, y = rows[i, k], rows[j, k]
                    rows[i, k] = cosine * x - sine * y
                    rows[j, k] = sine * x + cosine * y
        rotations += turned
        if turned == 0:
            break
    return rotations


@nb.njit(nb.float64(F2, nb.int64, nb.int64), **OPTIONS)
def loss(rows, m, count):  # type: ignore[no-untyped-def]
    """See ``svd_plain.loss``."""
    total = 0.0
    for i in range(m):
        for k in range(count):
            total += rows[i, k] * rows[i, k]
    least = NOTHING * NOTHING * total
    worst = 0.0
    for i in range(m):
        for j in range(i, m):
            a = b = c = d = 0.0
            for k in range(count):
                x, y = rows[i, k], rows[j, k]
                a += x * x
                b += y * y
                c += x * y
            for k in range(count, rows.shape[1]):
                d += rows[i, k] * rows[j, k]
            if i == j:
                worst = max(worst, abs(d - 1.0))
            else:
                worst = max(worst, abs(d))
                if min(a, b) > least:
                    worst = max(worst, abs(c) / (math.sqrt(a) * math.sqrt(b)))
    return worst


@nb.njit(types.Tuple((nb.int64, nb.float64))(F2, F2, nb.int64, nb.float64), **OPTIONS)
def advance(J, rows, sweeps, limit):  # type: ignore[no-untyped-def]
    """See ``svd_plain.advance``."""
    m, n = J.shape
    for i in range(m):
        for k in range(n):
            rows[i, k] = 0.0
        for j in range(m):
            u = rows[i, n + j]
            for k in range(n):
                rows[i, k] += u * J[j, k]
    rotations, lost = 0, math.inf
    for _ in range(sweeps):
        rotations += orthogonalize(rows, m, n, 1)
        lost = loss(rows, m, n)
        if lost <= limit:
            break
    return rotations, lost
