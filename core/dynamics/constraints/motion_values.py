"""Values of motions that people hand over as functions of time, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.arrays import finite_array
from core.errors import DynamicsError


def motion_values(motion: Callable[[float], Any], t: float, n: int, count: int, what: str) -> tuple[Array, ...]:
    """Return the values of a motion at a time, ``count`` arrays of shape (n,).

    Args:
        motion: Of a time, a tuple; each value may be a number if n is 1.
        t: Time [s].
        n: Length of each value.
        count: How many values.
        what: What messages call the constraint.

    Raises:
        DynamicsError: If it returns something else, or numbers that are not finite.
    """
    values = motion(t) if callable(motion) else motion
    if not isinstance(values, tuple) or len(values) != count:
        raise DynamicsError(
            f"{what}: its motion at {t:g} s is {shown(values)}; it must be a function of time that returns "
            f"{count} values of shape ({n},)"
        )
    return tuple(
        finite_array(value if np.ndim(value) else [value], (n,), f"{what}, its motion at {t:g} s: value {k}")
        for k, value in enumerate(values)
    )
