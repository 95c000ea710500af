"""Values and Jacobians of rows over the whole pose, entry by entry, in metres and radians."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.constraints.angle import angle_rows, basis_of
from core.constraints.hold.packed import AIM, AXIS, CALL, DISTANCE, MASS, POINT, ROTATION
from core.constraints.hold.rows import WORLD, Rows
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
        C, change = angle_rows(places.rotation(rows.joint), basis_of(rows.axis), rows.target)
        return C, change @ so3.hat(rows.target) @ J[3:]  # a frame that turns is a direction that turns back
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
    C, change = angle_rows(places.rotation(rows.joint), basis_of(rows.axis), sight)
    return C, change @ (Jv + so3.hat(sight) @ J[3:])
