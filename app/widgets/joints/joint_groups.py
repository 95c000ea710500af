"""Which rows the joints panel has, in which groups; rows are made when their group is first opened."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from app.look import fonts
from app.widgets.joints.joint_row import LABEL_LEFT, SPLIT, WIDEST_SPLIT, JointRow
from app.widgets.rows.group_header import GroupHeader
from app.words.dof_names import full_label, position_label
from app.words.quantity import METRES
from core.skeleton import Skeleton
from core.skeleton.dof import ANGLE, LENGTH, NUMBER

_ICONS = {ANGLE: "hinge", LENGTH: "slide", NUMBER: "spline"}
ROOT_TITLE, OTHER_TITLE = "Root", "Other joints"


@dataclass
class Entry:
    """What one row shows; the arguments of ``JointRow``, and the row once it is made.

    Attributes:
        words: What a search looks at besides the label, lower case.
    """

    index: int
    joint: int
    label: str
    unit: str
    lo: float
    hi: float
    rest: float
    origin: float = 0.0
    icon: str = ""
    words: str = ""
    caption: str = ""
    period: float | None = None
    row: JointRow | None = field(default=None, compare=False)

    def make(self, parent: QWidget) -> JointRow:
        """Make the row."""
        self.row = JointRow(
            self.index,
            self.joint,
            self.label,
            self.unit,
            self.lo,
            self.hi,
            self.rest,
            self.origin,
            self.icon,
            self.caption,
            self.period,
            parent,
        )
        return self.row


@dataclass
class Group:
    """A header and the rows under it.

    Attributes:
        title: The group's name.
        header: Its header.
        entries: All its rows.
        shown: Those that the search lets through.
        top: Where the header stands in the column, [px].
        joints: All joints of the group, those without a row too.
        locks: How many locks hold parts of it now.
        forces: What moves it instead of keys now, such as ``"dynamic"`` or ``"braces"``, or "".
    """

    title: str
    header: GroupHeader
    entries: list[Entry] = field(default_factory=list)
    shown: list[Entry] = field(default_factory=list)
    top: int = 0
    joints: frozenset[int] = frozenset()
    locks: int = 0
    forces: str = ""

    def filter(self, words: Sequence[str]) -> None:
        """Let through the rows in which every word occurs, in label, joint name or group title."""
        self.shown = [
            entry for entry in self.entries if all(word in f"{entry.label.casefold()} {entry.words}" for word in words)
        ]

    def touches(self, indices: Collection[int]) -> bool:
        """Return whether one of the rows stands for one of these places in the pose."""
        return any(entry.index in indices for entry in self.entries)

    def summary(self, pose: Sequence[float]) -> str:
        """Return what stands on the right of the header: where the root is, how many locks or degrees of freedom."""
        if self.forces and self.title != ROOT_TITLE:
            return self.forces
        if len(self.shown) != len(self.entries):
            return f"{len(self.shown)} of {len(self.entries)} DOF"
        if self.title != ROOT_TITLE:
            if self.locks:
                return "1 lock" if self.locks == 1 else f"{self.locks} locks"
            return f"{len(self.entries)} DOF"
        place = (METRES.number(entry.origin + pose[entry.index], 2) for entry in self.entries[:3])
        return " ".join(f"{axis} {number}" for axis, number in zip("xyz", place, strict=True)) + " m"


def caption(label: str, title: str) -> str:
    """Return a label without the words at its beginning that the group's title begins with too.

    ``"Right hand bend"`` in the group ``"Right arm"`` is ``"Hand bend"``; a label that would vanish stays whole, and
    one of numbers and axes only keeps a word: ``"Left leg Z"`` in ``"Left leg"`` is ``"Leg Z"``.
    """
    words, heads = label.split(), title.casefold().split()
    same = 0
    while same < min(len(words) - 1, len(heads)) and words[same].casefold() == heads[same]:
        same += 1
    while same and all(len(word) <= 2 for word in words[same:]):
        same -= 1
    rest = " ".join(words[same:])
    return rest[:1].upper() + rest[1:]


def label_width(groups: Sequence[Group], wide: int) -> int:
    """Return how much of a row's width icon and label take: what the longest label needs, within reason, [px]."""
    metrics = QFontMetricsF(fonts.font())
    longest = max(
        (metrics.horizontalAdvance(entry.caption or entry.label) for group in groups for entry in group.entries),
        default=0.0,
    )
    return round(min(max(LABEL_LEFT + longest + 4, SPLIT * wide), WIDEST_SPLIT * wide))


class Section(NamedTuple):
    """What one group shows: its title, its rows, none of them made, and all its joints, those without a row too."""

    title: str
    entries: list[Entry]
    joints: frozenset[int]


def joint_sections(skeleton: Skeleton) -> list[Section]:
    """Return what the groups of a figure show: first the root with its place, then the groups of the file.

    The root's place is shown in the world: the root's offset is added to the pose's first three values.
    """
    rest = skeleton.rest_pose().tolist()
    first_rows = {compound[0] for compound in skeleton.compounds}
    later_rows = {dof for compound in skeleton.compounds for dof in compound[1:]}

    def entries(joint: int, group: str) -> list[Entry]:
        made, model = [], skeleton.joints[joint].curved
        for number in range(skeleton.first_dof[joint], skeleton.first_dof[joint + 1]):
            dof = skeleton.all_dofs[number]
            icon = (
                "ball" if number in first_rows else "" if number in later_rows else _ICONS[skeleton.dof_units[number]]
            )
            words = f"{skeleton.joints[joint].name} {group or ROOT_TITLE}".casefold()
            label, at_rest = skeleton.dof_labels[number], rest[3 + number]
            entry = Entry(
                3 + number,
                joint,
                full_label(skeleton, number),
                skeleton.dof_units[number],
                dof.lo,
                dof.hi,
                at_rest,
                icon=icon,
                words=words,
            )
            entry.period = None if model is None else model.periods[number - skeleton.first_dof[joint]]
            entry.caption = caption(label, group)
            made.append(entry)
        return made

    offset = skeleton.joints[0].offset.tolist()
    root = [
        Entry(k, 0, position_label(k), LENGTH, -np.inf, np.inf, 0.0, offset[k], "move" if k == 0 else "", "root")
        for k in range(3)
    ]
    sections = [Section(ROOT_TITLE, root, frozenset({0}))]
    for name, joints in skeleton.groups:
        others: list[Entry] = []
        for joint in joints:
            (root if joint == 0 and not name else others).extend(entries(joint, name))
        if len({entry.label.split()[0].casefold() for entry in others if entry.label}) > 1:
            for entry in others:  # "Head bend" must not become "Bend" beside "Neck bend"
                entry.caption = ""
        if others:
            title = name[:1].upper() + name[1:] if name else OTHER_TITLE
            sections.append(Section(title, others, frozenset(joints) - {0} if not name else frozenset(joints)))
    return sections


def joint_groups(sections: Sequence[Section], parent: QWidget) -> list[Group]:
    """Return groups that show these sections, with headers in ``parent``."""
    return [
        Group(title, GroupHeader(title, "", parent), entries, list(entries), joints=joints)
        for title, entries, joints in sections
    ]


def show_the_same(groups: Sequence[Group], sections: Sequence[Section]) -> bool:
    """Return whether groups show these sections already, whichever of their rows are made."""
    return [Section(group.title, group.entries, group.joints) for group in groups] == list(sections)
