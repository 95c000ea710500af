"""Checks of what a lock is given. Each names the lock, the place, the value, and what would be right."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import check_rotation, checked_array
from core.errors import GoalError, LockError
from core.kinematics.goal import finite
from core.skeleton.skeleton import Skeleton

_UNIT = 1e-12
_SHORTEST = 1e-12


def numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a new read-only float64 array of ``shape``.

    Raises:
        LockError: If it has another shape, or holds NaN, infinity or a number beyond ``LARGEST``; names ``what``.
    """
    # Adding zero turns -0.0 into 0.0, so that a lock mirrored twice is the same to the bit.
    array = np.asarray(checked_array(value, shape, what, LockError) + 0.0)
    array.setflags(write=False)
    return array


def number(value: Any, what: str) -> float:
    """Return ``value`` as one finite float; see :func:`numbers`."""
    if isinstance(value, (bool, np.bool_)):
        raise LockError(f"{what} is {value!r}; it must be a number")
    return float(numbers(value, (), what))


def rotation(value: Any, what: str) -> Array:
    """Return ``value`` as a read-only rotation matrix, shape (3, 3).

    Raises:
        LockError: If it is not right-handed and orthonormal to 1e-6.
    """
    matrix = numbers(value, (3, 3), what)
    check_rotation(matrix, what, LockError)
    return matrix


def unit(value: Any, what: str) -> Array:
    """Return ``value`` as a read-only unit vector, shape (3,); one of length 1 keeps its bits.

    Raises:
        LockError: If it has no direction.
    """
    vector = numbers(value, (3,), what)
    length = float(np.linalg.norm(vector))
    if length < _SHORTEST:
        raise LockError(f"{what} is {vector.tolist()}; it must have a direction")
    return vector if abs(length - 1.0) <= _UNIT else frozen(vector / length)


def frozen(array: Array) -> Array:
    """Return ``array`` as a read-only float64 copy."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def joint_name(value: Any, what: str) -> int | str:
    """Return a joint as an index or a name; whether there is such a joint is asked when a figure is known.

    Raises:
        LockError: If it is neither.
    """
    if isinstance(value, str):
        return value
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise LockError(f"{what} is {value!r}; it must be the name or the index of a joint") from None


def flags(value: Any, what: str) -> tuple[bool, bool, bool]:
    """Return three bools, at least one of them true.

    Raises:
        LockError: If it is anything else.
    """
    try:
        given = list(value)
    except TypeError:
        given = []
    if len(given) != 3 or not all(isinstance(flag, (bool, np.bool_)) or flag in (0, 1) for flag in given):
        raise LockError(f"{what} are {value!r}; they must be three bools, for x, y and z")
    if not any(given):
        raise LockError(f"{what} are {value!r}; at least one must be true")
    return bool(given[0]), bool(given[1]), bool(given[2])


def above(value: Any, what: str) -> float:
    """Return a number above 0; a GoalError names ``what`` it is where it is not."""
    number = float(finite(value, (), what))
    if not number > 0.0:
        raise GoalError(f"{what} is {number:g}; it must be above 0")
    return number


def indices(s: Skeleton, values: Iterable[int], what: str) -> tuple[int, ...]:
    """Return places in a pose, ascending and each once; a GoalError names ``what`` they are where one is not there."""
    found = tuple(sorted({int(value) for value in values}))
    if found and not 0 <= found[0] <= found[-1] < s.nq:
        raise GoalError(f"{what} is {found}; q indices run from 0 to {s.nq - 1}")
    return found
