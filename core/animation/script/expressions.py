"""The numbers of a script: expressions of the time, of joint values and of places of parts, in the words of the figure.

What a person writes, ``chest.bend`` or ``y("left hand")``, becomes the canonical text of
``core.constraints.equations``; the parser is that of all expressions. Nothing is ever run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.animation.locks.formula import LONGEST, TIMES
from core.animation.script.names import FigureNames, place_name
from core.animation.script.text import NUMBER, QUOTED, SIGN, WORD, ScriptError, Token, one_of, quoted
from core.constraints.equations import UNITS, stand_in_name
from core.errors import ExpressionError
from core.symbolic import evaluate, parse, symbol
from core.symbolic.parsing import CONSTANTS, FUNCTIONS

_LETTERS = ("x", "y", "z")


@dataclass(frozen=True)
class Number:
    """An expression of a script.

    Attributes:
        text: Its canonical text.
        timed: Whether it depends on the time.
        references: The joint values and places that it names, canonical.
        value: What it comes to if it depends on nothing; else None.
        parts: The parts that it names, by their names in the script.
    """

    text: str
    timed: bool
    references: tuple[str, ...]
    value: float | None
    parts: tuple[str, ...]


def read_number(text: str, tokens: Sequence[Token], start: int, end: int, names: FigureNames) -> Number:
    """Return an expression of a script.

    Args:
        text: The script.
        tokens: Its tokens, in their order.
        start: Where the expression begins in the script.
        end: Where it ends.
        names: What the figure has.

    Raises:
        ScriptError: If it is none, or names what is not there.
    """
    pieces: list[str] = []  # what is parsed: references have words of the same length in their place
    written: list[str] = []  # the canonical text
    known: dict[str, int] = {}
    parts: list[str] = []
    words = {}
    timed, at, k = False, start, 0
    while k < len(tokens):
        token = tokens[k]
        used, reference, part = _reference(tokens, k, names)
        if reference is not None:
            last = tokens[k + used - 1]
            number = known.setdefault(reference, len(known))
            word = stand_in_name(number, last.end - token.start)
            words[word] = symbol(f"r{number}")
            for target, piece in ((pieces, word), (written, reference)):
                target += [text[at : token.start], piece]
            parts.append(part)
            at, k = last.end, k + used
            continue
        if token.kind == QUOTED:
            raise ScriptError(
                f'{quoted(token.text)} alone is no number; expected a coordinate of it, as in "{token.text}".bend or '
                f'y("{token.text}")', token.start, token.end
            )  # fmt: skip
        if token.kind == WORD:
            _check_word(token, k + 1 < len(tokens) and tokens[k + 1].text == "(", names)
            timed = timed or token.text in TIMES
        k += 1
    pieces.append(text[at:end])
    written.append(text[at:end])
    joined = "".join(pieces)
    try:
        expression = parse(joined, {**{name: symbol(name) for name in TIMES}, **words}, UNITS, longest=LONGEST)
    except ExpressionError as error:
        place = start if error.position is None else start + min(error.position, end - start)
        raise ScriptError(error.reason, place, min(place + 1, end)) from None
    free = not timed and not known
    value = float(evaluate([expression], {})[0]) if free else None
    return Number("".join(written).strip(), timed, tuple(known), value, tuple(dict.fromkeys(parts)))


def _check_word(token: Token, called: bool, names: FigureNames) -> None:
    """Refuse a word that means nothing in an expression, with what may be meant."""
    word = token.text
    if word in TIMES or word in CONSTANTS or word in FUNCTIONS or word in UNITS:
        return
    if word in _LETTERS and called:
        raise ScriptError(
            f'{word}( is followed by no part; expected one, as in {word}("left hand")', token.start, token.end
        )
    if word in names.others:
        part = names.others[word].joints[-1].name
        raise ScriptError(
            f'{quoted(word)} is a figure; expected a part of it in the same quotes, as in "{word}.{part}"',
            token.start, token.end,
        )  # fmt: skip
    known = [*TIMES, *CONSTANTS, *FUNCTIONS]
    found = names.guessed(word, lambda: known)
    wanted = one_of(found or known)
    raise ScriptError(
        f"{quoted(word)} is not known here; expected {wanted}, or a coordinate such as chest.bend",
        token.start, token.end,
    )  # fmt: skip


def _reference(tokens: Sequence[Token], k: int, names: FigureNames) -> tuple[int, str | None, str]:
    """Return how many tokens from one on name a joint value or a place, its canonical text, and the part's name."""
    token = tokens[k]
    rest = tokens[k + 1 : k + 4]
    if token.kind == WORD and token.text in _LETTERS and rest and rest[0].text == "(" and rest[0].kind == SIGN:
        named = rest[1] if len(rest) > 1 and rest[1].kind in (WORD, QUOTED) else None
        if named is None:
            return 0, None, ""
        place = names.place(named)
        called = place_name(place.figure, place.named.joint)
        if len(rest) > 2 and rest[2].text == "," and rest[2].kind == SIGN:
            used, point = _point(tokens, k + 4, named)
            return 3 + used, f"{token.text}({called}, {', '.join(point)})", named.text
        if len(rest) < 3 or rest[2].text != ")":
            raise ScriptError(f'the place of {quoted(named.text)} is not closed; expected ")"', named.start, named.end)
        x, y, z = (float(value) for value in place.named.point)
        return 4, f"{token.text}({called}, {x!r}, {y!r}, {z!r})", named.text
    if token.kind == QUOTED and len(rest) > 1 and rest[0].text == "." and rest[0].kind == SIGN:
        word = rest[1]
        if word.kind != WORD:
            raise ScriptError(
                f"{word.shown} is no coordinate of {quoted(token.text)}; expected a word such as bend",
                word.start, word.end,
            )  # fmt: skip
        return 3, names.coordinate(token, word), token.text
    if token.kind == WORD and "." in token.text:
        part, _, coordinate = token.text.rpartition(".")
        cut = token.start + len(part)
        own = Token(WORD, part, token.start, cut)
        return 1, names.coordinate(own, Token(WORD, coordinate, cut + 1, token.end)), part
    return 0, None, ""


def _point(tokens: Sequence[Token], k: int, named: Token) -> tuple[int, list[str]]:
    """Return how many tokens give the three numbers of a point, with the ``)`` behind them, and the numbers."""
    found, at = [], k
    for sign in (",", ",", ")"):
        minus = at < len(tokens) and tokens[at].text == "-" and tokens[at].kind == SIGN
        at += minus
        if at + 1 >= len(tokens) or tokens[at].kind != NUMBER or tokens[at + 1].text != sign:
            raise ScriptError(
                f"a point of {quoted(named.text)} is three numbers behind its name; expected them, and )",
                named.start, named.end,
            )  # fmt: skip
        found.append(f"{'-' if minus else ''}{tokens[at].text}")
        at += 2
    return at - k + 1, found


def tokens_between(tokens: Sequence[Token], start: int, end: int) -> list[Token]:
    """Return the tokens that lie in a span."""
    return [token for token in tokens if token.start >= start and token.end <= end]
