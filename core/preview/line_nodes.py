"""The points that strings, springs, ropes, muscles and strands run through: the part of each, and where in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from core.arrays import Array
from core.dynamics.body_names import WORLD
from core.dynamics.forces.path_force import PathForce
from core.errors import DynamicsError
from core.preview.rigid_bodies import PhysicsString
from core.preview.strands import Strand

Line: TypeAlias = PhysicsString | PathForce
_WORLD_NAMES = (WORLD, "world")


class Node(NamedTuple):
    """A point of a line.

    Attributes:
        part: The joint or rigid body that it is fixed to, by name, see ``core.preview.strings.body_of``; None for the
            world. A force may name a body by its number.
        point: In that part's frame, or in the world, shape (3,), [m].
    """

    part: str | int | None
    point: Array


def nodes_of(line: Line | Strand) -> tuple[Node, ...]:
    """Return the points of a string, of a force along a path or of a strand at rest, from one end to the other."""
    if isinstance(line, Strand):
        way = np.asarray(line.points)
        ends = (line.part, way[-1]) if line.other is None else (line.other, np.asarray(line.anchor))
        return *(Node(line.part, point) for point in way[:-1]), Node(*ends)
    if isinstance(line, PhysicsString):
        return Node(line.part, line.point), Node(line.other, line.anchor)
    parts = (None if body in _WORLD_NAMES else body for body in line.bodies)
    return tuple(Node(part, point) for part, point in zip(parts, np.asarray(line.points), strict=True))


def with_nodes(line: Line, nodes: Sequence[Node]) -> Line:
    """Return a line through other points.

    Raises:
        DynamicsError: If all are fixed to the world, or they are too few.
    """
    if all(node.part is None for node in nodes):
        raise DynamicsError("all of its points would be fixed in space; one must be on a part or a body")
    if not isinstance(line, PhysicsString):
        bodies = tuple("world" if node.part is None else node.part for node in nodes)
        return replace(line, bodies=bodies, points=[node.point for node in nodes])
    first, last = nodes
    if first.part is None:
        first, last = last, first
    return replace(
        line,
        part=str(first.part),
        point=first.point,
        other=None if last.part is None else str(last.part),
        anchor=last.point,
    )


def node_places(nodes: Sequence[Node], frames: Mapping[str, Array]) -> Array | None:
    """Return where points are in the world, shape (n, 3), [m]; None if one is on a part that is not known.

    Args:
        nodes: The points.
        frames: World frames of parts by name, shape (4, 4).
    """
    places = np.empty((len(nodes), 3))
    for place, node in zip(places, nodes, strict=True):
        frame = np.eye(4) if node.part is None else frames.get(node.part)  # type: ignore[arg-type]  # a number is none
        if frame is None:
            return None
        place[:] = frame[:3, :3] @ node.point + frame[:3, 3]
    return places
