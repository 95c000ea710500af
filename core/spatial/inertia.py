"""Mass, centre and inertia of a rigid body: of simple shapes and of closed meshes, moved and combined."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import CoreError
from core.spatial.so3 import hat

Array = NDArray[np.float64]


def _shift(mass: float, arm: Array) -> Array:
    """Steiner's term ``m (|a|^2 1 - a a^T)``, shape (3, 3)."""
    return mass * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))


@dataclass(frozen=True, eq=False)
class SpatialInertia:
    """Inertia of a rigid body.

    Attributes:
        mass: [kg], 0 or more.
        center: Centre of mass in the body's frame B, shape (3,), [m].
        inertia: Rotational inertia about the centre, in the axes of B, shape (3, 3), [kg m^2].

    Raises:
        CoreError: If a value is not finite, the mass is negative or the inertia not symmetric.
    """

    mass: float
    center: Array
    inertia: Array

    def __post_init__(self) -> None:
        mass = float(self.mass)
        center = np.array(self.center, dtype=np.float64)
        inertia = np.array(self.inertia, dtype=np.float64)
        if not (math.isfinite(mass) and mass >= 0.0):
            raise CoreError(f"mass {mass:g} kg makes no sense; expected a finite number, 0 or more")
        if center.shape != (3,) or not np.isfinite(center).all():
            raise CoreError(f"centre {center.tolist()} is not a point; expected three finite numbers")
        if inertia.shape != (3, 3) or not np.isfinite(inertia).all():
            raise CoreError(f"inertia {inertia.tolist()} is not a matrix; expected 3 by 3 finite numbers")
        if np.abs(inertia - inertia.T).max() > 1e-9 * np.abs(inertia).max():
            raise CoreError(f"inertia {inertia.tolist()} is not symmetric; expected a symmetric matrix")
        inertia = 0.5 * (inertia + inertia.T)
        center.setflags(write=False)
        inertia.setflags(write=False)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "inertia", inertia)

    # -- shapes --------------------------------------------------------------------------------------------------

    @classmethod
    def zero(cls) -> SpatialInertia:
        """Return the inertia of nothing."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def sphere(cls, mass: float, radius: float, center: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return a solid sphere, ``I = 2/5 m r^2``; ``radius`` and ``center`` in [m]."""
        return cls(mass, np.asarray(center, dtype=float), 0.4 * mass * radius**2 * np.eye(3))

    @classmethod
    def box(cls, mass: float, size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> SpatialInertia:
        """Return a solid box with edges along the axes of B.

        Args:
            mass: [kg].
            size: Full edge lengths, shape (3,), [m].
            center: Shape (3,), [m].
        """
        squares = np.asarray(size, dtype=float) ** 2
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

    @staticmethod
    def combine(parts: Iterable[SpatialInertia]) -> SpatialInertia:
        """Return the inertia of several bodies, given in one frame, welded together."""
        bodies = list(parts)
        mass = sum(body.mass for body in bodies)
        if mass == 0.0:
            return SpatialInertia.zero()
        center = sum((body.mass * body.center for body in bodies), np.zeros(3)) / mass
        inertia = sum((body.about(center) for body in bodies), np.zeros((3, 3)))
        return SpatialInertia(mass, center, inertia)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        return SpatialInertia.combine((self, other))
