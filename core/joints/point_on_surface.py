"""Point on a surface: a body that slides over a surface, flat on it, spinning on it, or standing on it by a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.joints.contact import ALIGNED, FREE, SPIN, ContactJoint, turns_of
from core.joints.geometry import Ellipsoid, Surface
from core.joints.geometry.vectors import pose, product
from core.symbolic import Expression


@dataclass(frozen=True)
class PointOnSurface(ContactJoint):
    """A body whose origin is on a surface, ``Q = F(u, v) R_z(a) R_x(b) R_y(c)``.

    F is the frame of the surface, z along its normal and x along u.

    Attributes:
        surface: The surface, which stands in the joint frame.
        hold: ``"aligned"``: the body keeps the surface's frame, 2 coordinates; ``"spin"``: it turns about the normal,
            as a sled does, 3; ``"free"``: it turns any way, 5.

    Source: Si & Guenter section 5, figure 4.
    """

    surface: Surface
    hold: str = ALIGNED

    type_name: ClassVar[str] = "point on surface"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("surface", "surface"),
        ("hold", f"word {ALIGNED} {SPIN} {FREE}"),
    )

    def __post_init__(self) -> None:
        self._set_up(self.surface, None, turns_of(self.hold, "a point on a surface"))

    @classmethod
    def template(cls, size: float) -> PointOnSurface:
        return cls(Ellipsoid(size, 0.6 * size, size), SPIN)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        ((at, fixed),) = self.parts(q, constants)
        return pose(product(self.surface.frame(at, fixed), self.between(q)), self.surface.place(at, fixed))
