"""A sum of coordinates, each times a number, stays what it is wanted to be."""

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

Term = tuple[int | str, int, float]


@dataclass(frozen=True)
class LinearEquality(CoordinateConstraint):
    """``sum of factor times coordinate = total``: differentials, racks, tendons that do not stretch.

    Attributes:
        terms: ``(body, coordinate, factor)`` each: index or name of a body, number of a coordinate of its joint,
            number.
        total: What the sum is.
        maximal: Whether the row comes through the bodies' twists; the result is the same.

    Raises:
        DynamicsError: If there is no term or a number is not finite.
    """

    terms: tuple[Term, ...]
    total: float = 0.0
    maximal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple((body, int(k), float(factor)) for body, k, factor in self.terms))
        if not self.terms or not np.isfinite([self.total, *(factor for _, _, factor in self.terms)]).all():
            raise DynamicsError(f"linear equality of {self.terms} to {self.total}: expected terms of finite numbers")

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"linear equality of {', '.join(body_name(model, body) for body, _, _ in self.terms)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return the row."""
        blocks, bias, gap = [], 0.0, -self.total
        for body, k, factor in self.terms:
            i = at.model.index(body)
            joint = at.joint(i)
            if not 0 <= k < len(joint.q):
                raise DynamicsError(
                    f"{self.describe(at.model)}: the joint of {body_name(at.model, i)} has no coordinate {k}; "
                    f"it has {len(joint.q)}, counted from 0"
                )
            blocks.append((i, factor * joint.A[k : k + 1]))
            bias += factor * float(joint.b[k])
            gap += factor * float(joint.q[k])
        return CoordinateRows(tuple(blocks), np.array([bias]), np.array([gap]), np.zeros(1), np.zeros(1))
