"""The factors of the active rows: ``W_A = L Q`` with L lower triangular and the rows of Q orthonormal.

The kth active row is ``order[k]``. Rows are appended by Gram-Schmidt and removed by rotations.
"""

from __future__ import annotations

import math

from core.dynamics.contact.qp_layout import REPEAT
from core.kernels import F1, F2, I1, SUMS, kernel


@kernel(inline=True, fastmath=SUMS)
def dot(a: F1, b: F1, n: int) -> float:
    """Return the product of the first n elements of ``a`` and ``b``."""
    total = 0.0
    for k in range(n):
        total += a[k] * b[k]
    return total


@kernel(inline=True)
def add(y: F1, t: float, z: F1, n: int) -> None:
    """Add t times z to y, n elements."""
    for k in range(n):
        y[k] += t * z[k]


@kernel(inline=True, fastmath=SUMS)
def products(A: F2, x: F1, out: F1, m: int, n: int) -> None:
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


@kernel(inline=True)
def take(y: F1, t: F1, A: F2, m: int, n: int) -> None:
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


@kernel(internal=True)
def project(Q: F2, w: F1, d: F1, z: F1, k: int, n: int, dependent: float) -> float:
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


@kernel(inline=True)
def append(L: F2, Q: F2, d: F1, z: F1, squared: float, k: int, n: int) -> None:
    """Append a row that ``project`` has split as the kth."""
    length = math.sqrt(squared)
    for j in range(k):
        L[k, j] = d[j]
    L[k, k] = length
    over = 1.0 / length
    for c in range(n):
        Q[k, c] = z[c] * over


@kernel(internal=True)
def remove(L: F2, Q: F2, order: I1, lam: F1, at: int, k: int, n: int) -> None:
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


@kernel(inline=True)
def backward(L: F2, r: F1, k: int) -> None:
    """Solve ``L^T x = r`` in place."""
    for j in range(k - 1, -1, -1):
        row = L[j]
        x = r[j] / row[j]
        r[j] = x
        for i in range(j):
            r[i] -= x * row[i]


@kernel(inline=True)
def forward(L: F2, r: F1, k: int) -> None:
    """Solve ``L x = r`` in place."""
    for j in range(k):
        row = L[j]
        r[j] = (r[j] - dot(row, r, j)) / row[j]
