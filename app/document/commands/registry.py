"""Commands on poses, keys and the values of a sequence, and the register of all commands.

Every edit is made of these few. Each is JSON-serialisable; undo, journal and recovery share the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.document.changes import Change, KeysChanged, PendingChanged, SequenceChanged
from app.document.commands.always_locks import SetAlwaysLocks
from app.document.commands.base import Command, CommandError
from app.document.commands.figure_commands import (
    JOINT_VALUES,
    AddFigure,
    AddSequence,
    SetActive,
    SetFigure,
    SetJointValue,
)
from app.document.commands.hybrid_commands import SetHybridStrips
from app.document.commands.joint_commands import SetJointValues
from app.document.commands.lock_commands import SetStrips
from app.document.commands.physics_commands import SetPhysics
from app.document.commands.skeleton_commands import EditFigure
from app.document.content.model import Model, Pending
from app.document.content.records import SEQUENCE_VALUES, Record, read_value
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json

__all__ = [
    "COMMANDS",
    "JOINT_VALUES",
    "SEQUENCE_VALUES",
    "AddFigure",
    "AddSequence",
    "Command",
    "CommandError",
    "EditFigure",
    "SetActive",
    "SetFigure",
    "SetJointValue",
    "SetJointValues",
    "SetKeys",
    "SetPhysics",
    "SetPose",
    "SetSequenceValue",
    "SetStrips",
    "command_from_json",
]


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
        return (PendingChanged(),)

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
        return (KeysChanged(frames=tuple(sorted(self.after))),)

    def frames(self) -> tuple[int, ...]:
        return tuple(sorted(self.after))

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetKeys) or later.sequence != self.sequence:
            return None
        return SetKeys(self.sequence, {**later.before, **self.before}, {**self.after, **later.after})

    def to_json(self) -> Record:
        def written(key: Key | None) -> Record | None:
            return None if key is None else key_to_json(key)

        # A list of triples: JSON objects would turn the frames into strings.
        rows = [[frame, written(self.before[frame]), written(self.after[frame])] for frame in sorted(self.after)]
        return {"op": self.op, "sequence": self.sequence, "keys": rows}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetKeys:
        before, after = (
            {row[0]: None if row[column] is None else key_from_json(row[column]) for row in record["keys"]}
            for column in (1, 2)
        )
        return cls(record["sequence"], before, after)


class SetSequenceValue(Command):
    """Set one value of a sequence.

    Args:
        sequence: Index of the sequence.
        name: One of ``SEQUENCE_VALUES``.
        before: Value before, as ``sequence_values`` writes it.
        after: Value after, likewise.
    """

    op = "set_sequence_value"

    def __init__(self, sequence: int, name: str, before: Any, after: Any):
        if name not in SEQUENCE_VALUES:
            raise CommandError(f'a sequence has no value "{name}"; it has {", ".join(SEQUENCE_VALUES)}')
        self.sequence, self.name, self.before, self.after = sequence, name, before, after

    def _set(self, model: Model, value: Any) -> None:
        model.sequences[self.sequence].put({self.name: read_value(self.name, value)})
        model.forget_poses()

    def apply(self, model: Model) -> None:
        self._set(model, self.after)

    def revert(self, model: Model) -> None:
        self._set(model, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (SequenceChanged(self.name),)

    def merged(self, later: Command) -> Command | None:
        same = isinstance(later, SetSequenceValue) and (later.sequence, later.name) == (self.sequence, self.name)
        return SetSequenceValue(self.sequence, self.name, self.before, later.after) if same else None  # type: ignore[attr-defined]

    def to_json(self) -> Record:
        return {"op": self.op, "sequence": self.sequence, "name": self.name, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetSequenceValue:
        return cls(record["sequence"], record["name"], record["before"], record["after"])


COMMANDS: tuple[type[Command], ...] = (
    SetPose,
    SetKeys,
    SetStrips,
    SetHybridStrips,
    SetPhysics,
    SetAlwaysLocks,
    SetSequenceValue,
    SetJointValue,
    SetJointValues,
    AddFigure,
    SetFigure,
    EditFigure,
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
