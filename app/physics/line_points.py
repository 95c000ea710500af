"""Points that lines run through: between the selected parts, one more on the way, one less; each edit is one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.physics.line_edits import STRANDS, attach, definite_name, hang
from app.physics.part_frames import part_frames
from app.words.line_kinds import LineKind
from core.arrays import Array
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.forces.path_force import PathForce
    from core.preview.line_nodes import Node


def attach_between(document: Document, kind: LineKind, joints: Sequence[int]) -> str:
    """Attach a line between the middles of parts, as one step; return what it is called, "" if it was not possible.

    Args:
        document: The document.
        kind: What it is.
        joints: Parts of the active figure: where it begins, where it goes through, if it is of a kind that does, where
            it ends.
    """
    from core.preview.line_nodes import Node

    skeleton = document.skeleton
    if skeleton is None or len(joints) < 2:
        document.say("info", f"Select the part where the {kind.name} begins, then with Shift the one where it ends")
        return ""
    chosen = list(joints) if kind.through else [joints[0], joints[-1]]
    frames = part_frames(document)
    nodes, places = [], []
    for joint in chosen:
        name = skeleton.joint_names[joint]
        point = middle_of(document, joint, frames)
        nodes.append(Node(document.model.part_name(name), point))
        places.append(frames[name][:3, :3] @ point + frames[name][:3, 3])
    if kind.field == STRANDS:
        first, last = (skeleton.joint_names[joint] for joint in chosen)
        return hang(document, first, places[0], places[1], last)
    return attach(document, kind, nodes, np.array(places))


def middle_of(document: Document, joint: int, frames: dict[str, Array]) -> Array:
    """Return the middle of a part in its joint's frame, shape (3,), [m]: half way to the joints that hang on it.

    Args:
        document: The document.
        joint: Index of the joint.
        frames: World frames of joints by name, shape (4, 4).
    """
    skeleton = document.skeleton
    assert skeleton is not None
    below = skeleton.children[joint]
    if not below:
        center = skeleton.joints[joint].center
        return np.zeros(3) if center is None else np.array(center)
    frame = frames[skeleton.joint_names[joint]]
    ends = np.array([frames[skeleton.joint_names[child]][:3, 3] for child in below])
    return np.asarray(np.linalg.solve(frame, np.append(0.5 * (frame[:3, 3] + ends.mean(axis=0)), 1.0))[:3])


def add_point(document: Document, number: int, segment: int | None = None, place: np.ndarray | None = None) -> bool:
    """Lead a force through another point, on the part that the nearer of the points beside it is on, as one step.

    Args:
        document: The document.
        number: Which of the forces.
        segment: After which of its points; None for the middle of its longest stretch.
        place: Where in the world, shape (3,), [m]; None for the middle of the stretch.

    Returns:
        Whether that was possible.
    """
    from core.preview.line_nodes import Node, node_places, nodes_of

    force = _led(document, number)
    nodes = list(nodes_of(force))
    frames = part_frames(document)
    places = node_places(nodes, frames)
    if places is None:
        return False
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
    at = int(np.argmax(lengths)) if segment is None else segment
    where = 0.5 * (places[at] + places[at + 1]) if place is None else place
    sides = sorted((at, at + 1), key=lambda k: (nodes[k].part is None, float(np.linalg.norm(places[k] - where))))
    part = nodes[sides[0]].part
    frame = np.eye(4) if part is None else frames[str(part)]
    nodes.insert(at + 1, Node(part, np.linalg.solve(frame, np.append(where, 1.0))[:3]))
    return _put(document, number, nodes, f"Add a point to {definite_name(force)}")


def remove_point(document: Document, number: int, node: int) -> bool:
    """Let a force no longer go through one of its points, not an end, as one step; return whether that was possible."""
    from core.preview.line_nodes import nodes_of

    force = _led(document, number)
    nodes = list(nodes_of(force))
    if not 0 < node < len(nodes) - 1:
        return False
    rest = [*nodes[:node], *nodes[node + 1 :]]
    return _put(document, number, rest, f"Remove a point of {definite_name(force)}")


def _led(document: Document, number: int) -> PathForce:
    """Return a force along a path."""
    from core.dynamics.forces.path_force import PathForce

    force = document.physics.settings.now.forces[number]
    assert isinstance(force, PathForce)
    return force


def _put(document: Document, number: int, nodes: Sequence[Node], text: str) -> bool:
    """Lead a force through other points, as one step; say why if that makes no sense."""
    from core.preview.line_nodes import with_nodes

    forces = document.physics.settings.now.forces
    try:
        made = with_nodes(_led(document, number), nodes)
    except CoreError as error:
        document.say("warning", str(error))
        return False
    return document.physics.settings.edit(text, forces=(*forces[:number], made, *forces[number + 1 :]))
