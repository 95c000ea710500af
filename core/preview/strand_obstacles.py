"""The parts of a figure as what strands slide over: balls, capsules, boxes and hulls that move with their joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, Ints
from core.dynamics.contact.figure_shapes import figure_parts
from core.dynamics.contact.shapes import Shape
from core.skeleton import Skeleton

_STILL = 1e-12


class StrandObstacles:
    """The shapes of a figure's parts.

    Args:
        skeleton: The figure.
        radius: How thick each node is, shape (n,), [m].
        needed: Whether there are to be any: shapes take a moment to be fitted.

    Attributes:
        joints: The joint that carries each shape, shape (s,).
    """

    def __init__(self, skeleton: Skeleton, radius: Array, needed: bool = True):
        parts = figure_parts(skeleton) if needed else ()
        self.joints: Ints = np.array([part.joint for part in parts], dtype=np.intp)
        self._shapes = [part.shape for part in parts]
        self._X_JS = np.array([part.X_JS for part in parts]).reshape(-1, 4, 4)
        bounds = [shape.bound for shape in self._shapes]
        self._centers = np.array([center for center, _ in bounds]).reshape(-1, 3)
        self._reach = np.array([reach for _, reach in bounds])
        self._radius = radius

    def inside(self, p: Array, frames: Array) -> NDArray[np.bool_]:
        """Return which nodes are inside of which shapes, shape (n, s).

        Args:
            p: Places of the nodes, shape (n, 3), [m].
            frames: Of the joints of the shapes, shape (s, 4, 4).
        """
        found = np.zeros((len(p), len(self._shapes)), dtype=np.bool_)
        X = frames @ self._X_JS
        for k, near in self._near(p, X, found):
            found[near, k] = self._depth(k, p[near], X[k], self._radius[near])[0] > 0.0
        return found

    def outside(
        self, p: Array, v: Array, frames: Array, before: Array, h: float, ignored: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        """Return places and velocities of nodes none of which is inside of a shape; the same arrays if none was.

        What is inside goes the shortest way out, and does not move into the shape any more.

        Args:
            p: Places, shape (n, 3), [m].
            v: Velocities, shape (n, 3), [m/s].
            frames: Of the joints of the shapes, shape (s, 4, 4).
            before: The same a step earlier.
            h: Length of a step, [s].
            ignored: Which nodes which shapes do not stop, shape (n, s).
        """
        X, copied = frames @ self._X_JS, False
        for k, near in self._near(p, X, ignored):
            depth, normal = self._depth(k, p[near], X[k], self._radius[near])
            deep = depth > 0.0
            if not deep.any():
                continue
            if not copied:
                p, v, copied = p.copy(), v.copy(), True
            nodes, normal = near[deep], normal[deep]
            p[nodes] += depth[deep, None] * normal
            was = before[k] @ self._X_JS[k]
            local = (p[nodes] - X[k, :3, 3]) @ X[k, :3, :3]
            surface = (p[nodes] - (local @ was[:3, :3].T + was[:3, 3])) / h
            into = np.einsum("ni,ni->n", v[nodes] - surface, normal)
            v[nodes] -= np.minimum(into, 0.0)[:, None] * normal
        return p, v

    def _near(self, p: Array, X: Array, ignored: NDArray[np.bool_]) -> list[tuple[int, Ints]]:
        """Return shapes with the nodes that their bounding balls reach."""
        if not self._shapes:
            return []
        centers = np.einsum("sij,sj->si", X[:, :3, :3], self._centers) + X[:, :3, 3]
        reach = self._reach + self._radius[:, None]
        close = ((p[:, None] - centers) ** 2).sum(axis=2) < reach * reach
        close &= ~ignored
        return [(int(k), np.flatnonzero(close[:, k])) for k in np.flatnonzero(close.any(axis=0))]

    def _depth(self, k: int, p: Array, X: Array, radius: Array) -> tuple[Array, Array]:
        """Return how deep points are in a shape, (n,), less than 0 outside, and the way out, world, (n, 3)."""
        shape, R = self._shapes[k], X[:3, :3]
        local = (p - X[:3, 3]) @ R
        if shape.polytope.faces:
            return self._under_faces(shape, local, radius, R)
        points = shape.polytope.points
        d = local.copy()
        d[:, 2] -= np.clip(local[:, 2], points[:, 2].min(), points[:, 2].max())
        distance = np.linalg.norm(d, axis=1)
        away = np.where(distance[:, None] > _STILL, d, [1.0, 0.0, 0.0])
        normal = away / np.linalg.norm(away, axis=1)[:, None]
        return shape.radius + radius - distance, normal @ R.T

    @staticmethod
    def _under_faces(shape: Shape, local: Array, radius: Array, R: Array) -> tuple[Array, Array]:
        corners = shape.polytope.points[[loop[0] for loop in shape.polytope.faces]]
        normals = shape.polytope.normals
        over = local @ normals.T - np.einsum("fi,fi->f", normals, corners)
        face = over.argmax(axis=1)
        return shape.radius + radius - over[np.arange(len(local)), face], normals[face] @ R.T
