"""Scapula joint: the shoulder blade on the thorax, an ellipsoid on which it slides, turns and lifts off at one edge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import JointError
from core.joints.base import Vector as Triple
from core.joints.contact import ContactJoint
from core.joints.geometry import Ellipsoid
from core.joints.geometry.vectors import ORIGIN, Vector, Z, add, pose, product, rotated, scale, turn, vectors
from core.symbolic import Expression

_TOP = math.radians(85.0)
_NAMES = ("abduction", "elevation", "upward rotation", "winging")


@dataclass(frozen=True)
class Thorax(Ellipsoid):
    """An ellipsoid whose longitude goes about y from its back, at -z, towards -x, and whose latitude goes up."""

    name: ClassVar[str] = "thorax"
    has_poles: ClassVar[bool] = False  # for it ends before them
    turns: ClassVar[tuple[bool, ...]] = (True, False)

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return (-math.inf, math.inf), (-_TOP, _TOP)

    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        return _upright(super().place(at, _cycled(constants)))

    def directions(self, at: Sequence[Expression], constants: Sequence[Expression]) -> tuple[Vector, Vector]:
        along, normal = super().directions(at, _cycled(constants))
        return _upright(along), _upright(normal)


def _cycled(constants: Sequence[Expression]) -> Sequence[Expression]:
    x, y, z = constants
    return z, x, y


def _upright(a: Vector) -> Vector:
    return -a[1], a[2], -a[0]


@dataclass(frozen=True)
class Scapula(ContactJoint):
    """A shoulder blade, ``Q = F(u, v) R_z(a) T(w) R_d(b) T(-w)``.

    F is the frame of the thorax, z outward, x towards the side and y up; at zero it stands behind the spine, and
    abduction takes it to the right. The blade turns by a about the normal and by b, winging, about an axis in the
    tangent plane.

    Attributes:
        x, y, z: Half the axes of the thorax, [m].
        origin: A point of the axis of winging, in the blade's frame, [m].
        direction: Angle of that axis from the blade's x towards its y, [rad].

    Source: Seth, Matias, Veloso and Delp (2016), A biomechanical model of the scapulothoracic joint.
    """

    x: float
    y: float
    z: float
    origin: Triple = (0.0, 0.0, 0.0)
    direction: float = 0.5 * math.pi

    type_name: ClassVar[str] = "scapula"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("x", "length"),
        ("y", "length"),
        ("z", "length"),
        ("origin", "point"),
        ("direction", "angle"),
    )

    def __post_init__(self) -> None:
        a, b, c = (float(value) for value in self.origin)
        if not math.isfinite(a + b + c + self.direction):
            raise JointError("the axis of winging of a scapula is not finite; expected finite numbers")
        object.__setattr__(self, "origin", (a, b, c))
        self._set_up(Thorax(self.x, self.y, self.z), None, 2)
        object.__setattr__(self, "coordinate_names", _NAMES)

    @classmethod
    def template(cls, size: float) -> Scapula:
        return cls(0.7 * size, size, 0.5 * size, (0.2 * size, 0.0, 0.0), math.radians(80.0))

    @property
    def turns(self) -> tuple[bool, ...]:
        return True, False, True, True

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        endless = (-math.inf, math.inf)
        return (*self.touching[0].shape.domain, endless, endless)

    @property
    def constants(self) -> tuple[float, ...]:
        return *super().constants, *self.origin, math.cos(self.direction), math.sin(self.direction)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        ((at, fixed),) = self.parts(q, constants)
        thorax = self.touching[0].shape
        (w,) = vectors(constants[-5:-2])
        upward = product(thorax.frame(at, fixed), turn(Z, q[2]))
        winged = turn((constants[-2], constants[-1], ORIGIN[2]), q[3])
        away = add(w, scale(-1.0, rotated(winged, w)))
        return pose(product(upward, winged), add(thorax.place(at, fixed), rotated(upward, away)))
