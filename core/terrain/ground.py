"""What a figure walks on: how high it is, and which way it faces, at places given by x and z."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from core.arrays import Array


class Ground(Protocol):
    """Ground with one height at each place."""

    def heights(self, places: Array) -> Array:
        """Return how high the ground is, shape (m,), [m], at places x, z, shape (m, 2), [m]."""
        ...

    def normals(self, places: Array) -> Array:
        """Return unit normals of the ground that point up, shape (m, 3), at places x, z, shape (m, 2), [m]."""
        ...


class LevelGround:
    """A level floor.

    Args:
        height: How high it lies, [m].
    """

    def __init__(self, height: float = 0.0):
        self.height = float(height)

    def heights(self, places: Array) -> Array:
        return np.full(len(places), self.height)

    def normals(self, places: Array) -> Array:
        return np.tile([0.0, 1.0, 0.0], (len(places), 1))


LEVEL = LevelGround()
"""The floor at height 0."""
