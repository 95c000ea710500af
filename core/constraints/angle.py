"""The angle between an axis of a frame and a direction, as two rows."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.constraints.hold.packed import SMALL
from core.constraints.hold.rows_kernel import angle_factors
from core.constraints.primitives import across


def basis_of(axis: Array) -> Array:
    """Return two unit vectors across an axis and the axis itself, as rows, shape (3, 3)."""
    return np.vstack([across(axis), axis])


def angle_rows(R: Array, basis: Array, direction: Array) -> tuple[Array, Array]:
    """Return two rows whose length is the angle, and their derivative by the direction.

    With ``(x, y, z)`` the direction along the rows of ``basis`` in the frame, the rows are ``f (x, y)``,
    ``f = t / sin t``, ``t = atan2(|(x, y)|, z)``. At t = pi, where no way back is the shortest, any is taken.

    Args:
        R: Rotation of the frame, shape (3, 3).
        basis: ``basis_of`` the axis in it, shape (3, 3).
        direction: Unit direction in the world, shape (3,).

    Returns:
        Rows, shape (2,), [rad], and their derivative by the direction in the world, shape (2, 3).
    """
    basis = basis @ R.T  # in the world
    x, y, z = basis @ direction
    sine = math.hypot(x, y)
    if sine < SMALL and z < 0.0:
        x, y = (x / sine, y / sine) if sine > 0.0 else (1.0, 0.0)
        return math.atan2(sine, z) * np.array([x, y]), -basis[:2]
    f, g = angle_factors(sine, z)
    # df = (df/dt) dt and dt = -dz / sin t, for a direction that stays of length 1.
    across_part = np.array([x, y])
    return f * across_part, f * basis[:2] - g * np.outer(across_part, basis[2])
