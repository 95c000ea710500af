"""Checks of the numbers that people hand to a dynamics model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import DynamicsError

_MANY = 4096


def finite_array(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a contiguous float64 array of ``shape``; ``value`` itself if it is one already.

    Raises:
        DynamicsError: If it has another shape or holds NaN or infinity; names ``what`` and the first bad place.
    """
    # What is mostly asked, in a fraction of the time: a sum of squares is finite only if all numbers are. The sum of
    # many is left alone: libraries of linear algebra start threads for it.
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape == shape and value.flags.c_contiguous:
        if value.size < _MANY and math.isfinite(np.vdot(value, value)):
            return value
    try:
        array = np.asarray(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise DynamicsError(f"{what} is {shown(value)}; it must be numbers of shape {shape}") from None
    if array.shape != shape:
        raise DynamicsError(f"{what} has shape {array.shape}; it must have shape {shape}")
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(k) for k in np.argwhere(~finite)[0])
        raise DynamicsError(f"{what}[{', '.join(map(str, place))}] is {array[place]}; it must be a finite number")
    return array


def pose_matrix(value: Any, what: str) -> Array:
    """Return ``value`` as a new read-only rigid transform, shape (4, 4).

    A rotation that was rounded, as numbers in files are, is replaced by the nearest one: the formulations invert
    transforms in different ways, and agree only where each is one to rounding.

    Raises:
        DynamicsError: If it is not finite, its last row is not (0, 0, 0, 1), or its upper left is no rotation to 1e-6.
    """
    matrix = np.array(finite_array(value, (4, 4), what))
    if not np.array_equal(matrix[3], (0.0, 0.0, 0.0, 1.0)):
        raise DynamicsError(f"{what} has the last row {matrix[3].tolist()}; it must be [0, 0, 0, 1]")
    R = matrix[:3, :3]
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > 1e-6 or np.linalg.det(R) < 0.0:
        raise DynamicsError(f"{what} turns by {R.tolist()}; it must be a right-handed orthonormal matrix")
    if off > 1e-14:
        U, _, Vt = np.linalg.svd(R)
        matrix[:3, :3] = U @ Vt
    matrix.setflags(write=False)
    return matrix
