"""Coordinates of one joint follow those of another: gears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.dynamics.constraints.base import CoordinateConstraint, body_name
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class Coupling(CoordinateConstraint):
    """``q_B = ratio q_A + offset`` for all coordinates of two joints that have as many.

    Attributes:
        body_b: Index or name of the body whose joint follows.
        body_a: Index or name of the body whose joint leads.
        ratio: Turns of B for one of A; negative for gears that touch from outside.
        offset: ``q_B`` where ``q_A`` is zero.
        maximal: Whether the rows come through the bodies' twists; the result is the same.

    Raises:
        DynamicsError: If a number is not finite.
    """

    body_b: int | str
    body_a: int | str
    ratio: float
    offset: float = 0.0
    maximal: bool = False

    def __post_init__(self) -> None:
        if not np.isfinite([self.ratio, self.offset]).all():
            raise DynamicsError(f"coupling with the ratio {self.ratio} and the offset {self.offset}: must be finite")

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"coupling of {body_name(model, self.body_b)} to {body_name(model, self.body_a)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return a row for each coordinate."""
        b, a = at.model.index(self.body_b), at.model.index(self.body_a)
        B, A = at.joint(b), at.joint(a)
        if a == b or len(A.q) != len(B.q):
            raise DynamicsError(
                f"{self.describe(at.model)}: joints have {len(B.q)} and {len(A.q)} coordinates; "
                "expected two joints with as many"
            )
        zero = np.zeros(len(B.q))
        return CoordinateRows(
            ((b, B.A), (a, -self.ratio * A.A)),
            B.b - self.ratio * A.b,
            B.q - self.ratio * A.q - self.offset,
            zero,
            zero,
        )
