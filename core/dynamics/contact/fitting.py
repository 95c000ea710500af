"""The shape that stands for a cloud of points: a ball or a capsule where one comes near enough, else their hull."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from core.dynamics.contact.shapes import Capsule, Hull, Shape, Sphere
from core.spatial import se3

Array = NDArray[np.float64]

_ROUND = 0.12
"""How far, in the mean and as part of its radius, the surface of a ball or capsule may be from what it stands for."""
_CORNERS = 20
"""Corners of a hull that stands for a part without a sole."""


def fitted(points: Array, sole: Array | None = None) -> tuple[Shape, Array]:
    """Return a shape for points, and its pose in their frame.

    Args:
        points: Shape (n, 3), [m].
        sole: Unit direction, shape (3,), in which the points end in a surface to stand on; None if they do not.

    Returns:
        The shape, and ``X_BS``, shape (4, 4).
    """
    if sole is not None:
        return Hull(_standing(points, sole)), np.eye(4)
    surface, weights = _surface(points)
    if len(weights):
        for candidate in (_sphere(points), _capsule(points, surface, weights)):
            shape, X = candidate
            if _deviation(shape, X, surface, weights) <= _ROUND * shape.radius:
                return candidate
    return Hull(_reduced(points, _CORNERS)), np.eye(4)


def _surface(points: Array) -> tuple[Array, Array]:
    """Return places on the surface of the hull of points and the area that each stands for; none if it is flat."""
    try:
        hull = scipy.spatial.ConvexHull(points)
    except (scipy.spatial.QhullError, ValueError):
        return np.zeros((0, 3)), np.zeros(0)
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    middles = [(a + b + c) / 3.0, (4 * a + b + c) / 6.0, (a + 4 * b + c) / 6.0, (a + b + 4 * c) / 6.0]
    return np.concatenate(middles), np.tile(0.25 * area, 4)


def _deviation(shape: Shape, X: Array, surface: Array, weights: Array) -> float:
    """Return how far the shape's surface is from places, in the mean, [m]."""
    local = (surface - X[:3, 3]) @ X[:3, :3]
    if isinstance(shape, Capsule):
        local[:, 2] -= np.clip(local[:, 2], -shape.half_length, shape.half_length)
    away = np.abs(np.linalg.norm(local, axis=1) - shape.radius)
    return float(weights @ away / weights.sum())


def _sphere(points: Array) -> tuple[Shape, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    return Sphere(float((high - low).mean()) / 2.0), se3.transform(translation=0.5 * (low + high))


def _capsule(points: Array, surface: Array, weights: Array) -> tuple[Shape, Array]:
    """Return a capsule along the points' longest axis that ends where they end and is as thick as they are."""
    middle = weights @ surface / weights.sum()
    arms = surface - middle
    _, vectors = np.linalg.eigh((arms * weights[:, None]).T @ arms)
    axis = vectors[:, 2] * (1.0 if vectors[int(np.argmax(np.abs(vectors[:, 2]))), 2] > 0.0 else -1.0)
    across = vectors[:, 0]
    R = np.stack([across, np.cross(axis, across), axis], axis=1)
    sides = (points - middle) @ R
    # The middle line half-way between the sides, so that what is thicker on one side is not taken for bent.
    shift = 0.5 * (sides.min(axis=0) + sides.max(axis=0))
    low, high = float(sides[:, 2].min()), float(sides[:, 2].max())
    local = (surface - middle) @ R - shift
    thick = np.linalg.norm(local[:, :2], axis=1)
    inside = np.abs(local[:, 2]) <= 0.35 * (high - low)
    part = inside if weights[inside].sum() > 0.0 else np.ones(len(weights), dtype=np.bool_)
    radius = float(weights[part] @ thick[part] / weights[part].sum())
    radius = min(radius, 0.5 * (high - low))
    return Capsule(radius, max(0.5 * (high - low) - radius, 0.0)), se3.transform(R, middle + R @ shift)


def _directions(count: int) -> Array:
    k = np.arange(count) + 0.5
    height, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    wide = np.sqrt(1.0 - height**2)
    return np.stack([wide * np.cos(turn), height, wide * np.sin(turn)], axis=1)


def _reduced(points: Array, count: int) -> Array:
    """Return the points that reach farthest in so many directions."""
    ways = np.concatenate([np.eye(3), -np.eye(3), _directions(max(count - 6, 0))])
    return points[np.unique(np.argmax(points @ ways.T, axis=0))]


_SOLE_CORNERS = 4
_UPPER_CORNERS = 14
_SOLE = 0.03  # of the extent: what is this near the lowest point belongs to the sole
_ROUND_SOLE = 0.35  # of the width: a sole that is narrower than this is none, the part is round below


def _standing(points: Array, down: Array) -> Array:
    """Return corners of a hull with a flat sole: the lowest points brought into one plane, few of them."""
    depth = points @ down
    extent = float(np.ptp(points, axis=0).max())
    lowest = float(depth.max())
    low = points[depth > lowest - _SOLE * extent]
    helper = np.eye(3)[int(np.argmin(np.abs(down)))]
    one = np.cross(down, helper)
    one /= np.linalg.norm(one)
    plane = np.stack([one, np.cross(down, one)])
    try:
        rim = low[scipy.spatial.ConvexHull(low @ plane.T).vertices]
    except (scipy.spatial.QhullError, ValueError):
        return _reduced(points, 64)
    if min(np.ptp(low @ plane.T, axis=0)) < _ROUND_SOLE * min(np.ptp(points @ plane.T, axis=0)):
        return _reduced(points, 64)
    rim = _spread(rim, plane, _SOLE_CORNERS)
    rim = rim + (lowest - rim @ down)[:, None] * down
    return np.concatenate([rim, _reduced(points[depth <= lowest - _SOLE * extent], _UPPER_CORNERS)])


def _spread(rim: Array, plane: Array, count: int) -> Array:
    """Return the corners of a polygon that are left when those that matter least are cut off one by one."""
    left = list(range(len(rim)))
    flat = rim @ plane.T
    while len(left) > count:
        a, b, c = flat[np.roll(left, 1)], flat[left], flat[np.roll(left, -1)]
        u, v = b - a, c - a
        left.pop(int(np.argmin(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]))))
    return rim[left]
