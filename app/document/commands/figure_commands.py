"""Commands on what the document is made of: figures, their joints, sequences, and which of them are active."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from app.document.changes import (
    Change,
    FigureChanged,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    SequenceChanged,
)
from app.document.commands.base import Command, CommandError, Exchange
from app.document.content.model import Active, Model, Pending
from app.document.content.records import (
    AllLocks,
    Figure,
    Record,
    all_locks_from_json,
    all_locks_to_json,
    followed_script,
    sequence_from_json,
    sequence_to_json,
)
from core.animation.curves.timing_curves import TimingCurve
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json, timings_from_json, timings_to_json
from core.animation.new_sequence import carry_loop_locks
from core.animation.sequence import Sequence
from core.constraints.lock import Lock
from core.skeleton import Skeleton

JOINT_VALUES: tuple[str, ...] = ("weight", "resistance")

Row = tuple[int, str, float, float]
"""Joint index, one of ``JOINT_VALUES``, the value before and the value after."""

SequenceKeys = Mapping[int, tuple[Key, ...]]
SequenceTimings = Mapping[int, Mapping[str, TimingCurve]]


class SetJointValues(Command):
    """Set how joints respond in inverse kinematics. The skeleton is immutable, so a new one takes its place.

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
        if not isinstance(later, SetJointValues) or (type(later), later.figure) != (type(self), self.figure):
            return None
        after = {(joint, name): (a, b) for joint, name, a, b in later.rows}
        rows = [(joint, name, a, after.pop((joint, name), (a, b))[1]) for joint, name, a, b in self.rows]
        both = copy(later)
        both.rows = (*rows, *((joint, name, a, b) for (joint, name), (a, b) in after.items()))
        both._old = self._old
        return both

    def to_json(self) -> Record:
        return {"op": self.op, "figure": self.figure, "rows": [list(row) for row in self.rows]}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetJointValues:
        return cls(record["figure"], [(joint, name, a, b) for joint, name, a, b in record["rows"]])


class SetJointValue(SetJointValues):
    """Set one value of one joint; later ones of the same gesture merge if they set the same.

    Args:
        figure: Index of the figure.
        joint: Index of the joint.
        name: One of ``JOINT_VALUES``.
        before: Value before.
        after: Value after.
    """

    op = "set_joint_value"

    def __init__(self, figure: int, joint: int, name: str, before: float, after: float):
        super().__init__(figure, [(joint, name, before, after)])

    def changes(self) -> tuple[Change, ...]:
        joint, name, _, _ = self.rows[0]
        return (FigureChanged(name, joint=joint),)

    def merged(self, later: Command) -> Command | None:
        same = isinstance(later, SetJointValue) and later.rows[0][:2] == self.rows[0][:2]
        return super().merged(later) if same else None

    def to_json(self) -> Record:
        joint, name, before, after = self.rows[0]
        return {"op": self.op, "figure": self.figure, "joint": joint, "name": name, "before": before, "after": after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetJointValue:
        return cls(record["figure"], record["joint"], record["name"], record["before"], record["after"])


class AddFigure(Command):
    """Add a figure at the end of the list; give it a sequence and make it active by further commands."""

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


class RemoveFigure(Command):
    """Take a figure away that is not active, with its sequences and the locks of others that name it.

    What is taken away is kept as it was, and comes back on undo.

    Args:
        figure: Index of the figure.
    """

    op = "remove_figure"

    def __init__(self, figure: int):
        self.figure = figure
        self._before: tuple[Figure, dict[int, Sequence], Active, list[AllLocks]] | None = None

    def apply(self, model: Model) -> None:
        figure, active = model.figures[self.figure], model.active
        gone = {i: sequence for i, sequence in enumerate(model.sequences) if sequence.skeleton is figure.skeleton}
        self._before = figure, gone, active, model.all_locks()
        kept = [i for i in range(len(model.sequences)) if i not in gone]
        places = {old: new for new, old in enumerate(kept)}
        shown = [places[index] for k, index in enumerate(active.sequences) if k != self.figure]
        del model.figures[self.figure]
        model.sequences = [model.sequences[i] for i in kept]
        model.active = Active(active.figure - (active.figure > self.figure), tuple(shown))
        name = figure.skeleton.name
        if not any(other.skeleton.name == name for other in model.figures):
            left: list[AllLocks] = []
            for sequence, (always, strips, hybrid, layers, _) in zip(model.sequences, model.all_locks(), strict=True):
                kept_strips = tuple(strip for strip in strips if not _names(strip.lock, name))
                script = followed_script(sequence, kept_strips)
                locks = tuple(lock for lock in always if not _names(lock, name))
                left.append((locks, kept_strips, hybrid, layers, script))
            model.put_all_locks(left)
        model.forget_poses()

    def revert(self, model: Model) -> None:
        assert self._before is not None
        figure, gone, model.active, locks = self._before
        # Only what was taken away: those that stayed may be other objects by now, which say the same.
        model.figures.insert(self.figure, figure)
        for i, sequence in sorted(gone.items()):
            model.sequences.insert(i, sequence)
        model.put_all_locks(locks)

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged("figures"), SequenceChanged("sequences"), LocksChanged())

    def to_json(self) -> Record:
        return {"op": self.op, "figure": self.figure}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> RemoveFigure:
        return cls(record["figure"])


def _names(lock: Lock, figure: str) -> bool:
    """Return whether a lock names a figure."""
    return figure in lock.figures


class SetFigure(Exchange):
    """Put another figure with the same joints and degrees of freedom in a figure's place; keys stay.

    Args:
        index: Index of the figure.
        before: The figure that was there.
        after: The figure that is there then.
    """

    op, place, merges = "set_figure", ("index",), False

    def __init__(self, index: int, before: Figure, after: Figure):
        self.index, self.before, self.after = index, before, after
        self._timed: tuple[Any, Any] = (None, None)
        self._locks: list[AllLocks] = []

    def apply(self, model: Model) -> None:
        # Where joints share a place in one of the two only, keys hold other channels there.
        self._timed = model.keys_and_timings(model.figures[self.index].skeleton)
        self._locks = model.all_locks()
        self.put(model, self.after)

    def revert(self, model: Model) -> None:
        model.replace_figure(self.index, self.before, *self._timed)
        model.put_all_locks(self._locks)

    def put(self, model: Model, value: Figure) -> None:
        model.replace_figure(self.index, value)

    def changes(self) -> tuple[Change, ...]:
        return (FigureChanged("figures"),)

    @staticmethod
    def written(value: Figure) -> Record:
        return value.to_json()

    @staticmethod
    def read(value: Mapping[str, Any]) -> Figure:
        return Figure.from_json(value)


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


class SetActive(Exchange):
    """Make another figure active, or show other sequences.

    Args:
        before: What was active.
        after: What is active then.
    """

    op = "set_active"

    def __init__(self, before: Active, after: Active):
        self.before, self.after = before, after

    def put(self, model: Model, value: Active) -> None:
        model.active = value
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        shown = (SequenceChanged("active"), KeysChanged())
        return (FigureChanged("active"), *shown) if self.before.figure != self.after.figure else shown

    @staticmethod
    def written(value: Active) -> list[Any]:
        return [value.figure, list(value.sequences)]

    @staticmethod
    def read(value: Any) -> Active:
        figure, shown = value
        return Active(figure, tuple(shown))


class EditFigure(Command):
    """Put a figure with other joints or degrees of freedom in a figure's place.

    What was there before is kept as it was, the very text of the file and the very keys, and comes back on undo.

    Args:
        index: Index of the figure.
        after: The figure that is there then, or its record, with the objects in ``kept`` left out.
        keys: Keys of each of its sequences then, by the sequence's index; None if poses stay as they are.
        pending: The pending pose then.
        kept: Names of the objects that travel with the figure before and after, unchanged; they are not written.
        timings: Timing curves of each of its sequences then, likewise; None if they stay as they are.
    """

    op = "edit_figure"

    def __init__(
        self,
        index: int,
        after: Figure | Record,
        keys: SequenceKeys | None,
        pending: Pending | None,
        kept: Iterable[str] = (),
        timings: SequenceTimings | None = None,
    ):
        self.index, self.after, self.pending, self.kept = index, after, pending, frozenset(kept)
        self.keys = None if keys is None else dict(keys)
        self.timings = None if timings is None else dict(timings)
        self._locks: list[AllLocks] | None = None
        self._lock_records: list[list[list[Record]]] | None = None
        self._before: tuple[Figure, SequenceKeys, SequenceTimings, Pending | None, list[AllLocks]] | None = None

    def apply(self, model: Model) -> None:
        if self._before is None:
            figure = model.figures[self.index]
            keys, timings = model.keys_and_timings(figure.skeleton)
            if not isinstance(self.after, Figure):
                objects = {**self.after.get("objects", {}), **{name: figure.objects[name] for name in self.kept}}
                self.after = Figure.from_json({**self.after, "objects": objects})
            self._before = figure, keys, timings, model.pending, model.all_locks()
        assert isinstance(self.after, Figure)
        model.replace_figure(self.index, self.after, self.keys, self.timings)
        self._put_locks(model)
        model.pending = self.pending

    def _put_locks(self, model: Model) -> None:
        """Put the locks there that the edit led to: carried over the first time, then as they were."""
        if self._locks is None and self._lock_records is not None:
            rows = zip(self._lock_records, model.sequences, strict=True)
            self._locks = [all_locks_from_json(record, sequence.skeleton) for record, sequence in rows]
        if self._locks is not None:
            model.put_all_locks(self._locks)
            return
        assert self._before is not None
        for sequence in model.sequences:
            if sequence.skeleton is model.figures[self.index].skeleton:
                carry_loop_locks(sequence, self._before[0].skeleton)
        self._locks = model.all_locks()
        if any(any(locks) for locks in self._locks):
            # Written down: a figure that is read again no longer knows that it was given another root.
            self._lock_records = [
                all_locks_to_json(locks, sequence.skeleton)
                for locks, sequence in zip(self._locks, model.sequences, strict=True)
            ]

    def revert(self, model: Model) -> None:
        assert self._before is not None
        figure, keys, timings, pending, locks = self._before
        model.replace_figure(self.index, figure, keys, timings)
        model.put_all_locks(locks)
        model.pending = pending

    def changes(self) -> tuple[Change, ...]:
        changes: list[Change] = [FigureChanged("joints")]
        if self._before is not None and any(any(locks) for locks in self._before[4]):
            changes += [LocksChanged(), HybridChanged()]
        if self.keys is not None:
            changes.append(KeysChanged())
            if self.pending is not None:
                changes.append(PendingChanged())
        return tuple(changes)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, EditFigure) or later.index != self.index:
            return None
        keys = self.keys if later.keys is None else later.keys
        timings = self.timings if later.timings is None else later.timings
        both = EditFigure(self.index, later.after, keys, later.pending, self.kept & later.kept, timings)
        both._before = self._before
        both._locks, both._lock_records = later._locks, later._lock_records
        return both

    def to_json(self) -> Record:
        rows = None
        if self.keys is not None:
            rows = [[i, [key_to_json(key) for key in keys]] for i, keys in sorted(self.keys.items())]
        after = self.after.to_json() if isinstance(self.after, Figure) else dict(self.after)
        written = {name: text for name, text in after.pop("objects", {}).items() if name not in self.kept}
        return {
            "op": self.op,
            "figure": self.index,
            "after": {**after, "objects": written},
            "kept": sorted(self.kept),
            "keys": rows,
            "pending": None if self.pending is None else self.pending.to_json(),
            **({} if self.timings is None else {"timings": self._written_timings()}),
            **({} if self._lock_records is None else {"locks": self._lock_records}),
        }

    def _written_timings(self) -> list[list[Any]]:
        return [[i, timings_to_json(curves)] for i, curves in sorted((self.timings or {}).items())]

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> EditFigure:
        rows = record["keys"]
        keys = None if rows is None else {row[0]: tuple(key_from_json(key) for key in row[1]) for row in rows}
        rows = record.get("timings")
        timings = None if rows is None else {row[0]: timings_from_json(row[1]) for row in rows}
        pending = Pending.from_json(record["pending"])
        made = cls(record["figure"], record["after"], keys, pending, record["kept"], timings)
        made._lock_records = record.get("locks")
        return made
