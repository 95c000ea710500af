"""Surface joint: a body whose surface touches another's in one point, on which it rolls and slides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.errors import JointError
from core.joints.contact import ALIGNED, SPIN, ContactJoint
from core.joints.geometry import Surface
from core.joints.geometry.vectors import add, columns, pose, product, rotated, scale, transposed
from core.symbolic import Expression, apply


@dataclass(frozen=True)
class SurfaceOnSurface(ContactJoint):
    """Two surfaces that touch, ``Q = F(u, v) R_z(s) R_x(pi) G(u', v')^-1``.

    F and G are the frames of the surfaces with z along their normals, which are opposed where they touch. The angle s
    between the directions of u and of u' is either fixed, which leaves 4 degrees of freedom, or one of 5 coordinates.

    Attributes:
        first: The surface that stands in the joint frame.
        second: The one in the frame of the moving body.
        hold: ``"aligned"``: the angle between the directions stays as it is; ``"spin"``: it is the last coordinate.
        turned: That angle where it stays, [rad].

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
        if self.hold == SPIN and self.turned != 0.0:
            raise JointError("surfaces on each other that may spin are turned; expected one of both")
        self._set_up(self.first, self.second, int(self.hold == SPIN))

    @property
    def constants(self) -> tuple[float, ...]:
        fixed = () if self.turning else (math.cos(self.turned), math.sin(self.turned))
        return *super().constants, *fixed

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        (here, fixed), (there, own) = self.parts(q, constants)
        c, s = (apply("cos", q[4]), apply("sin", q[4])) if self.turning else constants[-2:]
        F, G = self.first.frame(here, fixed), self.second.frame(there, own)
        a, b, n = transposed(F)
        facing = columns(add(scale(c, a), scale(s, b)), add(scale(s, a), scale(-c, b)), scale(-1.0, n))
        R = product(facing, transposed(G))
        place = add(self.first.place(here, fixed), scale(-1.0, rotated(R, self.second.place(there, own))))
        return pose(R, place)
