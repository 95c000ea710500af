"""Values and Jacobians of rows over the whole pose, entry by entry: residuals of locks and the figure's Jacobians."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.constraints.hold.packed import AIM, AXIS, CALL, DISTANCE, EQUATION, MASS, POINT, ROTATION
from core.constraints.hold.rows import WORLD, Rows
from core.constraints.joined_locks import center_below, center_jacobian_below
from core.constraints.places import Places
from core.constraints.residuals import (
    CENTER,
    ORIENTATION,
    OTHER_ORIENTATION,
    OTHER_POINT,
    POSE,
    AimResidual,
    AxisResidual,
    CarriedOrientationResidual,
    DistanceResidual,
    HalfPlanesResidual,
    OrientationResidual,
    PointResidual,
    Residual,
)
from core.constraints.residuals import POINT as PART_POINT
from core.kinematics.jacobian import point_jacobian


def row_values(rows: Sequence[Rows], places: Places) -> tuple[Array, Array]:
    """Return ``C``, shape (m,), and its Jacobian over the pose, shape (m, nq), [m] and [rad]; new.

    ``joints`` of the rows count for nothing here: these are the true derivatives.
    """
    nq = places.skeleton.nq
    if not rows:
        return np.zeros(0), np.zeros((0, nq))
    parts = [_values(entry, places) for entry in rows]
    return np.concatenate([C for C, _ in parts]), np.concatenate([J for _, J in parts])


def residual_of(rows: Rows) -> Residual:
    """Return the residual that an entry stands for."""
    if rows.form == POINT:
        return PointResidual(rows.directions, rows.target, pair=True)
    if rows.form == DISTANCE:
        return DistanceResidual(rows.target)
    if rows.form == ROTATION and rows.other >= 0:
        return CarriedOrientationResidual(rows.target)
    if rows.form == ROTATION:
        return OrientationResidual(rows.target)
    if rows.form == AXIS:
        return AxisResidual(rows.axis, rows.target)
    if rows.form == AIM:
        return AimResidual(rows.axis)
    if rows.form == MASS:
        return HalfPlanesResidual(rows.directions, rows.target, rows.supports)
    assert rows.form in (CALL, EQUATION) and rows.residual is not None
    return rows.residual


def arguments(rows: Rows, places: Places) -> list[Array]:
    """Return what an entry's residual is a function of, as it is now."""
    return [_argument(rows, part, places) for part in residual_of(rows).of]


def _argument(rows: Rows, part: str, places: Places) -> Array:
    if part == PART_POINT:
        return places.point(rows.joint, rows.point)
    if part == ORIENTATION:
        return places.rotation(rows.joint)
    if part == OTHER_POINT:
        return rows.other_point if rows.other == WORLD else places.point(rows.other, rows.other_point)
    if part == OTHER_ORIENTATION:
        return rows.other_rotation if rows.other == WORLD else places.rotation(rows.other)
    return center_below(places.skeleton, places.q, rows.within) if part == CENTER else places.q


def _values(rows: Rows, places: Places) -> tuple[Array, Array]:
    """Return the value of an entry and by the chain rule its Jacobian over the pose, shapes (m,) and (m, nq)."""
    s, q = places.skeleton, places.q
    residual, h = residual_of(rows), arguments(rows, places)
    found = np.zeros((rows.size, s.nq))
    moved: dict[bool, Array] = {}
    for part, local in zip(residual.of, residual.jacobians(*h), strict=True):
        if part == CENTER:
            found += local @ center_jacobian_below(s, q, rows.within)
            continue
        if part == POSE:
            found += local
            continue
        own = part in (PART_POINT, ORIENTATION)
        joint = rows.joint if own else rows.other
        if joint == WORLD:
            continue
        if own not in moved:
            moved[own] = point_jacobian(s, q, joint, rows.point if own else rows.other_point)
        found += local @ (moved[own][:3] if part in (PART_POINT, OTHER_POINT) else moved[own][3:])
    return residual.value(*h), found
