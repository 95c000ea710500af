"""Contacts of the corners of shapes, with their radius, and the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World

Array = NDArray[np.float64]


class FloorPoints:
    """Points of bodies that may touch the floor.

    Args:
        geometries: The shapes.
        world: With a floor or without.
    """

    def __init__(self, geometries: tuple[Geometry, ...], world: World):
        self.floor = world.floor
        self.points: list[tuple[int, Array, float, float]] = []
        for geometry in geometries:
            if geometry.body >= 0 and world.floor is not None:
                mu = float(np.sqrt(geometry.friction * world.floor.friction))
                for point in geometry.shape.polytope.points:
                    place = geometry.X_BS[:3, :3] @ point + geometry.X_BS[:3, 3]
                    self.points.append((geometry.body, place, geometry.shape.radius, mu))

    def find(self, R: Array, p: Array, reach: Array, out: Array, ids: NDArray[np.int64]) -> int:
        """Write the contacts; return how many."""
        if self.floor is None:
            return 0
        normal, offset = self.floor.normal, self.floor.offset
        count = 0
        for k, (body, point, radius, mu) in enumerate(self.points):
            place = R[body] @ point + p[body]
            gap = float(normal @ place) - offset - radius
            if gap < reach[body] and count < len(out):
                out[count, :3], out[count, 3:6] = place - (gap + radius) * normal, normal
                out[count, 6:10] = gap, mu, body, -1
                ids[count] = k
                count += 1
        return count
