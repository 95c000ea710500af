"""One step of the undo stack: the only kind of ``QUndoCommand`` there is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtGui import QUndoCommand

from app.document.commands.base import Command
from app.document.commands.figure_commands import SetActive
from app.document.commands.registry import command_from_json
from app.document.content.records import Record
from app.process.handler_guard import guarded

if TYPE_CHECKING:
    from app.document.content.key_selection import KeySelection
    from app.document.content.model import Model

_MERGES = 1
_revisions = itertools.count(1)


def new_revision() -> int:
    """Return a number that no content of any document had before."""
    return next(_revisions)


class StepOwner(Protocol):
    """What a step needs of the document it changes."""

    model: Model

    def before_history(self) -> None:
        """Make ready for Undo and Redo."""
        ...

    def after_history(self, step: Step, event: str) -> None:
        """Take note of a step that was done (``event`` ``"do"``), undone or done again."""
        ...


class Step(QUndoCommand):
    """Commands that are done and undone together.

    Args:
        document: The document they change.
        commands: Commands in order; checked already.
        text: What the history and the Undo menu call the step.
        gesture: Steps that follow each other with the same gesture number become one; None never merges.
        applied: Whether the commands have been applied already (a gesture does so while it lasts).

    Attributes:
        moved: The keys that the step has moved, where they were and where they are; None if it does something else.
        revision: Number of the content that the step leads to, also when it is done again.
    """

    def __init__(
        self,
        document: StepOwner,
        commands: Iterable[Command],
        text: str,
        gesture: int | None = None,
        applied: bool = False,
    ):
        super().__init__(text)
        self.document = document
        self.commands = tuple(commands)
        self.gesture = gesture
        self.applied = applied
        self.moved: tuple[KeySelection, KeySelection] | None = None
        self.revision = new_revision()
        self._fresh = True

    @guarded
    def redo(self) -> None:
        """Apply all commands; if one fails against its promise, take those before it back and leave the stack."""
        fresh, self._fresh = self._fresh, False
        if not fresh:
            self.document.before_history()
        if not (fresh and self.applied):
            self._apply()
        self.document.after_history(self, "do" if fresh else "redo")

    def _apply(self) -> None:
        model = self.document.model
        for i, command in enumerate(self.commands):
            try:
                command.apply(model)
            except Exception:
                for done in reversed(self.commands[:i]):
                    done.revert(model)
                self.setObsolete(True)
                raise

    @guarded
    def undo(self) -> None:
        """Revert all commands, last first."""
        self.document.before_history()
        for command in reversed(self.commands):
            command.revert(self.document.model)
        self.document.after_history(self, "undo")

    @guarded
    def id(self) -> int:
        """Return Qt's merge class."""
        return _MERGES if self.gesture is not None else -1

    @guarded
    def mergeWith(self, other: QUndoCommand) -> bool:
        """Take a later step of the same gesture into this one."""
        if not isinstance(other, Step) or other.gesture != self.gesture or other.isObsolete():
            return False
        if self.leads and not other.leads:
            self.commands = (*self.commands, *other.commands)
            self.revision = other.revision
            self.setText(other.text())
            return True
        merged = list(self.commands)
        for later in other.commands:
            for i, mine in enumerate(merged):
                both = mine.merged(later)
                if both is not None:
                    merged[i] = both
                    break
            else:
                return False
        self.commands = tuple(merged)
        self.revision = other.revision
        self.setText(other.text())
        if self.leads:
            first = self.commands[0]
            assert isinstance(first, SetActive)
            self.setObsolete(first.before == first.after)
        return True

    @property
    def leads(self) -> bool:
        """Whether it only chooses what the next step edits, and may become one with that."""
        return self.gesture is not None and all(isinstance(command, SetActive) for command in self.commands)

    def to_json(self) -> Record:
        """Return the step's record for the journal."""
        return {"text": self.text(), "gesture": self.gesture, "commands": [c.to_json() for c in self.commands]}

    @classmethod
    def from_json(cls, document: StepOwner, record: Mapping[str, Any]) -> Step:
        """Return the step of a record.

        Raises:
            CommandError: If a command in it is unknown or damaged.
        """
        commands = [command_from_json(command) for command in record["commands"]]
        return cls(document, commands, record["text"], record["gesture"])
