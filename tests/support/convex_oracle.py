"""How far convex shapes are apart, or in each other, from the hull of all differences of corners: slow and exact."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Hull, Shape, Sphere
from core.dynamics.contact.world import World
from core.joints import Free
from core.spatial import SpatialInertia, se3, so3

Array = NDArray[np.float64]
KINDS = ("sphere", "capsule", "box", "hull")


def free_bodies(count: int) -> Multibody:
    """Return a model of bodies that nothing connects."""
    return Multibody([Body(f"body {k}", -1, Free(), inertia=SpatialInertia.sphere(1.0, 0.1)) for k in range(count)])


_TWO = free_bodies(2)


def pair(a: Shape, b: Shape) -> ContactSet:
    """Return a set of two shapes on two bodies, without a world."""
    return ContactSet(_TWO, [Geometry(a, 0, name="a"), Geometry(b, 1, name="b")], World(floor=None))


def random_shape(rng: np.random.Generator, kind: str, size: float = 1.0) -> Shape:
    """Return a shape of a kind."""
    s = size * rng.uniform(0.05, 0.5, 3)
    if kind == "sphere":
        return Sphere(float(s[0]))
    if kind == "capsule":
        return Capsule(float(s[0]), float(s[1]))
    if kind == "box":
        return Box(s)
    return Hull(rng.normal(size=(int(rng.integers(4, 20)), 3)) * 0.3 * size)


def random_pose(rng: np.random.Generator, spread: float) -> Array:
    """Return a pose turned in any way."""
    turn = rng.normal(size=3)
    return se3.transform(so3.exp(turn / np.linalg.norm(turn) * rng.uniform(0.0, np.pi)), rng.normal(size=3) * spread)


def corners(shape: Shape, X: Array) -> Array:
    """Return the corners of the polytope inside a shape, in the world."""
    return np.asarray(shape.polytope.points @ X[:3, :3].T + X[:3, 3])


def exact_gap(a: Shape, X_a: Array, b: Shape, X_b: Array) -> float:
    """Return the gap between two shapes, negative where they are in each other."""
    first, second = corners(a, X_a), corners(b, X_b)
    differences = (first[:, None] - second[None]).reshape(-1, 3)
    return _signed(differences) - a.radius - b.radius


def _signed(points: Array) -> float:
    if len(points) == 1:
        return float(np.linalg.norm(points[0]))
    middle = points.mean(axis=0)
    extents, axes = np.linalg.svd(points - middle)[1:]
    nothing = 1e-12 * (extents[0] + np.abs(points).max())  # from rounding
    if extents[0] <= nothing:
        return float(np.linalg.norm(middle))
    if len(points) == 2 or extents[1] <= nothing:
        along = (points - middle) @ axes[0]
        return _to_segment(points[int(np.argmin(along))], points[int(np.argmax(along))])
    if extents[2] <= nothing:  # a parallelogram: over its inside as far as over its plane
        flat = (points - middle) @ axes[:2].T
        rim = points[scipy.spatial.ConvexHull(flat).vertices]
        return min(_to_triangle(rim[0], rim[k], rim[k + 1]) for k in range(1, len(rim) - 1))
    hull = scipy.spatial.ConvexHull(points)
    depth = hull.equations[:, 3].max()  # signed distance of the origin from the nearest plane
    if depth <= 0.0:
        return float(depth)
    outside = hull.equations[:, 3] > 0.0
    return min(_to_triangle(*points[simplex]) for simplex in hull.simplices[outside])


def _to_segment(a: Array, b: Array) -> float:
    u = b - a
    t = np.clip(-(a @ u) / max(u @ u, 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(a + t * u))


def _to_triangle(a: Array, b: Array, c: Array) -> float:
    normal = np.cross(b - a, c - a)
    length = float(np.linalg.norm(normal))
    if length > 0.0:
        foot = normal * (a @ normal) / length**2
        sides = [np.cross(q - p, foot - p) @ normal for p, q in ((a, b), (b, c), (c, a))]
        if min(sides) >= 0.0:
            return abs(float(a @ normal)) / length
    return min(_to_segment(a, b), _to_segment(b, c), _to_segment(c, a))
