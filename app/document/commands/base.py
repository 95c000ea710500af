"""What a command is: one change of the model that can be done, taken back, and written as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

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


class Exchange(Command):
    """A command that puts a value in the place of another one, and on undo the other one back.

    Its constructor takes the values of ``place``, then ``before`` and ``after``; its record holds them by these names.

    Attributes:
        place: Names of the attributes that say where the value stands.
        merges: Whether later ones of the same gesture and place become one with it.
        before: The value before.
        after: The value then.
    """

    place: ClassVar[tuple[str, ...]] = ()
    merges: ClassVar[bool] = True
    before: Any
    after: Any

    @abstractmethod
    def put(self, model: Model, value: Any) -> None:
        """Put a value into the model."""

    def apply(self, model: Model) -> None:
        self.put(model, self.after)

    def revert(self, model: Model) -> None:
        self.put(model, self.before)

    def merged(self, later: Command) -> Command | None:
        if not self.merges or type(later) is not type(self) or any(vars(self)[n] != vars(later)[n] for n in self.place):
            return None
        both = copy(later)
        both.before = self.before
        return both

    def to_json(self) -> Record:
        places = {name: getattr(self, name) for name in self.place}
        return {"op": self.op, **places, "before": self.written(self.before), "after": self.written(self.after)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        before, after = cls.read(record["before"]), cls.read(record["after"])
        return cls(*(record[name] for name in cls.place), before, after)

    @staticmethod
    def written(value: Any) -> Any:
        """Return a value as the record holds it."""
        return value

    @staticmethod
    def read(value: Any) -> Any:
        """Return the value that a record holds."""
        return value
