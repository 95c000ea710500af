"""A joint moves as it is prescribed: hybrid dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics.constraints.base import CoordinateConstraint, body_name
from core.dynamics.constraints.motion_values import motion_values
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class PrescribedJoint(CoordinateConstraint):
    """The coordinates of a joint follow a motion over time; its torque ``G^T lambda`` is what that takes.

    Attributes:
        body: Index or name of the body whose joint is driven.
        motion: Of a time, ``(q, qd, qdd)``: coordinates, rates and accelerations, each a number or of shape (n,).
        maximal: Whether the rates are those of the bodies' twists, ``S^+ (V - Ad V_parent)``, so that the rows come by
            way of ``G_m``; the result is the same.

    Source: Sueda 2.106, 2.107; the torque's sign is that of ``f_con`` in 2.124.
    """

    driven = True

    body: int | str
    motion: Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]
    maximal: bool = False

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"prescribed joint of {body_name(model, self.body)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return a row for each coordinate."""
        i = at.model.index(self.body)
        n = at.model.bodies[i].joint.n
        q, rate, acceleration = motion_values(self.motion, at.t, n, 3, self.describe(at.model))
        joint = at.joint(i, q)
        return CoordinateRows(((i, joint.A),), joint.b, joint.q - q, rate, acceleration)


@dataclass(frozen=True)
class PrescribedSpeed(CoordinateConstraint):
    """The rates of a joint follow a motion over time: a motor. Its coordinates drift as the integrator does.

    Attributes:
        body: Index or name of the body whose joint is driven.
        motion: Of a time, ``(qd, qdd)``: rates and accelerations, each a number or of shape (n,).
        maximal: Whether the rates are those of the bodies' twists; the result is the same.

    Source: Sueda 2.107.
    """

    positional = False

    body: int | str
    motion: Callable[[float], tuple[ArrayLike, ArrayLike]]
    maximal: bool = False

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"prescribed speed of {body_name(model, self.body)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return a row for each coordinate."""
        i = at.model.index(self.body)
        n = at.model.bodies[i].joint.n
        rate, acceleration = motion_values(self.motion, at.t, n, 2, self.describe(at.model))
        joint = at.joint(i)
        return CoordinateRows(((i, joint.A),), joint.b, np.zeros(n), rate, acceleration)
