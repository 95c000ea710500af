"""Triangles of one object, in the frame of the joint that carries it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh.

    Attributes:
        vertices: Shape (n, 3), [m], float64.
        triangles: Vertex numbers, counter-clockwise seen from outside, shape (m, 3), int32.
        polygons: The polygons before triangulation, as vertex numbers; () if the source had only triangles.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    polygons: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        vertices = np.array(self.vertices, dtype=np.float64).reshape(-1, 3)
        triangles = np.array(self.triangles, dtype=np.int32).reshape(-1, 3)
        vertices.setflags(write=False)
        triangles.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner, each of shape (3,), [m]."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)
