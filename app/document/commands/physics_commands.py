"""The command that changes the settings of physics: gravity, floor, step, motors, and what stands in the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.document.changes import Change, PhysicsChanged
from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.content.records import Record


class SetPhysics(Command):
    """Put another record of physics in the place of the document's.

    Args:
        before: The record before, as the file keeps it.
        after: The record then.
    """

    op = "set_physics"

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]):
        self.before, self.after = dict(before), dict(after)

    def apply(self, model: Model) -> None:
        model.physics = dict(self.after)

    def revert(self, model: Model) -> None:
        model.physics = dict(self.before)

    def changes(self) -> tuple[Change, ...]:
        return (PhysicsChanged("settings"),)

    def merged(self, later: Command) -> Command | None:
        return SetPhysics(self.before, later.after) if isinstance(later, SetPhysics) else None

    def to_json(self) -> Record:
        return {"op": self.op, "before": self.before, "after": self.after}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> SetPhysics:
        return cls(record["before"], record["after"])
