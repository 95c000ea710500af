"""The command that changes the locks of a sequence: setting, ending, splitting, retargeting, clearing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.document.changes import Change, LocksChanged
from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.content.records import Record
from core.animation.locks.strip import LockStrip, strip_from_json, strip_to_json
from core.skeleton import Skeleton

Strips = tuple[LockStrip, ...]


class SetStrips(Command):
    """Put other lock strips in the place of those of a sequence.

    Args:
        sequence: Index of the sequence.
        before: Its strips before.
        after: Its strips then.
        skeleton: The figure of the sequence.
    """

    op = "set_strips"

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
        model.put_strips(self.sequence, self.after)

    def revert(self, model: Model) -> None:
        model.put_strips(self.sequence, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (LocksChanged(),)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetStrips) or later.sequence != self.sequence:
            return None
        return SetStrips(self.sequence, self.before, later.after, self._skeleton)

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
