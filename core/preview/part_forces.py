"""Forces of the settings as forces of the step: their points in the bodies, their times those of the simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.dynamics.forces import Force
from core.dynamics.forces.path_force import PathForce
from core.preview.actor import Actor
from core.preview.line_nodes import nodes_of
from core.preview.rigid_bodies import RigidBody
from core.preview.strings import body_of


def forces_of(
    forces: Sequence[Force], actors: Sequence[Actor], rigid_bodies: Sequence[RigidBody], start: float
) -> tuple[Force, ...]:
    """Return forces whose points are in bodies of the whole model.

    Args:
        forces: As the settings give them: those along paths by names of joints and of rigid bodies, with keys at times
            of the first figure's sequence. Others stay as they are.
        actors: The figures.
        rigid_bodies: The rigid bodies, whose bodies come after the figures'.
        start: Time of the sequence at which the simulation begins, [s].

    Raises:
        DynamicsError: If a part is neither a joint nor a rigid body, or moves with no body; names it.
    """
    return tuple(
        _later(_placed(force, actors, rigid_bodies), -start) if isinstance(force, PathForce) else force
        for force in forces
    )


def _placed(force: PathForce, actors: Sequence[Actor], rigid_bodies: Sequence[RigidBody]) -> PathForce:
    what = f"{force.name or f'a {force.label.lower()}'} is fixed to"
    found = [
        body_of(what, node.part, node.point, actors, rigid_bodies)
        if isinstance(node.part, str)
        else (-1 if node.part is None else node.part, node.point)
        for node in nodes_of(force)
    ]
    return replace(force, bodies=tuple(body for body, _ in found), points=[point for _, point in found])


def _later(force: PathForce, seconds: float) -> PathForce:
    """Return a force whose activation, if it is keyed, is as it would be so much earlier."""
    keys = getattr(force, "activation", None)
    if not isinstance(keys, tuple):
        return force
    values: dict[str, Any] = {"activation": tuple((time + seconds, value) for time, value in keys)}
    return replace(force, **values)
