"""Point on a curve: a body that slides along a curve, in step with it, turning about it, or as a bead turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.joints.contact import ALIGNED, FREE, SPIN, ContactJoint, turns_of
from core.joints.geometry import Circle, Curve
from core.joints.geometry.vectors import pose, product
from core.symbolic import Expression


@dataclass(frozen=True)
class PointOnCurve(ContactJoint):
    """A body whose origin is on a curve, ``Q = F(s) R_z(a) R_x(b) R_y(c)``.

    F is the frame of the curve, z along it.

    Attributes:
        curve: The curve, which stands in the joint frame.
        hold: ``"aligned"``: the body keeps the curve's frame, 1 coordinate; ``"spin"``: it turns about the curve, 2;
            ``"free"``: it turns any way, 4.

    Source: Si & Guenter section 5, figure 3.
    """

    curve: Curve
    hold: str = ALIGNED

    type_name: ClassVar[str] = "point on curve"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("curve", "curve"), ("hold", f"word {ALIGNED} {SPIN} {FREE}"))

    def __post_init__(self) -> None:
        self._set_up(self.curve, None, turns_of(self.hold, "a point on a curve"))

    @classmethod
    def template(cls, size: float) -> PointOnCurve:
        return cls(Circle(size))

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        ((at, fixed),) = self.parts(q, constants)
        return pose(product(self.curve.frame(at, fixed), self.between(q)), self.curve.place(at, fixed))
