"""A figure on the graphics side, with what is needed to bound it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from app.viewport.figure_buffer import FigureBuffer
from app.viewport.geometry import Geometry, build_geometry
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton

Array = NDArray[np.float64]


_geometries: WeakKeyDictionary[Skeleton, Geometry] = WeakKeyDictionary()


def _geometry_of(skeleton: Skeleton) -> Geometry:
    """Return a figure's triangles; views and thumbnails draw with two renderers, but they are built once."""
    found = _geometries.get(skeleton)
    if found is None:
        found = _geometries[skeleton] = build_geometry(skeleton, segment_mesh)
    return found


class DrawnFigure:
    """A figure's buffers, and spheres and corners round its segments; made while the context is current.

    Args:
        skeleton: The figure.

    Attributes:
        skeleton: The figure.
        buffer: Its buffers.
        triangle_areas: Mean area of the fine and of the coarse triangles, [m^2].
        drawn: Joints that have something to draw.
    """

    def __init__(self, skeleton: Skeleton):
        geometry = _geometry_of(skeleton)
        n = len(skeleton.joints)
        self.skeleton = skeleton
        self.buffer = FigureBuffer(geometry, n)
        # A sphere round each segment, in the joint's frame.
        self.centers, self.radii = np.zeros((n, 3)), np.zeros(n)
        positions = geometry.vertices["position"].astype(np.float64)
        for i, (first, count) in enumerate(geometry.ranges[0]):
            if count:
                points = positions[geometry.indices[first : first + count]]
                self.centers[i] = 0.5 * (points.min(axis=0) + points.max(axis=0))
                self.radii[i] = np.linalg.norm(points - self.centers[i], axis=1).max()
        self.triangle_areas = [geometry.triangle_area(level) for level in (0, 1)]
        self.drawn = np.flatnonzero(geometry.ranges[0, :, 1])
        hull = np.unique(geometry.indices[geometry.hull[0] :])
        self._corners, self._owners = positions[hull], geometry.vertices["joints"][hull, 0]

    def spheres(self, poses: Array) -> tuple[Array, Array]:
        """Return centres (k, 3) in the world and radii (k,) of spheres round the segments."""
        frames = poses[self.drawn]
        centers = np.einsum("kij,kj->ki", frames[:, :3, :3], self.centers[self.drawn]) + frames[:, :3, 3]
        return centers, self.radii[self.drawn] * np.linalg.norm(frames[:, :3, :3], axis=1).max(axis=1)

    def bounds(self, poses: Array) -> tuple[Array, Array]:
        """Return lowest and highest corner of the posed figure; its hulls' corners span it."""
        frames = poses[self._owners]
        placed = np.einsum("kij,kj->ki", frames[:, :3, :3], self._corners) + frames[:, :3, 3]
        return placed.min(axis=0), placed.max(axis=0)
