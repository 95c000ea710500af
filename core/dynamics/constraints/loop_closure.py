"""A point of one body stays at a point of another: closes loops that the tree of joints cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.constraints.residuals import HingeResidual, PointResidual, Residual
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.constraints.base import BodyConstraint, Vector, body_name, direction, vector
from core.dynamics.constraints.points import pair_rows
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError
from core.joints import Revolute

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class LoopClosure(BodyConstraint):
    """Point A of a body and point B of another body, or of the world, coincide: ``g = directions (p_A - p_B)``.

    With an axis there are two rows, in the two directions across it; they turn with the axis. That closes a loop of
    hinges with parallel axes without a redundant row. Without an axis there are three rows, in world axes; those that
    the joints of the tree imply already are redundant and do no harm.

    Attributes:
        body_a: Index or name; -1 or "world" is the world.
        point_a: In the frame of body A, shape (3,).
        body_b: Index or name; -1 or "world" is the world.
        point_b: In the frame of body B, shape (3,).
        axis: Hinge axis in the frame of body A, shape (3,); ``"hinge"`` takes that of the hinge that carries body A;
            None closes all three directions.

    Raises:
        DynamicsError: If a number is not finite or the axis has no length.

    Source: Sueda 2.93 to 2.97.
    """

    body_a: int | str
    point_a: ArrayLike
    body_b: int | str
    point_b: ArrayLike
    axis: ArrayLike | Literal["hinge"] | None = None

    failure = "cannot close"

    def __post_init__(self) -> None:
        object.__setattr__(self, "point_a", vector(self.point_a, "point A of a loop"))
        object.__setattr__(self, "point_b", vector(self.point_b, "point B of a loop"))
        if self.axis is not None and not isinstance(self.axis, str):
            object.__setattr__(self, "axis", direction(self.axis, "axis of a loop"))
        elif isinstance(self.axis, str) and self.axis != "hinge":
            raise DynamicsError(f'axis of a loop is {self.axis!r}; it must be three numbers, "hinge" or None')

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"loop between {body_name(model, self.body_a)} and {body_name(model, self.body_b)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return two or three rows."""
        a, b = body_index(at.model, self.body_a), body_index(at.model, self.body_b)
        if a == b:
            raise DynamicsError(f"{self.describe(at.model)}: a loop needs two different bodies")
        residual: Residual = PointResidual(np.eye(3), np.zeros(3), pair=True)
        if self.axis is not None:
            residual = HingeResidual(np.array(self.hinge_axis(at.model)))
        return pair_rows(residual, at, a, self.point_a, b, self.point_b)

    def hinge_axis(self, model: Multibody) -> Vector:
        """Return the unit axis in the frame of body A, of a loop that has one.

        Raises:
            DynamicsError: If it is to be that of a hinge, and body A does not hang on one.
        """
        if not isinstance(self.axis, str):
            return self.axis  # type: ignore[return-value]  # a unit vector since __post_init__
        a = body_index(model, self.body_a)
        joint = None if a == WORLD else model.bodies[a].joint
        if not isinstance(joint, Revolute):
            raise DynamicsError(
                f"{self.describe(model)}: {body_name(model, self.body_a)} does not hang on a hinge; "
                "expected the loop's axis in numbers"
            )
        x, y, z = (model.X_JB[a, :3, :3].T @ np.asarray(joint.axis)).tolist()
        return x, y, z
