"""From the bones of an ASF file to a figure, and where the values of a motion go in its poses.

A bone turns about axes of its own. With ``C`` the rotation that leads from the figure's axes to the bone's and ``M``
that of the values, the bone's rotation is ``C M C^-1``, after its parent's. ``M`` is made of turns about fixed axes,
the first listed degree of freedom first: ``M = R_last .. R_first``. So a joint whose frame has rest orientation ``C``
and whose hinges stand in the opposite order does the same.

Source: the Acclaim format's definition by M. Schafer (1994).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.asf_amc.asf_file import CHANNELS, AsfFile, Bone, Notes, read_notes, shown
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.scr.lexer import CONTROL
from core.spatial.so3 import from_euler, to_euler

_LISTED = 5


class Channel(NamedTuple):
    """Where a value of a motion file goes.

    Attributes:
        column: Which value of a pose it is; -1 if the figure has no place for it.
        factor: What it is multiplied by, for lengths; 0 for angles, whose unit the motion file knows.
        rest: What is subtracted then: the motion counts from another place than the pose, [m].
    """

    column: int
    factor: float = 0.0
    rest: float = 0.0

    def scaled(self, unit: float) -> Channel:
        """Return the channel of a file whose unit is ``unit`` of this one's."""
        return self._replace(factor=self.factor * unit)


class Figure(NamedTuple):
    """A figure and how its motion files are laid out.

    Attributes:
        skeleton: The figure, bare.
        channels: For each bone, by its name in small letters, its channels in the order of the file.
        degrees: Whether its angles are in degrees where the motion does not say.
        warnings: What could be lived with.
    """

    skeleton: Skeleton
    channels: dict[str, list[Channel]]
    degrees: bool
    warnings: tuple[Problem, ...]


def bone_rotation(bone: Bone, degrees: bool) -> Array:
    """Return ``C``: the figure's axes turned into the bone's, shape (3, 3)."""
    angles = np.radians(bone.axis) if degrees else bone.axis
    turns = dict(zip("xyz", angles, strict=True))
    # About fixed axes in turn is about moving ones the other way round.
    order = bone.order[::-1]
    return from_euler(order, [turns[letter] for letter in order])


def rest_points(asf: AsfFile) -> Array:
    """Return where the bones end with every value at zero, the root first, shape (n, 3), [units of the file]."""
    rows = asf.depth_first()
    ends = np.zeros((len(rows), 3))
    for k, (bone, parent) in enumerate(rows):
        ends[k] = bone.position if parent < 0 else ends[parent] + bone.length * bone.direction
    return ends


def figure_of(asf: AsfFile, unit: float, name: str, file: str) -> Figure:
    """Return the figure that an ASF file describes, every bone a joint at its beginning, depth first.

    Args:
        asf: The file.
        unit: Metres in one unit of the file.
        name: What to call the figure if the file itself has no name for it.
        file: Name of the file for messages.

    Raises:
        FormatError: If two joints would have the same name.
    """
    notes = read_notes(asf.notes)
    warnings = list(asf.warnings)
    joints: list[Joint] = []
    channels: dict[str, list[Channel]] = {}
    place: dict[int, int] = {}  # the joint of each row of the file
    ends: list[Array] = []  # of each row, from its joint, in the axes of the whole figure
    turns: list[Array] = []
    column = 3
    rows = asf.depth_first()
    for k, (bone, parent) in enumerate(rows):
        vector = unit * bone.length * bone.direction
        if parent >= 0 and bone.name.lower() in notes.bridges and not bone.dofs:
            place[k] = place[parent]
            ends.append(ends[parent] + vector)
            turns.append(turns[parent])
            continue
        own = bone_rotation(bone, asf.degrees)
        slides, hinges = _dofs(bone, asf, unit, notes if parent < 0 else None)
        up = place[parent] if parent >= 0 else -1
        before = turns[parent] if parent >= 0 else np.eye(3)
        start = ends[parent] if parent >= 0 else unit * (bone.position + np.array(notes.rest))
        joints.append(
            Joint(
                joint_name(bone, notes),
                up,
                offset=before.T @ start,
                orientation=np.degrees(to_euler("zyx", before.T @ own))[::-1],
                dofs=(*slides.values(), *hinges.values()),
                mass=None if bone.mass is None else bone.mass * asf.mass,
                center=_center(bone, own, unit),
            )
        )
        columns = {channel: column + j for j, channel in enumerate([*slides, *hinges])}
        column += len(columns)
        if parent < 0:
            columns |= {channel: axis for axis, channel in enumerate(CHANNELS[:3])}
        rest = unit * np.array(notes.rest) if parent < 0 else np.zeros(3)
        channels[bone.name.lower()] = [
            Channel(columns.get(channel, -1), unit, float(rest["xyz".index(channel[1])]))
            if channel[0] == "t"
            else Channel(columns.get(channel, -1))
            for channel in bone.dofs
        ]
        place[k] = len(joints) - 1
        ends.append(np.zeros(3) if parent < 0 else vector)
        turns.append(own)
    _add_tips(joints, rows, place, ends, turns)
    if len({joint.name for joint in joints}) < len(joints):
        raise FormatError(Problem(file, 0, 0, "two bones stand for joints of one name; names must differ"))
    warnings += _oddities(asf, file, [bone for k, (bone, _) in enumerate(rows) if k])
    return Figure(Skeleton(notes.figure or name, joints), channels, asf.degrees, tuple(warnings))


def joint_name(bone: Bone, notes: Notes) -> str:
    """Return what the joint at the beginning of a bone is called."""
    return notes.joints.get(bone.name.lower(), CONTROL.sub("_", bone.name))


def _center(bone: Bone, own: Array, unit: float) -> Array | None:
    """The centre of mass in the joint's frame; None if the file has none."""
    if bone.center is None or not bone.mass:
        return None
    return unit * bone.center * (own.T @ bone.direction)


def _dofs(bone: Bone, asf: AsfFile, unit: float, root: Notes | None) -> tuple[dict[str, Dof], dict[str, Dof]]:
    """Slides and hinges of a bone's joint by the channels they come from, each in the joint's order."""
    slides: dict[str, Dof] = {}
    hinges: dict[str, Dof] = {}
    turn = np.radians(1.0) if asf.degrees else 1.0
    for k, channel in enumerate(bone.dofs):
        if channel == "l" or (root is not None and channel[0] == "t"):
            continue
        if root is not None and root.turns is not None and channel[1] not in root.turns:
            continue
        scale = unit if channel[0] == "t" else turn
        lo, hi = bone.limits[k] if k < len(bone.limits) else (-np.inf, np.inf)
        kind, found = (SLIDE, slides) if channel[0] == "t" else (HINGE, hinges)
        found[channel] = Dof(kind, np.eye(3)["xyz".index(channel[1])], scale * min(lo, hi), scale * max(lo, hi))
    return slides, dict(reversed(hinges.items()))


def _add_tips(
    joints: list[Joint], rows: list[tuple[Bone, int]], place: dict[int, int], ends: list[Array], turns: list[Array]
) -> None:
    """Give a tip to every joint at whose bone's end no other one begins."""
    going_on = {parent for _, parent in rows}
    for k in range(1, len(rows)):
        if k not in going_on and np.linalg.norm(ends[k]) > 0.0:
            joint = joints[place[k]]
            joints[place[k]] = replace(joint, tips=(*joint.tips, turns[k].T @ ends[k]))


def _oddities(asf: AsfFile, file: str, bones: list[Bone]) -> list[Problem]:
    """Say what was made up or left out, each kind once."""
    found: list[Problem] = []

    def report(odd: list[Bone], message: str) -> None:
        if odd:
            names = ", ".join(f'"{shown(bone.name)}"' for bone in odd[:_LISTED])
            more = f" and {len(odd) - _LISTED} more" if len(odd) > _LISTED else ""
            found.append(Problem(file, odd[0].line, 0, message.format(names + more)))

    report([b for b in bones if "l" in b.dofs], "bones that change their length keep it: {}")
    lengths = {id(b): float(np.linalg.norm(b.direction)) for b in bones}
    odd = [b for b in bones if b.length and abs(lengths[id(b)] - 1.0) > 1e-3]
    report(odd, "the direction is not of length 1, which makes the bone longer or shorter: {}")
    report([b for b in bones if any(lo > hi for lo, hi in b.limits)], "limits the wrong way round were exchanged: {}")
    few = [b for b in bones if b.limits and len(b.limits) < len(b.dofs)]
    report(few, "degrees of freedom without limits are unlimited: {}")
    return found
