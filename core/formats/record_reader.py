"""Members of a JSON record, checked one by one; problems are gathered, each with its place in the structure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from core.animation.key import MAX_FRAME
from core.errors import FormatError, Problem
from core.formats import json_text

LISTED = 200
"""Most problems that are listed."""

_REQUIRED: Any = object()


class TooManyError(Exception):
    """So many problems that looking on is no use."""


class RecordReader:
    """Reads the records of one file and gathers its problems, each with its place in the structure.

    Args:
        file: Name of the file for messages.
        folder: Folder it lies in, for sources with a relative path.
    """

    def __init__(self, file: str, folder: Path | None):
        self.file = file
        self.folder = folder
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    # -- problems ------------------------------------------------------------------------------------------------

    def problem(self, place: str, message: str) -> None:
        self.problems.append(Problem(self.file, 0, 0, f"{place}: {message}" if place else message))
        if len(self.problems) >= LISTED:
            raise TooManyError

    def fail(self, place: str, message: str) -> FormatError:
        return FormatError([*self.problems, Problem(self.file, 0, 0, f"{place}: {message}" if place else message)])

    # -- values --------------------------------------------------------------------------------------------------

    def member(self, data: dict[str, Any], place: str, name: str, kinds: str, default: Any = _REQUIRED) -> Any:
        """Return a member after checking that it is of one of ``kinds``, else note a problem and return None."""
        here = f"{place}.{name}" if place else name
        if name not in data:
            if default is not _REQUIRED:
                return default
            self.problem(here, f"is missing; expected {kinds}")
            return None
        value = data[name]
        if not any(_KINDS[kind](value) for kind in kinds.split(" or ")):
            self.problem(here, f"{json_text.show(value)} is not {kinds}")
            return None
        return value

    def records(self, data: dict[str, Any], place: str, name: str) -> list[tuple[dict[str, Any], str]]:
        """Return the objects of a list with their places; what is no object is noted as a problem."""
        found: list[tuple[dict[str, Any], str]] = []
        here = f"{place}.{name}" if place else name
        for i, item in enumerate(self.member(data, place, name, "a list", []) or []):
            if isinstance(item, dict):
                found.append((item, f"{here}[{i}]"))
            else:
                self.problem(f"{here}[{i}]", f"{json_text.show(item)} is not an object")
        return found

    def frame(self, data: dict[str, Any], place: str, name: str = "frame") -> int | None:
        """Return a member that is a frame, else note a problem and return None."""
        frame: int | None = self.member(data, place, name, "a whole number")
        if frame is not None and not 0 <= frame <= MAX_FRAME:
            valid = f"valid are whole numbers from 0 to {MAX_FRAME}"
            self.problem(f"{place}.{name}", f"{json_text.show(frame)} is out of range; {valid}")
            return None
        return frame

    def number_up_to(self, data: dict[str, Any], place: str, name: str, most: float, default: float) -> float:
        """Return a member that is a number from 0 to ``most``; what is none is noted as a problem."""
        value = self.member(data, place, name, "a number", default)
        if value is not None and not 0 <= value <= most:
            self.problem(f"{place}.{name}", f"{json_text.show(value)} is out of range; valid are 0 to {most:g}")
        return float(value) if value is not None else default

    def choice(self, data: dict[str, Any], place: str, name: str, valid: Collection[str], default: str) -> str:
        """Return a member that is one of some words; for what is none, noted as a problem, the default."""
        value: str | None = self.member(data, place, name, "text", default)
        if value is None or value in valid:
            return value or default
        self.problem(f"{place}.{name}", f"{json_text.show(value)} is unknown; valid are {', '.join(valid)}")
        return default

    def name_and_id(self, data: dict[str, Any], place: str) -> tuple[str | None, str | None]:
        """Return the name and the id of a strip's record; what is wrong is noted as a problem."""
        name = self.member(data, place, "name", "text or null", None)
        id = self.member(data, place, "id", "text or null", None)
        if id == "":
            self.problem(f"{place}.id", "is empty; expected text that no other strip has, or null")
        return name, id

    def number(self, value: Any) -> float | None:
        """Return a value as a float if it is a finite number, else None."""
        return _number(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_frame(value: Any) -> bool:
    return _whole(value) and 0 <= value <= MAX_FRAME


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def unknown_members(data: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    names = set(known)
    return {name: value for name, value in data.items() if name not in names}


_KINDS: dict[str, Any] = {
    "text": lambda value: isinstance(value, str),
    "null": lambda value: value is None,
    "a list": lambda value: isinstance(value, list),
    "an object": lambda value: isinstance(value, dict),
    "a number": lambda value: _number(value) is not None,
    "a whole number": _whole,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
}
