"""The few commands every edit is made of. Each is JSON-serialisable; undo, journal and recovery share the form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from app.document.change import Change
from app.document.model import Active, Model, Pending
from app.document.records import Figure, Record, key_from_json, key_to_json, sequence_from_json, sequence_to_json
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.errors import CoreError
from core.skeleton import Skeleton


class CommandError(CoreError):
    """A command record that names an operation or a value that does not exist."""


class Command(ABC):
    """One change of a model that can be taken back.

    A command is checked by whoever makes it; ``apply`` and ``revert`` then do not fail. ``revert`` is called only on
    the state that ``apply`` left. A command from JSON behaves as the one that was written.

    Attributes:
        op: The operation's name in JSON.
    """

    op: ClassVar[str]

    @abstractmethod
    def apply(self, model: Model) -> None:
        """Make the change."""

    @abstractmethod
    def revert(self, model: Model) -> None:
        """Take it back, bit for bit."""

    @abstractmethod
    def changes(self) -> tuple[Change, ...]:
        """Return what views must hear of, for ``apply`` and ``revert`` alike; the pose is told by the document."""

    @abstractmethod
    def to_json(self) -> Record:
        """Return the record, ``"op"`` included."""

    @classmethod
    @abstractmethod
    def from_json(cls, record: Mapping[str, Any]) -> Command:
        """Return the command of a record."""

    def merged(self, later: Command) -> Command | None:
        """Return one command for this and a later one of the same gesture, or None if they do not go together."""
        return None


class SetPose(Command):
    """Set, change or drop the pending pose (auto-key off).

    Args:
        before: The pending pose before, or None.
        after: The pending pose after, or None.
        go: Where the frame goes when the pending pose is dropped by scrubbing; None leaves the frame alone.
    """

    op = "set_pose"

    def __init__(self, before: Pending | None, after: Pending | None, go: int | None = None):
        self.before, self.after, self.go = before, after, go

    def apply(self, model: Model) -> None:
        model.pending = self.after
        if self.after is not None:
            model.frame = self.after.frame
        elif self.go is not None:
            model.frame = self.go

    def revert(self, model: Model) -> None:
        model.pending = self.before
        # A pending pose belongs to the frame it was made at, so undo goes back there.
        if self.before is not None:
            model.frame = self.before.frame

    def changes(self) -> tuple[Change, ...]:
        return (Change("pending"),)

    def merged(self, later: Command) -> Command | None:
        return SetPose(self.before, later.after, later.go) if isinstance(later, SetPose) else None

    def to_json(self) -> Record:
        before, after = (None if pose is None else pose.to_json() for pose in (self.before, self.after))
        return {"op": self.op, "before": before, "after": after, "go": self.go}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetPose:
        return cls(Pending.from_json(record["before"]), Pending.from_json(record["after"]), record["go"])


Keys = Mapping[int, Key | None]


class SetKeys(Command):
    """Put keys at frames and take keys away: setting, deleting, moving, retiming, interpolation.

    Args:
        sequence: Index of the sequence.
        before: For every frame concerned the key that was there, or None.
        after: For the same frames the key that is there then, or None.
    """

    op = "set_keys"

    def __init__(self, sequence: int, before: Keys, after: Keys):
        self.sequence, self.before, self.after = sequence, dict(before), dict(after)

    def apply(self, model: Model) -> None:
        model.put_keys(self.sequence, self.after)

    def revert(self, model: Model) -> None:
        model.put_keys(self.sequence, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (Change("keys", {"frames": tuple(sorted(self.after)), "live": False}),)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetKeys) or later.sequence != self.sequence:
            return None
        return SetKeys(self.sequence, {**later.before, **self.before}, {**self.after, **later.after})

    def to_json(self) -> Record:
        # A list of triples: JSON objects would turn the frames into strings.
        rows = [
            [frame, *(None if keys[frame] is None else key_to_json(keys[frame]) for keys in (self.before, self.after))]
            for frame in sorted(self.after)
        ]
        return {"op": self.op, "sequence": self.sequence, "keys": rows}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetKeys:
        before, after = (
            {row[0]: None if row[column] is None else key_from_json(row[column]) for row in record["keys"]}
            for column in (1, 2)
        )
        return cls(record["sequence"], before, after)


SEQUENCE_VALUES: tuple[str, ...] = ("name", "menu", "fps", "loop", "range")


def sequence_value(sequence: Sequence, name: str) -> Any:
    """Return a sequence's value as JSON keeps it; a range without an end of its own is ``[first, None]``."""
    if name == "range":
        return [sequence.range[0], None if sequence.ends_with_last_key else sequence.range[1]]
    return getattr(sequence, name)


class SetSequenceValue(Command):
    """Set one value of a sequence.

    Args:
        sequence: Index of the sequence.
        name: One of ``SEQUENCE_VALUES``.
        before: Value before.
        after: Value after.
    """

    op = "set_sequence_value"

    def __init__(self, sequence: int, name: str, before: Any, after: Any):
        if name not in SEQUENCE_VALUES:
            raise CommandError(f'a sequence has no value "{name}"; it has {", ".join(SEQUENCE_VALUES)}')
        self.sequence, self.name, self.before, self.after = sequence, name, before, after

    def _set(self, model: Model, value: Any) -> None:
        setattr(model.sequences[self.sequence], self.name, tuple(value) if self.name == "range" else value)
        model.forget_poses()

    def apply(self, model: Model) -> None:
        self._set(model, self.after)

    def revert(self, model: Model) -> None:
        self._set(model, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (Change("sequence", {"name": self.name}),)

    def merged(self, later: Command) -> Command | None:
        same = isinstance(later, SetSequenceValue) and (later.sequence, later.name) == (self.sequence, self.name)
        return SetSequenceValue(self.sequence, self.name, self.before, later.after) if same else None  # type: ignore[attr-defined]

    def to_json(self) -> Record:
        return {"op": self.op, "sequence": self.sequence, "name": self.name, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetSequenceValue:
        return cls(record["sequence"], record["name"], record["before"], record["after"])


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
            joints[self.joint] = replace(joints[self.joint], **{self.name: self.after})
            changed = Skeleton(skeleton.name, joints, skeleton.layout, skeleton.source, skeleton.warnings)
            self._new = Figure(changed, None, self._old.source, self._old.extra, self._old.title)
        model.replace_figure(self.figure, self._new)

    def revert(self, model: Model) -> None:
        assert self._old is not None
        model.replace_figure(self.figure, self._old)

    def changes(self) -> tuple[Change, ...]:
        return (Change("figure", {"joint": self.joint, "name": self.name}),)

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
        return (Change("figure", {"name": "figures"}),)

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

    def apply(self, model: Model) -> None:
        model.replace_figure(self.index, self.after)

    def revert(self, model: Model) -> None:
        model.replace_figure(self.index, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (Change("figure", {"name": "figures"}),)

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
        return (Change("sequence", {"name": "sequences"}),)

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
        kinds = ("figure", "sequence", "keys") if self.before.figure != self.after.figure else ("sequence", "keys")
        return tuple(Change(kind, {"name": "active"} if kind != "keys" else {"frames": ()}) for kind in kinds)

    def to_json(self) -> Record:
        before, after = ([active.figure, list(active.sequences)] for active in (self.before, self.after))
        return {"op": self.op, "before": before, "after": after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetActive:
        before, after = (Active(figure, tuple(shown)) for figure, shown in (record["before"], record["after"]))
        return cls(before, after)


COMMANDS: tuple[type[Command], ...] = (
    SetPose,
    SetKeys,
    SetSequenceValue,
    SetJointValue,
    AddFigure,
    SetFigure,
    AddSequence,
    SetActive,
)
"""All commands; a new one is one class and one line here."""

_BY_OP = {command.op: command for command in COMMANDS}


def command_from_json(record: Mapping[str, Any]) -> Command:
    """Return the command of a record.

    Raises:
        CommandError: If the operation is unknown or a member is missing.
    """
    op = record.get("op")
    if op not in _BY_OP:
        raise CommandError(f'unknown command "{op}"; known are {", ".join(_BY_OP)}')
    try:
        return _BY_OP[op].from_json(record)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise CommandError(f'the record of command "{op}" is damaged: {error!r}') from None
