"""The command on locks of a sequence that hold at all times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from app.document.changes import Change, LocksChanged
from app.document.commands.base import Command
from core.constraints.records import lock_from_json

if TYPE_CHECKING:
    from app.document.content.model import Model
    from app.document.content.records import Record


class SetAlwaysLocks(Command):
    """Put other locks in the place of those of a sequence that hold at all times.

    Args:
        sequence: Index of the sequence.
        before: Records of its locks before.
        after: Records of its locks then.
    """

    op = "set_always_locks"

    def __init__(self, sequence: int, before: Iterable[Record], after: Iterable[Record]):
        self.sequence, self.before, self.after = sequence, list(before), list(after)

    def apply(self, model: Model) -> None:
        self._put(model, self.after)

    def revert(self, model: Model) -> None:
        self._put(model, self.before)

    def _put(self, model: Model, records: list[Record]) -> None:
        sequence = model.sequences[self.sequence]
        sequence.locks = [lock_from_json(record, sequence.skeleton) for record in records]
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        return (LocksChanged(),)

    def to_json(self) -> Record:
        return {"op": self.op, "sequence": self.sequence, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetAlwaysLocks:
        return cls(record["sequence"], record["before"], record["after"])
