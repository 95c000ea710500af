"""Curve on curve: two bodies, a wire of each touching one of the other's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.joints.contact import ALIGNED, FREE, SPIN, ContactJoint, turns_of
from core.joints.geometry import Curve
from core.joints.geometry.vectors import add, pose, product, rotated, scale, transposed
from core.symbolic import Expression


@dataclass(frozen=True)
class CurveOnCurve(ContactJoint):
    """Two curves with a point in common, ``Q = F(s) R_z(a) R_x(b) R_y(c) G(t)^-1``.

    F and G are the frames of the curves, z along them.

    Attributes:
        first: The curve that stands in the joint frame.
        second: The one in the frame of the moving body.
        hold: ``"aligned"``: their frames lie together, 2 coordinates; ``"spin"``: only their directions, the body turns
            about them, 3; ``"free"``: they cross at any angles, 5.
    """

    first: Curve
    second: Curve
    hold: str = FREE

    type_name: ClassVar[str] = "curve on curve"
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (
        ("first", "curve"),
        ("second", "curve"),
        ("hold", f"word {ALIGNED} {SPIN} {FREE}"),
    )

    def __post_init__(self) -> None:
        self._set_up(self.first, self.second, turns_of(self.hold, "a curve on a curve"))

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        (here, fixed), (there, own) = self.parts(q, constants)
        G = self.second.frame(there, own)
        R = product(self.first.frame(here, fixed), self.turned(q), transposed(G))
        return pose(R, add(self.first.place(here, fixed), scale(-1.0, rotated(R, self.second.place(there, own)))))
