"""Springs, dampers, friction and motors that figures tell, as the step takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Array = NDArray[np.float64]


class JointForces(NamedTuple):
    """Forces in the joints, each of shape (nv,); linearly implicit: the values at the end of a step count.

    Attributes:
        stiffness: [N m/rad] or [N/m].
        rest: Coordinates at which springs rest.
        damping: [N m s/rad] or [N s/m].
        torque: [N m] or [N].
    """

    stiffness: Array
    rest: Array
    damping: Array
    torque: Array


def told_forces(nv: int, parts: Sequence[tuple[Multibody, int]]) -> JointForces:
    """Return what figures tell about the forces in their joints: K and its rest, D and Hakenberg's mu, beta.

    Args:
        nv: How many coordinates there are.
        parts: Models of figures, and their first coordinates.

    Raises:
        DynamicsError: If a motor is told for a ball joint, which has no axis for it; names the joint.
    """
    stiffness, rest, damping, torque = np.zeros((4, nv))
    for model, first in parts:
        if model.figure is None:
            continue
        figure = model.figure
        balls = {int(k) for ball in figure.balls for k in ball.x}
        pose = np.array(figure.home)
        for told in model.joint_physics:
            own = np.array(told.coordinates, dtype=np.intp)
            name = figure.skeleton.joints[told.joint].name
            if told.motor and balls.intersection(told.coordinates):
                raise DynamicsError(
                    f'joint "{name}" has a motor of {told.motor:g} N m but is a ball; a motor needs a hinge or slide'
                )
            stiffness[first + own] += told.stiffness
            damping[first + own] += told.damping + told.viscous
            torque[first + own] += told.motor
            if told.stiffness:
                dofs = slice(figure.skeleton.first_dof[told.joint], figure.skeleton.first_dof[told.joint + 1])
                pose[3:][dofs] = told.rest
        rest[first : first + model.nv] = figure.state(pose, model.nv)
    return JointForces(stiffness, rest, damping, torque)
