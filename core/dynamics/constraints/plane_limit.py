"""A point of a body stays on one side of a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.constraints.residuals import PointResidual
from core.dynamics.constraints.base import BodyConstraint, body_name, direction, vector
from core.dynamics.constraints.points import Side, side_rows
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class PlaneLimit(BodyConstraint):
    """``normal . p >= offset`` for a point of a body: a limit on maximal coordinates, without friction.

    Attributes:
        body: Index or name.
        point: In the body's frame, shape (3,).
        normal: Of the plane in the world, towards the allowed side, shape (3,); any length.
        offset: Distance of the plane from the world's origin along the normal.

    Raises:
        DynamicsError: If a number is not finite or the normal has no length.

    Source: Sueda 1.75, 1.76, 2.104.
    """

    equality = False

    body: int | str
    point: ArrayLike
    normal: ArrayLike
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", vector(self.point, "point of a plane limit"))
        object.__setattr__(self, "normal", direction(self.normal, "normal of a plane limit"))
        if not np.isfinite(self.offset):
            raise DynamicsError(f"offset of a plane limit is {self.offset}; it must be a finite number")

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"plane limit of {body_name(model, self.body)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return the row."""
        i = at.model.index(self.body)
        normal = np.asarray(self.normal)
        above = PointResidual(normal[None], normal * self.offset)
        on_body, _, bias, gap = side_rows(above, Side(at.frame(i), self.point))
        return BodyRows(((i, on_body),), bias, gap, np.zeros(1), np.zeros(1))
