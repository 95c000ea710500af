"""Rigid bodies become props, which are figures of one joint and can be keyed, and props become rigid bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.document.commands.sequence_commands import SetPhysics
from app.document.content.records import Figure
from app.document.edits import figure_edits
from app.physics.line_edits import body_names
from core.errors import DynamicsError, SkeletonError
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.building import props
from core.skeleton.joined import is_prop
from core.skeleton.segment import segment_mesh
from core.spatial import quaternion, so3
from core.spatial.three_axes import ThreeAxes

if TYPE_CHECKING:
    from app.document.commands.base import Command
    from app.document.document import Document
    from core.preview.rigid_bodies import RigidBody
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]


def prop_of(body: RigidBody) -> Skeleton:
    """Return a prop of a rigid body's shape, mass and friction, its middle in the joint."""
    name, size = body.name or body.kind, body.size
    if body.kind == "ball":
        made = props.ball(size[0], name)
    elif body.kind == "box":
        made = props.box(size, name)
    else:
        made = props.capsule(size[0], size[1], name)
    joint = made.joints[0].as_given()
    return Skeleton(made.name, [replace(joint, mass=body.mass, friction=body.friction)])


def pose_at(prop: Skeleton, X_WB: Array) -> Array:
    """Return the pose that puts a prop's joint at a pose of the world.

    Args:
        prop: The prop; its joint has three hinges, as all that ``core.skeleton.building.props`` makes.
        X_WB: Shape (4, 4), [m].

    Returns:
        Shape (6,).

    Raises:
        SkeletonError: If its joint turns otherwise.
    """
    dofs = prop.joints[0].dofs
    if len(dofs) != 3 or prop.nq != 6:
        raise SkeletonError(f'"{prop.name}" has other degrees of freedom than a place and three hinges')
    q = prop.rest_pose()
    q[:3] = X_WB[:3, 3] - prop.joints[0].offset
    axes = ThreeAxes(np.array([dof.axis for dof in dofs])[None])
    q[3:] = axes.angles(quaternion.from_matrix(X_WB[:3, :3])[None], np.zeros((1, 3)))[0]
    return q


def body_to_prop(document: Document, number: int) -> bool:
    """Make a rigid body a prop with a key where it begins, and make that active; one step.

    Returns:
        Whether it was possible; if not, a message has said why.
    """

    def make() -> list[Command]:
        model, settings = document.model, document.physics.settings.now
        bodies = settings.rigid_bodies
        if not 0 <= number < len(bodies):
            raise DynamicsError(f"there is no rigid body number {number}; there are {len(bodies)}")
        _check_free(settings, body_names(settings)[number])
        body = bodies[number]
        prop = prop_of(body)
        after = replace(settings, rigid_bodies=(*bodies[:number], *bodies[number + 1 :])).to_record()
        first = 0 if model.sequence is None else model.sequence.range[0]
        return [
            SetPhysics(model.physics, after),
            *figure_edits.added(model, Figure(prop), key=(first, pose_at(prop, body.X_WB))),
        ]

    return document.do("Make it a prop", make)


def prop_to_body(document: Document) -> bool:
    """Make the prop that is edited a rigid body that begins where it is now; its keys go; one step.

    Returns:
        Whether it was possible; if not, a message has said why.
    """

    def make() -> list[Command]:

        model = document.model
        if model.skeleton is None or not is_prop(model.skeleton):
            raise SkeletonError("only a prop can be made a rigid body; choose one first")
        body = body_of(model.skeleton, document.pose)
        settings: PhysicsSettings = document.physics.settings.now
        after = replace(settings, rigid_bodies=(*settings.rigid_bodies, body)).to_record()
        return [*figure_edits.removed(model, model.active.figure), SetPhysics(model.physics, after)]

    return document.do("Make it a rigid body", make)


def body_of(prop: Skeleton, q: Array) -> RigidBody:
    """Return the rigid body of a prop's shape where it is in a pose.

    Raises:
        SkeletonError: If its shape is neither a box, a ball nor a capsule.
    """
    from core.dynamics.contact.fitting import one_fitted  # it brings scipy along
    from core.dynamics.contact.shapes import Box, Capsule, Sphere
    from core.preview.rigid_bodies import BALL, BOX, CAPSULE, RigidBody

    mesh = segment_mesh(prop, 0)
    shape, X_BS = one_fitted(mesh.vertices if mesh is not None else np.zeros((1, 3)))
    if isinstance(shape, Sphere):
        kind, size = BALL, [shape.radius]
    elif isinstance(shape, Box):
        kind, size = BOX, (2.0 * shape.half_sizes).tolist()
    elif isinstance(shape, Capsule):
        kind, size = CAPSULE, [shape.radius, 2.0 * shape.half_length]
    else:
        raise SkeletonError(f'"{prop.name}" is neither a box, a ball nor a capsule, as rigid bodies are')
    X = forward_kinematics(prop, q)[0] @ X_BS
    joint = prop.joints[0]
    mass = 1.0 if joint.mass is None else joint.mass
    body = RigidBody(kind, tuple(size), mass, X[:3, 3], so3.log(X[:3, :3]), name=prop.name)
    return body if joint.friction is None else replace(body, friction=joint.friction)


def _check_free(settings: PhysicsSettings, name: str) -> None:
    """Check that no string, spring, rope or muscle holds a rigid body.

    Raises:
        DynamicsError: If one does.
    """
    for field in ("strings", "forces"):
        for item in getattr(settings, field):
            held = [getattr(item, place, None) for place in ("part", "other", "body")]
            if name in (*held, *(getattr(item, "bodies", None) or ())):
                raise DynamicsError(f'something is attached to "{name}"; take it away first')
