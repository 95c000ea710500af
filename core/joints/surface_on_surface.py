"""Surface joint: a body whose surface touches another's in one point, on which it rolls and slides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.arrays import Array
from core.errors import JointError
from core.joints.contact import ALIGNED, SPIN, ContactJoint
from core.joints.geometry import Surface, Torus
from core.joints.geometry.vectors import add, columns, pose, product, rotated, scale, transposed
from core.symbolic import Expression, apply


@dataclass(frozen=True)
class SurfaceOnSurface(ContactJoint):
    """Two surfaces that touch, ``Q = F(u, v) R_z(s) R_x(pi) G(u', v')^-1``.

    F and G are the frames of the surfaces with z along their normals, which are opposed where they touch. The angle s
    between the directions of u and of u' is either ``turned``, which leaves 4 degrees of freedom, or that and one more
    coordinate, the fifth.

    Attributes:
        first: The surface that stands in the joint frame.
        second: The one in the frame of the moving body.
        hold: ``"aligned"``: the angle between the directions stays as it is; ``"spin"``: it is the last coordinate.
        turned: That angle, or what it is where the coordinate is 0, [rad].

    Source: Si & Guenter section 5, figures 1 and 2.
    """

    first: Surface
    second: Surface
    hold: str = ALIGNED
    turned: float = 0.0

    type_name: ClassVar[str] = "surface on surface"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("first", "surface"),
        ("second", "surface"),
        ("hold", f"word {ALIGNED} {SPIN}"),
        ("turned", "angle after turned"),
    )

    def __post_init__(self) -> None:
        if self.hold not in (ALIGNED, SPIN):
            raise JointError(f'surfaces on each other are held "{self.hold}"; expected {ALIGNED} or {SPIN}')
        if not math.isfinite(self.turned):
            raise JointError(f"surfaces on each other are turned by {self.turned:g}; expected a finite angle")
        self._set_up(self.first, self.second, int(self.hold == SPIN))

    @classmethod
    def template(cls, size: float) -> SurfaceOnSurface:
        return cls(Torus(size, size / 3.0), Torus(size, size / 3.0))

    @property
    def constants(self) -> tuple[float, ...]:
        return *super().constants, math.cos(self.turned), math.sin(self.turned)

    def angles(self, E: Array) -> list[float]:
        return [angle - self.turned for angle in super().angles(E)]

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        (here, fixed), (there, own) = self.parts(q, constants)
        c, s = constants[-2:]
        if self.turning:
            a, b = apply("cos", q[4]), apply("sin", q[4])
            c, s = a * c - b * s, b * c + a * s
        F, G = self.first.frame(here, fixed), self.second.frame(there, own)
        along, across, normal = transposed(F)
        facing = columns(
            add(scale(c, along), scale(s, across)), add(scale(s, along), scale(-c, across)), scale(-1.0, normal)
        )
        R = product(facing, transposed(G))
        place = add(self.first.place(here, fixed), scale(-1.0, rotated(R, self.second.place(there, own))))
        return pose(R, place)
