"""What a script is made of before it means anything: words, quoted names, numbers and signs, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

LONGEST = 100_000
"""Most characters of a script."""
LONGEST_LINE = 2000
"""Most characters of a line."""
MOST_LINES = 4000
"""Most lines of a script."""

WORD, QUOTED, NUMBER, SIGN = "word", "quoted", "number", "sign"
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[^\W\d]\w*(?:\.[^\W\d]\w*)*|[°%])"
    r'|"(?P<quoted>[^"]*)"'
    r"|(?P<sign>\*\*|[-+*/^(),;=.−×÷])"
)
_LONGEST_GUESS = 40
_MOST_GUESSED = 400
_LISTED = 8


class ScriptError(Exception):
    """What is wrong with a statement, at a place of the script; the reader of a script collects them."""

    def __init__(self, message: str, start: int, end: int):
        super().__init__(message)
        self.message, self.start, self.end = message, start, max(end, start)


@dataclass(frozen=True)
class ScriptProblem:
    """What is wrong in a script, and where.

    Attributes:
        line: Counted from 1.
        column: Counted from 1, in characters.
        message: What is wrong, and what would be right.
        start: Place in the text, counted from 0.
        end: Place behind it.
    """

    line: int
    column: int
    message: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


@dataclass(frozen=True)
class Token:
    """A word, a quoted name, a number or a sign.

    Attributes:
        kind: ``WORD``, ``QUOTED``, ``NUMBER`` or ``SIGN``.
        text: What it says; of a quoted name without the quotes.
        start: Its place in the script.
        end: The place behind it.
    """

    kind: str
    text: str
    start: int
    end: int

    @property
    def shown(self) -> str:
        """It in quotes, for messages."""
        return quoted(self.text)


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, with what cannot be seen spelled out."""
    seen = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text[:30])
    return f'"{seen}{"…" if len(text) > 30 else ""}"'


def line_tokens(text: str, start: int, end: int) -> tuple[list[Token], int]:
    """Return the tokens of a line and where its statement ends: before its comment, or at its end.

    Raises:
        ScriptError: If there is something that is no token, or a quote is not closed.
    """
    if end - start > LONGEST_LINE:
        raise ScriptError(f"the line has {end - start} characters; expected at most {LONGEST_LINE}", start, end)
    found: list[Token] = []
    at = start
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        if text[at] == "#":
            return found, at
        match = _TOKEN.match(text, at, end)
        if match is None:
            if text[at] == '"':
                raise ScriptError('the quote is not closed; expected " behind the name', at, end)
            raise ScriptError(f"{quoted(text[at])} is not understood; expected words, numbers or names", at, at + 1)
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], at, match.end()))
        at = match.end()
    return found, end


def one_of(words: list[str]) -> str:
    """Return words as a list in a sentence, at most eight of them: ``"a, b or c"``."""
    shown, more = words[:_LISTED], len(words) - _LISTED
    if more > 0:
        return f"{', '.join(shown)} or one of {more} more"
    return f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else "".join(shown)


def nearest(word: str, known: list[str]) -> list[str]:
    """Return names that a person may have meant: that end or begin with the word, or look like it, the best first."""
    low = word.lower()
    ends = [name for name in known if name.lower() == low or name.lower().endswith((f" {low}", f".{low}", f"_{low}"))]
    if ends:
        return ends[:4]
    begun = list(dict.fromkeys(name for name in known if low and name.lower().startswith(low)))
    if begun:
        return begun[:4]
    if not 2 <= len(word) <= _LONGEST_GUESS or len(known) > _MOST_GUESSED:
        return []
    by_low = {name.lower(): name for name in known}
    return [by_low[name] for name in get_close_matches(low, list(by_low), n=2, cutoff=0.6)]
