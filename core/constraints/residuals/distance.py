"""Two points a length apart: ``|p_a - p_b| - length``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import OTHER_POINT, POINT, Residual


@dataclass(frozen=True, eq=False)
class DistanceResidual(Residual):
    """``|p_a - p_b| - length``, [m]. Points that coincide have no direction; they part along x.

    Attributes:
        length: [m].
    """

    length: float

    @property
    def of(self) -> tuple[str, ...]:
        """Two points."""
        return POINT, OTHER_POINT

    @property
    def size(self) -> int:
        """Number of rows."""
        return 1

    def value(self, *h: Array) -> Array:
        return np.array([sight_line(h[1], h[0])[1] - self.length])

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        direction = sight_line(h[1], h[0])[0][None]
        return direction, -direction

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        direction, length = sight_line(h[1], h[0])
        speed = u[0] - u[1]
        along = float(direction @ speed)
        return np.array([(float(speed @ speed) - along * along) / length if length > 0.0 else 0.0])

    def missing(self, *h: Array) -> Array:
        direction, length = sight_line(h[1], h[0])
        return direction * (self.length - length)


def sight_line(start: Array, end: Array) -> tuple[Array, float]:
    """Return the unit direction from one point to another, shape (3,), and their distance; of none along x and 0."""
    away = end - start
    length = math.sqrt(float(away @ away))
    return (away / length, length) if length > 0.0 else (np.array([1.0, 0.0, 0.0]), 0.0)
