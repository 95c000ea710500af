"""Rotation vectors: how fast what they turn is turned as they change, and the derivatives of that.

A rotation vector x that changes at v turns its body at ``J_r(x) v``, in the body's axes, ``J_r`` the right Jacobian.
Coefficients of Stumpff make all of it smooth where x is 0.
"""

from __future__ import annotations

from core.kernels import F1, kernel


@kernel(internal=True)
def cross(a: F1, b: F1, out: F1) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel(internal=True)
def dot(a: F1, b: F1) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(internal=True)
def stumpff(x: F1, c: F1) -> None:
    """Write ``c_2`` and ``c_3`` at the square of an angle, then their first and second derivatives by that square."""
    s = x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
    c6, c7 = 1.0, 1.0
    for n in range(14, 0, -1):
        c6 = 1.0 - s * c6 / ((2.0 * n + 5.0) * (2.0 * n + 6.0))
        c7 = 1.0 - s * c7 / ((2.0 * n + 6.0) * (2.0 * n + 7.0))
    c6 /= 720.0
    c7 /= 5040.0
    c5, c4 = 1.0 / 120.0 - s * c7, 1.0 / 24.0 - s * c6
    c3, c2 = 1.0 / 6.0 - s * c5, 0.5 - s * c4
    d4, d5 = 0.5 * (4.0 * c6 - c5), 0.5 * (5.0 * c7 - c6)
    d2, d3 = 0.5 * (2.0 * c4 - c3), 0.5 * (3.0 * c5 - c4)
    c[0], c[1], c[2], c[3], c[4], c[5] = c2, c3, d2, d3, 0.5 * (2.0 * d4 - d3), 0.5 * (3.0 * d5 - d4)


@kernel(internal=True)
def turning(c: F1, x: F1, w: F1, sign: float, out: F1) -> None:
    """Add ``J_r(x) w``, with the sign -1 its transpose: ``w - sign c_2 x x w + c_3 x x (x x w)``."""
    s, p = dot(x, x), dot(x, w)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += w[i] - sign * c[0] * (x[j] * w[k] - x[k] * w[j]) + c[1] * (x[i] * p - s * w[i])


@kernel(internal=True)
def turning_slope(c: F1, x: F1, w: F1, b: F1, out: F1) -> None:
    """Add the derivative by x of ``b . J_r(x) w``."""
    s, p, r, d = dot(x, x), dot(x, w), dot(x, b), dot(b, w)
    first = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        first += b[i] * (x[j] * w[k] - x[k] * w[j])
    along = -2.0 * c[2] * first + 2.0 * c[3] * (r * p - s * d) - 2.0 * c[1] * d
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += -c[0] * (w[j] * b[k] - w[k] * b[j]) + along * x[i] + c[1] * (b[i] * p + w[i] * r)


@kernel(internal=True)
def turning_rate(c: F1, x: F1, v: F1, out: F1) -> None:
    """Add the rate of ``J_r(x)`` while x changes at v, times v."""
    s, p, vv = dot(x, x), dot(x, v), dot(v, v)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += -2.0 * c[2] * p * (x[j] * v[k] - x[k] * v[j]) + 2.0 * c[3] * p * (x[i] * p - s * v[i])
        out[i] += c[1] * (x[i] * vv - v[i] * p)


@kernel(internal=True)
def turning_rate_slopes(c: F1, x: F1, v: F1, b: F1, by_x: F1, by_v: F1) -> None:
    """Add the derivatives by x and v of what ``turning_rate`` adds, times b."""
    s, p, vv, r, d = dot(x, x), dot(x, v), dot(v, v), dot(x, b), dot(b, v)
    first, second, third = 0.0, r * p - s * d, r * vv - d * p
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        first += b[i] * (x[j] * v[k] - x[k] * v[j])
    along = p * (-4.0 * c[4] * first + 4.0 * c[5] * second - 4.0 * c[3] * d) + 2.0 * c[3] * third
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        by_x[i] += along * x[i] + v[i] * (-2.0 * c[2] * first + 2.0 * c[3] * (second + p * r) - c[1] * d)
        by_x[i] += b[i] * (2.0 * c[3] * p * p + c[1] * vv) - 2.0 * c[2] * p * (v[j] * b[k] - v[k] * b[j])
        by_v[i] += x[i] * (-2.0 * c[2] * first + 2.0 * c[3] * (second + p * r) - c[1] * d)
        by_v[i] += -2.0 * c[2] * p * (b[j] * x[k] - b[k] * x[j]) - b[i] * p * (2.0 * c[3] * s + c[1])
        by_v[i] += 2.0 * c[1] * v[i] * r
