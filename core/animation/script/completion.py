"""What may stand at a place of a script: keywords, parts, points, coordinates of joints, paths, functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.animation.locks.formula import TIMES
from core.animation.script.making import paths_of
from core.animation.script.names import FigureNames, named_points
from core.animation.script.reading import (
    CLAUSES,
    FILLERS,
    LOCK,
    PATH_WORD,
    kind_toward,
    kind_words,
    read_script,
    stops,
)
from core.animation.script.text import QUOTED, SIGN, WORD, ScriptError, Token, line_tokens
from core.animation.script.writing import name_text
from core.constraints.equations import coordinate_words
from core.constraints.kinds import KINDS, Kind
from core.symbolic.parsing import FUNCTIONS

_COORDINATE = re.compile(r'(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\W\d]\w*(?:\.[^\W\d]\w*)*))\.(?P<begun>\w*)$')
_QUOTE = re.compile(r'"(?P<begun>[^"]*)$')
_WORD = re.compile(r"[^\W\d][\w.]*$")
_PLACES = ("x(", "y(", "z(")


@dataclass(frozen=True)
class Completion:
    """What may stand at a place.

    Attributes:
        start: Where what is typed already begins.
        words: What may stand there instead, best first.
    """

    start: int
    words: tuple[str, ...]


def complete(text: str, position: int, names: FigureNames) -> Completion:
    """Return what may stand at a place of a script.

    Args:
        text: The script.
        position: The place, counted from 0.
        names: What the figure has.
    """
    begin = text.rfind("\n", 0, position) + 1
    line = text[begin:position]
    quote = _QUOTE.search(line) if line.count('"') % 2 else None
    if quote is not None:
        begun, start = quote["begun"], begin + quote.start()
    else:
        coordinate = _COORDINATE.search(line)
        if coordinate is not None:
            found = _coordinates(coordinate["quoted"] or coordinate["bare"] or "", names)
            if found:
                return _matching(found, coordinate["begun"], position - len(coordinate["begun"]))
        word = _WORD.search(line)
        begun = word.group(0) if word is not None else ""
        start = position - len(begun)
    try:
        tokens, end = line_tokens(text, begin, start)
    except ScriptError:
        return Completion(start, ())
    if end < start:
        return Completion(position, ())  # a comment
    words = _words(tokens, text, names)
    if quote is not None:
        words = [
            f'"{word.strip(chr(34))}"'
            for word in words
            if word.strip('"') != word or "." in word or word.isidentifier()
        ]
        return _matching(words, begun, start)
    return _matching(words, begun, start)


def _matching(words: list[str], begun: str, start: int) -> Completion:
    low = begun.lower().strip('"')
    plain = [word.lower().strip('"') for word in words]
    first = [word for word, bare in zip(words, plain, strict=True) if bare.startswith(low)]
    inside = [
        word for word, bare in zip(words, plain, strict=True)
        if low and not bare.startswith(low) and re.search(rf"(^|[ .]){re.escape(low)}", bare)
    ]  # fmt: skip
    found = tuple(dict.fromkeys([*first, *inside]))
    return Completion(start, () if len(found) == 1 and plain and found[0] == begun else found)


def _coordinates(part: str, names: FigureNames) -> list[str]:
    if part in names.others:
        return []
    figure, name = names.figure_of(part)
    s = names.skeleton if figure is None else names.others[figure]
    place = named_points(s).get(name)
    return [] if place is None else list(coordinate_words(s, s.joint_index(place.joint)))


def _parts(names: FigureNames, others: bool = False) -> list[str]:
    found = [name_text(name) for name in names.points]
    if others:
        found += [name_text(f"{figure}.{name}") for figure, s in names.others.items() for name in named_points(s)]
    return found


def _words(tokens: list[Token], text: str, names: FigureNames) -> list[str]:
    """Return what may follow some tokens of a line."""
    if not tokens:
        return [LOCK, PATH_WORD]
    if tokens[0].text != LOCK:
        return []
    if any(token.kind == SIGN and token.text == "=" for token in tokens) or _depth(tokens):
        return [*_numbers(names), *([] if _depth(tokens) else _clauses(tokens, None))]
    if len(tokens) == 1:
        whole = [word for kind in KINDS if kind.of_figure and not kind.by_equation for word in kind.script_words]
        return [*_parts(names), *whole, *_PLACES]
    last = tokens[-1]
    kind, at = _kind(tokens)
    if kind is None:
        words = [word for each in KINDS if not each.of_figure and not each.by_equation for word in each.script_words]
        return ["to", *words] if last.text not in FILLERS else [PATH_WORD, *words]
    if last.text in ("using", "over") or (last.text == "," and not _depth(tokens)):
        return _parts(names)
    if kind.takes_other and at == len(tokens) and last.text != kind.toward:
        return [kind.toward]
    if kind.takes_other and last.text == kind.toward:
        return _parts(names, others=True)
    if at == len(tokens) and kind_toward(tuple(kind.script_words[0].split())) is not None:
        return [*_parts(names, others=True), *_clauses(tokens, kind)]
    if kind.by_points and at == len(tokens):
        return [*(name_text(name) for name in paths_of(read_script(text))), *_clauses(tokens, kind)]
    if last.kind == WORD and last.text in kind_words(kind):
        return _numbers(names) if kind_words(kind)[last.text].is_number else []
    if last.text == "ease":
        return ["in", "out"]
    if last.text == "axes" or (last.text in ("x", "y", "z") and any(token.text == "axes" for token in tokens)):
        return ["x", "y", "z", *_clauses(tokens, kind)]
    if last.text in ("from", "to", "weight", "name", "point", "in", "out"):
        return []
    if len(tokens) > 2 and tokens[-2].text == "from":
        return ["to", *_clauses(tokens, kind)]
    return _clauses(tokens, kind)


def _depth(tokens: list[Token]) -> int:
    return sum((token.text == "(") - (token.text == ")") for token in tokens if token.kind == SIGN)


def _numbers(names: FigureNames) -> list[str]:
    s = names.skeleton
    joints = [name_text(joint.name) for joint in s.joints if joint.dofs]
    parts = [name for name in _parts(names, others=True) if name not in joints]
    return [*TIMES, *_PLACES, *FUNCTIONS, "pi", *joints, *parts]


def _kind(tokens: list[Token]) -> tuple[Kind | None, int]:
    """Return the kind that a line has named, and the place behind its words; None if it has not yet."""
    rows = [(words.split(), kind) for kind in KINDS if not kind.by_equation for words in kind.script_words]
    rows.sort(key=lambda row: -len(row[0]))
    for at in range(1, len(tokens)):
        if tokens[at].kind == QUOTED:
            continue
        if tokens[at].text == "to" and at == 2:
            return next(kind for kind in KINDS if kind.name == "point_pair"), at + 1
        for words, kind in rows:
            if [token.text for token in tokens[at : at + len(words)]] == words and (at > 1 or kind.of_figure):
                return kind, at + len(words)
    return None, 0


def _clauses(tokens: list[Token], kind: Kind | None) -> list[str]:
    used = {token.text for token in tokens if token.kind == WORD}
    own = [] if kind is None else list(kind_words(kind))
    words = [*own, *CLAUSES, *(["over"] if kind is not None and kind.name == "balance" else [])]
    words = [word for word in words if word != "axes" or (kind is not None and kind.takes_axes)]
    words = [word for word in words if word != "mutual" or kind is None or kind.takes_other]
    return [word for word in words if word not in used]


KEYWORDS = frozenset({LOCK, PATH_WORD})
"""Words that begin a statement."""


def clause_words() -> frozenset[str]:
    """Return all words that begin a clause, for the colours of an editor."""
    return stops() | {"over", "using", "mutual"}


def kind_names() -> frozenset[str]:
    """Return all words that name a kind, likewise."""
    return frozenset(word for kind in KINDS for words in kind.script_words for word in words.split())
