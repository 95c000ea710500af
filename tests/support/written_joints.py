"""Joint types that say where they are and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.joints.symbolic import SymbolicJoint
from core.symbolic import Expression, apply, constant


@dataclass(frozen=True)
class WrittenTorus(SymbolicJoint):
    """A part on a torus about z: the first angle goes round the ring, the second round the tube."""

    ring: float
    tube: float

    type_name: ClassVar[str] = "written torus"
    n: ClassVar[int] = 2
    coordinate_names: ClassVar[tuple[str, ...]] = ("ring", "tube")
    rotary: ClassVar[tuple[bool, ...]] = (True, True)
    turns: ClassVar[tuple[bool, ...]] = (True, True)
    parameters: ClassVar[tuple[tuple[str, str], ...]] = (("ring", "length"), ("tube", "length"))

    @property
    def constants(self) -> tuple[float, ...]:
        return self.ring, self.tube

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        (a, b), (c, d) = ([apply(name, angle) for angle in q] for name in ("cos", "sin"))
        ring, tube = constants
        out, zero = ring + tube * b, constant(0.0)
        return [a * b, -c, a * d, c * b, a, c * d, -d, zero, b, a * out, c * out, -tube * d]


@dataclass(frozen=True)
class Slope(SymbolicJoint):
    """A slide along a hill, ``y = sin x``, without turning; it has no constants."""

    type_name: ClassVar[str] = "slope"
    n: ClassVar[int] = 1
    coordinate_names: ClassVar[tuple[str, ...]] = ("x",)
    rotary: ClassVar[tuple[bool, ...]] = (False,)

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        one, zero = constant(1.0), constant(0.0)
        return [one, zero, zero, zero, one, zero, zero, zero, one, q[0], apply("sin", q[0]), zero]
