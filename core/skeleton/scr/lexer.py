"""Words, numbers and strings of a .scr file, line by line, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from core.errors import SkeletonError

WORD, NUMBER, STRING = "word", "number", "string"

MOST_BYTES = 64 * 1024 * 1024

LONGEST_LINE = 100_000
"""Most characters of a line; more would take long to tell what is wrong with."""
_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<comment>\#.*)"
    # In straight quotes two in a row stand for one, so that any name can be written.
    r'|(?P<straight>"(?:[^"]|"")*")'
    r"|(?P<curly>[“”„][^“”]*[“”])"
    r'|(?P<unclosed>["“”„].*)'
    r'|(?P<word>[^\s"“”„#]+)',
    re.DOTALL,
)
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_LONGEST_GUESS = 40
_MOST_GUESSES = 2000


class LineProblem(Exception):  # noqa: N818 - it never leaves the readers, which turn it into a Problem
    """What is wrong at one place of the line being read.

    Attributes:
        line: Line, counted from 1.
        column: Column, counted from 1.
        message: What is wrong; what was expected.
    """

    def __init__(self, line: int, column: int, message: str):
        super().__init__(message)
        self.line = line
        self.column = column
        self.message = message


class Token(NamedTuple):
    """One word, number or string.

    Attributes:
        kind: ``"word"``, ``"number"`` or ``"string"``.
        text: What stands there; for a string without its quotes.
        value: The number; 0 for the others. May be infinite or NaN.
        line: Line, counted from 1.
        column: Column of the first character, counted from 1.
    """

    kind: str
    text: str
    value: float
    line: int
    column: int

    def __str__(self) -> str:
        return f'"{shortened(self.text)}"' if self.kind == STRING else shortened(self.text)


def shortened(text: str, most: int = 60) -> str:
    """Return ``text`` fit for a message: control characters replaced, at most ``most`` characters."""
    clean = CONTROL.sub("?", text)
    return clean if len(clean) <= most else clean[: most - 3] + "..."


def parse_number(text: str) -> float | None:
    """Return the number that ``text`` writes, with ``-`` or the Unicode minus; None if it is none."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return float(text) if _NUMBER.fullmatch(text) else None


def quoted(text: str, what: str) -> str:
    """Return ``text`` in quotes, as it is read back.

    Args:
        text: A name, a label or a path.
        what: What it is, for the message.

    Raises:
        SkeletonError: If it is empty, or has a line break or a control character in it.
    """
    if CONTROL.search(text) or "\n" in text or not text.strip():
        raise SkeletonError(f"{what} {text!r} cannot be written to a file; expected text on one line")
    return '"' + text.replace('"', '""') + '"'


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with any line ending (LF, CR LF, CR)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def tokenize_line(text: str, number: int, problems: list[LineProblem]) -> list[Token]:
    """Return the tokens of one line, comments left out.

    A string that is not closed is reported and taken to run to the end of the line, so that reading can go on.

    Args:
        text: The line, without its line ending.
        number: Its number, counted from 1.
        problems: Gets what is wrong.
    """
    tokens: list[Token] = []
    if len(text) > LONGEST_LINE:
        message = f"this line has {len(text):,} characters; expected at most {LONGEST_LINE:,}"
        problems.append(LineProblem(number, 1, message))
        return tokens
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind in ("blank", "comment"):
            continue
        piece, column = match.group(), match.start() + 1
        if kind == "word":
            value = parse_number(piece)
            token = (
                Token(WORD, piece, 0.0, number, column)
                if value is None
                else Token(NUMBER, piece, value, number, column)
            )
        elif kind == "unclosed":
            problems.append(
                LineProblem(number, column, "this string is not closed; expected a closing quote on the same line")
            )
            token = Token(STRING, piece[1:].split("#")[0].strip(), 0.0, number, column)
        else:
            inner = piece[1:-1]
            token = Token(STRING, inner.replace('""', '"') if kind == "straight" else inner, 0.0, number, column)
        control = CONTROL.search(piece)
        if control:
            at = column + control.start()
            code = ord(control.group())
            problems.append(LineProblem(number, at, f"character U+{code:04X} has no place here; expected plain text"))
            token = token._replace(text=CONTROL.sub("?", token.text))
        tokens.append(token)
    return tokens


def tokenize(text: str, problems: list[LineProblem]) -> Iterator[list[Token]]:
    """Yield the tokens of each line that has any.

    Args:
        text: A whole .scr file.
        problems: Gets what is wrong, while the lines are read.
    """
    for number, line in enumerate(split_lines(text), start=1):
        tokens = tokenize_line(line, number, problems)
        if tokens:
            yield tokens


def choices(word: str, valid: Iterable[str]) -> str:
    """Return the end of a message: the nearest valid word, if any is near, else all of them."""
    words = list(valid)
    near = nearest(word, words)
    return f'did you mean "{near}"?' if near else f"expected {listed(words)}"


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """Return the valid word most like ``word``, or None if none is near."""
    names = list(valid)
    if len(word) > _LONGEST_GUESS or len(names) > _MOST_GUESSES:
        return None  # comparing would take longer than it helps
    by_folded = {name.casefold(): name for name in names}
    found = get_close_matches(word.casefold(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def listed(words: Iterable[str]) -> str:
    """Return ``a, b or c``."""
    names = list(words)
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


class Cursor:
    """Reads the tokens of one line from left to right; every method raises :class:`LineProblem` where it cannot.

    Args:
        tokens: The line's tokens, at least one.
        usage: What the whole line should look like, for messages.
    """

    def __init__(self, tokens: list[Token], usage: str = ""):
        self.tokens = tokens
        self.usage = usage
        self.at = 0

    @property
    def next(self) -> Token | None:
        """The token to be read next; None at the end of the line."""
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def fail(self, message: str, token: Token | None = None) -> LineProblem:
        """Return the problem ``message`` at a token, or where the line ends."""
        token = token or self.next
        if token is None:
            last = self.tokens[-1]
            quotes = 2 if last.kind == STRING else 0
            return LineProblem(last.line, last.column + len(last.text) + quotes, message)
        return LineProblem(token.line, token.column, message)

    def take(self) -> Token:
        """Return the next token and step over it."""
        token = self.next
        if token is None:
            raise self.fail(f"the line ends too soon; expected {self.usage}")
        self.at += 1
        return token

    def number(self, what: str, finite: bool = True) -> float:
        """Return the next token's number.

        Args:
            what: What the number means, for messages.
            finite: Whether infinity is refused; NaN always is.
        """
        token = self.next
        if token is None:
            raise self.fail(f"{what} is missing; expected {self.usage}")
        if token.kind != NUMBER:
            raise self.fail(f"{token} is not a number; expected {what}: {self.usage}")
        if token.value != token.value or (finite and abs(token.value) == float("inf")):
            raise self.fail(f"{token} is not a finite number; expected {what}: {self.usage}")
        self.at += 1
        return token.value + 0.0

    def string(self, what: str) -> Token:
        """Return the next token, which must be a string that is not empty."""
        token = self.next
        if token is None:
            raise self.fail(f"{what} is missing; expected {self.usage}")
        if token.kind != STRING:
            raise self.fail(f"{token} is not in quotes; expected {what} in quotes: {self.usage}")
        if not token.text.strip():
            raise self.fail(f"{what} is empty; expected {self.usage}")
        self.at += 1
        return token

    def end(self) -> None:
        """Check that the line ends here."""
        if self.next is not None:
            raise self.fail(f"{self.next} is too much on this line; expected {self.usage or 'the end of the line'}")
