"""Commands on what the document is made of: figures, their joints, sequences, and which of them are active."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.document.changes import Change, FigureChanged, KeysChanged, SequenceChanged
from app.document.commands.base import Command, CommandError
from app.document.content.model import Active, Model
from app.document.content.records import Figure, Record, sequence_from_json, sequence_to_json
from core.animation.sequence import Sequence
from core.skeleton import Skeleton

JOINT_VALUES: tuple[str, ...] = ("weight", "resistance")


class SetJointValue(Command):
    """Set how a joint responds in inverse kinematics. The skeleton is immutable, so a new one takes its place.

    The old figure is kept with its text, so that undo brings back the very text of the file with its comments.

    Args:
        figure: Index of the figure.
        joint: Index of the joint.
        name: One of ``JOINT_VALUES``.
        before: Value before.
        after: Value after.
    """

    op = "set_joint_value"

    def __init__(self, figure: int, joint: int, name: str, before: float, after: float):
        if name not in JOINT_VALUES:
            raise CommandError(f'a joint has no value "{name}" to set; it has {", ".join(JOINT_VALUES)}')
        self.figure, self.joint, self.name, self.before, self.after = figure, joint, name, before, after
        self._old: Figure | None = None
        self._new: Figure | None = None

    def apply(self, model: Model) -> None:
        if self._new is None:
            self._old = model.figures[self.figure]
            skeleton = self._old.skeleton
            joints = list(skeleton.joints)
            value: dict[str, Any] = {self.name: self.after}
            joints[self.joint] = replace(joints[self.joint], **value)
            changed = Skeleton(skeleton.name, joints, skeleton.layout, skeleton.source, skeleton.warnings)
            old = self._old
            self._new = Figure(changed, None, old.source, old.extra, old.title, old.texts)
        model.replace_figure(self.figure, self._new)

    def revert(self, model: Model) -> None:
        assert self._old is not None
        model.replace_figure(self.figure, self._old)

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged(self.name, joint=self.joint),)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetJointValue):
            return None
        if (later.figure, later.joint, later.name) != (self.figure, self.joint, self.name):
            return None
        both = SetJointValue(self.figure, self.joint, self.name, self.before, later.after)
        both._old, both._new = self._old, later._new
        return both

    def to_json(self) -> Record:
        return {
            "op": self.op,
            "figure": self.figure,
            "joint": self.joint,
            "name": self.name,
            "before": self.before,
            "after": self.after,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetJointValue:
        return cls(record["figure"], record["joint"], record["name"], record["before"], record["after"])


class AddFigure(Command):
    """Add a figure at the end of the list; give it a sequence and make it active by further commands.

    Args:
        figure: The figure.
    """

    op = "add_figure"

    def __init__(self, figure: Figure):
        self.figure = figure

    def apply(self, model: Model) -> None:
        model.figures.append(self.figure)

    def revert(self, model: Model) -> None:
        model.figures.pop()

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged("figures"),)

    def to_json(self) -> Record:
        return {"op": self.op, "figure": self.figure.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AddFigure:
        return cls(Figure.from_json(record["figure"]))


class SetFigure(Command):
    """Put another figure with the same joints and degrees of freedom in a figure's place; keys stay.

    Args:
        index: Index of the figure.
        before: The figure that was there.
        after: The figure that is there then.
    """

    op = "set_figure"

    def __init__(self, index: int, before: Figure, after: Figure):
        self.index, self.before, self.after = index, before, after
        self._timed: tuple[Any, Any] = (None, None)

    def apply(self, model: Model) -> None:
        # Where joints share a place in one of the two only, keys hold other channels there.
        self._timed = model.keys_and_timings(model.figures[self.index].skeleton)
        model.replace_figure(self.index, self.after)

    def revert(self, model: Model) -> None:
        model.replace_figure(self.index, self.before, *self._timed)

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged("figures"),)

    def to_json(self) -> Record:
        return {"op": self.op, "index": self.index, "before": self.before.to_json(), "after": self.after.to_json()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetFigure:
        return cls(record["index"], Figure.from_json(record["before"]), Figure.from_json(record["after"]))


class AddSequence(Command):
    """Add a sequence at the end of the list.

    Args:
        figure: Index of the figure it moves.
        record: The sequence as ``records.sequence_to_json`` writes it.
    """

    op = "add_sequence"

    def __init__(self, figure: int, record: Record):
        self.figure, self.record = figure, record

    def apply(self, model: Model) -> None:
        model.sequences.append(sequence_from_json(self.record, model.figures[self.figure].skeleton))

    def revert(self, model: Model) -> None:
        model.sequences.pop()

    def changes(self) -> tuple[Change, ...]:
        return (SequenceChanged("sequences"),)

    def to_json(self) -> Record:
        return {"op": self.op, "figure": self.figure, "sequence": self.record}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AddSequence:
        return cls(record["figure"], record["sequence"])

    @classmethod
    def of(cls, figure: int, sequence: Sequence) -> AddSequence:
        """Return the command that adds a copy of ``sequence``."""
        return cls(figure, sequence_to_json(sequence, figure))


class SetActive(Command):
    """Make another figure active, or show other sequences.

    Args:
        before: What was active.
        after: What is active then.
    """

    op = "set_active"

    def __init__(self, before: Active, after: Active):
        self.before, self.after = before, after

    def apply(self, model: Model) -> None:
        model.active = self.after
        model.forget_poses()

    def revert(self, model: Model) -> None:
        model.active = self.before
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        shown = (SequenceChanged("active"), KeysChanged())
        return (FigureChanged("active"), *shown) if self.before.figure != self.after.figure else shown

    def to_json(self) -> Record:
        before, after = ([active.figure, list(active.sequences)] for active in (self.before, self.after))
        return {"op": self.op, "before": before, "after": after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetActive:
        before, after = (Active(figure, tuple(shown)) for figure, shown in (record["before"], record["after"]))
        return cls(before, after)
