"""The centre of mass on the inner side of planes: ``N c - b <= 0``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import CENTER, Residual


@dataclass(frozen=True, eq=False)
class HalfPlanesResidual(Residual):
    """``N c - b <= 0`` for each of several planes, [m].

    Attributes:
        normals: Outward unit normals ``N``, shape (m, 3).
        bounds: ``b``, shape (m,), [m].
        supports: Indices of the joints whose parts bear the figure.
    """

    normals: Array
    bounds: Array
    supports: tuple[int, ...] = ()

    inequality = True

    @property
    def of(self) -> tuple[str, ...]:
        """The centre of mass."""
        return (CENTER,)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.bounds)

    def value(self, *h: Array) -> Array:
        return np.asarray(self.normals @ h[0] - self.bounds)

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return (self.normals,)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        return np.zeros(len(self.bounds))

    def missing(self, *h: Array) -> Array:
        return np.asarray(-np.maximum(self.value(*h), 0.0) @ self.normals)
