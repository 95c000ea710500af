"""The command that changes the hybrid strips of a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.document.changes import Change, HybridChanged
from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.content.records import Record
from core.animation.hybrid_strips import HybridStrip, hybrid_from_json, hybrids_to_json


class SetHybridStrips(Command):
    """Put other hybrid strips in the place of those of a sequence.

    Args:
        sequence: Index of the sequence.
        before: Its strips before.
        after: Its strips then.
    """

    op = "set_hybrid_strips"

    def __init__(self, sequence: int, before: Iterable[HybridStrip], after: Iterable[HybridStrip]):
        self.sequence, self.before, self.after = sequence, tuple(before), tuple(after)

    def apply(self, model: Model) -> None:
        model.put_hybrid_strips(self.sequence, self.after)

    def revert(self, model: Model) -> None:
        model.put_hybrid_strips(self.sequence, self.before)

    def changes(self) -> tuple[Change, ...]:
        return (HybridChanged(),)

    def merged(self, later: Command) -> Command | None:
        if not isinstance(later, SetHybridStrips) or later.sequence != self.sequence:
            return None
        return SetHybridStrips(self.sequence, self.before, later.after)

    def to_json(self) -> Record:
        before, after = hybrids_to_json(self.before), hybrids_to_json(self.after)
        return {"op": self.op, "sequence": self.sequence, "before": before, "after": after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetHybridStrips:
        before, after = ([hybrid_from_json(item) for item in record[name]] for name in ("before", "after"))
        return cls(record["sequence"], before, after)
