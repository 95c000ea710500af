"""Coordinates of a joint stay between limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.constraints.base import CoordinateConstraint, body_name
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class JointLimits(CoordinateConstraint):
    """``lower <= q <= upper`` for the coordinates of a joint: ``g = q - lower`` and ``g = upper - q``, both at least 0.

    Attributes:
        body: Index or name.
        lower: A number for all coordinates or shape (n,); -inf for none.
        upper: Likewise; inf for none.
        maximal: Whether the rows come through the bodies' twists, ``C_m``; the result is the same.

    Raises:
        DynamicsError: If a limit is NaN or a lower one is above its upper one.

    Source: Sueda 2.104, 2.105.
    """

    equality = False

    body: int | str
    lower: ArrayLike
    upper: ArrayLike
    maximal: bool = False

    def __post_init__(self) -> None:
        lower, upper = np.atleast_1d(np.asarray(self.lower, float)), np.atleast_1d(np.asarray(self.upper, float))
        if lower.ndim > 1 or upper.ndim > 1 or np.isnan(lower).any() or np.isnan(upper).any():
            raise DynamicsError(f"limits {self.lower!r} and {self.upper!r}: expected numbers, not NaN")
        if 1 != len(lower) != len(upper) != 1 or (lower > upper).any():
            raise DynamicsError(f"limits {self.lower!r} and {self.upper!r}: expected lower ones below upper ones")
        object.__setattr__(self, "lower", tuple(lower.tolist()))
        object.__setattr__(self, "upper", tuple(upper.tolist()))

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"limits of {body_name(model, self.body)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return a row for each finite limit, lower ones first."""
        i = at.model.index(self.body)
        joint = at.joint(i)
        n = len(joint.q)
        lower, upper = self._spread(self.lower, n, at.model), self._spread(self.upper, n, at.model)
        low, high = np.isfinite(lower), np.isfinite(upper)
        C = np.concatenate([np.eye(n)[low], -np.eye(n)[high]])
        gap = np.concatenate([(joint.q - lower)[low], (upper - joint.q)[high]])
        zero = np.zeros(len(gap))
        return CoordinateRows(((i, C @ joint.A),), C @ joint.b, gap, zero, zero)

    def _spread(self, limits: ArrayLike, n: int, model: Multibody) -> Array:
        values = np.asarray(limits, dtype=np.float64)
        if len(values) not in (1, n):
            raise DynamicsError(f"{self.describe(model)}: there are {len(values)} for {n} coordinates")
        return np.broadcast_to(values, (n,))
