"""The shapes that stand for clouds of points: ball, capsule, box or disc where one comes near enough, else a hull."""

from __future__ import annotations

import math

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics.contact.shapes import Box, Capsule, Hull, Shape, Sphere
from core.spatial import se3

Fit = tuple[Shape, Array]

_BALL, _CAPSULE = 0.05, 0.08
"""How far, in the mean and as part of its radius, the surface of a ball or a capsule may be from what it stands for."""
_BOX = 0.9  # part of its box that a hull fills if the box may stand for it
_EVEN, _DISC = 0.02, 0.97  # a disc is as wide as high to this, and fills this part of a circle
_EDGE = 0.25  # part of its thickness that a disc has at its edge
_DISC_CORNERS = 32
_CORNERS = 28  # of a hull that stands for a part without a sole
_APART = 1.5  # by how much the hull of several objects is larger than theirs together if they are taken one by one
_SMALL = 1e-3  # part of the volume of the largest object below which one is left out
_FEWEST, _MOST, _UPPER_CORNERS = 4, 8, 14  # corners of a sole, and above it
_WHOLE_SOLE = 0.9  # part of a sole that its corners hold
_SOLE = 0.03  # of the extent: what is this near the lowest point belongs to the sole
_FLAT_SOLE = 0.45  # part of what is seen from below that a sole is at least; else the part is round below


def fitted(clouds: list[Array], sole: Array | None = None) -> list[Fit]:
    """Return shapes for the objects of a part, and their poses in its frame: one for all, or one for each.

    Args:
        clouds: Points of each object, shape (n, 3), [m].
        sole: Unit direction, shape (3,), in which they end in a surface to stand on; None if they do not.

    Returns:
        For each shape ``X_BS``, shape (4, 4), with it; at least one.
    """
    whole = np.concatenate(clouds)
    if len(clouds) > 1:
        volumes = [_volume(points) for points in clouds]
        if _volume(whole) > _APART * sum(volumes):
            kept = [k for k in np.argsort(volumes)[::-1].tolist() if volumes[k] > _SMALL * max(volumes)]
            outside = [k for k in kept if not any(_inside(clouds[k], clouds[m]) for m in kept if m != k)]
            if outside:
                return [one_fitted(clouds[k], sole) for k in outside]
    return [one_fitted(whole, sole)]


def one_fitted(points: Array, sole: Array | None = None) -> Fit:
    """Return one shape for points, and its pose in their frame; arguments as for ``fitted``."""
    surface, weights = _surface(points)
    if not len(weights):
        return Hull(points), np.eye(4)
    box = _box(points)
    if box is not None:
        return box
    disc = _disc(points)
    if disc is not None:
        return disc
    if sole is not None:
        return Hull(_standing(points, sole)), np.eye(4)
    for part, fit in ((_BALL, _sphere(points)), (_CAPSULE, _capsule(points, surface, weights))):
        if _deviation(fit[0], fit[1], surface, weights) <= part * fit[0].radius:
            return fit
    return Hull(_reduced(points, _CORNERS)), np.eye(4)


def _volume(points: Array) -> float:
    try:
        return float(scipy.spatial.ConvexHull(points).volume)
    except (scipy.spatial.QhullError, ValueError):
        return 0.0


def _inside(points: Array, other: Array) -> bool:
    """Return whether points are all in the hull of others."""
    planes = scipy.spatial.ConvexHull(other).equations
    slack = 1e-3 * float(np.ptp(other, axis=0).max())
    return bool((points @ planes[:, :3].T + planes[:, 3]).max() <= slack)


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


def _box(points: Array) -> Fit | None:
    """Return the box around points along their axes, if they fill it."""
    low, high = points.min(axis=0), points.max(axis=0)
    if _volume(points) < _BOX * float(np.prod(high - low)):
        return None
    return Box(0.5 * (high - low)), se3.transform(translation=0.5 * (low + high))


def _disc(points: Array) -> Fit | None:
    """Return a prism of many sides for points that make a disc or a wheel about one of their axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    size, middle = high - low, 0.5 * (low + high)
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        radius = 0.25 * (size[one] + size[other])
        if abs(size[one] - size[other]) > _EVEN * radius or size[axis] > 0.7 * radius:
            continue
        seen = _volume((points - middle)[:, [one, other]])
        rim = np.hypot(*(points - middle)[:, [one, other]].T) > _DISC * radius
        if seen < _DISC * np.pi * radius**2 or not rim.any():
            continue
        if float(np.ptp(points[rim, axis])) < _EDGE * size[axis]:
            continue
        turns = 2.0 * np.pi * np.arange(_DISC_CORNERS) / _DISC_CORNERS
        ring = np.zeros((_DISC_CORNERS, 3))
        ring[:, one], ring[:, other] = radius * np.cos(turns), radius * np.sin(turns)
        ends = []
        for height in (float(points[rim, axis].min()), float(points[rim, axis].max())):
            ends.append(ring + middle)
            ends[-1][:, axis] = height
        return Hull(np.concatenate(ends)), np.eye(4)
    return None


def _sphere(points: Array) -> Fit:
    low, high = points.min(axis=0), points.max(axis=0)
    return Sphere(float((high - low).mean()) / 2.0), se3.transform(translation=0.5 * (low + high))


def _capsule(points: Array, surface: Array, weights: Array) -> Fit:
    """Return a capsule along the points' longest axis that ends where they end and is as thick as they are."""
    middle = weights @ surface / weights.sum()
    arms = surface - middle
    vectors = np.linalg.eigh((arms * weights[:, None]).T @ arms)[1]
    axis = vectors[:, 2] * math.copysign(1.0, vectors[int(np.argmax(np.abs(vectors[:, 2]))), 2])
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
    radius = min(float(weights[part] @ thick[part] / weights[part].sum()), 0.5 * (high - low))
    return Capsule(radius, max(0.5 * (high - low) - radius, 0.0)), se3.transform(R, middle + R @ shift)


def _reduced(points: Array, count: int) -> Array:
    """Return the points that reach farthest in so many directions, which are alike on both sides of x = 0."""
    k = np.arange((count - 6) // 2) + 0.5
    height, turn = 1.0 - 2.0 * k / len(k), np.pi * (1.0 + 5.0**0.5) * k
    wide = np.sqrt(1.0 - height**2)
    around = np.stack([np.abs(wide * np.cos(turn)), height, wide * np.sin(turn)], axis=1)
    directions = np.concatenate([np.eye(3), -np.eye(3), around, around * [-1.0, 1.0, 1.0]])
    # Of points that reach equally far the first in a fixed order, so that counterparts keep counterparts.
    order = np.lexsort((np.abs(points[:, 0]).round(9), points[:, 2].round(9), points[:, 1].round(9)))
    reach = (points[order] @ directions.T).round(9)
    return points[order][np.unique(np.argmax(reach, axis=0))]


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
    if len(low) < 3 or _volume(low @ plane.T) < _FLAT_SOLE * _volume(points @ plane.T):
        return _reduced(points, _CORNERS)
    rim = _spread(low[scipy.spatial.ConvexHull(low @ plane.T).vertices], plane)
    rim = rim + (lowest - rim @ down)[:, None] * down
    return np.concatenate([rim, _reduced(points[depth <= lowest - _SOLE * extent], _UPPER_CORNERS)])


def _spread(rim: Array, plane: Array) -> Array:
    """Return the corners of a polygon that are left when those that matter least are cut off one by one."""
    left = list(range(len(rim)))
    flat = rim @ plane.T
    area = whole = _volume(flat)
    while len(left) > _FEWEST:
        a, b, c = flat[np.roll(left, 1)], flat[left], flat[np.roll(left, -1)]
        u, v = b - a, c - a
        cut = 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
        area -= float(cut.min())
        if len(left) <= _MOST and area < _WHOLE_SOLE * whole:
            break
        left.pop(int(np.argmin(cut)))
    return rim[left]
