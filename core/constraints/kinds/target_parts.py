"""What a lock's target is made of: places, rotations, directions and numbers, each somewhere in its array.

Interpolation between keys, eases and the fields of the panel go by it, so that they need to know no kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array

PLACE, ROTATION, DIRECTION, LENGTH, ANGLE = "place", "rotation", "direction", "length", "angle"
"""Forms: a point or an offset (3,), [m]; a rotation (3, 3); a unit vector (3,); a number, [m]; a number, [rad]."""

WHOLE: Any = ...
"""Where a part stands that is all of the target."""


class TargetPart(NamedTuple):
    """One part of a target.

    Attributes:
        form: ``PLACE``, ``ROTATION``, ``DIRECTION``, ``LENGTH`` or ``ANGLE``.
        name: What fields call it.
        where: Index of it in the target's array.
    """

    form: str
    name: str
    where: Any = WHOLE

    @property
    def is_number(self) -> bool:
        """Whether it is one number."""
        return self.form in (LENGTH, ANGLE)

    def of(self, target: Any) -> Array:
        """Return the part, an array; of a number shape ()."""
        return np.asarray(np.asarray(target, dtype=np.float64)[self.where])

    def numbers(self, target: Any) -> Array:
        """Return the part as numbers in a row."""
        return self.of(target).reshape(-1)


def put_together(parts: Sequence[TargetPart], values: Sequence[Any], like: Any) -> Any:
    """Return a target of these values of its parts; what is no part, such as a last row, is as in ``like``."""
    if np.ndim(like) == 0:
        return float(values[0])
    if len(parts) == 1 and parts[0].where is WHOLE:
        return np.asarray(values[0], dtype=np.float64)
    target = np.array(like, dtype=np.float64)
    for part, value in zip(parts, values, strict=True):
        target[part.where] = value
    return target
