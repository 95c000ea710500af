"""The command that sets how several joints follow inverse kinematics, as one step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.document.changes import Change, FigureChanged
from app.document.commands.base import Command, CommandError
from app.document.commands.figure_commands import JOINT_VALUES
from app.document.content.model import Model
from app.document.content.records import Figure, Record
from core.skeleton import Skeleton

Row = tuple[int, str, float, float]
"""Joint index, one of ``JOINT_VALUES``, the value before and the value after."""


class SetJointValues(Command):
    """Set values of several joints at once. The skeleton is immutable, so a new one takes its place.

    The old figure is kept with its text, so that undo brings back the very text of the file with its comments.

    Args:
        figure: Index of the figure.
        rows: What to set, each joint and name at most once.
    """

    op = "set_joint_values"

    def __init__(self, figure: int, rows: Iterable[Row]):
        self.figure = figure
        self.rows = tuple((int(joint), str(name), float(a), float(b)) for joint, name, a, b in rows)
        for _, name, _, _ in self.rows:
            if name not in JOINT_VALUES:
                raise CommandError(f'a joint has no value "{name}" to set; it has {", ".join(JOINT_VALUES)}')
        self._old: Figure | None = None
        self._new: Figure | None = None

    def apply(self, model: Model) -> None:
        if self._new is None:
            old = self._old = model.figures[self.figure]
            skeleton = old.skeleton
            joints = list(skeleton.joints)
            for joint, name, _, after in self.rows:
                value: dict[str, Any] = {name: after}
                joints[joint] = replace(joints[joint], **value)
            changed = Skeleton(skeleton.name, joints, skeleton.layout, skeleton.source, skeleton.warnings)
            self._new = Figure(changed, None, old.source, old.extra, old.title, old.texts)
        model.replace_figure(self.figure, self._new)

    def revert(self, model: Model) -> None:
        assert self._old is not None
        model.replace_figure(self.figure, self._old)

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged("following"),)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetJointValues) or later.figure != self.figure:
            return None
        after = {(joint, name): (a, b) for joint, name, a, b in later.rows}
        rows = [(joint, name, a, after.pop((joint, name), (a, b))[1]) for joint, name, a, b in self.rows]
        rows += [(joint, name, a, b) for (joint, name), (a, b) in after.items()]
        both = SetJointValues(self.figure, rows)
        both._old, both._new = self._old, later._new
        return both

    def to_json(self) -> Record:
        return {"op": self.op, "figure": self.figure, "rows": [list(row) for row in self.rows]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetJointValues:
        return cls(record["figure"], [(joint, name, a, b) for joint, name, a, b in record["rows"]])
