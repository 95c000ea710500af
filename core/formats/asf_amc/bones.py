"""From a figure to the bones of an ASF file.

A bone begins where its parent ends, has its own axes, turns about them and may slide along them before. So a joint
becomes one bone where its degrees of freedom allow it, and else several of no length, one after the other; a child that
does not begin at the end of its parent's bone gets a bridge, a bone that does not move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.asf_amc.asf_file import ROOT, Notes
from core.skeleton import Dof, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.segment import segment_tip
from core.skeleton.shapes import section_axes

_UNFIT = re.compile(r"[^A-Za-z0-9_.+-]+")
_TAKEN = ("begin", "end", ROOT)
_NEAR = 1e-9  # of the figure's size: nearer places are one
_AXES = "xyz"


class Value(NamedTuple):
    """One degree of freedom of a bone.

    Attributes:
        channel: ``rx``, ``ty`` ...
        column: Which value of a pose it is; -1 for one that is always zero.
        sign: 1, or -1 if the joint's axis points the other way.
        lo: Lower limit of the channel, [rad] or [m].
        hi: Upper limit, [rad] or [m].
    """

    channel: str
    column: int
    sign: float
    lo: float
    hi: float


@dataclass
class PlannedBone:
    """A bone to be written; the first of a plan is the root.

    Attributes:
        name: Its name in the file.
        parent: Place of its parent in the plan, -1 for the root.
        axes: Its axes in those of the figure with every degree of freedom at zero, shape (3, 3).
        vector: From its beginning to its end, shape (3,), [m].
        values: Its degrees of freedom in the order of the file.
        mass: [kg], or None.
        center: How far along the bone the centre of mass lies, [m].
    """

    name: str
    parent: int
    axes: Array
    vector: Array = field(default_factory=lambda: np.zeros(3))
    values: list[Value] = field(default_factory=list)
    mass: float | None = None
    center: float = 0.0


@dataclass
class Plan:
    """What an ASF file of a figure will hold.

    Attributes:
        bones: The root and all bones, parents before children.
        notes: What the format has no place for; lengths in [m].
        rest: Where the root rests, shape (3,), [m].
        slides: The root's own slides: column of the pose and direction in the world, shape (3,).
        last: For each joint the bone that has its name, and ends where its children begin.
    """

    bones: list[PlannedBone]
    notes: Notes
    rest: Array
    slides: list[tuple[int, Array]]
    last: list[int]


def bone_names(s: Skeleton) -> list[str]:
    """Return the names of the joints' bones in an ASF file: plain letters, all different, the root's ``root``."""
    names = [ROOT]
    taken = set(_TAKEN)
    for joint in s.joints[1:]:
        names.append(_free(joint.name, taken))
    return names


def _free(name: str, taken: set[str]) -> str:
    """A name made of what the format allows, unlike those taken, capitals or not; taken from then on."""
    plain = _UNFIT.sub("_", name).strip("_") or "bone"
    # A number alone on a line begins a frame of a motion file.
    plain = f"bone_{plain}" if plain[0].isdigit() or plain[0] in "+-." else plain
    free, k = plain, 2
    while free.lower() in taken:
        free, k = f"{plain}_{k}", k + 1
    taken.add(free.lower())
    return free


def plan(s: Skeleton, file: str) -> Plan:
    """Return the bones of a figure.

    Args:
        s: The figure.
        file: Name of the file for messages.

    Raises:
        FormatError: If a joint has a static scale that is not the same along all axes, or degrees of freedom that are
            neither hinges nor slides: the format cannot hold them.
    """
    return _Planner(s, file).plan()


class _Planner:
    def __init__(self, s: Skeleton, file: str):
        self.s, self.file = s, file
        self.scales = self.uniform_scales()
        self.turns: list[Array] = []
        for joint in s.joints:
            before = self.turns[joint.parent] if joint.parent >= 0 else np.eye(3)
            self.turns.append(before @ joint.rotation)
        self.offsets = [self.offset(i) for i in range(len(s.joints))]
        self.size = max(float(np.abs(self.offsets).max()), 1e-9)
        self.names = bone_names(s)
        self.taken = {*_TAKEN, *(name.lower() for name in self.names), *(name.lower() for name in s.joint_names)}
        self.bones: list[PlannedBone] = []
        self.last: list[int] = []  # of each joint, the bone that ends where its children begin
        self.bridges: dict[tuple[int, bytes], int] = {}
        self.notes = Notes(s.name)

    def uniform_scales(self) -> list[float]:
        """By how much everything on a joint is enlarged."""
        found: list[float] = []
        for joint in self.s.joints:
            before = found[joint.parent] if joint.parent >= 0 else 1.0
            scale = float(joint.scale[0])
            if scale <= 0.0 or np.ptp(joint.scale) > 1e-12 * scale:
                text = " ".join(f"{value:g}" for value in joint.scale)
                message = f'joint "{joint.name}" is scaled by {text}; the format holds scales alike along x, y and z'
                raise FormatError(Problem(self.file, 0, 0, message))
            for dof in joint.dofs:
                if dof.kind not in (HINGE, SLIDE):
                    message = f'joint "{joint.name}" has a degree of freedom that is a {dof.kind}; the format has none'
                    raise FormatError(Problem(self.file, 0, 0, message))
            found.append(before * scale)
        return found

    def offset(self, i: int) -> Array:
        """From the parent's origin to the joint's with all at zero, in the axes of the figure."""
        joint = self.s.joints[i]
        if joint.parent < 0:
            return np.array(joint.offset)
        return np.asarray(self.scales[joint.parent] * (self.turns[joint.parent] @ joint.offset))

    def near(self, a: Array, b: Array) -> bool:
        return float(np.abs(a - b).max()) <= _NEAR * self.size

    # -- bones ---------------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        slides = self.root()
        for i in range(1, len(self.s.joints)):
            self.joint(i)
        for i, joint in enumerate(self.s.joints):
            name = self.bones[self.last[i]].name
            if name != joint.name:
                self.notes.joints[name] = joint.name
        if self.last[0] and ROOT in self.s.joint_names:
            self.notes.joints[ROOT] = _free("base", self.taken)
        return Plan(self.bones, self.notes, self.offsets[0], slides, self.last)

    def root(self) -> list[tuple[int, Array]]:
        """Plan the root; what its six values cannot hold goes to bones of no length on it."""
        joint, turn = self.s.joints[0], self.turns[0]
        bone = PlannedBone(ROOT, -1, turn)
        bone.values = [Value(f"t{axis}", k, 1.0, -np.inf, np.inf) for k, axis in enumerate(_AXES)]
        slides: list[tuple[int, Array]] = []
        leading = 0
        while leading < len(joint.dofs) and joint.dofs[leading].kind == SLIDE:
            slides.append((3 + leading, turn @ joint.dofs[leading].axis))
            leading += 1
        self.bones.append(bone)
        groups = self.groups(0, leading)
        hinges: list[Value] = []
        if groups and groups[0].axes is None and all(value.channel[0] == "r" for value in groups[0].values):
            hinges = groups.pop(0).values
        there = [value.channel for value in hinges]
        idle = [Value(f"r{axis}", -1, 1.0, -np.inf, np.inf) for axis in _AXES if f"r{axis}" not in there]
        bone.values += [*hinges, *idle]
        if idle:
            self.notes.turns = tuple(channel[1] for channel in there)
        self.last.append(0)
        for group in groups:
            self.last[0] = self.add(self.part_name(0), self.last[0], group)
        return slides

    def joint(self, i: int) -> None:
        joint = self.s.joints[i]
        before = self.last[joint.parent]
        gap = self.offsets[i] - self.bones[before].vector
        if not self.near(gap, np.zeros(3)):
            before = self.bridge(before, gap, i)
        groups = self.groups(i) or [_Group(None, [])]
        for k, group in enumerate(groups):
            name = self.names[i] if k == len(groups) - 1 else self.part_name(i)
            before = self.add(name, before, group, i)
        self.last.append(before)
        bone = self.bones[before]
        bone.vector = self.end(i)
        if joint.mass is not None and joint.mass > 0.0:
            bone.mass = joint.mass
            length = float(np.linalg.norm(bone.vector))
            if joint.center is not None and length > 0.0:
                center = self.scales[i] * (self.turns[i] @ joint.center)
                bone.center = float(center @ bone.vector) / length

    def add(self, name: str, parent: int, group: _Group, i: int = 0) -> int:
        axes = self.turns[i] if group.axes is None else self.turns[i] @ group.axes
        self.bones.append(PlannedBone(name, parent, axes, values=group.values))
        return len(self.bones) - 1

    def part_name(self, i: int) -> str:
        return _free(self.names[i] if i else self.s.joints[0].name, self.taken)

    def bridge(self, before: int, gap: Array, i: int) -> int:
        """A bone that leads over a gap; brothers who begin at the same place share it."""
        key = before, np.round(gap / (_NEAR * self.size)).astype(np.int64).tobytes()
        if key not in self.bridges:
            name = _free(f"to_{self.names[i]}", self.taken)
            self.notes.bridges.add(name)
            self.bones.append(PlannedBone(name, before, np.eye(3), gap))
            self.bridges[key] = len(self.bones) - 1
        return self.bridges[key]

    def end(self, i: int) -> Array:
        """Where a joint's bone ends, from its beginning: at the child that carries on the chain, or at the tip."""
        s, joint = self.s, self.s.joints[i]
        children = [self.offsets[k] for k in s.children[i]]
        far = [offset for offset in children if not self.near(offset, np.zeros(3))]
        if len(far) < len(children):
            return np.zeros(3)
        tip = joint.tips[0] if joint.tips and not far else segment_tip(s, i)
        onward = self.scales[i] * (self.turns[i] @ tip)
        return min(far, key=lambda offset: float(np.linalg.norm(offset - onward)), default=onward)

    # -- degrees of freedom --------------------------------------------------------------------------------------

    def groups(self, i: int, first: int = 0) -> list[_Group]:
        """A joint's degrees of freedom, cut into runs that one bone each can have: slides, then hinges, along axes."""
        joint = self.s.joints[i]
        groups: list[_Group] = []
        for k in range(first, len(joint.dofs)):
            dof, column = joint.dofs[k], 3 + self.s.first_dof[i] + k
            along = int(np.argmax(np.abs(dof.axis)))
            straight = abs(dof.axis[along]) == 1.0
            axes = None if straight else _with_x(dof)
            sign = float(np.sign(dof.axis[along])) if straight else 1.0
            channel = ("t" if dof.kind == SLIDE else "r") + (_AXES[along] if straight else "x")
            length = self.before(i) if dof.kind == SLIDE else 1.0
            lo, hi = sorted((sign * length * dof.lo, sign * length * dof.hi))
            value = Value(channel, column, sign * length, lo, hi)
            if not groups or not groups[-1].takes(channel, axes):
                groups.append(_Group(axes, []))
            groups[-1].values.append(value)
        for group in groups:
            slides = [value for value in group.values if value.channel[0] == "t"]
            hinges = [value for value in group.values if value.channel[0] == "r"]
            # The first listed turn is applied first, about fixed axes: the joint's last.
            group.values = [*slides, *reversed(hinges)]
        return groups

    def before(self, i: int) -> float:
        """The scale of what a joint hangs on."""
        parent = self.s.joints[i].parent
        return self.scales[parent] if parent >= 0 else 1.0


@dataclass
class _Group:
    """Degrees of freedom that one bone has; ``axes`` are its own in the joint's frame, None for the same."""

    axes: Array | None
    values: list[Value]

    def takes(self, channel: str, axes: Array | None) -> bool:
        """Whether a further degree of freedom fits after those that are there."""
        if axes is not None or self.axes is not None:
            return False
        there = [value.channel for value in self.values]
        return channel not in there and not (channel[0] == "t" and any(name[0] == "r" for name in there))


def _with_x(dof: Dof) -> Array:
    """Axes whose x lies along a degree of freedom, shape (3, 3)."""
    u, v = section_axes(dof.axis)
    return np.column_stack([dof.axis, u, v])
