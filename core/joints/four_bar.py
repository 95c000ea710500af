"""Four-bar joint: a body held by two rods, as the shin by the cruciate ligaments of the knee."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import Vector as Triple
from core.joints.base import unit_axis
from core.joints.geometry.vectors import add, pose, scale, turn, vectors
from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression, apply

_LEAST = 0.1
"""Sine of the angle between the rods' triangle and its base at which the range ends: at 0 they lie in line, and the
body would be infinitely fast."""
_LOOKS = 720


@dataclass(frozen=True)
class FourBar(SymbolicJoint):
    """A body that turns by q about ``axis`` while two rods keep their lengths, ``Q = T(p(q)) R(axis, q)``.

    The rods are hinged at ``first`` and ``second`` of the parent and, at q = 0, at ``first_end`` and ``second_end`` of
    the body, all seen along the axis. With ``P_i = pivot_i - R(q) end_i`` the displacement p is where the circles about
    ``P_1`` and ``P_2`` whose radii are the lengths of the rods cross: on that side where 0 is for q = 0.

    Attributes:
        axis: Axis of all hinges, in the joint frame; any length but zero is taken.
        first, first_end: Ends of the one rod, on the parent and on the body at rest, in the joint frame, [m].
        second, second_end: Of the other.

    Raises:
        JointError: If the rods are no rods, or are in line with each other or of the same length and parallel at rest.

    Source: O'Connor, Shercliff, Biden and Goodfellow (1989), The geometry of the knee in the sagittal plane.
    """

    axis: Triple
    first: Triple
    first_end: Triple
    second: Triple
    second_end: Triple

    type_name: ClassVar[str] = "four bar"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("flexion",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (True,)  # type: ignore[misc]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("axis", "axis"),
        ("first", "point"),
        ("first_end", "point"),
        ("second", "point"),
        ("second_end", "point"),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis, "a four-bar joint"))
        for name in ("first", "first_end", "second", "second_end"):
            x, y, z = (float(value) for value in getattr(self, name))
            if not math.isfinite(x + y + z):
                raise JointError(f"{name} of a four-bar joint is ({x:g}, {y:g}, {z:g}); expected finite numbers")
            object.__setattr__(self, name, (x, y, z))
        if min(self._lengths) < 1e-9:
            raise JointError("a rod of a four-bar joint has no length; expected pivots apart from each other")
        if not self._sine(0.0) > _LEAST:
            raise JointError("the rods of a four-bar joint are in line or parallel at rest; expected them to cross")

    @classmethod
    def template(cls, size: float) -> FourBar:
        """The rods cross, as the cruciate ligaments do, a tenth of the part's size long or so."""
        points = ((0.05, 0.06), (-0.09, -0.04), (0.06, -0.05), (-0.08, 0.06))
        first, first_end, second, second_end = ((0.0, y * size, z * size) for y, z in points)
        return cls((1.0, 0.0, 0.0), first, first_end, second, second_end)

    @cached_property
    def _plane(self) -> Array:
        """Two unit vectors that span the plane of motion, shape (2, 3), so that the axis is their product."""
        axis = np.array(self.axis)
        along = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        along /= np.linalg.norm(along)
        return np.array([along, np.cross(axis, along)])

    @cached_property
    def _pivots(self) -> Array:
        """First and second pivot, then their ends, in the plane, shape (4, 2)."""
        return np.array([self.first, self.second, self.first_end, self.second_end]) @ self._plane.T

    @cached_property
    def _lengths(self) -> tuple[float, float]:
        A, B, C, D = self._pivots
        return float(np.linalg.norm(C - A)), float(np.linalg.norm(D - B))

    def _sine(self, angle: float) -> float:
        """Return the sine of the angle at the first centre of the triangle of both and p; NaN if there is none."""
        A, B, C, D = self._pivots
        c, s = math.cos(angle), math.sin(angle)
        R = np.array([[c, -s], [s, c]])
        square = float(np.sum(((B - R @ D) - (A - R @ C)) ** 2))
        first, second = self._lengths
        if square < 1e-12 * first * first:
            return math.nan
        cosine = (square + first * first - second * second) / (2.0 * math.sqrt(square) * first)
        return math.sqrt(1.0 - cosine * cosine) if abs(cosine) < 1.0 else math.nan

    @cached_property
    def _side(self) -> float:
        A, B, C, D = self._pivots
        (x, y), (u, v) = (B - D) - (A - C), C - A
        return math.copysign(1.0, x * v - y * u)

    @property
    def constants(self) -> tuple[float, ...]:
        first, second = self._lengths
        return (
            *self.axis, *self._plane.ravel().tolist(), *self._pivots.ravel().tolist(),
            first * first, second * second, self._side,
        )  # fmt: skip

    @cached_property
    def _range(self) -> tuple[float, float]:
        ends = []
        for side in (-1.0, 1.0):
            angle, step = 0.0, side * 2.0 * math.pi / _LOOKS
            for _ in range(_LOOKS // 2):
                if not self._sine(angle + step) > _LEAST:
                    break
                angle += step
            ends.append(angle)
        return ends[0], ends[1]

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return (self._range,)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        axis, along, across = vectors(constants[:9])
        a, b, c, d, e, f, g, h, first, second, side = constants[9:]
        cosine, sine = apply("cos", q[0]), apply("sin", q[0])
        x, y = a - (cosine * e - sine * f), b - (sine * e + cosine * f)
        u, v = c - (cosine * g - sine * h) - x, d - (sine * g + cosine * h) - y
        square = u * u + v * v
        part = (square + first - second) / (2.0 * square)
        height = side * apply("sqrt", first / square - part * part)
        p, r = x + part * u - height * v, y + part * v + height * u
        return pose(turn(axis, q[0]), add(scale(p, along), scale(r, across)))

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        """The two rods."""
        X = self.transform(q)
        rods = ((self.first, self.first_end), (self.second, self.second_end))
        return tuple(np.array([pivot, X[:3, :3] @ end + X[:3, 3]]) for pivot, end in rods)

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the coordinate of the pose, or of one near it, within the range."""
        least, most = self._range
        around = np.zeros(1) if near is None else np.clip(np.asarray(near, dtype=np.float64), least, most)
        return np.clip(super().coordinates(X, around), least, most)
