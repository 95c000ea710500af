"""Mass, centre and inertia of a rigid body: of simple shapes and of closed meshes, moved and combined."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import CoreError
from core.spatial.so3 import hat

_SYMMETRIC = 1e-9  # how far from symmetric an inertia is taken for rounded, as a share of its largest number
_ROUNDING = 4.0 * np.finfo(np.float64).eps
_TRIANGLE = 1e-6  # plates are on the edge, and files round their numbers


def _numbers(value: object, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a new float64 array.

    Raises:
        CoreError: If it is not numbers of this shape.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None or array.shape != shape:
        wanted = "a number" if not shape else " by ".join(map(str, shape)) + " numbers"
        raise CoreError(f"{what} {shown(value)} cannot be; expected {wanted}")
    return array


def _extents(value: object, shape: tuple[int, ...], what: str) -> Array:
    """Return sizes of a shape as a new array.

    Raises:
        CoreError: If one is not a finite number, 0 or more.
    """
    sizes = _numbers(value, shape, what)
    if not (np.isfinite(sizes).all() and sizes.min() >= 0.0):
        raise CoreError(f"{what} {shown(sizes.tolist())} cannot be; expected finite numbers, 0 or more")
    return sizes


def _shift(mass: float, arm: Array) -> Array:
    """Steiner's term ``m (|a|^2 1 - a a^T)``, shape (3, 3)."""
    return mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))


@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """Inertia of a rigid body.

    Values that no body has are taken here and reported by ``problem``: who makes a body of them can say which one it
    is.

    Attributes:
        mass: [kg], 0 or more.
        center: Centre of mass in the body's frame B, shape (3,), [m].
        inertia: Rotational inertia about the centre, in the axes of B, shape (3, 3), [kg m^2]; exactly symmetric if it
            was so up to rounding.

    Raises:
        CoreError: If a value is no number, or one of another shape.
    """

    mass: float
    center: Array
    inertia: Array

    def __post_init__(self) -> None:
        mass = float(_numbers(self.mass, (), "mass"))
        center = _numbers(self.center, (3,), "centre")
        inertia = _numbers(self.inertia, (3, 3), "inertia")
        if np.isfinite(inertia).all() and np.abs(inertia - inertia.T).max() <= _SYMMETRIC * np.abs(inertia).max():
            inertia = 0.5 * (inertia + inertia.T)
        center.setflags(write=False)
        inertia.setflags(write=False)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "inertia", inertia)

    def problem(self) -> str | None:
        """Return what no rigid body has, with the value and what would be right; None for a body that can be.

        A body has a mass and an inertia that is positive definite, with no principal moment larger than the sum of the
        other two (a thin plate has one that is equal). Nothing, all zero, is also right.
        """
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            return f"its mass is {self.mass:g}; expected a finite number, 0 or more"
        if not np.isfinite(self.center).all():
            return f"its centre is {self.center.tolist()}; expected three finite numbers"
        given = self.inertia.tolist()
        if not np.isfinite(self.inertia).all():
            return f"its inertia is {given}; expected finite numbers"
        largest = float(np.abs(self.inertia).max())
        if self.mass == 0.0:
            return f"its mass is 0 but its inertia {given}; expected a mass more than 0" if largest > 0.0 else None
        if np.abs(self.inertia - self.inertia.T).max() > _SYMMETRIC * largest:
            return f"its inertia {given} is not symmetric; expected a symmetric matrix"
        if largest == 0.0:
            return "its inertia is 0, not positive definite; expected that of a body with some extent"
        low, middle, high = np.linalg.eigvalsh(self.inertia / largest).tolist()
        moments = f"with the principal moments {low * largest:.6g}, {middle * largest:.6g} and {high * largest:.6g}"
        if not low > _ROUNDING * high:
            return f"its inertia {given} is not positive definite, {moments}; expected all of them more than 0"
        if low + middle < (1.0 - _TRIANGLE) * high:
            return (
                f"its inertia {given} breaks the triangle inequality, {moments}; "
                "expected none of them larger than the sum of the other two"
            )
        return None

    # -- shapes --------------------------------------------------------------------------------------------------

    @classmethod
    def zero(cls) -> SpatialInertia:
        """Return the inertia of nothing."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def sphere(cls, mass: float, radius: float, center: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return a solid sphere, ``I = 2/5 m r^2``; ``radius`` and ``center`` in [m]."""
        r = float(_extents(radius, (), "the radius of a sphere"))
        return cls(mass, np.asarray(center, dtype=float), 0.4 * mass * r**2 * np.eye(3))

    @classmethod
    def ellipsoid(cls, mass: float, radii: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return a solid ellipsoid with its axes along those of B, ``I_x = m (b^2 + c^2) / 5`` and so on.

        Args:
            mass: [kg].
            radii: Half the diameters along x, y and z, shape (3,), [m].
            center: Shape (3,), [m].
        """
        squares = _extents(radii, (3,), "the radii of an ellipsoid") ** 2
        return cls(mass, np.asarray(center, dtype=float), np.diag(0.2 * mass * (squares.sum() - squares)))

    @classmethod
    def cylinder(
        cls,
        mass: float,
        radius: float,
        length: float,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        center: ArrayLike = (0.0, 0.0, 0.0),
    ) -> SpatialInertia:
        """Return a solid circular cylinder: ``m r^2 / 2`` along its axis, ``m (3 r^2 + h^2) / 12`` across.

        Args:
            mass: [kg].
            radius: [m].
            length: From end to end, [m].
            axis: Its direction in B, shape (3,), of any length but zero.
            center: Shape (3,), [m].
        """
        r, h = _extents((radius, length), (2,), "the radius and length of a cylinder").tolist()
        direction = _numbers(axis, (3,), "the axis of a cylinder")
        size = float(np.linalg.norm(direction))
        if not 0.0 < size < math.inf:
            raise CoreError(f"the axis of a cylinder {direction.tolist()} has no direction; expected one")
        line = np.outer(direction, direction) / size**2
        along, across = 0.5 * mass * r**2, mass * (3.0 * r**2 + h**2) / 12.0
        return cls(mass, np.asarray(center, dtype=float), along * line + across * (np.eye(3) - line))

    @classmethod
    def box(cls, mass: float, size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return a solid box with edges along the axes of B.

        Args:
            mass: [kg].
            size: Full edge lengths, shape (3,), [m].
            center: Shape (3,), [m].
        """
        squares = _extents(size, (3,), "the size of a box") ** 2
        return cls(mass, np.asarray(center, dtype=float), np.diag(mass / 12.0 * (squares.sum() - squares)))

    @classmethod
    def capsule(cls, mass: float, start: ArrayLike, end: ArrayLike, radius: float) -> SpatialInertia:
        """Return a solid capsule: all points within ``radius`` of a straight line.

        A cylinder of length ``h`` and two half balls, each with its centre 3/8 r past the cylinder's end.

        Args:
            mass: [kg].
            start: One end of the line, shape (3,), [m].
            end: The other end, shape (3,), [m]; may equal ``start`` (then it is a ball).
            radius: [m], > 0.
        """
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        length = float(np.linalg.norm(b - a))
        axis = (b - a) / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
        cylinder = length
        balls = 4.0 / 3.0 * radius
        m_cylinder = mass * cylinder / (cylinder + balls)
        m_balls = mass * balls / (cylinder + balls)
        along = 0.5 * m_cylinder * radius**2 + 0.4 * m_balls * radius**2
        across = m_cylinder * (radius**2 / 4.0 + length**2 / 12.0)
        across += m_balls * (0.4 * radius**2 + length**2 / 4.0 + 0.375 * length * radius)
        line = np.outer(axis, axis)
        return cls(mass, 0.5 * (a + b), along * line + across * (np.eye(3) - line))

    @classmethod
    def mesh(
        cls, vertices: ArrayLike, triangles: ArrayLike, mass: float | None = None, density: float = 1000.0
    ) -> SpatialInertia:
        """Return a closed mesh filled with uniform density.

        The divergence theorem turns the volume integrals of 1, x and x x^T into sums over the tetrahedra between the
        triangles and one point, each taken with its sign. The point is the vertices' mean, to lose no digits far from
        the origin.

        Args:
            vertices: Shape (n, 3), [m].
            triangles: Vertex numbers, counter-clockwise seen from outside, shape (m, 3).
            mass: [kg]; None takes it from ``density``.
            density: [kg/m^3], used without ``mass``.

        Raises:
            CoreError: If the enclosed volume is not positive: the mesh is open, flat or inside out.
        """
        points = np.asarray(vertices, dtype=float)
        corners = np.asarray(triangles)
        middle = points.mean(axis=0)
        a, b, c = (points[corners[:, k]] - middle for k in range(3))
        six_volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
        volume = float(six_volumes.sum()) / 6.0
        extent = float(np.abs(points - middle).max())
        if not volume > 1e-12 * extent**3:
            raise CoreError(f"the mesh encloses {volume:g} m^3; expected a closed mesh wound counter-clockwise outside")
        total = a + b + c
        first = (six_volumes[:, None] * total).sum(axis=0) / 24.0
        second = np.einsum("i,ij,ik->jk", six_volumes, total, total)
        for corner in (a, b, c):
            second += np.einsum("i,ij,ik->jk", six_volumes, corner, corner)
        second /= 120.0
        scale = density if mass is None else mass / volume
        center = first / volume
        # About the centre: the second moment there, then I = tr(C) 1 - C.
        moment = scale * (second - volume * np.outer(center, center))
        inertia = np.trace(moment) * np.eye(3) - moment
        return cls(scale * volume, middle + center, inertia)

    # -- operations ----------------------------------------------------------------------------------------------

    def about(self, point: ArrayLike) -> Array:
        """Return the rotational inertia about a point of B, ``I + m (|a|^2 1 - a a^T)``, shape (3, 3) (Steiner)."""
        return self.inertia + _shift(self.mass, np.asarray(point, dtype=float) - self.center)

    def moved(self, rotation: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return the same body seen from frame A.

        Args:
            rotation: ``R_AB``, shape (3, 3).
            translation: B's origin in A, shape (3,), [m].
        """
        R = np.asarray(rotation, dtype=float)
        center = R @ self.center + np.asarray(translation, dtype=float)
        return SpatialInertia(self.mass, center, R @ self.inertia @ R.T)

    def matrix(self) -> Array:
        """Return ``M`` about B's origin with ``[t; f] = M [w; v]'``, shape (6, 6)."""
        C = hat(self.center)
        M = np.zeros((6, 6))
        M[:3, :3] = self.inertia - self.mass * C @ C
        M[:3, 3:] = self.mass * C
        M[3:, :3] = -self.mass * C
        M[3:, 3:] = self.mass * np.eye(3)
        return M

    def principal(self) -> tuple[Array, Array]:
        """Return the frame in which ``matrix`` is diagonal, and its diagonal's rotational part.

        Of the 24 right-handed frames the one is taken whose axes are nearest to those of B.

        Returns:
            ``X_BC``, shape (4, 4): the centre of mass and the principal axes; and the principal moments about these
            axes, shape (3,), [kg m^2]. New arrays.

        Source: Sueda 1.7.1.
        """
        moments, axes = np.linalg.eigh(self.inertia)
        order = max(itertools.permutations(range(3)), key=lambda p: sum(abs(axes[i, k]) for i, k in enumerate(p)))
        moments, axes = moments[list(order)], axes[:, list(order)]
        axes = axes * np.where(np.diagonal(axes) < 0.0, -1.0, 1.0)
        if np.linalg.det(axes) < 0.0:
            # One axis has to turn over: the one that loses least.
            axes[:, int(np.argmin(np.diagonal(axes)))] *= -1.0
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = axes, self.center
        return X, moments

    @staticmethod
    def combine(parts: Iterable[SpatialInertia]) -> SpatialInertia:
        """Return the inertia of several bodies, given in one frame, welded together (Sueda 1.7.1)."""
        bodies = list(parts)
        mass = sum(body.mass for body in bodies)
        if mass == 0.0:
            return SpatialInertia.zero()
        center = sum((body.mass * body.center for body in bodies), np.zeros(3)) / mass
        inertia = sum((body.about(center) for body in bodies), np.zeros((3, 3)))
        return SpatialInertia(mass, center, inertia)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia.combine((self, other))
