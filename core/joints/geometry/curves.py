"""Curves that joints run along: a class each, which says where the point at a coordinate is.

The frame at a point has z along the curve, by its derivative, and y as near to the curve's own ``up`` as that allows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.arrays import Array
from core.errors import JointError
from core.joints.base import ANGLE, LENGTH, NUMBER, unit_axis
from core.joints.geometry.shape import Shape, check_lengths, check_positive, polynomial, power_coefficients
from core.joints.geometry.surfaces import control_points
from core.joints.geometry.vectors import ZERO, Rows, Vector, Y, Z, columns, cross, unit, vectors
from core.symbolic import Expression, apply, derivative


class Curve(Shape):
    """A curve, ``x(s)``."""

    units: ClassVar[tuple[str, ...]] = (NUMBER,)
    turns: ClassVar[tuple[bool, ...]] = (False,)
    coordinate_names: ClassVar[tuple[str, ...]] = ("along",)

    @abstractmethod
    def up(self, constants: Sequence[Expression]) -> Vector:
        """Return a direction that the curve never goes in."""

    def frame(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Rows:
        slopes = derivative(self.place(at, constants), list(at))
        along = unit((slopes[0][0], slopes[1][0], slopes[2][0]))
        side = unit(cross(self.up(constants), along))
        return columns(side, cross(along, side), along)


@dataclass(frozen=True)
class Line(Curve):
    """The z axis; the coordinate is the way along it, [m].

    Attributes:
        size: How far it is drawn to either side, [m].
    """

    size: float = 1.0

    name: ClassVar[str] = "line"
    units: ClassVar[tuple[str, ...]] = (LENGTH,)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        return ((-self.size, self.size),)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return ZERO, ZERO, at[0]

    def up(self, constants: Sequence[Expression]) -> Vector:
        return Y


class _Round(Curve):
    """A curve round z."""

    units: ClassVar[tuple[str, ...]] = (ANGLE,)
    turns: ClassVar[tuple[bool, ...]] = (True,)
    coordinate_names: ClassVar[tuple[str, ...]] = ("angle",)

    def up(self, constants: Sequence[Expression]) -> Vector:
        return Z


@dataclass(frozen=True)
class Circle(_Round):
    """A circle about z, from x to y.

    Attributes:
        radius: [m].
    """

    radius: float

    name: ClassVar[str] = "circle"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("radius", "length"),)

    def __post_init__(self) -> None:
        check_positive("a circle", radius=self.radius)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return constants[0] * apply("cos", at[0]), constants[0] * apply("sin", at[0]), ZERO

    def frame(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Rows:
        c, s = apply("cos", at[0]), apply("sin", at[0])
        return columns((-c, -s, ZERO), Z, (-s, c, ZERO))


@dataclass(frozen=True)
class Ellipse(_Round):
    """An ellipse about z, ``(a cos s, b sin s, 0)``.

    Attributes:
        x, y: Half its axes, [m].
    """

    x: float
    y: float

    name: ClassVar[str] = "ellipse"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("x", "length"), ("y", "length"))

    def __post_init__(self) -> None:
        check_positive("an ellipse", **{"half axis x": self.x, "half axis y": self.y})

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return constants[0] * apply("cos", at[0]), constants[1] * apply("sin", at[0]), ZERO


@dataclass(frozen=True)
class Helix(_Round):
    """A helix about z, from x to y.

    Attributes:
        radius: [m].
        pitch: How far a turn goes along z, [m].
    """

    radius: float
    pitch: float

    name: ClassVar[str] = "helix"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("radius", "length"), ("pitch", "length"))
    turns: ClassVar[tuple[bool, ...]] = (False,)

    def __post_init__(self) -> None:
        check_positive("a helix", radius=self.radius)
        check_lengths("a helix", pitch=self.pitch)

    @property
    def constants(self) -> tuple[float, ...]:
        return self.radius, self.pitch / (2.0 * math.pi)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return constants[0] * apply("cos", at[0]), constants[0] * apply("sin", at[0]), constants[1] * at[0]


@dataclass(frozen=True, eq=False)
class BezierCurve(Curve):
    """A Bezier curve of any degree; the coordinate goes from 0 to 1.

    Attributes:
        points: Control points, shape (m, 3), [m]; 2 or more.
        upward: A direction that the curve never goes in: y of its frames is as near to it as can be.
    """

    points: Array
    upward: tuple[float, float, float] = (0.0, 1.0, 0.0)

    name: ClassVar[str] = "bezier"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("points", "points"), ("upward", "axis after up"))

    def __post_init__(self) -> None:
        points = control_points(self.points, 2, "a Bezier curve")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "upward", unit_axis(self.upward, "a Bezier curve"))
        if np.ptp(points, axis=0).max() < 1e-12:
            raise JointError("all control points of a Bezier curve are the same; expected points along a path")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BezierCurve) and self.upward == other.upward and np.array_equal(self.points, other.points)
        )

    def __hash__(self) -> int:
        return hash((BezierCurve, self.upward, self.points.tobytes()))

    @property
    def constants(self) -> tuple[float, ...]:
        return (*self.upward, *power_coefficients(self.points).ravel().tolist())

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return ((0.0, 1.0),)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        coefficients = vectors(constants[3:])
        x, y, z = (polynomial([each[k] for each in coefficients], at[0]) for k in range(3))
        return x, y, z

    def up(self, constants: Sequence[Expression]) -> Vector:
        return constants[0], constants[1], constants[2]


CURVES: tuple[type[Curve], ...] = (Line, Circle, Ellipse, Helix, BezierCurve)
"""The curves that skeleton files may name."""
