"""Angles of the orientation in a .scr file, and the rotations they stand for."""

from __future__ import annotations

import numpy as np

from core.arrays import Array


def euler_rotation(degrees: Array) -> Array:
    """Return ``Rz Ry Rx`` for angles ``(x, y, z)`` in degrees, shape (3, 3): ``orientation`` in a .scr file."""
    x, y, z = np.radians(degrees)
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )


def euler_degrees(rotation: Array) -> Array:
    """Return angles (x, y, z), [deg], with ``euler_rotation(angles)`` the given rotation; new.

    They make the rotation to rounding, next to gimbal lock too, and are short decimal numbers where such do.
    """
    R = np.asarray(rotation, dtype=np.float64)
    z = float(np.arctan2(R[1, 0], R[0, 0]))
    # The others from what that turn leaves, so that near gimbal lock x makes up for what z could not determine.
    c, s = np.cos(z), np.sin(z)
    y = float(np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0]))
    x = float(np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]))
    angles: Array = np.degrees([x, y, z])
    for digits in (6, 9, 12):
        rounded = np.round(angles, digits) + 0.0
        if np.abs(euler_rotation(rounded) - R).max() <= 4e-16:
            return rounded
    return angles
