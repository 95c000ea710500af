"""Rigid motions: poses ``X``, twists ``[w; v]``, exponential and logarithm, adjoints, their Jacobians and rates.

A pose ``X_AB``, shape (4, 4), is ``[[R, p], [0, 1]]``: the frame B in the frame A. A twist is ``phi = [w; v]``, the
angular velocity over the velocity of the origin; moving with the twist ``phi``, expressed in its own axes, a pose
changes by ``X' = X hat(phi)``. All functions take one value or a batch: leading axes broadcast. Single values are
worked out in plain numbers, which for so few of them is many times as fast. Angles in radians.

The adjoint matrices of rigid motions are those of rotations with dual numbers for entries (``ad = W + e V``,
``e^2 = 0``). So each block below the diagonal of a function of a twist is the derivative along ``v`` of the same
function of ``w``; nothing here divides by an angle.

Source: Sueda sections 1.2 to 1.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.spatial import so3
from core.spatial.so3 import jacobian_derivatives, left_jacobian_rate_rows
from core.spatial.stumpff import stumpff, stumpff_arrays


def _array(value: ArrayLike) -> Array:
    return np.asarray(value, dtype=np.float64)


def hat(twist: ArrayLike) -> Array:
    """Return ``[[hat(w), v], [0, 0]]``, shape (..., 4, 4); new.

    Args:
        twist: ``[w; v]``, shape (..., 6).

    Source: Sueda eq. 1.6.
    """
    t = _array(twist)
    matrix = np.zeros((*t.shape[:-1], 4, 4))
    matrix[..., :3, :3] = so3.hat(t[..., :3])
    matrix[..., :3, 3] = t[..., 3:]
    return matrix


def unhat(matrix: ArrayLike) -> Array:
    """Return the twist of ``hat(twist)``, shape (..., 6); of the upper left block the skew part counts; new."""
    m = _array(matrix)
    return np.concatenate([so3.vee(m[..., :3, :3]), m[..., :3, 3]], axis=-1)


def transform(rotation: ArrayLike | None = None, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the pose of a rotation and a translation, shape (..., 4, 4); new.

    Args:
        rotation: ``R_AB``, shape (..., 3, 3); None is no rotation.
        translation: B's origin in A, shape (..., 3).
    """
    p = _array(translation)
    R = np.eye(3) if rotation is None else _array(rotation)
    X = np.zeros((*np.broadcast_shapes(p.shape[:-1], R.shape[:-2]), 4, 4))
    X[..., :3, :3] = R
    X[..., :3, 3] = p
    X[..., 3, 3] = 1.0
    return X


def inverse(X: ArrayLike) -> Array:
    """Return ``X_BA`` of ``X_AB``, shape (..., 4, 4); new. The rotation is taken to be orthonormal."""
    X = _array(X)
    if X.shape == (4, 4):
        (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = X.tolist()
        return np.array(
            [
                [a, d, g, -(a * x + d * y + g * z)],
                [b, e, h, -(b * x + e * y + h * z)],
                [c, f, i, -(c * x + f * y + i * z)],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
    Rt = np.swapaxes(X[..., :3, :3], -1, -2)
    return transform(Rt, -(Rt @ X[..., :3, 3, None])[..., 0])


def exp(twist: ArrayLike) -> Array:
    """Return the motion of moving with a twist for the time 1, ``[[exp(w), J_l(w) v], [0, 1]]``, shape (..., 4, 4).

    Args:
        twist: ``[w; v]``, shape (..., 6), [rad] and [m].

    Returns:
        A new array; right to rounding for every angle, 0 included.

    Source: Sueda eq. 1.10.
    """
    t = _array(twist)
    if t.shape == (6,):
        x, y, z, u, v, w = t.tolist()
        xx, yy, zz = x * x, y * y, z * z
        _, a, b, c, *_ = stumpff(xx + yy + zz)
        # R = 1 + a W + b W^2 and p = v + b w x v + c w x (w x v).
        ax, ay, az = a * x, a * y, a * z
        bxy, bxz, byz = b * x * y, b * x * z, b * y * z
        f, g, h = y * w - z * v, z * u - x * w, x * v - y * u
        return np.array(
            [
                [1.0 - b * (yy + zz), bxy - az, bxz + ay, u + b * f + c * (y * h - z * g)],
                [bxy + az, 1.0 - b * (xx + zz), byz - ax, v + b * g + c * (z * f - x * h)],
                [bxz - ay, byz + ax, 1.0 - b * (xx + yy), w + b * h + c * (x * g - y * f)],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
    r, p = t[..., :3], t[..., 3:]
    _, c1, c2, c3, *_ = (k[..., None, None] for k in stumpff_arrays((r * r).sum(axis=-1)))
    W = so3.hat(r)
    WW = W @ W
    J = np.eye(3) + c2 * W + c3 * WW
    return transform(np.eye(3) + c1 * W + c2 * WW, (J @ p[..., None])[..., 0])


def log(X: ArrayLike) -> Array:
    """Return the twist of the least rotation with ``exp(log(X)) == X``, shape (..., 6), [rad] and [m]; new.

    Right to rounding for every angle from 0 to pi; at pi exactly one of the two axes is taken.

    Args:
        X: Poses, shape (..., 4, 4).
    """
    X = _array(X)
    r, p = so3.log(X[..., :3, :3]), X[..., :3, 3]
    if X.shape == (4, 4):
        (x, y, z), (u, v, w) = r.tolist(), p.tolist()
        _, _, c2, c3, c4, *_ = stumpff(x * x + y * y + z * z)
        d = (0.5 * c3 - c4) / c2
        f, g, h = y * w - z * v, z * u - x * w, x * v - y * u
        return np.array(
            [
                x,
                y,
                z,
                u - 0.5 * f + d * (y * h - z * g),
                v - 0.5 * g + d * (z * f - x * h),
                w - 0.5 * h + d * (x * g - y * f),
            ]
        )
    return np.concatenate([r, (_inverse_rotation_jacobian(r) @ p[..., None])[..., 0]], axis=-1)


def adjoint(X: ArrayLike) -> Array:
    """Return ``[[R, 0], [hat(p) R, R]]``, which takes twists expressed in B to twists expressed in A for ``X_AB``.

    Args:
        X: ``X_AB``, shape (..., 4, 4).

    Returns:
        Shape (..., 6, 6), new. Its transpose takes wrenches expressed in A to wrenches expressed in B.

    Source: Sueda eq. 1.14.
    """
    X = _array(X)
    if X.shape == (4, 4):
        (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = X.tolist()
        return np.array(
            [
                [a, b, c, 0.0, 0.0, 0.0],
                [d, e, f, 0.0, 0.0, 0.0],
                [g, h, i, 0.0, 0.0, 0.0],
                [y * g - z * d, y * h - z * e, y * i - z * f, a, b, c],
                [z * a - x * g, z * b - x * h, z * c - x * i, d, e, f],
                [x * d - y * a, x * e - y * b, x * f - y * c, g, h, i],
            ]
        )
    R = X[..., :3, :3]
    return _blocks(R, so3.hat(X[..., :3, 3]) @ R)


def inverse_adjoint(X: ArrayLike) -> Array:
    """Return ``adjoint(inverse(X)) = [[R^T, 0], [-R^T hat(p), R^T]]``: twists in A to twists in B."""
    return adjoint(inverse(X))


def ad(twist: ArrayLike) -> Array:
    """Return ``[[hat(w), 0], [hat(v), hat(w)]]``, the spatial cross product of two twists, shape (..., 6, 6); new.

    Args:
        twist: ``[w; v]``, shape (..., 6).

    Source: Sueda eq. 1.19.
    """
    t = _array(twist)
    if t.shape == (6,):
        x, y, z, u, v, w = t.tolist()
        return np.array(
            [
                [0.0, -z, y, 0.0, 0.0, 0.0],
                [z, 0.0, -x, 0.0, 0.0, 0.0],
                [-y, x, 0.0, 0.0, 0.0, 0.0],
                [0.0, -w, v, 0.0, -z, y],
                [w, 0.0, -u, z, 0.0, -x],
                [-v, u, 0.0, -y, x, 0.0],
            ]
        )
    return _blocks(so3.hat(t[..., :3]), so3.hat(t[..., 3:]))


def adjoint_rate(X: ArrayLike, twist: ArrayLike) -> Array:
    """Return the time derivative of ``adjoint(X_AB)``, ``adjoint(X) @ ad(twist)``, shape (..., 6, 6); new.

    Args:
        X: ``X_AB``, shape (..., 4, 4).
        twist: Twist of B relative to A, expressed in B, shape (..., 6).

    Source: Sueda eqs. 1.18, 1.19.
    """
    return adjoint(X) @ ad(twist)


def inverse_adjoint_rate(X: ArrayLike, twist: ArrayLike) -> Array:
    """Return the time derivative of ``inverse_adjoint(X_AB)``, ``-ad(twist) @ inverse_adjoint(X)``; arguments as above.

    Source: Sueda eq. 2.50.
    """
    return -ad(twist) @ inverse_adjoint(X)


def left_jacobian(twist: ArrayLike) -> Array:
    """Return ``J`` with ``X' X^-1 = hat(J(xi) xi')`` for ``X = exp(xi)``, shape (..., 6, 6); new.

    ``J = [[J_l(w), 0], [D J_l(w)[v], J_l(w)]]``; without rotation the lower block is ``0.5 hat(v)``.

    Args:
        twist: ``xi = [w; v]``, shape (..., 6).
    """
    t = _array(twist)
    if t.shape == (6,):
        x, y, z, u, v, w = t.tolist()
        return _one(so3.right_jacobian_rows(-x, -y, -z), left_jacobian_rate_rows(x, y, z, u, v, w))
    return _blocks(*jacobian_derivatives(t[..., :3], t[..., 3:]))


def right_jacobian(twist: ArrayLike) -> Array:
    """Return ``J`` with ``X^-1 X' = hat(J(xi) xi')`` for ``X = exp(xi)``, ``left_jacobian(-xi)``, shape (..., 6, 6)."""
    return left_jacobian(np.negative(twist))


def inverse_left_jacobian(twist: ArrayLike) -> Array:
    """Return the inverse of ``left_jacobian`` for angles below 2 pi, shape (..., 6, 6); new."""
    t = _array(twist)
    if t.shape == (6,):
        x, y, z, u, v, w = t.tolist()
        _, _, c2, c3, c4, *_ = stumpff(x * x + y * y + z * z)
        d = (0.5 * c3 - c4) / c2
        xx, yy, zz, xy, xz, yz = d * x * x, d * y * y, d * z * z, d * x * y, d * x * z, d * y * z
        a, b, c = 0.5 * x, 0.5 * y, 0.5 * z
        D = [[1.0 - yy - zz, xy + c, xz - b], [xy - c, 1.0 - xx - zz, yz + a], [xz + b, yz - a, 1.0 - xx - yy]]
        inverse = np.zeros((6, 6))
        inverse[:3, :3] = inverse[3:, 3:] = D
        inverse[3:, :3] = -inverse[:3, :3] @ left_jacobian_rate_rows(x, y, z, u, v, w) @ inverse[:3, :3]
        return inverse
    inverse_of_rotation = _inverse_rotation_jacobian(t[..., :3])
    _, below = jacobian_derivatives(t[..., :3], t[..., 3:])
    return _blocks(inverse_of_rotation, -inverse_of_rotation @ below @ inverse_of_rotation)


def inverse_right_jacobian(twist: ArrayLike) -> Array:
    """Return the inverse of ``right_jacobian`` for angles below 2 pi, shape (..., 6, 6); new."""
    return inverse_left_jacobian(np.negative(twist))


def left_jacobian_rate(twist: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``left_jacobian(xi)`` as ``xi`` changes by ``rate``, shape (..., 6, 6); new.

    Args:
        twist: ``xi``, shape (..., 6).
        rate: ``xi'``, shape (..., 6), broadcast with ``twist``.
    """
    t, d = _array(twist), _array(rate)
    w, v, dw, dv = np.broadcast_arrays(t[..., :3], t[..., 3:], d[..., :3], d[..., 3:])
    _, diagonal, _, mixed = jacobian_derivatives(w, dw, v)
    return _blocks(diagonal, mixed + jacobian_derivatives(w, dv)[1])


def right_jacobian_rate(twist: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``right_jacobian(xi)`` as ``xi`` changes by ``rate``, shape (..., 6, 6); new."""
    return left_jacobian_rate(np.negative(twist), np.negative(rate))


def inverse_left_jacobian_rate(twist: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``inverse_left_jacobian``, ``-J^-1 J' J^-1``, shape (..., 6, 6); new."""
    J = inverse_left_jacobian(twist)
    return -J @ left_jacobian_rate(twist, rate) @ J


def inverse_right_jacobian_rate(twist: ArrayLike, rate: ArrayLike) -> Array:
    """Return the time derivative of ``inverse_right_jacobian``, shape (..., 6, 6); new."""
    return inverse_left_jacobian_rate(np.negative(twist), np.negative(rate))


def _inverse_rotation_jacobian(r: Array) -> Array:
    """Return ``J_l(r)^-1 = 1 - W/2 + (c_3 - 2 c_4) / (2 c_2) W^2``; its only singularity is that at 2 pi."""
    _, _, c2, c3, c4, *_ = stumpff_arrays((r * r).sum(axis=-1))
    W = so3.hat(r)
    factor = ((0.5 * c3 - c4) / c2)[..., None, None]
    return np.asarray(np.eye(3) - 0.5 * W + factor * (W @ W))


def _blocks(diagonal: Array, below: Array) -> Array:
    """Return ``[[D, 0], [L, D]]``, shape (..., 6, 6)."""
    matrix = np.zeros((*np.broadcast_shapes(diagonal.shape, below.shape)[:-2], 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = diagonal
    matrix[..., 3:, :3] = below
    return matrix


def _one(diagonal: list[list[float]], below: list[list[float]]) -> Array:
    """Return ``[[D, 0], [L, D]]`` of rows of numbers, shape (6, 6)."""
    none = [0.0, 0.0, 0.0]
    return np.array([row + none for row in diagonal] + [a + b for a, b in zip(below, diagonal, strict=True)])
