"""A body as a smooth solid: bones' and muscles' shapes that melt into one another, as a signed distance.

Every part is a function of points, shape (n, 3), that is about the distance to its surface, negative inside. ``Flesh``
adds parts one by one, each with the width over which it melts into what is there. Nothing here is a mesh;
``skeletons.making.shaping.weave`` lays one over the surface. Plain arithmetic in a fixed order: the same tables give
the same bytes.

Sources: Quilez, "Smooth minimum" (polynomial, quadratic) and "Ellipsoid distance", both on his site.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

Array = NDArray[np.float64]
Part = Callable[[Array], Array]
Point = Sequence[float] | Array

MIRROR = np.array([-1.0, 1.0, 1.0])

# Directions of a loft's (s, u, v) in the world, as rows.
LOFT_AXES = {
    "y": np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "-y": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "z": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
}


def by(point: Array, x: float, y: float, z: float) -> Array:
    """Return a point (3,) moved by (x, y, z)."""
    return np.asarray(point + np.array((x, y, z)))


def turn(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Return the rotation ``Rz Ry Rx`` for angles in degrees, shape (3, 3)."""
    a, b, c = np.radians([x, y, z])
    rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    rz = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return np.asarray(rz @ ry @ rx)


def smooth_min(a: Array, b: Array, width: float) -> Array:
    """Return the smaller of two distances, rounded where they differ by less than ``width``, [m]."""
    if width <= 0.0:
        return np.minimum(a, b)
    h = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.minimum(a, b) - h * h * width * 0.25


class Ellipsoid:
    """An ellipsoid.

    Args:
        center: Shape (3,), [m].
        radii: Half-axes, shape (3,), [m].
        turned: Its turn (x, y, z) as in ``turn``, [deg].
    """

    def __init__(
        self,
        center: Point,
        radii: Point,
        turned: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ):
        self.center, self.radii = np.asarray(center, dtype=np.float64), np.asarray(radii, dtype=np.float64)
        self.axes = turn(*turned)

    def __call__(self, points: Array) -> Array:
        """Return the distances."""
        p = (points - self.center) @ self.axes
        near, slope = p / self.radii, p / self.radii**2
        length = np.sqrt(np.einsum("ij,ij->i", near, near))
        steep = np.maximum(np.sqrt(np.einsum("ij,ij->i", slope, slope)), 1e-9)
        return np.where(length < 1e-9, -self.radii.min(), length * (length - 1.0) / steep)


class Cone:
    """A rod with round ends.

    Args:
        start: Centre of one end, shape (3,), [m].
        end: Centre of the other.
        start_radius: [m].
        end_radius: [m].
    """

    def __init__(self, start: Point, end: Point, start_radius: float, end_radius: float):
        self.start = np.asarray(start, dtype=np.float64)
        self.axis = np.asarray(end, dtype=np.float64) - self.start
        self.radius, self.widening = start_radius, end_radius - start_radius

    def __call__(self, points: Array) -> Array:
        """Return the distances."""
        away = points - self.start
        t = np.clip(away @ self.axis / (self.axis @ self.axis), 0.0, 1.0)
        away = away - t[:, None] * self.axis
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", away, away)) - self.radius - t * self.widening)


class Tube:
    """A solid through cross-sections, as in ``skeletons.making.shaping.loft``, but as a distance.

    Args:
        rows: Cross-sections in order of their place along the axis, each as ``skeletons.making.shaping.loft.Row``.
        axis: ``"y"``, ``"-y"`` (u, v = x, z) or ``"z"`` (u, v = x, y).
        origin: Where the tube's own origin is, (3,), [m].
        turned: Rotation of the tube about its origin, shape (3, 3).
        soft: Radius that rounds its flat ends, [m].
    """

    def __init__(
        self,
        rows: Sequence[Sequence[float]],
        axis: str = "y",
        origin: Point = (0.0, 0.0, 0.0),
        turned: Array | None = None,
        soft: float = 0.01,
    ):
        table = np.array(rows, dtype=np.float64)
        self.low, self.high = float(table[0, 0]), float(table[-1, 0])
        self.section = PchipInterpolator(table[:, 0], table[:, 1:], axis=0)
        self.axes = LOFT_AXES[axis] @ (np.eye(3) if turned is None else np.asarray(turned).T)
        self.origin = np.asarray(origin, dtype=np.float64)
        self.soft = soft

    def __call__(self, points: Array) -> Array:
        """Return the distances, measured towards the axis at the same height."""
        s, u, v = ((points - self.origin) @ self.axes.T).T
        cu, cv, left, right, front, back, power = self.section(np.clip(s, self.low, self.high)).T
        du, dv = u - cu, v - cv
        a = np.abs(du) / np.where(du < 0.0, left, right)
        b = np.abs(dv) / np.where(dv > 0.0, front, back)
        r = np.maximum((a**power + b**power) ** (1.0 / power), 1e-6)
        rho = np.maximum(np.hypot(du, dv), 1e-6)
        side = np.where(r < 1e-5, -np.minimum(np.minimum(left, right), np.minimum(front, back)), rho * (1.0 - 1.0 / r))
        end = np.maximum(self.low - s, s - self.high)
        return -smooth_min(-side, -end, 2.0 * self.soft)


class Flesh:
    """A solid of parts that melt together; itself a part.

    Args:
        part: What to begin with.
    """

    def __init__(self, part: Part | None = None):
        self._steps: list[tuple[Part, float, bool]] = []
        if part is not None:
            self.add(part, 0.0)

    def add(self, part: Part, width: float, both: bool = False) -> Flesh:
        """Add a part, and with ``both`` its reflection in x = 0, melting over ``width`` [m]; return self."""
        self._steps.append((part, width, False))
        if both:
            self._steps.append((mirrored(part), width, False))
        return self

    def carve(self, part: Part, width: float, both: bool = False) -> Flesh:
        """Take a part away, and with ``both`` its reflection, rounded over ``width`` [m]; return self."""
        self._steps.append((part, width, True))
        if both:
            self._steps.append((mirrored(part), width, True))
        return self

    def __call__(self, points: Array) -> Array:
        """Return the distances."""
        total: Array | None = None
        for part, width, carved in self._steps:
            one = part(points)
            if total is None:
                total = one
            elif carved:
                total = -smooth_min(-total, one, width)
            else:
                total = smooth_min(total, one, width)
        assert total is not None
        return total


def mirrored(part: Part) -> Part:
    """Return the reflection of a part in x = 0."""
    return lambda points: part(points * MIRROR)


def beyond(part: Part, point: Point, normal: Point, width: float) -> Part:
    """Return what lies of a part on the side of a plane that ``normal`` points to, cut off over ``width`` [m]."""
    n = np.asarray(normal, dtype=np.float64) / np.linalg.norm(normal)

    def cut(points: Array) -> Array:
        return -smooth_min(-part(points), (points - np.asarray(point)) @ n, width)

    return cut
