"""The plane that views draw as the ground."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ground:
    """A plane to stand on: ``normal . x = level``.

    Attributes:
        normal: Unit, shape (3,).
        level: [m].
    """

    normal: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    level: float = 0.0

    @property
    def tilted(self) -> bool:
        """Whether it is not level."""
        return bool(float(self.normal[1]) < 1.0 - 1e-12)

    @property
    def usual(self) -> bool:
        """Whether it is the plane y = 0."""
        return not self.tilted and self.level == 0.0

    @cached_property
    def plane(self) -> Array:
        """Normal and level, shape (4,); read-only."""
        plane = np.array([*self.normal.tolist(), self.level])
        plane.setflags(write=False)
        return plane

    def below(self, points: Array) -> Array:
        """Return the places straight below or above some points, shape (k, 3), [m]."""
        found = np.array(points, dtype=np.float64)
        found[..., 1] -= (found @ self.normal - self.level) / float(self.normal[1])
        return found


GROUND = Ground()
"""The plane y = 0."""
