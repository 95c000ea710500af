"""What a person can put into the world, with sizes and places that suit the figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.physics.line_edits import new_name
from app.words.line_kinds import kind_named
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.contact.obstacles import Obstacle
    from core.preview.rigid_bodies import PhysicsString, RigidBody
    from core.preview.settings import PhysicsSettings
    from core.skeleton import Skeleton

KINDS = ("box", "ramp", "stairs")
BODIES = ("ball", "box")
"""Kinds of bodies that move and can be added."""
_BALL_SHARE, _BALL_RADIUS = 0.06, 0.08  # of the figure's mass and of its height
_STRING = 0.6  # length of a new string, in heights
_AHEAD, _ASIDE = 0.6, 0.8  # how far in front of the figure's root bodies are put, and beside others, in heights


def ball_for(skeleton: Skeleton, height: float) -> tuple[float, float]:
    """Return radius [m] and mass [kg] of a ball that suits a figure of a height [m]."""
    mass = sum(joint.mass or 0.0 for joint in skeleton.joints)
    return _BALL_RADIUS * height, max(_BALL_SHARE * mass, 0.01)


def obstacle_for(kind: str, height: float, place: np.ndarray, number: int) -> Obstacle:
    """Return something that suits a figure.

    Args:
        kind: One of ``KINDS``.
        height: Of the figure, [m].
        place: On the floor, where its near edge is, shape (3,), [m].
        number: How many of the kind there are already.
    """
    from core.dynamics.contact.obstacles import BoxObstacle, Ramp, Stairs

    name = f"{kind} {number + 1}"
    if kind == "box":
        size = height * np.array([0.4, 0.25, 0.3])
        return BoxObstacle(size, position=place + 0.5 * size * np.array([0.0, 1.0, 1.0]), name=name)
    if kind == "ramp":
        return Ramp(0.9 * height, 0.3 * height, 0.6 * height, position=place, name=name)
    return Stairs(5, 0.1 * height, 0.17 * height, 0.6 * height, position=place, name=name)


def _free_place(document: Document, height: float) -> np.ndarray:
    """Return a place on the floor in front of the figure, then beside that on either side, shape (3,), [m].

    The figure's right comes first: the view that opens first looks from there, and nothing hides what was put last.
    """
    settings, root = document.physics.settings.now, document.physics.pose[:3]
    count = len(settings.obstacles) + len(settings.rigid_bodies)
    aside = (count + 1) // 2 * (-1 if count % 2 else 1)
    x, z = root[0] + aside * _ASIDE * height, root[2] + _AHEAD * height
    return np.array([x, _height(settings, x, z), z])


def _height(settings: PhysicsSettings, x: float, z: float) -> float:
    """Return how high the ground is at a place, or beside it the floor, [m]."""
    if settings.terrain is not None:
        heights, _, there = settings.terrain.surface(np.array([[x, z]]))
        if there[0]:
            return float(heights[0])
    return 0.0 if settings.floor is None else settings.floor.height_at(x, z)


def _put(document: Document, text: str, field: str, made: Obstacle | RigidBody | PhysicsString) -> bool:
    """Put something into the world as one step and open its numbers; return whether that was done.

    Args:
        document: The document.
        text: Name of the step.
        field: In which of the settings it is.
        made: What is put there.
    """
    there = getattr(document.physics.settings.now, field)
    values: dict[str, Any] = {field: (*there, made)}
    if not document.physics.settings.edit(text, **values):
        return False
    document.physics.show_in_world(field, len(there))
    return True


def add(document: Document, kind: str) -> bool:
    """Put something into the world of a document, in front of the figure, as one step; return whether that was done."""
    skeleton = document.skeleton
    if skeleton is None:
        return False
    settings, height = document.physics.settings.now, figure_height(skeleton)
    there, place = settings.obstacles, _free_place(document, height)
    made = obstacle_for(kind, height, place, sum(other.kind == kind for other in there))
    return _put(document, f"Add a {kind}" if kind != "stairs" else "Add stairs", "obstacles", made)


def add_body(document: Document, kind: str) -> bool:
    """Put a ball or a box that moves in front of the figure, as one step; return whether that was done."""
    from core.preview.rigid_bodies import BALL, RigidBody

    skeleton = document.skeleton
    if skeleton is None:
        return False
    settings, height = document.physics.settings.now, figure_height(skeleton)
    there, place = settings.rigid_bodies, _free_place(document, height)
    radius, mass = ball_for(skeleton, height)
    size = (radius,) if kind == BALL else (2.0 * radius,) * 3
    name = f"moving {kind} {sum(other.kind == kind for other in there) + 1}"
    made = RigidBody(kind, size, mass, place + np.array([0.0, radius, 0.0]), name=name)
    return _put(document, f"Add a {kind} that moves", "rigid_bodies", made)


def string_joint(document: Document) -> str | None:
    """Return the part that a string would hold: the one selected last; None if there is none."""
    skeleton, chosen = document.skeleton, document.selection.joints
    return skeleton.joints[chosen[-1]].name if skeleton is not None and chosen else None


def add_string(document: Document) -> bool:
    """Hang the part selected last on a taut string from above, as one step; return whether that was done.

    If no part is selected, a message says so.
    """
    from core.preview.rigid_bodies import PhysicsString

    skeleton, joint = document.skeleton, string_joint(document)
    if skeleton is None or joint is None:
        document.say("info", "Select the part that the string is to hold first")
        return False
    length = _STRING * figure_height(skeleton)
    here = forward_kinematics(skeleton, document.physics.pose)[skeleton.joint_index(joint), :3, 3]
    part = document.model.part_name(joint)
    name = new_name(document.physics.settings.now, kind_named("string"))
    made = PhysicsString(part, here + np.array([0.0, length, 0.0]), length, name=name)
    return _put(document, f"Hang {joint} on a string", "strings", made)


def exchanged(items: tuple[Any, ...], number: int, **values: Any) -> tuple[Any, ...]:
    """Return obstacles, bodies or strings with values of one changed.

    Raises:
        core.errors.DynamicsError: If a value makes no sense.
    """
    return (*items[:number], replace(items[number], **values), *items[number + 1 :])
