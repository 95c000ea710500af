"""A table of a TOML file, read key by key: every problem names file, line, key and value, and what would be right."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from core.errors import FormatError, Problem
from core.formats.files import read_text

LARGEST = 4 * 1024 * 1024
_KEY = re.compile(r"""^\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*[=.]""")
_HEADER = re.compile(r"^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$")


class Table:
    """One table, or the top of a file.

    Args:
        values: What it has, as ``tomllib`` gives it.
        where: What messages call it, as ``step 2 (reduce)``; "" for the top of the file.
        file: Name of the file.
        folder: The folder that paths in it count from.
        lines: In which line each key stands, counted from 1.
        line: In which line the table begins; 0 if that is not known.
        problems: Where problems go.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        where: str,
        file: str,
        folder: Path,
        lines: Mapping[str, int],
        line: int,
        problems: list[Problem],
    ):
        self.values, self.where, self.folder = values, where, folder
        self._file, self._lines, self._line, self._problems = file, lines, line, problems
        self._asked: list[str] = []

    def problem(self, key: str, message: str) -> None:
        """Note what is wrong with a key, or with the table as a whole (``""``)."""
        line = self._lines.get(key, self._line)
        place = f"{self.where}: " if self.where else ""
        self._problems.append(Problem(self._file, line, 0, f"{place}{f'{key}: ' if key else ''}{message}"))

    def get(self, key: str) -> Any:
        """Return the value of a key as it stands, None if it is not there; the key counts as known from now on."""
        self._asked.append(key)
        return self.values.get(key)

    def number(
        self, key: str, usual: float | None = None, least: float = -math.inf, most: float = math.inf, unit: str = ""
    ) -> float | None:
        """Return a number from ``least`` to ``most``; ``usual`` if the key is not there, or is wrong."""
        value = self.get(key)
        if value is None:
            return usual
        found = number_of(value)
        if found is None or not least <= found <= most:
            self.problem(key, f"{_shown(value)} is not right; expected {between(least, most, unit)}")
            return usual
        return found

    def whole(self, key: str, usual: int | None = None, least: int = 0, most: int = 2**31 - 1) -> int | None:
        """Return a whole number from ``least`` to ``most``; ``usual`` if the key is not there, or is wrong."""
        value = self.get(key)
        if value is None:
            return usual
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.problem(key, f"{_shown(value)} is not right; expected a whole number from {least} to {most}")
            return usual
        return value

    @overload
    def flag(self, key: str, usual: bool) -> bool: ...

    @overload
    def flag(self, key: str, usual: None) -> bool | None: ...

    def flag(self, key: str, usual: bool | None) -> bool | None:
        """Return true or false; ``usual`` if the key is not there, or is wrong."""
        value = self.get(key)
        if value is None:
            return usual
        if not isinstance(value, bool):
            self.problem(key, f"{_shown(value)} is not right; expected true or false")
            return usual
        return value

    def text(self, key: str, usual: str | None = None) -> str | None:
        """Return a text that is not empty; ``usual`` if the key is not there, or is wrong."""
        value = self.get(key)
        if value is None:
            return usual
        if not isinstance(value, str) or not value.strip():
            self.problem(key, f"{_shown(value)} is not right; expected a text in quotes")
            return usual
        return value

    def choice(self, key: str, valid: Sequence[str], usual: str | None = None) -> str | None:
        """Return one of some texts; ``usual`` if the key is not there, or is wrong."""
        value = self.get(key)
        if value is None:
            return usual
        if value not in valid:
            known = ", ".join(f'"{each}"' for each in valid)
            self.problem(key, f"{_shown(value)} is not right; expected one of {known}{_meant(value, valid)}")
            return usual
        return str(value)

    def file(self, key: str) -> Path | None:
        """Return the path of a file that is there, counted from the folder of the steps; None if it is not given."""
        value = self.text(key)
        if value is None:
            return None
        path = (self.folder / value).resolve()
        if not path.is_file():
            self.problem(key, f'"{value}" is not there; expected the path of a file, counted from {self.folder}')
            return None
        return path

    def seeds(self, key: str, most: int) -> tuple[int, ...]:
        """Return seeds: a list of whole numbers, or how many, counted from 1; () if the key is missing or wrong."""
        value = self.get(key)
        if value is None:
            return ()
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return tuple(range(1, value + 1))
        fine = isinstance(value, list) and value and len(value) <= most
        if fine and all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each < 2**32 for each in value):
            if len(set(value)) == len(value):
                return tuple(value)
            self.problem(key, f"{_shown(value)} names a seed twice; expected each seed once")
            return ()
        self.problem(key, f"{_shown(value)} is not right; expected how many (1 to {most}), or a list such as [1, 2, 7]")
        return ()

    def finish(self) -> None:
        """Note the keys that nobody has asked for."""
        for key in self.values:
            if key not in self._asked:
                known = ", ".join(dict.fromkeys(self._asked))
                self.problem(key, f"is not a key here{_meant(key, self._asked)}; expected one of {known}")


def number_of(value: object) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def between(least: float, most: float, unit: str = "") -> str:
    """Return in words which numbers are right."""
    unit = f" {unit}" if unit else ""
    if math.isinf(most):
        return "a number" + unit if math.isinf(least) else f"a number of at least {least:g}{unit}"
    return f"a number from {least:g} to {most:g}{unit}"


def read_toml(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a TOML file holds, and its lines.

    Raises:
        FormatError: If it cannot be read, or is no TOML; names the line.
    """
    text = read_text(path, LARGEST)
    try:
        return tomllib.loads(text), text.split("\n")
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$| \(at end of document\)$", message)
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (0, 0)
        said = message[: place.start()] if place else message
        raise FormatError(Problem(path.name, line, column, f"is not TOML: {said[:1].lower()}{said[1:]}")) from None


def lines_of(lines: Sequence[str], name: str, count: int) -> list[tuple[int, dict[str, int]]]:
    """Return where the tables of a name stand: the line of each, and of its keys, counted from 1.

    Args:
        lines: Of the file.
        name: Name of the tables; "" for the top of the file.
        count: How many there are.

    Returns:
        One for each; all zero and empty if they are written in another way than ``[[name]]``.
    """
    found: list[tuple[int, dict[str, int]]] = [(1, {})] if not name else []
    inside = not name
    for number, text in enumerate(lines, 1):
        header = _HEADER.match(text)
        if header:
            inside = header[1].strip() == name
            if inside:
                found.append((number, {}))
            continue
        key = _KEY.match(text) if inside else None
        if key:
            found[-1][1].setdefault(next(each for each in key.groups() if each), number)
    return found if len(found) == count else [(0, {})] * count


def as_toml(value: object) -> str:
    """Return a value as TOML has it: a text in quotes, ``true``, a list in brackets."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(as_toml(each) for each in value)}]"
    return f'"{value}"' if isinstance(value, (str, Path)) else str(value)


def _shown(value: object) -> str:
    """Return a value as TOML has it, cut short."""
    text = as_toml(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _meant(value: object, valid: Sequence[str]) -> str:
    near = difflib.get_close_matches(value, valid, 1) if isinstance(value, str) else []
    return f'; did you mean "{near[0]}"?' if near else ""
