"""Quaternions ``(w, x, y, z)`` in arrays whose last axis has length 4; every function works over all leading axes.

``exp`` and ``log`` are those of the quaternion algebra: a rotation by ``angle`` about the unit vector ``axis`` is
``exp(axis angle / 2)``. Quaternions passed in are taken to be of unit length unless said otherwise. ``q`` and ``-q``
are one rotation; ``slerp`` takes the shorter way round unless told not to.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.setflags(write=False)

# Two quaternions this close to a right angle are half a turn apart up to rounding; the sign they have is kept.
_HALF_TURN = 1e-12


# Row k of the matrix M(b) with a b = M(b) a: which part of b stands there, and its sign.
_PART = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
_SIGN = np.array([[1.0, -1, -1, -1], [1, 1, 1, -1], [1, -1, 1, 1], [1, 1, -1, 1]])
_FEW = 512


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the product ``a b``: the rotation ``b`` followed, in fixed axes, by ``a``. Shapes (..., 4), broadcast."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.size < _FEW and b.size < _FEW:
        # The same sums as below in the same order, in fewer calls: for a few quaternions the calls are what costs.
        m = a[..., None, :] * (b.take(_PART, axis=-1) * _SIGN)
        few: Array = m[..., 0] + m[..., 1] + m[..., 2] + m[..., 3]
        return few
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    result[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    result[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    result[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    result[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return result


def conjugate(q: ArrayLike) -> Array:
    """Return ``(w, -x, -y, -z)``, the inverse of a unit quaternion, shape (..., 4)."""
    result = np.array(q, dtype=np.float64)
    result[..., 1:] *= -1.0
    return result


def normalize(q: ArrayLike) -> Array:
    """Return ``q`` at unit length, shape (..., 4); a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    # The division by the largest part first keeps very small and very large ones from under- and overflowing.
    largest = np.abs(q).max(axis=-1, keepdims=True)
    scaled = q / np.where(largest > 0.0, largest, 1.0)
    length = np.sqrt((scaled * scaled).sum(axis=-1, keepdims=True))
    return np.where(largest > 0.0, scaled / np.where(length > 0.0, length, 1.0), IDENTITY)


def exp(v: ArrayLike) -> Array:
    """Return ``(cos |v|, sin |v| v / |v|)``, shape (..., 4), for half rotation vectors ``v``, [rad], shape (..., 3)."""
    v = np.asarray(v, dtype=np.float64)
    squares = v * v
    length = np.sqrt(squares[..., 0] + squares[..., 1] + squares[..., 2])
    # sin(x) / x is 1 at 0 and stays so for the smallest number there is.
    length = np.maximum(length, 5e-324)
    factor = np.sin(length) / length
    result = np.empty((*v.shape[:-1], 4))
    result[..., 0] = np.cos(length)
    result[..., 1:] = factor[..., None] * v
    return result


def log(q: ArrayLike) -> Array:
    """Return the half rotation vector ``v`` with ``exp(v) = q`` and ``|v| <= pi``, [rad], shape (..., 3).

    The sign of ``q`` counts: ``-1`` is a whole turn, for which the axis is taken to be x.
    """
    q = np.asarray(q, dtype=np.float64)
    w = q[..., 0]
    squares = q[..., 1:] * q[..., 1:]
    length = np.sqrt(squares[..., 0] + squares[..., 1] + squares[..., 2])
    angle = np.arctan2(length, w)
    if length.all():
        return (angle / length)[..., None] * q[..., 1:]
    some = length > 0.0
    factor = np.where(some, angle / np.where(some, length, 1.0), 1.0)
    v = factor[..., None] * q[..., 1:]
    v[~some & (w < 0.0)] = (np.pi, 0.0, 0.0)
    return v


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Return the rotation by ``angle`` [rad], shape (...), about the unit vector ``axis``, shape (..., 3)."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    axis = np.asarray(axis, dtype=np.float64)
    shape = np.broadcast_shapes(axis.shape[:-1], half.shape[:-1])
    result = np.empty((*shape, 4))
    result[..., :1] = np.cos(half)
    result[..., 1:] = np.sin(half) * axis
    return result


def from_matrix(matrix: ArrayLike) -> Array:
    """Return the rotation matrix as a quaternion with ``w >= 0``, shape (..., 4).

    Args:
        matrix: Shape (..., 3, 3), orthonormal up to rounding.

    Source: Shepperd (1978): the largest of the four parts is computed by a square root, the others from it.
    """
    m = np.asarray(matrix, dtype=np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    trace = xx + yy + zz
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    # Each row is the quaternion times four times one of its parts, hence all of them point the same way.
    candidates = np.stack(
        [
            np.stack([1.0 + trace, a, b, c], axis=-1),
            np.stack([a, 1.0 + 2.0 * xx - trace, d, e], axis=-1),
            np.stack([b, d, 1.0 + 2.0 * yy - trace, f], axis=-1),
            np.stack([c, e, f, 1.0 + 2.0 * zz - trace], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.stack([trace, xx, yy, zz], axis=-1), axis=-1)
    q = normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0.0, -q, q)


def to_matrix(q: ArrayLike) -> Array:
    """Return the rotation matrix, shape (..., 3, 3)."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    result = np.empty((*q.shape[:-1], 3, 3))
    result[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    result[..., 0, 1] = 2.0 * (x * y - w * z)
    result[..., 0, 2] = 2.0 * (x * z + w * y)
    result[..., 1, 0] = 2.0 * (x * y + w * z)
    result[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    result[..., 1, 2] = 2.0 * (y * z - w * x)
    result[..., 2, 0] = 2.0 * (x * z - w * y)
    result[..., 2, 1] = 2.0 * (y * z + w * x)
    result[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return result


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Return the vectors ``v`` turned by ``q``, shape (..., 3); shapes (..., 4) and (..., 3), broadcast."""
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    vx, vy, vz = v[..., 0], v[..., 1], v[..., 2]
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    result = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    result[..., 0] = vx + w * tx + (y * tz - z * ty)
    result[..., 1] = vy + w * ty + (z * tx - x * tz)
    result[..., 2] = vz + w * tz + (x * ty - y * tx)
    return result


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the angle of the rotation from ``a`` to ``b``, 0 to pi [rad], shape (...)."""
    relative = multiply(conjugate(a), b)
    v = relative[..., 1:]
    return 2.0 * np.arctan2(np.sqrt((v * v).sum(axis=-1)), np.abs(relative[..., 0]))


def shortest(a: ArrayLike, b: ArrayLike) -> Array:
    """Return ``b`` or ``-b``, whichever lies on the side of ``a``; ``b`` itself if they are half a turn apart."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    dot = (a * b).sum(axis=-1, keepdims=True)
    return np.where(dot < -_HALF_TURN, -b, b)


def one_side(q: Array) -> Array:
    """Return quaternions with signs so that each is on the side of the one before, shape (m, 4).

    The first keeps its sign. Who goes straight from one to the next with the other sign takes the long way round.
    """
    dots = (q[1:] * q[:-1]).sum(axis=-1)
    signs = np.concatenate([[1.0], np.cumprod(np.where(dots < 0.0, -1.0, 1.0))])
    return np.asarray(q * signs[:, None])


def arc(a: ArrayLike, b: ArrayLike) -> Array:
    """Return ``log(a^-1 b)`` by the shorter way round: half the rotation from ``a`` to ``b``, in the axes of ``a``."""
    return log(multiply(conjugate(a), shortest(a, b)))


def slerp(a: ArrayLike, b: ArrayLike, u: ArrayLike, shorter: bool = True) -> Array:
    """Return ``a (a^-1 b)^u``: the arc from ``a`` to ``b`` at constant angular velocity.

    Args:
        a: Rotation at ``u = 0``, shape (..., 4).
        b: Rotation at ``u = 1``, shape (..., 4).
        u: Shape (...).
        shorter: Whether ``b`` may change its sign for the shorter way round.

    Returns:
        Shape (..., 4).

    Source: Shoemake (1985), section 3.3.
    """
    relative = multiply(conjugate(a), shortest(a, b) if shorter else b)
    return multiply(a, exp(np.asarray(u, dtype=np.float64)[..., None] * log(relative)))


def squad_tangent(before: ArrayLike, here: ArrayLike, after: ArrayLike, h_in: ArrayLike, h_out: ArrayLike) -> Array:
    """Return the half angular velocity of the spline at keys, in their own axes, [rad] per unit of ``h``.

    ``(log(q_i^-1 q_(i+1)) - log(q_i^-1 q_(i-1))) / (h_in + h_out)``: the Catmull-Rom tangent on the sphere, for
    keys at uneven distances.

    Args:
        before: Rotations at the keys before, shape (..., 4); those at the keys themselves where there is none.
        here: Rotations at the keys, shape (..., 4).
        after: Rotations at the keys after, shape (..., 4); likewise.
        h_in: Length of the spans that end here, shape (...); zero where there is none.
        h_out: Length of the spans that begin here, shape (...); zero where there is none.

    Returns:
        Shape (..., 3).

    Source: Shoemake (1985), section 4.2, with the velocities shared out as Kochanek and Bartels (1984) do.
    """
    both = np.asarray(h_in, dtype=np.float64) + np.asarray(h_out, dtype=np.float64)
    return (arc(here, after) - arc(here, before)) / np.where(both > 0.0, both, 1.0)[..., None]


def squad_controls(a: ArrayLike, b: ArrayLike, tangent_a: Array, tangent_b: Array) -> tuple[Array, Array]:
    """Return the two inner points of ``squad`` that give it these velocities at its ends.

    ``squad`` leaves ``a`` with ``log(a^-1 b) + 2 log(a^-1 s_a)`` and reaches ``b`` with
    ``log(a^-1 b) - 2 log(b^-1 s_b)``; with even spacing and Catmull-Rom tangents these are Shoemake's points.

    Args:
        a: Rotation at ``u = 0``, shape (..., 4).
        b: Rotation at ``u = 1``, on the side of ``a`` (see ``shortest``), shape (..., 4).
        tangent_a: Half angular velocity by ``u`` at ``a``, in its axes, shape (..., 3).
        tangent_b: Half angular velocity by ``u`` at ``b``, in its axes, shape (..., 3).

    Returns:
        ``s_a`` and ``s_b``, each of shape (..., 4).
    """
    whole = log(multiply(conjugate(a), b))
    return multiply(a, exp(0.5 * (tangent_a - whole))), multiply(b, exp(0.5 * (whole - tangent_b)))


def squad(a: ArrayLike, b: ArrayLike, s_a: ArrayLike, s_b: ArrayLike, u: ArrayLike) -> Array:
    """Return ``slerp(slerp(a, b, u), slerp(s_a, s_b, u), 2 u (1 - u))``, shape (..., 4).

    Args:
        a: Rotation at ``u = 0``, shape (..., 4).
        b: Rotation at ``u = 1``, on the side of ``a``, shape (..., 4).
        s_a: Inner point beside ``a``, shape (..., 4).
        s_b: Inner point beside ``b``, shape (..., 4).
        u: Shape (...).

    Source: Shoemake (1987), quaternion calculus and fast animation.
    """
    u = np.asarray(u, dtype=np.float64)
    outer, inner = slerp(a, b, u, shorter=False), slerp(s_a, s_b, u, shorter=False)
    return slerp(outer, inner, 2.0 * u * (1.0 - u), shorter=False)
