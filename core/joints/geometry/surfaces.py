"""Surfaces that joints run on: a class each, which says where the point at two coordinates is.

The frame at a point has z along the normal and x along the first coordinate; both come from the surface's derivatives.
Where these vanish, as along a ball's axis, a surface gives the directions itself. The normal points out of a solid;
negative radii turn it round: such a surface is touched from inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import JointError
from core.joints.base import ANGLE, LENGTH, NUMBER
from core.joints.geometry.shape import Shape, check_lengths, check_positive, polynomial, power_coefficients
from core.joints.geometry.vectors import ZERO, Rows, Vector, columns, cross, unit, vectors
from core.symbolic import Expression, apply, derivative

_AXES = "xyz"
_NEAR_POLE = 0.35
"""Cosine of the latitude below which other poles are better: at 69.5 degrees."""


def _turned(angle: Expression) -> tuple[Expression, Expression]:
    return apply("cos", angle), apply("sin", angle)


class Surface(Shape):
    """A surface, ``x(u, v)``.

    Attributes:
        has_poles: Whether it has places where all values of one coordinate are one point.
    """

    has_poles: ClassVar[bool] = False

    def away_from_poles(self, at: Sequence[float]) -> Surface:
        """Return the surface with its poles elsewhere if a place is near one of them, else itself."""
        return self

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        """Return the unit vectors along u and along the normal, ``x_u`` and ``x_u x x_v`` unless there are better."""
        along, across = tangents(self, at, constants)
        return unit(along), unit(cross(along, across))

    def frame(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Rows:
        along, normal = self.directions(at, constants)
        return columns(along, cross(normal, along), normal)


def tangents(surface: Surface, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
    """Return the derivatives of a surface's place by its coordinates, which are symbols."""
    rows = derivative(surface.place(at, constants), list(at))
    (a, d), (b, e), (c, f) = rows
    return (a, b, c), (d, e, f)


@dataclass(frozen=True)
class Plane(Surface):
    """The plane z = 0; its normal is z.

    Attributes:
        size: How far it is drawn to either side, [m].
    """

    size: float = 1.0

    name: ClassVar[str] = "plane"
    coordinate_names: ClassVar[tuple[str, ...]] = ("x", "y")
    units: ClassVar[tuple[str, ...]] = (LENGTH, LENGTH)
    turns: ClassVar[tuple[bool, ...]] = (False, False)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        return ((-self.size, self.size),) * 2

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return at[0], at[1], ZERO


@dataclass(frozen=True)
class Cylinder(Surface):
    """A cylinder about z: an angle, then the height.

    Attributes:
        radius: [m].
    """

    radius: float

    name: ClassVar[str] = "cylinder"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("radius", "length"),)
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle", "height")
    units: ClassVar[tuple[str, ...]] = (ANGLE, LENGTH)
    turns: ClassVar[tuple[bool, ...]] = (True, False)

    def __post_init__(self) -> None:
        check_lengths("a cylinder", radius=self.radius)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        return (-math.pi, math.pi), (-2.0 * abs(self.radius), 2.0 * abs(self.radius))

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        c, s = _turned(at[0])
        return constants[0] * c, constants[0] * s, at[1]

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        c, s = _turned(at[0])
        return (-s, c, ZERO), (c, s, ZERO)


class _Round(Surface):
    """A surface with longitude and latitude, whose poles lie on one of its axes.

    Beyond a pole latitude goes on, down the other side. At the poles all longitudes are one point, which no speed
    leaves sideways: what may spin goes on with others there, see ``away_from_poles``.

    Attributes:
        poles: That axis, ``"x"``, ``"y"`` or ``"z"``. Longitude goes round it from the axis after it, z being followed
            by x.
    """

    poles: str

    has_poles: ClassVar[bool] = True
    coordinate_names: ClassVar[tuple[str, ...]] = ("longitude", "latitude")
    units: ClassVar[tuple[str, ...]] = (ANGLE, ANGLE)
    turns: ClassVar[tuple[bool, ...]] = (True, True)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        return (-math.pi, math.pi), (-0.5 * math.pi, 0.5 * math.pi)

    def away_from_poles(self, at: Sequence[float]) -> Surface:
        if abs(math.cos(at[1])) >= _NEAR_POLE:
            return self
        # Near a pole, of the two other axes that one which is farther from the place.
        first = _AXES.index(self.poles) + 1
        k = 0 if abs(math.cos(at[0])) < abs(math.sin(at[0])) else 1
        return replace(self, poles=_AXES[(first + k) % 3])  # type: ignore[type-var]

    def _check_poles(self) -> None:
        if self.poles not in _AXES:
            raise JointError(f'the poles of a surface lie on "{self.poles}"; expected x, y or z')

    def _direction(self, at: Sequence[Expression]) -> Vector:
        """Return the unit vector that longitude and latitude stand for, the one along the poles' axis last."""
        (a, c), (b, d) = _turned(at[0]), _turned(at[1])
        return a * b, c * b, d

    def _along(self, at: Sequence[Expression]) -> Vector:
        """Return the unit vector along the longitude in the same axes; it has one at the poles too."""
        c, s = _turned(at[0])
        return -s, c, ZERO

    def _in_own_axes(self, a: Vector) -> Vector:
        first = 2 - _AXES.index(self.poles)
        return a[first], a[(first + 1) % 3], a[(first + 2) % 3]


@dataclass(frozen=True)
class Sphere(_Round):
    """A ball: longitude, then latitude.

    Attributes:
        radius: [m].
        poles: Axis that its poles lie on.
    """

    radius: float
    poles: str = "z"

    name: ClassVar[str] = "sphere"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("radius", "length"), ("poles", "letter after poles"))

    def __post_init__(self) -> None:
        check_lengths("a sphere", radius=self.radius)
        self._check_poles()

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        x, y, z = self.directions(at, constants)[1]
        return constants[0] * x, constants[0] * y, constants[0] * z

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        return self._in_own_axes(self._along(at)), self._in_own_axes(self._direction(at))


@dataclass(frozen=True)
class Ellipsoid(_Round):
    """An ellipsoid, with its poles on z ``x = (a cos v cos u, b cos v sin u, c sin v)``.

    Attributes:
        x, y, z: Half its axes, [m]; all of one sign.
        poles: Axis that its poles lie on.
    """

    x: float
    y: float
    z: float
    poles: str = "z"

    name: ClassVar[str] = "ellipsoid"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("x", "length"),
        ("y", "length"),
        ("z", "length"),
        ("poles", "letter after poles"),
    )

    def __post_init__(self) -> None:
        check_lengths("an ellipsoid", **{f"half axis {n}": getattr(self, n) for n in "xyz"})
        if len({self.x > 0.0, self.y > 0.0, self.z > 0.0}) > 1:
            raise JointError(
                f"an ellipsoid has the half axes {self.x:g}, {self.y:g}, {self.z:g}; expected all of one sign"
            )
        self._check_poles()

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        x, y, z = self._in_own_axes(self._direction(at))
        return constants[0] * x, constants[1] * y, constants[2] * z

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        x, y, z = constants
        (a, b, c), (d, e, f) = self._in_own_axes(self._along(at)), self._in_own_axes(self._direction(at))
        # Without the cosine of the latitude in front of the first, which vanishes at the poles. Products of two half
        # axes have no sign, so that negative ones do not turn the normal round.
        across = "xyz".index(self.poles)
        scales = [[x, y, z][k] * [x, y, z][across - 1] for k in range(3)]
        along = unit((scales[0] * a, scales[1] * b, scales[2] * c))
        return along, unit((y * z * d, x * z * e, x * y * f))


@dataclass(frozen=True)
class Torus(Surface):
    """A torus about z: round the ring, then round the tube, from its outermost circle.

    Attributes:
        ring: From the middle to the middle of the tube, [m].
        tube: Radius of the tube, [m]; less than the ring's.
    """

    ring: float
    tube: float

    name: ClassVar[str] = "torus"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("ring", "length"), ("tube", "length"))
    coordinate_names: ClassVar[tuple[str, ...]] = ("ring", "tube")
    units: ClassVar[tuple[str, ...]] = (ANGLE, ANGLE)
    turns: ClassVar[tuple[bool, ...]] = (True, True)

    def __post_init__(self) -> None:
        check_positive(f"a {self.name}", ring=self.ring)
        check_lengths(f"a {self.name}", tube=self.tube)
        if not abs(self.tube) < self.ring:
            raise JointError(
                f"a {self.name} has a ring of {self.ring:g} m and a tube of {self.tube:g} m; expected a tube thinner "
                "than the ring"
            )

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        (a, c), (ring, tube) = _turned(at[0]), constants
        x, y, z = self.directions(at, constants)[1]
        return ring * a + tube * x, ring * c + tube * y, tube * z

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        (a, c), (b, d) = _turned(at[0]), self._round(at[1])
        return (-c, a, ZERO), (a * b, c * b, d)

    def _round(self, angle: Expression) -> tuple[Expression, Expression]:
        return _turned(angle)


@dataclass(frozen=True)
class Link(Torus):
    """The link of a chain: a torus whose second angle counts from its innermost circle, where links touch."""

    name: ClassVar[str] = "link"

    def _round(self, angle: Expression) -> tuple[Expression, Expression]:
        c, s = _turned(angle)
        return -c, -s


def _half(power: int) -> float:
    return float(0.5**power)


def _half_slope(power: int) -> float:
    return power * float(0.5 ** (power - 1)) if power else 0.0


@dataclass(frozen=True, eq=False)
class BezierSurface(Surface):
    """A Bezier patch, a tensor product of any degrees; both coordinates go from 0 to 1.

    Attributes:
        points: Control points, shape (rows, columns, 3), [m]; 2 or more each way. u runs over the rows.
    """

    points: Array

    name: ClassVar[str] = "bezier"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("points", "grid"),)
    coordinate_names: ClassVar[tuple[str, ...]] = ("u", "v")
    units: ClassVar[tuple[str, ...]] = (NUMBER, NUMBER)
    turns: ClassVar[tuple[bool, ...]] = (False, False)

    def __post_init__(self) -> None:
        points = control_points(self.points, 3, "a Bezier surface")
        object.__setattr__(self, "points", points)
        rows, columns = points.shape[:2]
        half, slope = (np.array([power(k) for k in range(max(rows, columns))]) for power in (_half, _half_slope))
        along = np.einsum("ijk,i,j->k", self._coefficients, slope[:rows], half[:columns])
        across = np.einsum("ijk,i,j->k", self._coefficients, half[:rows], slope[:columns])
        if not np.linalg.norm(np.cross(along, across)) > 1e-12:
            raise JointError("a Bezier surface has no normal in its middle; expected control points that span an area")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BezierSurface) and np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return hash((BezierSurface, self.points.shape, self.points.tobytes()))

    @property
    def constants(self) -> tuple[float, ...]:
        return tuple(self._coefficients.ravel().tolist())

    @property
    def _coefficients(self) -> Array:
        """Coefficients of the powers of u and of v, shape (rows, columns, 3)."""
        by_rows = power_coefficients(self.points)
        return np.moveaxis(power_coefficients(np.moveaxis(by_rows, 1, 0)), 0, 1)

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return (0.0, 1.0), (0.0, 1.0)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        rows, count, _ = self.points.shape
        coefficients = vectors(constants)
        along = [
            [polynomial([coefficients[count * i + j][k] for j in range(count)], at[1]) for k in range(3)]
            for i in range(rows)
        ]
        x, y, z = (polynomial([along[i][k] for i in range(rows)], at[0]) for k in range(3))
        return x, y, z


def control_points(points: ArrayLike, dimensions: int, what: str) -> Array:
    """Return control points as a new read-only array.

    Args:
        points: Them, with 3 numbers each along the last axis.
        dimensions: How many axes there are, with the last.
        what: What has them, for messages.

    Raises:
        JointError: If they are not finite numbers of this form.
    """
    wanted = {2: "points, shape (m, 3)", 3: "points, shape (rows, columns, 3)"}[dimensions]
    try:
        array = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise JointError(f"{what} has the control points {shown(points)}; expected {wanted}") from None
    if array.ndim != dimensions or array.shape[-1] != 3:
        raise JointError(f"{what} has control points of shape {array.shape}; expected {wanted}")
    if min(array.shape[:-1]) < 2:
        raise JointError(f"{what} has {' by '.join(map(str, array.shape[:-1]))} control points; expected 2 or more")
    if not np.isfinite(array).all():
        raise JointError(f"{what} has a control point that is not finite; expected finite numbers")
    array.setflags(write=False)
    return array


SURFACES: tuple[type[Surface], ...] = (Plane, Cylinder, Sphere, Ellipsoid, Torus, Link, BezierSurface)
"""The surfaces that skeleton files may name."""
