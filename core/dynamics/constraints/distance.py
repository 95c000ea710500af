"""Two points keep their distance, as ends of a rod, or do not part further, as ends of a rope."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.constraints.residuals import DistanceResidual
from core.dynamics.body_names import body_index
from core.dynamics.constraints.base import BodyConstraint, body_name, vector
from core.dynamics.constraints.points import pair_rows
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class _Distance(BodyConstraint):
    """Points of two bodies, or of one and the world.

    Attributes:
        body_a: Index or name; -1 or "world" is the world.
        point_a: In the frame of body A, shape (3,).
        body_b: Index or name; -1 or "world" is the world.
        point_b: In the frame of body B, shape (3,).
        length: Above 0.
    """

    body_a: int | str
    point_a: ArrayLike
    body_b: int | str
    point_b: ArrayLike
    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "point_a", vector(self.point_a, "point A of a distance"))
        object.__setattr__(self, "point_b", vector(self.point_b, "point B of a distance"))
        if not (math.isfinite(self.length) and self.length > 0.0):
            raise DynamicsError(f"length between two points is {self.length}; it must be above 0")

    def body_rows(self, at: Situation) -> BodyRows:
        """Return the row of ``|p_A - p_B| - length``; of points that coincide none: they part in any direction."""
        a, b = body_index(at.model, self.body_a), body_index(at.model, self.body_b)
        if a == b:
            raise DynamicsError(f"{self.describe(at.model)}: expected two different bodies")
        found = pair_rows(DistanceResidual(self.length), at, a, self.point_a, b, self.point_b)
        return found if found.gap[0] > -self.length else found._replace(blocks=(), bias=np.zeros(1))


@dataclass(frozen=True)
class Rod(_Distance):
    """``|p_B - p_A| = length``: a rod of no mass between two points; attributes as of ``Rope``."""

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"rod between {body_name(model, self.body_a)} and {body_name(model, self.body_b)}"


@dataclass(frozen=True)
class Rope(_Distance):
    """``length - |p_B - p_A| >= 0``: a rope between two points, which pulls and never pushes.

    Attributes:
        body_a: Index or name; -1 or "world" is the world.
        point_a: In the frame of body A, shape (3,).
        body_b: Index or name; -1 or "world" is the world.
        point_b: In the frame of body B, shape (3,).
        length: Above 0.

    Raises:
        DynamicsError: If a number is not finite or the length not above 0.
    """

    equality = False

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"rope between {body_name(model, self.body_a)} and {body_name(model, self.body_b)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return the row."""
        rows = super().body_rows(at)
        turned = tuple((i, -block) for i, block in rows.blocks)
        return rows._replace(blocks=turned, bias=-rows.bias, gap=-rows.gap)
