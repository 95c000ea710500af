"""What a command is: one change of the model that can be done, taken back, and written as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from app.document.changes import Change
from app.document.content.model import Model
from app.document.content.records import Record
from core.errors import CoreError


class CommandError(CoreError):
    """A command record that names an operation or a value that does not exist."""


class Command(ABC):
    """One change of a model that can be taken back.

    A command is checked by whoever makes it; ``apply`` and ``revert`` then do not fail. ``revert`` is called only on
    the state that ``apply`` left. A command from JSON behaves as the one that was written.

    Attributes:
        op: The operation's name in JSON.
    """

    op: ClassVar[str]

    @abstractmethod
    def apply(self, model: Model) -> None:
        """Make the change."""

    @abstractmethod
    def revert(self, model: Model) -> None:
        """Take it back, bit for bit."""

    @abstractmethod
    def changes(self) -> tuple[Change, ...]:
        """Return what views must hear of, for ``apply`` and ``revert`` alike; the pose is reported by the document."""

    def frames(self) -> tuple[int, ...]:
        """Return the frames of the sequence at which it changes keys; Undo and Redo go to the nearest of them."""
        return ()

    @abstractmethod
    def to_json(self) -> Record:
        """Return the record, ``"op"`` included."""

    @classmethod
    @abstractmethod
    def from_json(cls, record: Mapping[str, Any]) -> Command:
        """Return the command of a record."""

    def merged(self, later: Command) -> Command | None:
        """Return one command for this and a later one of the same gesture, or None if they do not go together."""
        return None
