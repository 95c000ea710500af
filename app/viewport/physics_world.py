"""The world that the figure moves in as views draw it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Floor:
    """A plane to stand on: ``normal . x = level``.

    Attributes:
        normal: Unit, shape (3,).
        level: [m].
    """

    normal: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    level: float = 0.0

    @property
    def flat(self) -> bool:
        """Whether it is not tilted."""
        return bool(abs(float(self.normal[1]) - 1.0) < 1e-12)


GROUND = Floor()
