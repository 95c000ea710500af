"""Curve on curve: two bodies, a wire of each touching one of the other's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.arrays import Array
from core.joints.contact import ALIGNED, FREE, SPIN, ContactJoint, turns_of
from core.joints.geometry import Circle, Curve
from core.joints.geometry.vectors import ZERO, Rows, X, Z, add, pose, product, rotated, scale, transposed, turn
from core.symbolic import Expression, apply


@dataclass(frozen=True)
class CurveOnCurve(ContactJoint):
    """Two curves with a point in common, ``Q = F(s) E G(t)^-1``.

    F and G are the frames of the curves, z along them. Curves that cross have ``E = R_z(a) R_x(pi / 2 + b) R_z(c)``:
    the body turns about the one curve and about the other, and at b = 0 they are square to each other. Where they
    would be parallel, what slides along the one slides along the other, and the range of b ends before.

    Attributes:
        first: The curve that stands in the joint frame.
        second: The one in the frame of the moving body.
        hold: ``"aligned"``: their frames lie together, E = 1, 2 coordinates; ``"spin"``: only their directions,
            ``E = R_z(a)``, 3; ``"free"``: they cross, 5.
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
        names = ("turn", "crossing", "own turn")
        self._set_up(self.first, self.second, turns_of(self.hold, "a curve on a curve"), names)

    @classmethod
    def template(cls, size: float) -> CurveOnCurve:
        return cls(Circle(size), Circle(size))

    def between(self, q: Sequence[Expression]) -> Rows:
        if self.hold != FREE:
            return super().between(q)
        c, s = apply("cos", q[3]), apply("sin", q[3])
        across = (X, (ZERO, -s, -c), (ZERO, c, -s))
        return product(turn(Z, q[2]), across, turn(Z, q[4]))

    def angles(self, E: Array) -> list[float]:
        if self.hold != FREE:
            return super().angles(E)
        crossing = -math.asin(min(max(float(E[2, 2]), -1.0), 1.0))
        return [math.atan2(E[0, 2], -E[1, 2]), crossing, math.atan2(E[2, 0], E[2, 1])]

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        (here, fixed), (there, own) = self.parts(q, constants)
        G = self.second.frame(there, own)
        R = product(self.first.frame(here, fixed), self.between(q), transposed(G))
        return pose(R, add(self.first.place(here, fixed), scale(-1.0, rotated(R, self.second.place(there, own)))))
