"""Strings of the settings as strings of the step."""

from __future__ import annotations

from collections.abc import Sequence

from core.arrays import Array
from core.dynamics.engine import String
from core.errors import DynamicsError
from core.preview.actor import Actor
from core.preview.lock_rows import place_of
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.skeleton.figure_parts import split_name

_HANGS = "a string hangs on"


def string_of(string: PhysicsString, actors: Sequence[Actor], rigid_bodies: Sequence[RigidBody]) -> String:
    """Return a string between points of bodies.

    Args:
        string: As the settings give it: by names of joints and of rigid bodies, see ``body_of``.
        actors: The figures.
        rigid_bodies: The rigid bodies, whose bodies come after the figures'.

    Raises:
        DynamicsError: If a part is neither a joint nor a rigid body, or moves with no body; names it.
    """
    body, point = body_of(_HANGS, string.part, string.point, actors, rigid_bodies)
    if string.other is None:
        return String(body, point, -1, string.anchor, string.length)
    other, anchor = body_of(_HANGS, string.other, string.anchor, actors, rigid_bodies)
    return String(body, point, other, anchor, string.length)


def body_of(
    what: str, name: str, point: Array, actors: Sequence[Actor], rigid_bodies: Sequence[RigidBody]
) -> tuple[int, Array]:
    """Return body, and point in it, of a point of a joint or of a rigid body.

    Args:
        what: How messages begin, as "a string hangs on".
        name: The joint, of the first figure or with its figure's name (``core.skeleton.figure_parts``), or the rigid
            body.
        point: In its frame, shape (3,), [m].
        actors: The figures.
        rigid_bodies: The rigid bodies, whose bodies come after the figures'.

    Raises:
        DynamicsError: If it is neither, or moves with no body; names it.
    """
    figure, joint = split_name(name)
    owner = next((each for each in actors if each.name == figure and joint in each.names), None)
    actor, own = (actors[0], name) if name in actors[0].names or owner is None else (owner, joint)
    if own in actor.names:
        body, X_BJ = place_of(actor, actor.names[own])
        if body < 0:
            raise DynamicsError(f'{what} joint "{name}", which moves with no body; choose another one')
        return body, X_BJ[:3, :3] @ point + X_BJ[:3, 3]
    for k, rigid_body in enumerate(rigid_bodies):
        if rigid_body.name == name:
            return actors[-1].bodies.stop + k, point
    raise DynamicsError(f'{what} "{name}", which is neither a joint of the figure nor a rigid body')
