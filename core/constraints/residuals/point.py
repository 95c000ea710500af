"""A point at a place, in a plane, on a line or at another point: ``D (p_a - target)`` or ``D (p_a - p_b - target)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import OTHER_POINT, POINT, Residual


@dataclass(frozen=True, eq=False)
class PointResidual(Residual):
    """``D (p_a - target)``, or ``D (p_a - p_b - target)`` for a pair, [m].

    Attributes:
        directions: World directions ``D``, orthonormal, shape (m, 3): three for a place, one for a plane, two across a
            line.
        target: Shape (3,), [m].
        pair: Whether the second point is taken off.
    """

    directions: Array
    target: Array
    pair: bool = False

    @property
    def of(self) -> tuple[str, ...]:
        """One point, or two."""
        return (POINT, OTHER_POINT) if self.pair else (POINT,)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.directions)

    def value(self, *h: Array) -> Array:
        away = h[0] - h[1] if self.pair else h[0]
        return np.asarray(self.directions @ (away - self.target))

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return (self.directions, -self.directions) if self.pair else (self.directions,)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        return np.zeros(len(self.directions))

    def missing(self, *h: Array) -> Array:
        return np.asarray(-self.value(*h) @ self.directions)
