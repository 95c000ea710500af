"""Springs, dampers, friction and motors that figures give, as the engine takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.body_names import body_of_coordinate
from core.dynamics.forces import Force, IntrinsicTorque, JointDamping, JointSpring, JointTorque
from core.dynamics.forces.implicit import Friction, ImplicitTerms
from core.dynamics.forces.joint_friction import single_dampers, turning
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class JointForces(NamedTuple):
    """Forces in the joints, each of shape (nv,); linearly implicit: the values at the end of a step count.

    Attributes:
        stiffness: [N m/rad] or [N/m].
        rest: Coordinates at which springs rest.
        damping: [N m s/rad] or [N s/m].
        torque: [N m] or [N].
        frictions: Viscous friction between the bodies of joints.
    """

    stiffness: Array
    rest: Array
    damping: Array
    torque: Array
    frictions: tuple[Friction, ...] = ()


def with_terms(figures: JointForces, terms: ImplicitTerms) -> JointForces:
    """Return what figures give and further springs, dampers and torques together; the springs rest where both do."""
    stiffness = figures.stiffness + terms.stiffness
    pull = figures.stiffness * figures.rest + terms.stiffness * terms.rest
    rest = np.where(terms.stiffness > 0.0, np.divide(pull, stiffness, out=pull, where=stiffness > 0.0), figures.rest)
    frictions = (*figures.frictions, *terms.frictions)
    return JointForces(stiffness, rest, figures.damping + terms.damping, figures.torque + terms.torque, frictions)


def figure_forces(nv: int, parts: Sequence[tuple[Multibody, int]]) -> JointForces:
    """Return what figures say about the forces in their joints: K and its rest, D and Hakenberg's mu, beta.

    Springs, dampers D and motors act on coordinates; at a root that floats, against the world. Friction mu is
    Hakenberg's, ``-mu (omega_i - omega_j)`` on the angular velocity of a body beside the one that it hangs on, so that
    slides have none, and a root that floats, which hangs on nothing, has none either.

    Args:
        nv: How many coordinates there are.
        parts: Models of figures, and their first coordinates.

    Raises:
        DynamicsError: If there is a motor for a ball joint, which has no axis for it; names the joint.

    Source: Hakenberg, intrinsic torques.
    """
    stiffness, rest, damping, torque = np.zeros((4, nv))
    frictions: list[Friction] = []
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
            damping[places] += own.damping
            torque[places] += own.motor
            if own.stiffness:
                dofs = slice(figure.skeleton.first_dof[own.joint], figure.skeleton.first_dof[own.joint + 1])
                pose[3:][dofs] = own.rest
        frictions += [Friction(first + each.first, first + each.end, each.mu) for each in _viscous(model)]
        rest[first : first + model.nv] = figure.state(pose, model.nv)
    return JointForces(stiffness, rest, damping, torque, tuple(frictions))


def _viscous(model: Multibody) -> Iterator[Friction]:
    """Yield the viscous friction in the joints of a figure's model.

    Joints that are one ball together brake it by the mean of their mu, each hinge counted: as much as one of them does
    where all are alike.
    """
    figure = model.figure
    assert figure is not None
    s = figure.skeleton
    merged: set[int] = set()
    floating = range(int(model.first[1])) if figure.place is not None else range(0)
    for ball in figure.balls:
        first = int(ball.x[0])
        merged.update(ball.x.tolist())
        hinges = np.concatenate([ball.before_q, ball.q, ball.after_q]).tolist()
        mu = float(np.mean([s.joints[s.dof_joints[q - 3]].viscous for q in hinges]))
        if mu > 0.0 and first not in floating:
            yield Friction(first, first + 3, mu)
    for own in model.joint_physics:
        places = [place for place in own.coordinates if place not in merged and place not in floating]
        if own.viscous and places:
            yield Friction(places[0], places[-1] + 1, own.viscous)


def as_forces(model: Multibody, given: JointForces) -> tuple[Force, ...]:
    """Return forces in joints as objects, for integrators that know no other ones.

    Args:
        model: The bodies.
        given: Of all its coordinates.
    """
    found: list[Force] = []
    viscous, frictions = single_dampers(model, given.frictions)
    for i, body in enumerate(model.bodies):
        own = slice(int(model.first[i]), int(model.first[i + 1]))
        if given.stiffness[own].any():
            found.append(JointSpring(i, given.stiffness[own], given.rest[own]))
        damping = given.damping[own] + viscous[own]
        if damping.any():
            # The engine's dampers of a ball brake its angular velocity; rates of three numbers are something else.
            whole = turning(body.joint) is not None and np.ptp(damping) == 0.0
            found.append(JointDamping(i, float(damping[0]) if whole else damping))
        if given.torque[own].any():
            found.append(JointTorque(i, given.torque[own]))
    for friction in frictions:
        i = body_of_coordinate(model, friction.first)
        start = int(model.first[i])
        found.append(IntrinsicTorque(i, friction.mu, hinges=(friction.first - start, friction.end - start)))
    return tuple(found)
