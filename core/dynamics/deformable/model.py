"""A model with deformable bodies: their free nodes are bodies of it, attached ones add their mass to what they are on.

A node that moves along x, y and z of the world never turns, so that only its mass counts. Its Jacobian is the identity
of 2.89, and a mass that is attached, ``J_am^T M_a J_am`` of 2.91 and 2.92, that of a point of the body. So every
formulation, and every integrator, has deformable bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.body import Body
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.contact.shapes import Geometry, Sphere
from core.dynamics.deformable.body import Deformable
from core.dynamics.deformable.node_springs import NodeSprings
from core.dynamics.multibody import Multibody
from core.dynamics.state import State
from core.joints import Translational
from core.spatial import SpatialInertia


class DeformableModel(NamedTuple):
    """A model with deformable bodies.

    Attributes:
        model: The rigid bodies, then the free nodes of each deformable one.
        forces: The springs of each, for a scene.
        x: Coordinates at the start, shape (nq,).
        v: Rates at the start, shape (nv,).
    """

    model: Multibody
    forces: tuple[NodeSprings, ...]
    x: Array
    v: Array

    def nodes(self, number: int, x: ArrayLike) -> Array:
        """Return the places of all nodes of a deformable body in a state, world, shape (n, 3), [m]; new.

        Args:
            number: Which of the deformable bodies.
            x: Coordinates, shape (nq,).
        """
        place = finite_array(x, (self.model.nq,), "x")
        return self.forces[number].node_motion(State(self.model, place, np.zeros(self.model.nv)))[0]

    def geometries(self) -> tuple[Geometry, ...]:
        """Return a ball for each free node, for contacts."""
        return tuple(
            Geometry(Sphere(force.body.radius), force.first + k)
            for force in self.forces
            for k in range(len(force.body.free))
        )


def with_deformables(
    model: Multibody, x: ArrayLike, deformables: Sequence[Deformable], v: ArrayLike | None = None
) -> DeformableModel:
    """Return a model with deformable bodies in it.

    Free nodes start at their points, with the velocity that the body has there to which the first attached node of
    theirs is attached; at rest without one.

    Args:
        model: The rigid bodies.
        x: Their coordinates at the start, shape (nq,).
        deformables: The deformable bodies.
        v: Their rates at the start, shape (nv,); None for rest.

    Raises:
        DynamicsError: If an attachment names a body that is not there, or two bodies or nodes share a name.
    """
    place = finite_array(x, (model.nq,), "x")
    rates = np.zeros(model.nv) if v is None else finite_array(v, (model.nv,), "v")
    bodies = list(model.bodies)
    twists, poses = model.body_twists(place, rates), model.body_poses(place)
    start, moving = [place], [rates]
    forces = []
    for each in deformables:
        for k, (body, point) in each.attached.items():
            i = body_index(model, body)
            if i != WORLD and each.masses[k] > 0.0:
                added = SpatialInertia(float(each.masses[k]), np.array(point), np.zeros((3, 3)))
                bodies[i] = replace(bodies[i], inertia=bodies[i].inertia + added)
        forces.append(NodeSprings(each, len(bodies)))
        carrier = next((body_index(model, body) for body, _ in each.attached.values()), WORLD)
        for k in each.free.tolist():
            inertia = SpatialInertia.sphere(float(each.masses[k]), each.radius)
            bodies.append(Body(f"{each.name} {k}", -1, Translational(), inertia=inertia))
            start.append(each.points[k])
            speed = np.zeros(3)
            if carrier != WORLD:
                R, p = poses[carrier, :3, :3], poses[carrier, :3, 3]
                speed = R @ twists[carrier, 3:] + np.cross(R @ twists[carrier, :3], each.points[k] - p)
            moving.append(speed)
    made = Multibody(bodies, model.gravity)
    made.figure, made.joint_physics = model.figure, model.joint_physics
    limits = np.tile([-np.inf, np.inf], (made.nq, 1))
    limits[: model.nq] = model.limits
    limits.setflags(write=False)
    made.limits = limits
    return DeformableModel(made, tuple(forces), np.concatenate(start), np.concatenate(moving))
