"""Commands on poses, keys, locks, strips and the values of a sequence, and on the settings of physics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.document.changes import (
    Change,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    PhysicsChanged,
    SequenceChanged,
)
from app.document.commands.base import Command, CommandError, Exchange
from app.document.commands.packed_keys import packed_keys, unpacked_keys
from app.document.content.model import Model, Pending
from app.document.content.records import SEQUENCE_VALUES, Record, read_value
from core.animation.hybrid_strips import HybridStrip, hybrid_from_json, hybrids_to_json
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json
from core.animation.locks.strip import LockStrip, strip_from_json, strip_to_json
from core.constraints.records import lock_from_json
from core.skeleton import Skeleton

Keys = Mapping[int, Key | None]

MANY_KEYS = 32
"""More keys than so many are written as a short record."""


class SetPose(Exchange):
    """Set, change or drop the pending pose (auto-key off).

    Args:
        before: The pending pose before, or None.
        after: The pending pose after, or None.
        go: Where the frame goes when the pending pose is dropped by scrubbing; None leaves the frame alone.
    """

    op = "set_pose"

    def __init__(self, before: Pending | None, after: Pending | None, go: int | None = None):
        self.before, self.after, self.go = before, after, go

    def put(self, model: Model, value: Pending | None) -> None:
        model.pending = value
        # A pending pose belongs to the frame it was made at, so undo goes back there.
        if value is not None:
            model.frame = value.frame

    def apply(self, model: Model) -> None:
        super().apply(model)
        if self.after is None and self.go is not None:
            model.frame = self.go

    def changes(self) -> tuple[Change, ...]:
        return (PendingChanged(),)

    def to_json(self) -> Record:
        return {**super().to_json(), "go": self.go}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetPose:
        return cls(Pending.from_json(record["before"]), Pending.from_json(record["after"]), record["go"])

    @staticmethod
    def written(value: Pending | None) -> Record | None:
        return None if value is None else value.to_json()


class SetKeys(Exchange):
    """Put keys at frames and take keys away: setting, deleting, moving, retiming, interpolation.

    Args:
        sequence: Index of the sequence.
        before: For every frame concerned the key that was there, or None.
        after: For the same frames the key that is there then, or None.
    """

    op, place = "set_keys", ("sequence",)

    def __init__(self, sequence: int, before: Keys, after: Keys):
        self.sequence, self.before, self.after = sequence, dict(before), dict(after)

    def put(self, model: Model, value: Keys) -> None:
        model.put_keys(self.sequence, value)

    def changes(self) -> tuple[Change, ...]:
        return (KeysChanged(frames=self.frames()),)

    def frames(self) -> tuple[int, ...]:
        return tuple(sorted(self.after))

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetKeys) or later.sequence != self.sequence:
            return None
        return SetKeys(self.sequence, {**later.before, **self.before}, {**self.after, **later.after})

    def to_json(self) -> Record:
        if len(self.after) > MANY_KEYS:
            frames = self.frames()
            before, after = (packed_keys([keys[frame] for frame in frames]) for keys in (self.before, self.after))
            return {"op": self.op, "sequence": self.sequence, "frames": list(frames), "before": before, "after": after}

        def written(key: Key | None) -> Record | None:
            return None if key is None else key_to_json(key)

        # A list of triples: JSON objects would turn the frames into strings.
        rows = [[frame, written(self.before[frame]), written(self.after[frame])] for frame in self.frames()]
        return {"op": self.op, "sequence": self.sequence, "keys": rows}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetKeys:
        if "frames" in record:
            frames = record["frames"]
            given = (unpacked_keys(record[name], frames) for name in ("before", "after"))
            return cls(record["sequence"], *(dict(zip(frames, keys, strict=True)) for keys in given))
        before, after = (
            {row[0]: None if row[column] is None else key_from_json(row[column]) for row in record["keys"]}
            for column in (1, 2)
        )
        return cls(record["sequence"], before, after)


class SetSequenceValue(Exchange):
    """Set one value of a sequence.

    Args:
        sequence: Index of the sequence.
        name: One of ``SEQUENCE_VALUES``.
        before: Value before, as ``records.written_value`` writes it.
        after: Value after, likewise.
    """

    op, place = "set_sequence_value", ("sequence", "name")

    def __init__(self, sequence: int, name: str, before: Any, after: Any):
        if name not in SEQUENCE_VALUES:
            raise CommandError(f'a sequence has no value "{name}"; it has {", ".join(SEQUENCE_VALUES)}')
        self.sequence, self.name, self.before, self.after = sequence, name, before, after

    def put(self, model: Model, value: Any) -> None:
        model.sequences[self.sequence].put({self.name: read_value(self.name, value)})
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        return (SequenceChanged(self.name),)


class SetGaitManner(Exchange):
    """Set how a sequence that is made by rules moves; the ground in its record, which may be large, stays.

    Args:
        sequence: Index of the sequence, which has a record.
        before: The record's manner before.
        after: Its manner then.
    """

    op, place = "set_gait_manner", ("sequence",)

    def __init__(self, sequence: int, before: Record, after: Record):
        self.sequence, self.before, self.after = sequence, before, after

    def put(self, model: Model, value: Record) -> None:
        sequence = model.sequences[self.sequence]
        sequence.gait = {**sequence.gait, "manner": value}

    def changes(self) -> tuple[Change, ...]:
        return (SequenceChanged("gait"),)


class SetStrips(Exchange):
    """Put other lock strips in the place of those of a sequence: setting, ending, splitting, retargeting, clearing.

    Args:
        sequence: Index of the sequence.
        before: Its strips before.
        after: Its strips then.
        skeleton: The figure of the sequence.
    """

    op, place = "set_strips", ("sequence",)

    def __init__(
        self, sequence: int, before: Iterable[LockStrip], after: Iterable[LockStrip], skeleton: Skeleton | None
    ):
        self.sequence, self.before, self.after = sequence, tuple(before), tuple(after)
        self._skeleton = skeleton
        self._records: tuple[list[Record], list[Record]] | None = None

    def apply(self, model: Model) -> None:
        if self._records is not None:
            skeleton = self._skeleton = model.sequences[self.sequence].skeleton
            self.before, self.after = (
                tuple(strip_from_json(record, skeleton) for record in records) for records in self._records
            )
            self._records = None
        super().apply(model)

    def put(self, model: Model, value: tuple[LockStrip, ...]) -> None:
        model.put_strips(self.sequence, value)

    def changes(self) -> tuple[Change, ...]:
        return (LocksChanged(),)

    def to_json(self) -> Record:
        if self._records is not None:
            before, after = self._records
        else:
            assert self._skeleton is not None
            skeleton = self._skeleton
            before, after = (
                [strip_to_json(strip, skeleton) for strip in strips] for strips in (self.before, self.after)
            )
        return {"op": self.op, "sequence": self.sequence, "before": before, "after": after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetStrips:
        # Joints stand in records by name: which figure they are of is known once the command is done.
        command = cls(record["sequence"], (), (), None)
        command._records = (list(record["before"]), list(record["after"]))
        return command


class SetAlwaysLocks(Exchange):
    """Put other locks in the place of those of a sequence that hold at all times.

    Args:
        sequence: Index of the sequence.
        before: Records of its locks before.
        after: Records of its locks then.
    """

    op, place, merges = "set_always_locks", ("sequence",), False

    def __init__(self, sequence: int, before: Iterable[Record], after: Iterable[Record]):
        self.sequence, self.before, self.after = sequence, list(before), list(after)

    def put(self, model: Model, value: list[Record]) -> None:
        sequence = model.sequences[self.sequence]
        sequence.locks = [lock_from_json(record, sequence.skeleton) for record in value]
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        return (LocksChanged(),)


class SetHybridStrips(Exchange):
    """Put other hybrid strips in the place of those of a sequence.

    Args:
        sequence: Index of the sequence.
        before: Its strips before.
        after: Its strips then.
    """

    op, place = "set_hybrid_strips", ("sequence",)

    def __init__(self, sequence: int, before: Iterable[HybridStrip], after: Iterable[HybridStrip]):
        self.sequence, self.before, self.after = sequence, tuple(before), tuple(after)

    def put(self, model: Model, value: tuple[HybridStrip, ...]) -> None:
        model.put_hybrid_strips(self.sequence, value)

    def changes(self) -> tuple[Change, ...]:
        return (HybridChanged(),)

    @staticmethod
    def written(value: Iterable[HybridStrip]) -> list[Record]:
        return hybrids_to_json(value)

    @staticmethod
    def read(value: Iterable[Record]) -> list[HybridStrip]:
        return [hybrid_from_json(item) for item in value]


class SetPhysics(Exchange):
    """Put other settings of physics in the place of the document's: gravity, floor, motors, what stands in the world.

    Args:
        before: The record before, as the file keeps it.
        after: The record then.
    """

    op = "set_physics"

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]):
        self.before, self.after = dict(before), dict(after)

    def put(self, model: Model, value: Record) -> None:
        model.physics = dict(value)

    def changes(self) -> tuple[Change, ...]:
        return (PhysicsChanged("settings"),)
