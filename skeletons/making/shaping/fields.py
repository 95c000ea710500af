"""Tubes as fields, and the smooth surface around several of them.

Each tube stands for a field, the signed distance to its surface. Where two that belong together come nearer to each
other than a width ``k``, the surface of both is that of the polynomial smooth minimum (Quilez),

    min(a, b) - h^2 k / 4,   h = max(k - |a - b|, 0) / k,

which has no crease; and the skin there follows the joints of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from core.skeleton.mirroring.mirror import swap_sides
from core.skeleton.shapes import loft
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.tube import Tube, Weights, mesh_normals

_NEIGHBOURS = 8


class Join(NamedTuple):
    """Two tubes that grow together, and the width of their transition, [m]."""

    base: str
    limb: str
    width: float


class Field:
    """Signed distance to a tube, positive outside, and the weights of the skin nearest to a point.

    Args:
        shape: The tube.
    """

    def __init__(self, shape: Tube):
        surface = loft(shape.fine[0], *shape.fine[1])
        self._places, self._normals = surface.vertices, mesh_normals(surface)
        self._tree = cKDTree(self._places)
        self._weights = shape.weights
        self._skin = cKDTree(shape.points)

    def distance(self, points: Array) -> tuple[Array, Array]:
        """Return distances (n,) and their directions of steepest increase (n, 3): planes of the nearest samples."""
        far, nearest = self._tree.query(points, k=_NEIGHBOURS)
        width = np.maximum(far[:, :1], 1e-9)
        share = np.exp(-4.0 * (far**2 / width**2 - 1.0))
        share /= share.sum(axis=1, keepdims=True)
        normals = self._normals[nearest]
        heights = np.einsum("nki,nki->nk", points[:, None] - self._places[nearest], normals)
        return (share * heights).sum(axis=1), np.einsum("nk,nki->ni", share, normals)

    def weights(self, points: Array) -> Weights:
        """Return the weights of the skin near the points, for each joint (n,)."""
        far, nearest = self._skin.query(points, k=4)
        share = 1.0 / np.maximum(far, 1e-6) ** 2
        share /= share.sum(axis=1, keepdims=True)
        return {name: (share * values[nearest]).sum(axis=1) for name, values in self._weights.items()}


class Fields:
    """The fields of several tubes that grow together.

    Args:
        shapes: The tubes by name.
        joins: Which of them belong together.
        symmetric: Whether tubes called ``right ...`` stand on the left side too.
    """

    def __init__(self, shapes: Mapping[str, Tube], joins: Sequence[Join], symmetric: bool):
        self._fields = {name: Field(shape) for name, shape in shapes.items()}
        both = list(joins)
        if symmetric:
            sided = [name for name in shapes if name.startswith("right ")]
            self._fields |= {swap_sides(name): Field(shapes[name].mirrored()) for name in sided}
            swapped = [Join(swap_sides(a), swap_sides(b), width) for a, b, width in joins]
            both += [join for join in swapped if join not in both]
        self._partners = {
            name: [(b if a == name else a, width) for a, b, width in both if name in (a, b)] for name in self._fields
        }

    def distance(self, name: str, points: Array) -> Array:
        """Return the distance of points to one tube alone, (n,)."""
        return self._fields[name].distance(points)[0]

    def outside(self, name: str, points: Array) -> tuple[Array, Array]:
        """Return how far points of a tube are outside the smooth surface, (n,), and which way that grows, (n, 3)."""
        own, own_way = self._fields[name].distance(points)
        best, best_way, least, least_way = own, own_way, np.zeros(len(points)), np.zeros((len(points), 3))
        for other, width in self._partners[name]:
            value, way = self._fields[other].distance(points)
            nearer = value < best
            best, best_way = np.where(nearer, value, best), np.where(nearer[:, None], way, best_way)
            h = np.maximum(width - np.abs(own - value), 0.0) / width
            depth = 0.25 * width * h**2
            slope = (0.5 * h * np.sign(own - value))[:, None] * (own_way - way)
            deeper = depth > least
            least, least_way = np.where(deeper, depth, least), np.where(deeper[:, None], slope, least_way)
        return best - least, best_way + least_way

    def pulled(self, name: str, points: Array) -> Array:
        """Return points of a tube moved towards the smooth surface by one Newton step, (n, 3)."""
        value, way = self.outside(name, points)
        length = np.linalg.norm(way, axis=1, keepdims=True)
        return points - value[:, None] * way / np.maximum(length, 0.3) ** 2

    def weights(self, name: str, points: Array) -> Weights:
        """Return the weights of points of a tube, mixed with those of its partners where these are near.

        Half and half where both are as near, all of it the partner's where that is a width nearer; smooth between.
        """
        distance = self._fields[name].distance(points)[0]
        parts = []
        for other, width in self._partners[name]:
            t = np.clip(0.5 + 0.5 * (distance - self._fields[other].distance(points)[0]) / width, 0.0, 1.0)
            t = t * t * (3.0 - 2.0 * t)
            parts.append(t / np.maximum(1.0 - t, 1e-3))
        total = 1.0 + sum(parts, np.zeros(len(points)))
        mixed = {joint: values / total for joint, values in self._fields[name].weights(points).items()}
        for part, (other, _) in zip(parts, self._partners[name], strict=True):
            if part.any():
                for joint, values in self._fields[other].weights(points).items():
                    mixed[joint] = mixed.get(joint, np.zeros(len(points))) + values * part / total
        return mixed
