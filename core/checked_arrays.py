"""Checks of numbers that people and files give. Each names the place, the value, and what would be right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError

LARGEST = 1e9
"""Largest length [m] or angle [rad] that is taken for meant."""
_ORTHONORMAL = 1e-6
_LONGEST = 80


def shown(value: Any) -> str:
    """Return a value as text on one line, short enough for a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def checked_array(value: Any, shape: tuple[int, ...], what: str, error: type[CoreError]) -> NDArray[np.float64]:
    """Return ``value`` as a new float64 array of ``shape``.

    Raises:
        error: If it has another shape, or holds NaN, infinity or a number beyond ``LARGEST``; names ``what``.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise error(f"{what} is {shown(value)}; it must be numbers of shape {shape}") from None
    if array.shape != shape:
        raise error(f"{what} has shape {array.shape}; it must have shape {shape}")
    if not np.abs(array).max(initial=0.0) <= LARGEST:  # also false for NaN
        raise error(f"{what} is {array.tolist()}; its numbers must be finite and at most {LARGEST:g}")
    return array


def check_rotation(matrix: NDArray[np.float64], what: str, error: type[CoreError]) -> None:
    """Check that a matrix, shape (3, 3), is a rotation.

    Raises:
        error: If it is not right-handed and orthonormal to 1e-6; names ``what``.
    """
    # Every target of a lock is checked: of nine numbers plain ones take a tenth of the time that arrays do.
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    off = max(
        abs(a * a + d * d + g * g - 1.0), abs(b * b + e * e + h * h - 1.0), abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h), abs(a * c + d * f + g * i), abs(b * c + e * f + h * i),
    )  # fmt: skip
    if off > _ORTHONORMAL or a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        raise error(f"{what} is {matrix.tolist()}; it must be a right-handed orthonormal matrix")
