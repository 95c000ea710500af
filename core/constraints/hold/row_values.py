"""Values and Jacobians of rows over the whole pose, entry by entry: the plain form, which also takes functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.constraints.hold.packed import AIM, AXIS, CALL, DISTANCE, MASS, POINT, ROTATION, SMALL
from core.constraints.hold.rows import WORLD, Rows, across
from core.constraints.places import Places
from core.kinematics.center_of_mass import center_of_mass, center_of_mass_jacobian
from core.kinematics.jacobian import point_jacobian
from core.spatial import so3


def row_values(rows: Sequence[Rows], places: Places) -> tuple[Array, Array]:
    """Return ``C``, shape (m,), and its Jacobian over the pose, shape (m, nq), [m] and [rad]; new.

    ``joints`` of the rows count for nothing here: these are the true derivatives.
    """
    parts = [_values(entry, places) for entry in rows]
    nq = places.skeleton.nq
    if not parts:
        return np.zeros(0), np.zeros((0, nq))
    return np.concatenate([C for C, _ in parts]), np.concatenate([J for _, J in parts])


def _values(rows: Rows, places: Places) -> tuple[Array, Array]:
    s, q = places.skeleton, places.q
    if rows.form == CALL:
        assert rows.function is not None
        return rows.function(q)
    if rows.form == MASS:
        D = rows.directions
        return D @ center_of_mass(s, q) - rows.target, D @ center_of_mass_jacobian(s, q)
    J = point_jacobian(s, q, rows.joint, rows.point)
    if rows.form == ROTATION:
        C = so3.log(places.rotation(rows.joint) @ rows.target.T)
        return C, so3.inverse_left_jacobian(C) @ J[3:]
    if rows.form == AXIS:
        return axis_values(places.rotation(rows.joint), rows.axis, rows.target, J[3:], np.zeros((3, s.nq)))
    away = -places.point(rows.joint, rows.point)
    Jv = -J[:3]
    if rows.other == WORLD:
        away += rows.other_point
    else:
        away += places.point(rows.other, rows.other_point)
        Jv += point_jacobian(s, q, rows.other, rows.other_point)[:3]
    if rows.form == POINT:
        D = rows.directions
        return D @ (-away - rows.target), -D @ Jv
    length = math.sqrt(float(away @ away))
    sight = away / length if length > 0.0 else np.eye(3)[0]
    if rows.form == DISTANCE:
        return np.array([length - rows.target]), (sight @ Jv)[None]
    assert rows.form == AIM
    Jv = (Jv - np.outer(sight, sight @ Jv)) / (length or 1.0)
    return axis_values(places.rotation(rows.joint), rows.axis, sight, J[3:], Jv)


def axis_values(R: Array, axis: Array, direction: Array, Jw: Array, Jd: Array) -> tuple[Array, Array]:
    """Return the two rows of the angle between an axis of a frame and a direction, and their Jacobian.

    With ``(x, y, z)`` the direction along ``across(axis)`` and ``axis`` in the frame, the rows are
    ``f (x, y)``, ``f = t / sin t``, ``t`` the angle: their length is the angle.

    Args:
        R: Rotation of the frame, shape (3, 3).
        axis: Unit axis in it, shape (3,).
        direction: Unit direction in the world, shape (3,).
        Jw: Jacobian of the frame's angular velocity, shape (3, n).
        Jd: Jacobian of the direction, shape (3, n).
    """
    basis = R @ np.vstack([across(axis), axis]).T  # columns: two across, the axis; world
    x, y, z = direction @ basis
    s = math.hypot(x, y)
    dx, dy, dz = (np.cross(basis[:, k], direction) @ Jw + basis[:, k] @ Jd for k in range(3))
    if s < SMALL and z < 0.0:
        # Opposite: all ways back are equally long. The angle still falls as fast as the axis turns.
        x, y = (x / s, y / s) if s > 0.0 else (1.0, 0.0)
        return math.atan2(s, z) * np.array([x, y]), np.array([-dx, -dy])
    f, g = angle_factors(s, z)
    return np.array([f * x, f * y]), np.array([f * dx - g * x * dz, f * dy - g * y * dz])


def angle_factors(sine: float, cosine: float) -> tuple[float, float]:
    """Return ``f = t / sin t`` and ``g = (df/dt) / sin t`` of the angle t with that sine, 0 or more, and cosine."""
    if sine < SMALL:
        s = sine * sine
        return 1.0 + s / 6.0 + 3.0 * s * s / 40.0, 1.0 / 3.0 + 2.0 * s / 15.0
    t = math.atan2(sine, cosine)
    return t / sine, (sine - t * cosine) / sine**3
