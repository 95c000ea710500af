"""Words of a BVH file one after the other, and the place of each for messages."""

from __future__ import annotations

import math
import re

from core.errors import FormatError, Problem

FARTHEST = 1e9
"""The largest number that is read, for lengths and angles alike: what .scr files hold, and far beyond any motion."""

_WORD = re.compile(rb"[{}]|[^\s{}]+")
_SPACE = re.compile(rb"\s*")
_NAME = re.compile(rb"[^\n{}]*")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_LONGEST = 40


def shown(word: bytes) -> str:
    """Return a word for a message: in quotes, cut short."""
    text = word.decode("utf-8", "replace")
    text = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return f'"{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"}"'


def finite_number(word: bytes) -> float | None:
    """Return the number a word writes, None if it is none within ``FARTHEST``; ``nan`` and ``inf`` are none."""
    # Digits past the 400th do not change a float any more, and take long.
    if len(word) > 400 or not _NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if math.isfinite(value) and abs(value) <= FARTHEST else None


class Scanner:
    """Goes through a file's bytes word by word.

    Args:
        data: The bytes, line endings as newlines.
        file: Name of the file for messages.

    Attributes:
        at: Where the next word is looked for.
        start: Where the last word began.
    """

    def __init__(self, data: bytes, file: str):
        self.data = data
        self.file = file
        self.at = 0
        self.start = 0

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of a byte, counted from 1."""
        before = self.data.rfind(b"\n", 0, offset) + 1
        return self.data.count(b"\n", 0, offset) + 1, offset - before + 1

    def problem(self, message: str, offset: int | None = None) -> Problem:
        """Return a problem at the last word, or at a byte."""
        line, column = self.place(self.start if offset is None else offset)
        return Problem(self.file, line, column, message)

    def fail(self, message: str, offset: int | None = None) -> FormatError:
        """Return the error to raise; see ``problem``."""
        return FormatError(self.problem(message, offset))

    def word(self) -> bytes:
        """Return the next word, a brace being one of its own; ``b""`` at the end of the file."""
        match = _WORD.search(self.data, self.at)
        if match is None:
            self.start = self.at = len(self.data)
            return b""
        self.start, self.at = match.span()
        return match.group()

    def peek(self) -> bytes:
        """Return the next word without going past it."""
        start, at = self.start, self.at
        word = self.word()
        self.start, self.at = start, at
        return word

    def name(self) -> bytes:
        """Return what stands before the next brace or end of line, blanks in it kept; ``b""`` if a brace comes next."""
        space = _SPACE.match(self.data, self.at)
        assert space is not None  # it matches nothing too
        match = _NAME.match(self.data, space.end())
        assert match is not None
        self.start, self.at = match.span()
        return match.group().strip()

    def number(self, what: str) -> float:
        """Return the next word as a number.

        Args:
            what: What it is, for the message.

        Raises:
            FormatError: If it is none, or beyond ``FARTHEST``.
        """
        word = self.word()
        value = finite_number(word)
        if value is None:
            raise self.fail(f"{not_a_number(word)}; expected {what}")
        return value

    def brace(self, wanted: bytes, after: str) -> None:
        """Go past a brace.

        Raises:
            FormatError: If something else comes.
        """
        word = self.word()
        if word != wanted:
            found = f"{shown(word)} stands" if word else "the file ends"
            raise self.fail(f'{found} where "{wanted.decode()}" should follow {after}')


def not_a_number(word: bytes) -> str:
    """Return what is wrong with a word that ``finite_number`` refuses."""
    if not word:
        return "the file ends before its last number"
    if _NUMBER.fullmatch(word):
        return f"{shown(word)} is out of range, numbers go to {FARTHEST:g}"
    if _NUMBER.fullmatch(word.replace(b",", b".", 1)):
        return f"{shown(word)} has a decimal comma, numbers are written with a point"
    return f"{shown(word)} is not a number"
