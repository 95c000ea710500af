"""The factors of the active rows, compiled: ``W_A = L Q`` with L lower triangular and the rows of Q orthonormal.

The kth active row is ``order[k]``. Rows are appended by Gram-Schmidt and removed by rotations.
"""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.contact.qp_layout import REPEAT
from core.kinematics.inlining import F0, F1, F2, I0, I1, INLINE, INTERNAL, SUMS


@nb.njit(F0(F1, F1, I0), **SUMS)
def dot(a, b, n):  # type: ignore[no-untyped-def]
    """Return the product of the first n elements of ``a`` and ``b``."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@nb.njit(nb.void(F1, F0, F1, I0), **INLINE)
def add(y, t, z, n):  # type: ignore[no-untyped-def]
    """Add t times z to y, n elements."""
    for k in range(n):
        y[k] += t * z[k]


@nb.njit(nb.void(F2, F1, F1, I0, I0), **SUMS)
def products(A, x, out, m, n):  # type: ignore[no-untyped-def]
    """Write the products of the first m rows of ``A`` with ``x``, four rows at a time."""
    i = 0
    while i + 4 <= m:
        a, b, c, d = A[i], A[i + 1], A[i + 2], A[i + 3]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for k in range(n):
            s0 += a[k] * x[k]
            s1 += b[k] * x[k]
            s2 += c[k] * x[k]
            s3 += d[k] * x[k]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
        i += 4
    while i < m:
        out[i] = dot(A[i], x, n)
        i += 1


@nb.njit(nb.void(F1, F1, F2, I0, I0), **INLINE)
def take(y, t, A, m, n):  # type: ignore[no-untyped-def]
    """Take the first m rows of ``A``, each times its number in t, off y, four rows at a time."""
    i = 0
    while i + 4 <= m:
        a, b, c, d = A[i], A[i + 1], A[i + 2], A[i + 3]
        t0, t1, t2, t3 = t[i], t[i + 1], t[i + 2], t[i + 3]
        for k in range(n):
            y[k] -= t0 * a[k] + t1 * b[k] + t2 * c[k] + t3 * d[k]
        i += 4
    while i < m:
        add(y, -t[i], A[i], n)
        i += 1


@nb.njit(F0(F2, F1, F1, F1, I0, I0, F0), **INTERNAL)
def project(Q, w, d, z, k, n, dependent):  # type: ignore[no-untyped-def]
    """Split a row: d = Q w for k active rows, z the rest; below a share of its squared length z counts as zero.

    Returns:
        The squared length of z, or 0 if w depends on the active rows.
    """
    whole = dot(w, w, n)
    if k >= n or whole == 0.0:
        products(Q, w, d, k, n)
        return 0.0
    for c in range(n):
        z[c] = w[c]
    products(Q, w, d, k, n)
    take(z, d, Q, k, n)
    rest = dot(z, z, n)
    if rest < REPEAT * whole:
        for j in range(k):
            more = dot(Q[j], z, n)
            d[j] += more
            add(z, -more, Q[j], n)
        rest = dot(z, z, n)
    return rest if rest > dependent * whole else 0.0


@nb.njit(nb.void(F2, F2, F1, F1, F0, I0, I0), **INLINE)
def append(L, Q, d, z, squared, k, n):  # type: ignore[no-untyped-def]
    """Append a row that ``project`` has split as the kth."""
    length = math.sqrt(squared)
    for j in range(k):
        L[k, j] = d[j]
    L[k, k] = length
    over = 1.0 / length
    for c in range(n):
        Q[k, c] = z[c] * over


@nb.njit(nb.void(F2, F2, I1, F1, I0, I0, I0), **INTERNAL)
def remove(L, Q, order, lam, at, k, n):  # type: ignore[no-untyped-def]
    """Remove the active row at a place of the order, of k."""
    for i in range(at, k - 1):
        order[i], lam[i] = order[i + 1], lam[i + 1]
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for j in range(at, k - 1):
        a, b = L[j, j], L[j, j + 1]
        length = math.sqrt(a * a + b * b)
        c, s = a / length, b / length
        L[j, j], L[j, j + 1] = length, 0.0
        for i in range(j + 1, k - 1):
            a, b = L[i, j], L[i, j + 1]
            L[i, j], L[i, j + 1] = c * a + s * b, c * b - s * a
        upper, lower = Q[j], Q[j + 1]
        for i in range(n):
            a, b = upper[i], lower[i]
            upper[i], lower[i] = c * a + s * b, c * b - s * a


@nb.njit(nb.void(F2, F1, I0), **INLINE)
def backward(L, r, k):  # type: ignore[no-untyped-def]
    """Solve ``L^T x = r`` in place."""
    for j in range(k - 1, -1, -1):
        row = L[j]
        x = r[j] / row[j]
        r[j] = x
        for i in range(j):
            r[i] -= x * row[i]


@nb.njit(nb.void(F2, F1, I0), **INLINE)
def forward(L, r, k):  # type: ignore[no-untyped-def]
    """Solve ``L x = r`` in place."""
    for j in range(k):
        row = L[j]
        r[j] = (r[j] - dot(row, r, j)) / row[j]
