"""Shapes that touch: sphere, capsule, box and convex hull, each in a frame of its own, and who carries them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import LARGEST, shown
from core.dynamics.arrays import finite_array, pose_matrix
from core.dynamics.contact.materials import DEFAULT_FRICTION, checked_friction
from core.dynamics.contact.polytopes import Polytope, box_polytope, hull_polytope, point_polytope, segment_polytope
from core.errors import DynamicsError
from core.spatial.inertia import SpatialInertia

MOST_POINTS = 64
"""Corners that a hull keeps at most."""


class Shape:
    """A convex solid in its frame S: a polytope, possibly a point or a segment, and all that is within a radius of it.

    Attributes:
        polytope: The polytope inside.
        radius: How far the solid reaches beyond it, [m].
    """

    polytope: Polytope
    radius: float

    @property
    def bound(self) -> tuple[Array, float]:
        """Centre, (3,), and radius of a sphere around the shape, in S, [m]."""
        points = self.polytope.points
        center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        return center, float(np.sqrt(((points - center) ** 2).sum(axis=1).max())) + self.radius

    def inertia(self, mass: float) -> SpatialInertia:
        """Return the inertia of a body of this shape and of even density, in S.

        Raises:
            DynamicsError: If the mass is not a positive number, or the shape has no volume.
        """
        if not (math.isfinite(mass) and mass > 0.0):
            raise DynamicsError(f"mass {shown(mass)} makes no sense; it must be a number more than 0")
        return self._inertia(mass)

    def _inertia(self, mass: float) -> SpatialInertia:
        raise NotImplementedError


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball around S's origin.

    Attributes:
        radius: [m], 0 or more.
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius of a sphere"))

    @cached_property
    def polytope(self) -> Polytope:  # type: ignore[override]
        """Its centre."""
        return point_polytope()

    def _inertia(self, mass: float) -> SpatialInertia:
        return SpatialInertia.ellipsoid(mass, [_volume(self.radius)] * 3)


@dataclass(frozen=True)
class Capsule(Shape):
    """All points within a radius of a segment along S's z axis, its middle in the origin.

    Attributes:
        radius: [m], 0 or more.
        half_length: Half the length of the segment, without the half balls at its ends, [m], 0 or more.
    """

    radius: float
    half_length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _length(self.radius, "radius of a capsule"))
        object.__setattr__(self, "half_length", _length(self.half_length, "half length of a capsule"))

    @cached_property
    def polytope(self) -> Polytope:  # type: ignore[override]
        """Its segment."""
        return segment_polytope(self.half_length) if self.half_length > 0.0 else point_polytope()

    def _inertia(self, mass: float) -> SpatialInertia:
        end = np.array([0.0, 0.0, self.half_length])
        return SpatialInertia.capsule(mass, -end, end, _volume(self.radius))


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box around S's origin, its edges along S's axes.

    Attributes:
        half_sizes: Half its edges, shape (3,), [m], each 0 or more.
    """

    half_sizes: Array
    radius: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        sizes = np.array(finite_array(self.half_sizes, (3,), "half sizes of a box"))
        for size in sizes.tolist():
            _length(size, "half size of a box")
        sizes.setflags(write=False)
        object.__setattr__(self, "half_sizes", sizes)

    @cached_property
    def polytope(self) -> Polytope:  # type: ignore[override]
        """The box itself."""
        return box_polytope(self.half_sizes)

    def _inertia(self, mass: float) -> SpatialInertia:
        return SpatialInertia.box(mass, [2.0 * _volume(size) for size in self.half_sizes.tolist()])


@dataclass(frozen=True, eq=False)
class Hull(Shape):
    """The convex hull of points: a solid, or flat or thinner where the points are.

    Attributes:
        points: Its corners, shape (n, 3), [m]; given any points, only corners of the hull are kept, and of these at
            most 64, those that reach farthest.
    """

    points: Array
    radius: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        given = np.asarray(self.points)
        if given.ndim != 2 or given.shape[1:] != (3,) or not len(given):
            raise DynamicsError(f"points of a hull have shape {given.shape}; it must be (n, 3) with n of 1 or more")
        points = finite_array(given, given.shape, "points of a hull")
        if np.abs(points).max() > LARGEST:
            raise DynamicsError(f"points of a hull reach {np.abs(points).max():g} m; at most {LARGEST:g} m makes sense")
        object.__setattr__(self, "polytope", hull_polytope(points, MOST_POINTS))
        object.__setattr__(self, "points", self.polytope.points)

    def _inertia(self, mass: float) -> SpatialInertia:
        triangles = [(loop[0], loop[k], loop[k + 1]) for loop in self.polytope.faces for k in range(1, len(loop) - 1)]
        if len(triangles) < 4:
            raise DynamicsError("a flat hull has no volume; give its points some thickness")
        unit = SpatialInertia.mesh(self.points, np.array(triangles), density=1.0)
        return SpatialInertia(mass, unit.center, unit.inertia * (mass / unit.mass))


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape that a body carries, or that stands in the world.

    Attributes:
        shape: What it is.
        body: Number of the body of the model; -1 for the world.
        X_BS: Pose of the shape's frame in the body's frame (in the world for -1), shape (4, 4).
        friction: Friction coefficient of its surface; between two it is the square root of their product.
        name: What people call it.

    Raises:
        DynamicsError: If a field is of the wrong type or makes no sense; names the geometry.
    """

    shape: Shape
    body: int = -1
    X_BS: Array = field(default_factory=lambda: np.eye(4))
    friction: float = DEFAULT_FRICTION
    name: str = ""

    def __post_init__(self) -> None:
        place = f'shape "{self.name}"' if self.name else "a shape"
        if not isinstance(self.shape, Shape):
            raise DynamicsError(f"{place} is {shown(self.shape)}; it must be a Sphere, Capsule, Box or Hull")
        if not isinstance(self.body, (int, np.integer)) or isinstance(self.body, bool) or self.body < -1:
            raise DynamicsError(f"{place}: body is {shown(self.body)}; it must be a body's number, or -1 for the world")
        object.__setattr__(self, "body", int(self.body))
        object.__setattr__(self, "X_BS", pose_matrix(self.X_BS, f"{place}: X_BS"))
        object.__setattr__(self, "friction", checked_friction(self.friction, place))

    @property
    def bound(self) -> tuple[Array, float]:
        """Centre, (3,), in the body's frame, and radius of a sphere around it, [m]."""
        center, radius = self.shape.bound
        return self.X_BS[:3, :3] @ center + self.X_BS[:3, 3], radius


def _length(value: Any, what: str) -> float:
    if not isinstance(value, (int, float, np.floating, np.integer)) or isinstance(value, bool):
        raise DynamicsError(f"{what} is {shown(value)}; it must be a number of metres")
    if not 0.0 <= value <= LARGEST:  # also false for NaN
        raise DynamicsError(f"{what} is {value:g} m; it must be from 0 to {LARGEST:g} m")
    return float(value)


def _volume(length: float) -> float:
    if not length > 0.0:
        raise DynamicsError("a shape with a size of 0 has no volume; expected sizes more than 0")
    return length
