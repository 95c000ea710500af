"""Rotations in space: hat, exponential, logarithm, their Jacobians, and Euler angles in any order.

All functions take one value or a batch: leading axes broadcast. Angles in radians, matrices act on column vectors.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.spatial.stumpff import stumpff, stumpff_arrays

SERIES_BELOW = 1e-2
"""Angle [rad] under which the coefficients come from their power series: the closed forms cancel there."""

_EYE = np.eye(3)
_AXES = {"x": 0, "y": 1, "z": 2}


def hat(vector: ArrayLike) -> Array:
    """Return the matrix of the cross product, ``hat(a) @ b == cross(a, b)``, shape (..., 3, 3); new.

    Args:
        vector: Shape (..., 3).
    """
    v = np.asarray(vector, dtype=np.float64)
    matrix = np.zeros((*v.shape[:-1], 3, 3))
    matrix[..., 0, 1], matrix[..., 0, 2] = -v[..., 2], v[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = v[..., 2], -v[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -v[..., 1], v[..., 0]
    return matrix


def vee(matrix: ArrayLike) -> Array:
    """Return the vector of the skew part of ``matrix``: the inverse of ``hat``, shape (..., 3); new."""
    m = np.asarray(matrix, dtype=np.float64)
    vector = np.empty((*m.shape[:-2], 3))
    vector[..., 0] = m[..., 2, 1] - m[..., 1, 2]
    vector[..., 1] = m[..., 0, 2] - m[..., 2, 0]
    vector[..., 2] = m[..., 1, 0] - m[..., 0, 1]
    vector *= 0.5
    return vector


def _coefficients(angle: Array) -> tuple[Array, Array, Array]:
    """Return ``sin(t)/t``, ``(1 - cos t)/t^2`` and ``(t - sin t)/t^3``, exact to rounding from 0 on."""
    small = angle < SERIES_BELOW
    t = np.where(small, 1.0, angle)
    s = np.where(small, angle, 0.0) ** 2
    half = np.sin(0.5 * t) / t
    a = np.where(small, 1 - s / 6 * (1 - s / 20 * (1 - s / 42)), np.sin(t) / t)
    b = np.where(small, 0.5 - s / 24 * (1 - s / 30 * (1 - s / 56)), 2 * half * half)
    c = np.where(small, 1 / 6 - s / 120 * (1 - s / 42 * (1 - s / 72)), (t - np.sin(t)) / t**3)
    return a, b, c


def exp(vector: ArrayLike) -> Array:
    """Return the rotation by ``|vector|`` about ``vector``, shape (..., 3, 3); new.

    ``R = I + sin(t)/t W + (1 - cos t)/t^2 W^2`` with ``W = hat(vector)`` (Rodrigues).

    Args:
        vector: Axis times angle, shape (..., 3), [rad].
    """
    v = np.asarray(vector, dtype=np.float64)
    if v.shape == (3,):
        return _one_exp(*v.tolist())
    a, b, _ = _coefficients(np.linalg.norm(v, axis=-1))
    W = hat(v)
    return np.eye(3) + a[..., None, None] * W + b[..., None, None] * (W @ W)


def _one_exp(x: float, y: float, z: float) -> Array:
    """Return ``exp`` of one vector, step by step the same; plain numbers are many times as fast as arrays of one."""
    t = math.sqrt(x * x + y * y + z * z)
    if t < SERIES_BELOW:
        s = t * t
        a = 1 - s / 6 * (1 - s / 20 * (1 - s / 42))
        b = 0.5 - s / 24 * (1 - s / 30 * (1 - s / 56))
    else:
        half = float(np.sin(0.5 * t)) / t
        a, b = float(np.sin(t)) / t, 2 * half * half
    W = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(_EYE + a * W + b * (W @ W))


def _quaternion(rotation: Array) -> tuple[Array, Array]:
    """Return (w, v) of the unit quaternion with w >= 0, divided by its largest part (Shepperd's rule)."""
    m = rotation
    trace = np.trace(m, axis1=-2, axis2=-1)
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    # Four times each row is the quaternion times one of its own parts; the row of the largest part is exact.
    rows = np.empty((*m.shape[:-2], 4, 4))
    skew = 2.0 * vee(m)
    rows[..., 0, 0] = 1.0 + trace
    rows[..., 0, 1:] = skew
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[..., i + 1, 0] = skew[..., i]
        rows[..., i + 1, i + 1] = 1.0 + 2.0 * diagonal[..., i] - trace
        rows[..., i + 1, j + 1] = m[..., j, i] + m[..., i, j]
        rows[..., i + 1, k + 1] = m[..., k, i] + m[..., i, k]
    best = np.argmax(np.concatenate([trace[..., None], diagonal], axis=-1), axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    q = np.where(q[..., :1] < 0.0, -q, q)
    return q[..., 0], q[..., 1:]


def _one_quaternion(rotation: Array) -> tuple[float, float, float, float] | None:
    """Return ``_quaternion`` of one matrix, shape (3, 3), step by step the same; None if it has none.

    Of one matrix alone plain numbers are many times as fast as arrays of three.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    trace = a + e + i
    if trace >= max(a, e, i):
        q = (1.0 + trace, h - f, c - g, d - b)
    elif a >= e and a >= i:
        q = (h - f, 1.0 + 2.0 * a - trace, d + b, g + c)
    elif e >= i:
        q = (c - g, d + b, 1.0 + 2.0 * e - trace, h + f)
    else:
        q = (d - b, g + c, h + f, 1.0 + 2.0 * i - trace)
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if not 0.0 < length < math.inf:
        return None
    if q[0] < 0.0:
        length = -length
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


def log(rotation: ArrayLike) -> Array:
    """Return the rotation vector of least length, ``exp(log(R)) == R``, shape (..., 3), [rad]; new.

    Correct to rounding for every angle from 0 to pi: it goes through the quaternion, whose arctangent loses
    nothing at either end. At pi exactly one of the two opposite vectors is returned.

    Args:
        rotation: Rotation matrices, shape (..., 3, 3).
    """
    m = np.asarray(rotation, dtype=np.float64)
    if m.ndim == 2 and (one := _one_quaternion(m)) is not None:
        u, x, y, z = one
        size = math.sqrt(x * x + y * y + z * z)
        ratio = 2.0 * float(np.arctan2(size, u)) / size if size > 0.0 else 2.0
        return np.array([ratio * x, ratio * y, ratio * z])
    w, v = _quaternion(m)
    length = np.linalg.norm(v, axis=-1)
    safe = np.where(length > 0.0, length, 1.0)
    factor = np.where(length > 0.0, 2.0 * np.arctan2(length, w) / safe, 2.0)
    return np.asarray(factor[..., None] * v)


def nearest_turns(vectors: Array, near: Array) -> Array:
    """Return rotation vectors of the same rotations, whole turns longer or shorter, that are nearest to others; new.

    Args:
        vectors: Rotation vectors, shape (..., 3), [rad]; one without an angle has no axis and stays.
        near: What they are to be near to, shape (..., 3), [rad].
    """
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    axis = vectors / np.where(size > 0.0, size, 1.0)
    along = (near * axis).sum(axis=-1, keepdims=True)
    turns = np.rint((along - size) / (2.0 * np.pi))
    return np.asarray(vectors + 2.0 * np.pi * turns * axis)


def angle(rotation: ArrayLike) -> Array:
    """Return the angle of ``rotation``, 0 to pi, shape (...), [rad]; exact near both ends."""
    m = np.asarray(rotation, dtype=np.float64)
    if m.ndim == 2 and (one := _one_quaternion(m)) is not None:
        u, x, y, z = one
        return np.asarray(2.0 * np.arctan2(math.sqrt(x * x + y * y + z * z), u))
    w, v = _quaternion(m)
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(v, axis=-1), w))


def angle_between(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the angle of the rotation from ``first`` to ``second``, 0 to pi, shape (...), [rad]."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return angle(np.swapaxes(a, -1, -2) @ b)


def left_jacobian(vector: ArrayLike) -> Array:
    """Return ``J`` with ``w = J(r) rdot``: world angular velocity of ``exp(r)``, shape (..., 3, 3); new.

    ``J = I + (1 - cos t)/t^2 W + (t - sin t)/t^3 W^2``.

    Args:
        vector: Rotation vector, shape (..., 3), [rad].
    """
    v = np.asarray(vector, dtype=np.float64)
    _, b, c = _coefficients(np.linalg.norm(v, axis=-1))
    W = hat(v)
    return np.eye(3) + b[..., None, None] * W + c[..., None, None] * (W @ W)


def inverse_left_jacobian(vector: ArrayLike) -> Array:
    """Return the inverse of ``left_jacobian`` for angles below 2 pi, shape (..., 3, 3); new.

    ``J^-1 = I - W/2 + (1 - (t/2) cot(t/2))/t^2 W^2``; the last coefficient is a series for small angles.

    Args:
        vector: Rotation vector, shape (..., 3), [rad].
    """
    v = np.asarray(vector, dtype=np.float64)
    t = np.linalg.norm(v, axis=-1)
    small = t < SERIES_BELOW
    s = np.where(small, t, 0.0) ** 2
    safe = np.where(small, 1.0, t)
    closed = (1.0 - 0.5 * safe * np.cos(0.5 * safe) / np.sin(0.5 * safe)) / safe**2
    d = np.where(small, 1 / 12 + s / 720 * (1 + s / 42), closed)
    W = hat(v)
    return np.eye(3) - 0.5 * W + d[..., None, None] * (W @ W)


def right_jacobian(vector: ArrayLike) -> Array:
    """Return ``J`` with ``w = J(r) rdot``: angular velocity of ``exp(r)`` in its own axes, shape (..., 3, 3); new.

    ``J_r(r) = J_l(-r) = J_l(r)^T = I - c_2 W + c_3 W^2`` (coefficients of :mod:`core.spatial.stumpff`).

    Args:
        vector: Rotation vector, shape (..., 3), [rad].
    """
    v = np.asarray(vector, dtype=np.float64)
    if v.shape == (3,):
        return np.array(right_jacobian_rows(*v.tolist()))
    return jacobian_derivatives(-v)[0]


def inverse_right_jacobian(vector: ArrayLike) -> Array:
    """Return the inverse of ``right_jacobian`` for angles below 2 pi, shape (..., 3, 3); new."""
    return np.swapaxes(inverse_left_jacobian(vector), -1, -2).copy()


def left_jacobian_rate(vector: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``left_jacobian(r)`` as ``r`` changes by ``rate``, shape (..., 3, 3); new.

    Args:
        vector: Rotation vector ``r``, shape (..., 3), [rad].
        rate: ``rdot``, shape (..., 3), broadcast with ``vector``, [rad/s].
    """
    v, d = np.asarray(vector, dtype=np.float64), np.asarray(rate, dtype=np.float64)
    if v.shape == d.shape == (3,):
        return np.array(left_jacobian_rate_rows(*v.tolist(), *d.tolist()))
    return jacobian_derivatives(v, d)[1]


def right_jacobian_rate(vector: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``right_jacobian(r)`` as ``r`` changes by ``rate``, shape (..., 3, 3); new.

    Arguments as of ``left_jacobian_rate``.
    """
    return left_jacobian_rate(np.negative(vector), np.negative(rate))


def exp_rows(x: float, y: float, z: float) -> list[list[float]]:
    """Return the rows of ``exp`` of one vector in plain numbers; equal to it up to rounding."""
    xx, yy, zz = x * x, y * y, z * z
    _, a, b, *_ = stumpff(xx + yy + zz)
    xy, xz, yz = b * x * y, b * x * z, b * y * z
    x, y, z = a * x, a * y, a * z
    return [
        [1.0 - b * (yy + zz), xy - z, xz + y],
        [xy + z, 1.0 - b * (xx + zz), yz - x],
        [xz - y, yz + x, 1.0 - b * (xx + yy)],
    ]


def right_jacobian_rows(x: float, y: float, z: float) -> list[list[float]]:
    """Return the rows of ``right_jacobian`` of one vector in plain numbers, many times as fast as arrays of three."""
    xx, yy, zz = x * x, y * y, z * z
    _, _, b, c, *_ = stumpff(xx + yy + zz)
    xy, xz, yz = c * x * y, c * x * z, c * y * z
    x, y, z = b * x, b * y, b * z
    return [
        [1.0 - c * (yy + zz), xy + z, xz - y],
        [xy - z, 1.0 - c * (xx + zz), yz + x],
        [xz + y, yz - x, 1.0 - c * (xx + yy)],
    ]


def left_jacobian_rate_rows(x: float, y: float, z: float, dx: float, dy: float, dz: float) -> list[list[float]]:
    """Return the rows of ``left_jacobian_rate`` of one vector ``(x, y, z)`` and one rate in plain numbers.

    ``c_2' W + c_2 W' + c_3' W^2 + c_3 (W' W + W W')`` with ``c_k' = (k c_(k+2) - c_(k+1)) (r . r')``.
    """
    m = x * dx + y * dy + z * dz
    _, _, b, c, c4, c5, *_ = stumpff(x * x + y * y + z * z)
    db, dc = m * (2.0 * c4 - c), m * (3.0 * c5 - c4)
    # The symmetric part is c' (r r^T - s 1) + c (r r'^T + r' r^T - 2 m 1), its diagonal written without squares of
    # the component itself.
    xx, yy, zz = dc * x * x + 2.0 * c * x * dx, dc * y * y + 2.0 * c * y * dy, dc * z * z + 2.0 * c * z * dz
    xy = dc * x * y + c * (x * dy + dx * y)
    xz = dc * x * z + c * (x * dz + dx * z)
    yz = dc * y * z + c * (y * dz + dy * z)
    u, v, w = db * x + b * dx, db * y + b * dy, db * z + b * dz
    return [[-yy - zz, xy - w, xz + v], [xy + w, -xx - zz, yz - u], [xz - v, yz + u, -xx - yy]]


def jacobian_derivatives(vector: Array, *rates: Array) -> tuple[Array, ...]:
    """Return ``J_l(r)`` and its derivatives along none, one or two directions, each of shape (..., 3, 3); new.

    Args:
        vector: ``r``, shape (..., 3), [rad].
        rates: ``a``, or ``a`` and ``b``, shape (..., 3) each.

    Returns:
        ``(J,)``, ``(J, DJ[a])`` or ``(J, DJ[a], DJ[b], D2J[a, b])``; the second derivative is symmetric.
    """
    r, *directions = np.broadcast_arrays(vector, *rates)
    _, _, c2, c3, c4, c5, c6, c7 = (c[..., None, None] for c in stumpff_arrays((r * r).sum(axis=-1)))
    W = hat(r)
    WW = W @ W
    J = np.eye(3) + c2 * W + c3 * WW
    if not directions:
        return (J,)
    d2, d3 = 2.0 * c4 - c3, 3.0 * c5 - c4

    def first(along: Array, A: Array) -> tuple[Array, Array, Array]:
        m = (r * along).sum(axis=-1)[..., None, None]
        WA = W @ A + A @ W
        return m, WA, m * d2 * W + c2 * A + m * d3 * WW + c3 * WA

    a = directions[0]
    A = hat(a)
    m_a, WA, along_a = first(a, A)
    if len(directions) == 1:
        return J, along_a
    b = directions[1]
    B = hat(b)
    m_b, WB, along_b = first(b, B)
    ab = (a * b).sum(axis=-1)[..., None, None]
    # d/ds of (k c_(k+2) - c_(k+1)), twice.
    e2, e3 = 8.0 * c6 - 5.0 * c5 + c4, 15.0 * c7 - 7.0 * c6 + c5
    both = (m_a * m_b * e2 + ab * d2) * W + d2 * (m_a * B + m_b * A)
    both = both + (m_a * m_b * e3 + ab * d3) * WW + d3 * (m_a * WB + m_b * WA) + c3 * (A @ B + B @ A)
    return J, along_a, along_b, both


def axis_rotation(axis: str | ArrayLike, angles: ArrayLike) -> Array:
    """Return the rotation by ``angles`` about ``axis``, shape (..., 3, 3); new.

    Args:
        axis: ``"x"``, ``"y"``, ``"z"`` or a unit vector, shape (3,).
        angles: Shape (...), [rad].
    """
    unit = np.eye(3)[_AXES[axis]] if isinstance(axis, str) else np.asarray(axis, dtype=np.float64)
    t = np.asarray(angles, dtype=np.float64)[..., None, None]
    W = hat(unit)
    # 2 sin^2(t/2) is 1 - cos t without its cancellation.
    return np.asarray(np.eye(3) + np.sin(t) * W + 2.0 * np.sin(0.5 * t) ** 2 * (W @ W))


def from_euler(order: str, angles: ArrayLike) -> Array:
    """Return ``R_a(t_1) R_b(t_2) R_c(t_3)`` for the axes in ``order``, shape (..., 3, 3); new.

    Args:
        order: Up to any number of letters such as ``"zyx"``; case does not matter. Intrinsic: each axis in the
            frame left by the ones before it.
        angles: One angle a letter, shape (..., len(order)), [rad].
    """
    values = np.asarray(angles, dtype=np.float64)
    rotation = np.broadcast_to(np.eye(3), (*values.shape[:-1], 3, 3))
    for i, letter in enumerate(order.lower()):
        rotation = rotation @ axis_rotation(letter, values[..., i])
    return np.array(rotation)


def to_euler(order: str, rotation: ArrayLike) -> Array:
    """Return angles with ``from_euler(order, angles) == rotation``, shape (..., 3), [rad]; new.

    The middle angle is in -pi/2..pi/2. At gimbal lock, where only the sum or difference of the outer angles is
    determined, the last one is 0 and the product is still right.

    Args:
        order: Three different letters, for example ``"zyx"``.
        rotation: Shape (..., 3, 3).
    """
    i, j, k = (_AXES[letter] for letter in order.lower())
    m = np.asarray(rotation, dtype=np.float64)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = np.hypot(m[..., i, i], m[..., i, j])
    middle = np.arctan2(sign * m[..., i, k], cosine)
    locked = cosine < 1e-12
    at_lock = np.arctan2(sign * m[..., k, j], m[..., j, j])
    first = np.where(locked, at_lock, np.arctan2(-sign * m[..., j, k], m[..., k, k]))
    last = np.where(locked, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
    return np.stack([first, middle, last], axis=-1)
