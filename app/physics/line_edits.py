"""What is attached by hand, strings to strands: its numbers at first, and edits of it, each one step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from app.words.line_kinds import LineKind, kind_named, line_kind
from app.words.part_names import spoken_part
from core.errors import CoreError
from core.keyed_curves.keys import Keys, with_key
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.forces.path_force import PathForce
    from core.preview.line_nodes import Line, Node
    from core.preview.settings import PhysicsSettings
    from core.preview.strands import Strand
    from core.skeleton import Skeleton

STRINGS, FORCES, STRANDS = "strings", "forces", "strands"
"""Where the settings of physics have strings, springs, ropes and muscles, and strands."""
NAME = "name"
ACTIVATION = "activation"
"""The number of a force that can be keyed."""
_GRAVITY = 9.81
_YIELDS = 0.1  # the figure's weight stretches a new spring by so much, in heights
_DAMPED, _SWINGS = 0.3, 0.2  # how far a new spring is damped that swings such a share of the figure's mass
_STRENGTH = 2.0  # of a new muscle, in weights of the figure
_ACTIVE = 0.5
_PER_HEIGHT = 0.003  # mass of a new strand as long as the figure is high, of the figure's
_STRETCH, _BEND = 300.0, 1.5  # of a new strand, in its own weights
_THICK = 0.011  # radius of a new strand, in heights
_LINK, _LINKS = 0.02, (4, 30)  # length of a link of a new strand, in heights, and how many there are


def usual_numbers(skeleton: Skeleton, length: float) -> dict[str, float]:
    """Return what numbers a new force between two points has, by their names.

    A spring is as long as its points are apart, and so stiff that the whole figure would hang on it a tenth of its
    height lower; a muscle pulls with the figure's weight.

    Args:
        skeleton: The figure.
        length: Of the path now, [m].
    """
    mass = max(sum(joint.mass or 0.0 for joint in skeleton.joints), 0.01)
    stiffness = mass * _GRAVITY / (_YIELDS * max(figure_height(skeleton), 1e-3))
    return {
        "stiffness": _round(stiffness),
        "rest_length": round(length, 4),
        "damping": _round(2.0 * _DAMPED * math.sqrt(stiffness * _SWINGS * mass)),
        "optimal_force": _round(_STRENGTH * mass * _GRAVITY),
        "optimal_length": max(round(length, 4), 1e-3),
        ACTIVATION: _ACTIVE,
    }


def _round(value: float) -> float:
    """Return a number to two digits."""
    return float(f"{value:.2g}")


def line_for(kind: LineKind, nodes: Sequence[Node], places: np.ndarray, skeleton: Skeleton, name: str = "") -> Line:
    """Return a new line.

    Args:
        kind: What it is.
        nodes: What it is fixed to.
        places: Where these points are in the world, shape (n, 3), [m].
        skeleton: The figure.
        name: What it is called.

    Raises:
        core.errors.DynamicsError: If no end is on a part or a body, or the force is of another kind.
    """
    from core.preview.line_nodes import with_nodes
    from core.preview.rigid_bodies import PhysicsString

    length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    if not kind.force:
        return with_nodes(PhysicsString("part", np.zeros(3), length, name=name), nodes)
    made = force_class(kind)
    usual = usual_numbers(skeleton, length)
    numbers: dict[str, Any] = {}
    for field in number_fields(made):
        if field in usual:
            numbers[field] = usual[field]
        elif _needed(made, field):
            numbers[field] = 1.0
    return with_nodes(made(bodies=("world", "world"), points=np.zeros((2, 3)), name=name, **numbers), nodes)


def strand_for(
    part: str, start: np.ndarray, end: np.ndarray, tied: tuple[str, np.ndarray] | None, skeleton: Skeleton, figure: str
) -> Strand:
    """Return a new strand.

    Args:
        part: The joint that it hangs on.
        start: Where, in that joint's frame, shape (3,), [m].
        end: Its end at rest, in that joint's frame too, shape (3,), [m].
        tied: The joint that its end is fixed to, and where in its frame, shape (3,), [m]; None if it is free.
        skeleton: The figure.
        figure: Name that the settings are to have for it.

    Raises:
        core.errors.DynamicsError: If both ends are at one place.
    """
    from core.preview.strands import Strand

    height = max(figure_height(skeleton), 1e-3)
    mass = max(sum(joint.mass or 0.0 for joint in skeleton.joints), 0.01)
    length = float(np.linalg.norm(end - start))
    own = max(_round(_PER_HEIGHT * mass * length / height), 1e-4)
    links = int(np.clip(round(length / (_LINK * height)), *_LINKS))
    return Strand(
        part, np.array([start, end]), links, own, _round(_STRETCH * own * _GRAVITY), _round(_BEND * own * _GRAVITY),
        radius=max(_round(_THICK * height), 1e-4), other=None if tied is None else tied[0],
        anchor=np.zeros(3) if tied is None else tied[1], figure=figure,
    )  # fmt: skip


def strand_length(strand: Strand) -> float:
    """Return the length of a strand at rest, [m]."""
    return float(np.linalg.norm(np.diff(np.asarray(strand.points), axis=0), axis=1).sum())


def with_length(strand: Strand, length: float) -> Strand:
    """Return a strand of another length, [m]: the same way at rest, larger or smaller, with links as long as before.

    Its mass grows with it.

    Raises:
        core.errors.DynamicsError: If it makes no sense.
    """
    way, share = np.asarray(strand.points), length / strand_length(strand)
    links = len(strand.body().points) - 1
    return replace(
        strand,
        points=way[0] + share * (way - way[0]),
        mass=strand.mass * share,
        links=int(np.clip(round(links * share), 2, _LINKS[1])) if share != 1.0 else strand.links,
    )


def hang(document: Document, part: str, start: np.ndarray, end: np.ndarray, tied: str | None = None) -> str:
    """Hang a strand on the active figure, open its numbers, as one step; return its name, "" if that was not possible.

    Args:
        document: The open document.
        part: The joint that it begins on.
        start: Where in the world, shape (3,), [m].
        end: Its end in the world, shape (3,), [m].
        tied: The joint that the end is fixed to; None if it is free.
    """
    skeleton = document.skeleton
    if skeleton is None:
        return ""
    X = forward_kinematics(skeleton, document.physics.pose)

    def inside(joint: str, place: np.ndarray) -> np.ndarray:
        frame = X[skeleton.joint_index(joint)]
        return np.asarray(np.linalg.solve(frame, np.append(place, 1.0))[:3])

    model, settings = document.model, document.physics.settings.now
    figure = "" if model.active.figure == 0 else model.figure_names[model.active.figure]
    try:
        ends = None if tied is None else (tied, inside(tied, end))
        made = strand_for(part, inside(part, start), inside(part, end), ends, skeleton, figure)
        made = replace(made, name=new_name(settings, kind_named("strand")))
    except CoreError as error:
        document.say("warning", f"No strand: {error}")
        return ""
    if not document.physics.settings.edit("Attach a strand", strands=(*settings.strands, made)):
        return ""
    document.physics.show_in_world(STRANDS, len(settings.strands))
    return made.name


def force_class(kind: LineKind) -> type[PathForce]:
    """Return the class of the force that a kind is."""
    from core.dynamics import forces
    from core.dynamics.forces.path_force import PathForce

    found = next(each for each in forces.FORCES if each.__name__ == kind.force)
    assert issubclass(found, PathForce)
    return found


def number_fields(made: type[PathForce]) -> tuple[str, ...]:
    """Return the names of a force's numbers, in its order: all that it has besides its path and its name."""
    return tuple(field.name for field in fields(made) if field.name not in ("bodies", "points", NAME))


def _needed(made: type[PathForce], name: str) -> bool:
    field = next(field for field in fields(made) if field.name == name)
    return field.default is MISSING and field.default_factory is MISSING


def body_names(settings: PhysicsSettings) -> list[str]:
    """Return a name for each rigid body: its own, or one that no other has."""
    taken, found = {body.name for body in settings.rigid_bodies}, []
    for body in settings.rigid_bodies:
        name, number = body.name, 1
        while not name or (not body.name and name in taken):
            name, number = f"{body.kind} {number}", number + 1
        taken.add(name)
        found.append(name)
    return found


def with_names(settings: PhysicsSettings, nodes: Sequence[Node]) -> dict[str, Any]:
    """Return the rigid bodies for the settings if nodes are on one that had no name; {} if none is."""
    parts, names = {node.part for node in nodes}, body_names(settings)
    named = tuple(
        replace(body, name=name) if not body.name and name in parts else body
        for body, name in zip(settings.rigid_bodies, names, strict=True)
    )
    changed = any(own is not other for own, other in zip(named, settings.rigid_bodies, strict=True))
    return {"rigid_bodies": named} if changed else {}


def names_taken(settings: PhysicsSettings) -> set[str]:
    """Return the names of all lines."""
    return {getattr(line, NAME, "") for line in (*settings.strings, *settings.forces, *settings.strands)}


def new_name(settings: PhysicsSettings, kind: LineKind) -> str:
    """Return the name of the next line of a kind: ``"muscle 2"``."""
    taken, number = names_taken(settings), 1
    while f"{kind.name} {number}" in taken:
        number += 1
    return f"{kind.name} {number}"


def attach(document: Document, kind: LineKind, nodes: Sequence[Node], places: np.ndarray) -> str:
    """Attach a line and open its numbers, as one step; return what it is called, "" if it was not possible."""
    skeleton = document.skeleton
    if skeleton is None:
        return ""
    settings = document.physics.settings.now
    name = new_name(settings, kind)
    try:
        made = line_for(kind, nodes, places, skeleton, name)
    except CoreError as error:
        document.say("warning", f"No {kind.name}: {error}")
        return ""
    field = kind.field
    values: dict[str, Any] = {field: (*getattr(settings, field), made), **with_names(settings, nodes)}
    if not document.physics.settings.edit(f"Attach a {kind.name}", **values):
        return ""
    document.physics.show_in_world(field, len(values[field]) - 1)
    return name


def rename(document: Document, field: str, number: int, name: str) -> bool:
    """Give a line another name, or with "" none, as one step; return whether that was done."""
    settings, name = document.physics.settings.now, name.strip()
    lines = getattr(settings, field)
    if name == getattr(lines[number], NAME, ""):
        return False
    if name and name in names_taken(settings):
        document.say("warning", f'There is a "{name}" already; each needs a name of its own')
        return False
    values: dict[str, Any] = {field: (*lines[:number], replace(lines[number], name=name), *lines[number + 1 :])}
    return document.physics.settings.edit(f"Rename {line_name(lines[number])}", **values)


def goes_through(force: object) -> bool:
    """Return whether a force can be led through further points."""
    kind = line_kind(force)
    return kind is not None and kind.through


def remove(document: Document, field: str, number: int) -> bool:
    """Remove a line as one step; return whether there was one."""
    lines = getattr(document.physics.settings.now, field)
    if not number < len(lines) or line_kind(lines[number]) is None:
        return False
    values: dict[str, Any] = {field: (*lines[:number], *lines[number + 1 :])}
    document.physics.unpick()  # those after it get other numbers
    return document.physics.settings.edit(f"Remove {line_name(lines[number])}", **values)


def line_name(line: Line | Strand) -> str:
    """Return what a line is called: ``"muscle 1"``, without a name ``"muscle of right forearm"``."""
    name, kind = getattr(line, NAME, ""), line_kind(line)
    return str(name) or f"{'line' if kind is None else kind.name} of {spoken_part(part_of(line))}"


def definite_name(line: Line | Strand) -> str:
    """Return it as it stands inside a sentence: ``"muscle 1"``, ``"the muscle of right forearm"``."""
    return line_name(line) if getattr(line, NAME, "") else f"the {line_name(line)}"


def part_of(line: Line | Strand) -> str:
    """Return the part that a line is named after: that which hangs, that which a strand hangs on, a force's end."""
    from core.preview.line_nodes import nodes_of

    kind = line_kind(line)
    named = [str(node.part) for node in nodes_of(line) if node.part is not None]
    return named[0] if kind is None or not kind.force else named[-1]


# -- activation ---------------------------------------------------------------------------------------------------


def is_muscle(force: object) -> TypeGuard[Any]:
    """Return whether a force has an activation."""
    return hasattr(force, ACTIVATION)


def seconds(document: Document) -> float:
    """Return the time of the sequence that is shown, [s]."""
    return 0.0 if document.sequence is None else document.physics.frame / document.sequence.fps


def key_activation(
    document: Document, number: int, value: float, gesture: int | None = None, frame: int | None = None
) -> bool:
    """Key how active a muscle is at a frame, the current one unless given, as one step; return whether it was done."""
    at = document.frame if frame is None else frame
    keys = with_key(keys_of(document, number), float(at), value)
    name = definite_name(document.physics.settings.now.forces[number])  # type: ignore[arg-type]  # a muscle
    return put_keys(document, number, keys, f"Key activation of {name} at frame {at}", gesture)


def has_key(document: Document, number: int) -> bool:
    """Return whether a muscle's activation has a key at the current frame."""
    forces = document.physics.settings.now.forces
    return number < len(forces) and any(round(frame) == document.frame for frame, _ in keys_of(document, number))


def unkey_activation(document: Document, number: int) -> bool:
    """Take away the key of a muscle's activation at the current frame, as one step; return whether it was done."""
    name = definite_name(document.physics.settings.now.forces[number])  # type: ignore[arg-type]  # a muscle
    keys = tuple(key for key in keys_of(document, number) if round(key[0]) != document.frame)
    return put_keys(document, number, keys, f"Remove activation key of {name} at frame {document.frame}")


def keys_of(document: Document, number: int) -> Keys:
    """Return the keys of a muscle's activation, by frame of the sequence; () if it is the same all the time."""
    force = document.physics.settings.now.forces[number]
    active = getattr(force, ACTIVATION, 0.0)
    if isinstance(active, float) or document.sequence is None:
        return ()
    fps = document.sequence.fps
    return tuple((round(time * fps, 6), value) for time, value in active)


def keyed_forces(document: Document, forces: Sequence[Any], number: int, keys: Keys) -> tuple[Any, ...]:
    """Return forces of which one has other keys; without any it is as active as it is now, all the time.

    Raises:
        core.errors.DynamicsError: If a value is out of range.
    """
    assert document.sequence is not None
    fps, force = document.sequence.fps, forces[number]
    if keys:
        active: Any = tuple((frame / fps, value) for frame, value in keys)
    else:
        active = force.activation if isinstance(force.activation, float) else force.activation[0][1]
    return (*forces[:number], replace(force, **{ACTIVATION: active}), *forces[number + 1 :])


def put_keys(document: Document, number: int, keys: Keys, text: str, gesture: int | None = None) -> bool:
    """Give a muscle's activation other keys, as one step; return whether that was possible."""
    if document.sequence is None:
        return False
    try:
        forces = keyed_forces(document, document.physics.settings.now.forces, number, keys)
    except CoreError as error:
        document.say("warning", str(error))
        return False
    return document.physics.settings.edit(text, gesture, forces=forces)
