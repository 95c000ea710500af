"""Laying a mesh of quads over a solid: rays from inside it, patches between known edges, and the bookkeeping.

The solid is a function of points as in ``skeletons.making.shaping.flesh``: about the distance to its surface, negative
inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skeletons.making.shaping.flesh import Array, Part

Rows = NDArray[np.int64]  # vertex numbers, shape (rows, columns)


def cast(solid: Part, anchors: Array, directions: Array, far: float = 0.4, steps: int = 48) -> Array:
    """Return where rays from inside a solid first leave it.

    Args:
        solid: The solid.
        anchors: Where the rays begin, shape (n, 3), [m].
        directions: Shape (n, 3), of any length.
        far: How far they are followed, [m].
        steps: Points tried along each before the place is found more closely.

    Returns:
        Shape (n, 3); where a ray begins outside, its beginning.
    """
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    count = len(anchors)
    t = np.linspace(0.0, far, steps + 1)
    points = anchors[:, None] + t[None, :, None] * unit[:, None]
    inside = solid(points.reshape(-1, 3)).reshape(count, -1) < 0.0
    first = np.where(inside.all(axis=1), steps, np.argmin(inside, axis=1))
    low, high = t[np.maximum(first - 1, 0)], t[first]
    for _ in range(14):  # to less than a micrometre
        middle = 0.5 * (low + high)
        within = solid(anchors + middle[:, None] * unit) < 0.0
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return np.asarray(anchors + (0.5 * (low + high))[:, None] * unit)


def gradient(solid: Part, points: Array, step: float = 1e-4) -> Array:
    """Return the gradient of the distance by central differences, shape (n, 3)."""
    shifts = np.vstack([np.eye(3), -np.eye(3)]) * step
    values = solid((points[None] + shifts[:, None]).reshape(-1, 3)).reshape(6, -1)
    return (values[:3] - values[3:]).T / (2.0 * step)


def drawn(solid: Part, points: Array, rounds: int = 8, most: float = 0.02) -> Array:
    """Return points moved onto the surface along the gradient, at most ``most`` [m] a round."""
    points = points.copy()
    for _ in range(rounds):
        slope = gradient(solid, points)
        shift = -(solid(points) / np.maximum(np.einsum("ij,ij->i", slope, slope), 1e-3))[:, None] * slope
        length = np.maximum(np.linalg.norm(shift, axis=1, keepdims=True), 1e-12)
        points = points + shift * np.minimum(1.0, most / length)
    return points


def patch(bottom: Array, top: Array, left: Array, right: Array) -> Array:
    """Return the grid between four edges that meet at their ends (Coons), shape (rows, columns, 3).

    Args:
        bottom: First row, shape (columns, 3).
        top: Last row, shape (columns, 3).
        left: First column, shape (rows, 3).
        right: Last column, shape (rows, 3).
    """
    u = np.linspace(0.0, 1.0, len(bottom))[None, :, None]
    v = np.linspace(0.0, 1.0, len(left))[:, None, None]
    ruled = (1 - v) * bottom[None] + v * top[None] + (1 - u) * left[:, None] + u * right[:, None]
    corners = (1 - u) * (1 - v) * bottom[0] + u * (1 - v) * bottom[-1] + (1 - u) * v * top[0] + u * v * top[-1]
    return np.asarray(ruled - corners)


@dataclass
class Weave:
    """A mesh that grows: vertices, and polygons with the name of the segment they belong to.

    Attributes:
        points: Vertices so far, in blocks of shape (n, 3), [m].
        polygons: Vertex numbers, counter-clockwise seen from outside, and the segment's name.
    """

    points: list[Array] = field(default_factory=list)
    polygons: list[tuple[tuple[int, ...], str]] = field(default_factory=list)

    @property
    def vertices(self) -> Array:
        """All vertices, shape (n, 3)."""
        return np.vstack(self.points)

    def place(self, points: Array) -> Rows:
        """Add vertices of any array of points (..., 3) and return their numbers (...,)."""
        first = sum(len(block) for block in self.points)
        flat = points.reshape(-1, 3)
        self.points.append(flat)
        return np.arange(first, first + len(flat)).reshape(points.shape[:-1])

    def quads(
        self,
        rows: Sequence[Rows] | Rows,
        segment: str,
        closed: bool = False,
        skip: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        """Add the quads of a grid.

        Args:
            rows: Vertex numbers, row by row; columns run to the left of the way the rows go, seen from outside.
            segment: Whose they are.
            closed: Whether the last column is joined to the first.
            skip: (row, column) of quads that are left out.
        """
        for r, (a, b) in enumerate(pairwise(rows)):
            n = len(a) if closed else len(a) - 1
            for c in range(n):
                d = (c + 1) % len(a)
                corners = dict.fromkeys(int(v) for v in (a[c], b[c], b[d], a[d]))
                if (r, c) not in skip and len(corners) > 2:
                    self.polygons.append((tuple(corners), segment))

    def turned_over(self, start: int = 0) -> None:
        """Reverse the polygons from number ``start`` on."""
        self.polygons[start:] = [(p[::-1], segment) for p, segment in self.polygons[start:]]


def faired(vertices: Array, polygons: Sequence[tuple[tuple[int, ...], str]], share: Array, rounds: int) -> Array:
    """Return the vertices with ripples taken out: steps towards the mean of the neighbours and back again.

    Vertices on the ground stay there.

    Args:
        vertices: Shape (n, 3).
        polygons: The closed surface.
        share: How much of it each vertex takes, shape (n,).
        rounds: Of two steps each.

    Source: Taubin (1995), A signal processing approach to fair surface design.
    """
    pairs = {(p[i], p[i - 1]) for p, _ in polygons for i in range(len(p))}
    a, b = np.array(sorted(pairs | {(b, a) for a, b in pairs})).T
    count = np.bincount(a, minlength=len(vertices))[:, None]
    strength = np.where(count > 0, share[:, None], 0.0)
    ground = vertices[:, 1] < 1e-6
    for step in (0.5, -0.53) * rounds:
        sums = [np.bincount(a, vertices[b, k], minlength=len(vertices)) for k in range(3)]
        mean = np.column_stack(sums) / np.maximum(count, 1)
        vertices = vertices + step * strength * (mean - vertices)
        vertices[ground, 1] = 0.0
    return vertices
