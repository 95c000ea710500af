"""Springs, dampers, friction and motors that figures give, as the engine takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody


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


def with_terms(figures: JointForces, terms: ImplicitTerms) -> JointForces:
    """Return what figures give and further springs, dampers and torques together; the springs rest where both do."""
    stiffness = figures.stiffness + terms.stiffness
    pull = figures.stiffness * figures.rest + terms.stiffness * terms.rest
    rest = np.where(terms.stiffness > 0.0, np.divide(pull, stiffness, out=pull, where=stiffness > 0.0), figures.rest)
    return JointForces(stiffness, rest, figures.damping + terms.damping, figures.torque + terms.torque)


def figure_forces(nv: int, parts: Sequence[tuple[Multibody, int]]) -> JointForces:
    """Return what figures say about the forces in their joints: K and its rest, D and Hakenberg's mu, beta.

    Args:
        nv: How many coordinates there are.
        parts: Models of figures, and their first coordinates.

    Raises:
        DynamicsError: If there is a motor for a ball joint, which has no axis for it; names the joint.
    """
    stiffness, rest, damping, torque = np.zeros((4, nv))
    for model, first in parts:
        if model.figure is None:
            continue
        figure = model.figure
        balls = {int(k) for ball in figure.balls for k in ball.x}
        pose = np.array(figure.home)
        for own in model.joint_physics:
            places = first + np.array(own.coordinates, dtype=np.intp)
            name = figure.skeleton.joints[own.joint].name
            if own.motor and balls.intersection(own.coordinates):
                raise DynamicsError(
                    f'joint "{name}" has a motor of {own.motor:g} N m but is a ball; a motor needs a hinge or slide'
                )
            stiffness[places] += own.stiffness
            damping[places] += own.damping + own.viscous
            torque[places] += own.motor
            if own.stiffness:
                dofs = slice(figure.skeleton.first_dof[own.joint], figure.skeleton.first_dof[own.joint + 1])
                pose[3:][dofs] = own.rest
        rest[first : first + model.nv] = figure.state(pose, model.nv)
    return JointForces(stiffness, rest, damping, torque)
