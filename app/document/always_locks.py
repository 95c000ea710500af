"""Locks that hold at all times: turned into strips, so that they can be edited, or removed; each is one undo step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from app.document.change import Change
from app.document.command import Command
from app.document.lock_commands import SetStrips
from core.animation.locks.strip import LockStrip, new_id
from core.constraints.records import lock_from_json, lock_to_json

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.model import Model
    from app.document.records import Record


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
        sequence.locks = [lock_from_json(record, sequence.skeleton) for record in records]  # type: ignore[assignment]
        model.forget_poses()

    def changes(self) -> tuple[Change, ...]:
        return (Change("locks", {"live": False}),)

    def to_json(self) -> Record:
        return {"op": self.op, "sequence": self.sequence, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetAlwaysLocks:
        return cls(record["sequence"], record["before"], record["after"])


def _without(document: Document, number: int) -> SetAlwaysLocks:
    sequence = document.sequence
    assert sequence is not None
    records = [lock_to_json(lock, sequence.skeleton) for lock in sequence.locks]
    return SetAlwaysLocks(document.model.sequence_index, records, [*records[:number], *records[number + 1 :]])


def turn_into_strip(document: Document, number: int) -> str:
    """Make of a lock that holds at all times a strip from frame 0 on without end; return the strip's id."""
    sequence = document.sequence
    assert sequence is not None
    strip, before = LockStrip(sequence.locks[number], 0, None, id=new_id()), tuple(sequence.locks.strips)
    index = document.model.sequence_index
    put = SetStrips(index, before, (*before, strip), sequence.skeleton)
    document._do("Turn lock into a strip", lambda: [_without(document, number), put])
    return strip.id


def remove_always(document: Document, number: int) -> bool:
    """Remove a lock that holds at all times."""
    return document._do("Remove lock", lambda: [_without(document, number)])
