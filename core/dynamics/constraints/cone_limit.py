"""The part that a joint carries swings inside a cone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics.constraints.base import CoordinateConstraint, body_name, direction
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError
from core.skeleton.cones import cone_hinges
from core.spatial.cross_products import cross

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class ConeLimit(CoordinateConstraint):
    """``a . R a >= cos(angle)`` for an axis ``a`` that a joint swings by its rotation ``R``.

    ``g = a . R a - cos(angle)``, so that ``g' = (a x R^T a) . w`` with the angular velocity ``w`` of the joint's twist.
    Going straight on along the rim leaves the cone, so that what is passed is brought back within the step.

    Attributes:
        body: Index or name.
        axis: In the joint's frames, where the joint has not turned the same in both, shape (3,); any length.
        angle: Half-angle of the cone, more than 0 and less than pi, [rad].

    Raises:
        DynamicsError: If the axis is not finite or has no length, or there is no such cone.
    """

    equality = False
    strict: ClassVar[bool] = True

    body: int | str
    axis: ArrayLike
    angle: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", direction(self.axis, "axis of a cone"))
        if not 0.0 < self.angle < math.pi:
            raise DynamicsError(f"angle of a cone is {self.angle}; it must be between 0 and pi")
        object.__setattr__(self, "angle", float(self.angle))

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"cone of {body_name(model, self.body)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return the row."""
        i = at.model.index(self.body)
        part = at.coordinates(i)
        joint, q, v = at.model.bodies[i].joint, at.x[part], at.v[part]
        axis = np.asarray(self.axis)
        swung = joint.transform(q)[:3, :3].T @ axis  # the parent's axis in the joint's own frame
        S, rate = joint.subspace(q)[:3], joint.subspace_rate(q, v)[:3]
        w = S @ v
        lever = cross(axis, swung)
        bias = float(cross(axis, cross(swung, w)) @ w + lever @ (rate @ v))
        gap = np.array([float(axis @ swung) - math.cos(self.angle)])
        return CoordinateRows(((i, (lever @ S)[None]),), np.array([bias]), gap, np.zeros(1), np.zeros(1))


def figure_cones(model: Multibody, within: float = 0.0) -> tuple[ConeLimit, ...]:
    """Return the cones of a figure's joints as constraints of its model.

    Args:
        model: Of a figure; others have none.
        within: How far inside of its cone each joint is stopped, [rad].

    Raises:
        DynamicsError: If a joint with a cone is no joint of its own in the model, as one beside other hinges is not.
    """
    figure = model.figure
    if figure is None:
        return ()
    s, found = figure.skeleton, []
    balls = {int(q): ball for ball in figure.balls for q in ball.q.tolist()}
    for i, joint in enumerate(s.joints):
        swings = cone_hinges(joint)
        if swings is None or joint.cone is None:
            continue
        columns = [3 + s.first_dof[i] + k for k in swings]
        body = int(figure.joint_body[i])
        a, b = (joint.dofs[k].axis for k in swings)
        alone = model.bodies[body].joint.n == (3 if columns[0] in balls else 2)
        if body < 0 or not alone or abs(float(a @ b)) > 1e-9:
            raise DynamicsError(f'joint "{joint.name}" has a cone and other hinges; expected a joint that swings alone')
        found.append(ConeLimit(body, np.cross(a, b), joint.cone - within))
    return tuple(found)
