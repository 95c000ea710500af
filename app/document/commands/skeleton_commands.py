"""The command that puts an edited figure in a figure's place, with all poses carried over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.document.changes import Change, FigureChanged, HybridChanged, KeysChanged, LocksChanged, PendingChanged
from app.document.commands.base import Command
from app.document.content.model import Model, Pending
from app.document.content.records import AllLocks, Figure, Record, all_locks_from_json, all_locks_to_json
from core.animation.curves.timing_curves import TimingCurve
from core.animation.key import Key
from core.animation.key_records import key_from_json, key_to_json, timings_from_json, timings_to_json

SequenceKeys = Mapping[int, tuple[Key, ...]]
SequenceTimings = Mapping[int, Mapping[str, TimingCurve]]


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
