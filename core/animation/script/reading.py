"""Scripts from text: statements with the place of everything they say, and what is wrong, line by line.

::

    statement := "path" NAME POINT POINT+
               | "lock" PART ["point" POINT] KIND [WORD PART ["point" POINT]] clause*
               | "lock" KIND clause*                         of the whole figure, as balance
               | "lock" EXPRESSION "=" EXPRESSION clause*
    clause    := "from" FRAME ["to" FRAME] | "ease" FRAMES [FRAMES] | "ease" ["in" FRAMES] ["out" FRAMES]
               | "weight" NUMBER | "name" NAME | "axes" ("x" | "y" | "z")+ | "using" PART ("," PART)* | "mutual"
               | TARGET VALUE

What words a kind of lock and its target have is said by the kind (``core.constraints.kinds``). A line is read for
itself: what is wrong in one is no trouble for the others. A number may be an expression of the time; see ``formula``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from core.animation.key import MAX_FRAME
from core.animation.script.text import (
    LONGEST,
    MOST_LINES,
    NUMBER,
    QUOTED,
    SIGN,
    WORD,
    ScriptError,
    ScriptProblem,
    Token,
    line_tokens,
    nearest,
    one_of,
)
from core.constraints.kinds import KINDS, Kind
from core.constraints.kinds.path import MOST as MOST_POINTS
from core.constraints.kinds.target_parts import ANGLE, DIRECTION, LENGTH, PLACE, ROTATION, TargetPart

LOCK, PATH_WORD = "lock", "path"
CLAUSES = ("from", "ease", "weight", "name", "axes", "using", "mutual")
"""Words that begin a clause, whatever the kind."""
FILLERS = ("along", "in", "on")
"""Words before a kind that only make it read well: ``along path "arc"``."""
_BEGINS_LOCK = re.compile(r"\s*lock(?![\w.])")
_SIZES = {PLACE: 3, ROTATION: 3, DIRECTION: 3, LENGTH: 1, ANGLE: 1}


@dataclass(frozen=True)
class Clause:
    """Something that a statement says, with its place.

    Attributes:
        start: Place of its first word.
        end: Place behind it.
        values: The tokens or texts it says, as the clause has them.
        spans: Places of these.
    """

    start: int
    end: int
    values: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


@dataclass
class Statement:
    """One statement.

    Attributes:
        line: Number of its line, counted from 1.
        start: Place of its first word.
        end: Place behind its last word; a comment is no part of it.
        verb: ``"lock"`` or ``"path"``.
        kind: Kind of the lock.
        part: Names its part; None for a kind of the whole figure.
        other: Names the second part.
        points: Points of the two parts: ``"own"`` and ``"other"``.
        clauses: The clauses, by their first word.
        targets: What it says of the target, by the word of the part of it.
        way: Texts of the points of a path, three each.
        named: Names the path.
        equation: Tokens of an equation.
    """

    line: int
    start: int
    end: int
    verb: str
    kind: Kind | None = None
    part: Token | None = None
    other: Token | None = None
    points: dict[str, Clause] = field(default_factory=dict)
    clauses: dict[str, Clause] = field(default_factory=dict)
    targets: dict[str, Clause] = field(default_factory=dict)
    way: Clause | None = None
    named: Token | None = None
    equation: tuple[Token, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A line that begins with ``lock``, whether or not the rest of it is right: what a strip belongs to.

    Attributes:
        start: Where the line begins.
        end: Where it ends, without its end-of-line characters.
        statement: What it says; None if something is wrong with it.
    """

    start: int
    end: int
    statement: Statement | None


@dataclass(frozen=True)
class Reading:
    """A script as it was read.

    Attributes:
        text: The text.
        statements: What could be read, in its order, one for each line that holds one.
        problems: What is wrong with the other lines.
        entries: The lines of locks.
    """

    text: str
    statements: tuple[Statement, ...]
    problems: tuple[ScriptProblem, ...]
    entries: tuple[Entry, ...] = ()


def target_word(part: TargetPart) -> str:
    """Return the word of a part of a target: ``at`` for a place of its own, else its name."""
    return "at" if part.form == PLACE and part.name == "Place" else part.name.lower()


def kind_words(kind: Kind) -> dict[str, TargetPart]:
    """Return the words for the parts of a kind's target."""
    return {target_word(part): part for part in kind.parts}


@cache
def _kinds_by_words() -> tuple[tuple[tuple[str, ...], Kind], ...]:
    """Return what kinds are called, as rows of words, longer ones first."""
    rows = [(tuple(words.split()), kind) for kind in KINDS for words in kind.script_words if not kind.by_equation]
    return tuple(sorted(rows, key=lambda row: -len(row[0])))


@cache
def kind_toward(words: tuple[str, ...]) -> tuple[Kind, int] | None:
    """Return the kind that words name if a second part follows, and how many of them come before ``toward``.

    ``look at (0, 1, 2)`` is about a place and ``look at "left hand"`` an aim at a part; None if no kind has such words.
    """
    rows = [(row, kind) for row, kind in _kinds_by_words() if kind.takes_other and (*row, kind.toward) == words]
    return None if not rows else (rows[0][1], len(rows[0][0]))


@cache
def stops() -> frozenset[str]:
    """Words at which a number that is an expression ends."""
    words = {word for kind in KINDS for word in kind_words(kind)}
    return frozenset({*CLAUSES, *words, "to", "in", "out", "point"})


def problem_at(text: str, message: str, start: int, end: int) -> ScriptProblem:
    """Return what is wrong at a place of a text, with line and column."""
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return ScriptProblem(line, column, message, start, end)


def lines_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each line begins and ends, without its end-of-line characters."""
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield at, end - (end > at and text[end - 1] == "\r")
        at = end + 1


def read_script(text: str) -> Reading:
    """Return what a text says; what is wrong is among the problems, and nothing is raised."""
    if len(text) > LONGEST:
        message = f"the script has {len(text)} characters; expected at most {LONGEST}"
        return Reading(text, (), (problem_at(text, message, LONGEST, LONGEST),))
    statements: list[Statement] = []
    problems: list[ScriptProblem] = []
    entries: list[Entry] = []
    for number, (start, end) in enumerate(lines_of(text), start=1):
        made: Statement | None = None
        try:
            if number > MOST_LINES:
                raise ScriptError(f"the script has more than {MOST_LINES} lines; expected fewer", start, start)
            tokens, _ = line_tokens(text, start, end)
            if tokens:
                made = _LineReader(text, tokens, number).statement()
                statements.append(made)
        except ScriptError as error:
            column = error.start - start + 1
            problems.append(ScriptProblem(number, column, error.message, error.start, error.end))
            if number > MOST_LINES:
                break
        if _BEGINS_LOCK.match(text, start, end):
            entries.append(Entry(start, end, made))
    return Reading(text, tuple(statements), tuple(problems), tuple(entries))


class _LineReader:
    """Reads one statement from its tokens."""

    def __init__(self, text: str, tokens: list[Token], line: int):
        self._text = text
        self._tokens = tokens
        self._at = 0
        self._stop = tokens[-1].end
        self._made = Statement(line, tokens[0].start, tokens[-1].end, "")

    # -- tokens ----------------------------------------------------------------------------------------------------

    def _look(self, ahead: int = 0) -> Token | None:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def _fail(self, message: str, token: Token | None = None) -> ScriptError:
        if token is None:
            return ScriptError(message, self._stop, self._stop)
        return ScriptError(message, token.start, token.end)

    def _is(self, word: str, ahead: int = 0) -> bool:
        token = self._look(ahead)
        return token is not None and token.kind == WORD and token.text == word

    def _sign(self, sign: str) -> bool:
        token = self._look()
        return token is not None and token.kind == SIGN and token.text == sign

    def _next(self, wanted: str) -> Token:
        token = self._look()
        if token is None:
            raise self._fail(f"the line ends; expected {wanted}")
        self._at += 1
        return token

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        verb = self._next("lock or path")
        if verb.kind != WORD or verb.text not in (LOCK, PATH_WORD):
            raise self._fail(f"{verb.shown} begins no statement; expected lock or path, or # before a comment", verb)
        self._made.verb = verb.text
        if verb.text == PATH_WORD:
            self._path()
            return self._made
        if any(token.kind == SIGN and token.text == "=" for token in self._tokens):
            self._equation()
        else:
            self._lock()
        kind = self._made.kind
        assert kind is not None
        while (token := self._look()) is not None:
            self._clause(kind, token)
        return self._made

    def _path(self) -> None:
        name = self._next('the path\'s name, such as "arc"')
        if name.kind not in (WORD, QUOTED) or not name.text:
            raise self._fail(f'{name.shown} is no name of a path; expected one such as "arc"', name)
        self._made.named = name
        self._made.way = self._points()
        if (token := self._look()) is not None:
            raise self._fail(f"{token.shown} follows the points of the path; expected another point (x, y, z)", token)

    def _points(self) -> Clause:
        texts: list[str] = []
        spans: list[tuple[int, int]] = []
        first = self._look()
        while self._sign("("):
            point = self._vector("a point of the path")
            texts += point.values
            spans += point.spans
            if len(texts) > 3 * MOST_POINTS:
                raise ScriptError(f"the path has more than {MOST_POINTS} points", point.start, point.end)
        if len(texts) < 6:
            raise self._fail("a path goes through 2 points at least; expected points such as (0, 1, 0.2)", self._look())
        assert first is not None
        return Clause(first.start, spans[-1][1] + 1, tuple(texts), tuple(spans))

    def _lock(self) -> None:
        made = self._made
        first = self._look()
        if first is None:
            raise self._fail('the line ends after lock; expected a part, such as "left foot"')
        whole = self._kind_here(of_figure=True)
        if whole is not None:
            made.kind = whole
            if whole.name == "balance" and self._is("over"):
                self._over()
            return
        made.part = self._part("a part")
        if self._is("point"):
            made.points["own"] = self._point_clause()
        while any(self._is(word) for word in FILLERS):
            self._at += 1
        if self._is("to"):
            made.kind = next(kind for kind in KINDS if kind.name == "point_pair")
        else:
            made.kind = self._kind(made.part)
        kind = made.kind
        if kind.by_points:
            self._path_target()
        if kind.takes_other:
            word = self._look()
            if not self._is(kind.toward):
                what = "the line ends" if word is None else f"{word.shown} stands here"
                raise self._fail(
                    f"{what}; expected {kind.toward} and the other part, as in {self._example(kind)}", word
                )
            self._at += 1
            made.other = self._part("the other part")
            if self._is("point"):
                made.points["other"] = self._point_clause()

    def _over(self) -> None:
        word = self._next("over")
        parts = [self._part("a part that bears the figure")]
        while self._sign(","):
            self._at += 1
            parts.append(self._part("a part that bears the figure"))
        spans = tuple((part.start, part.end) for part in parts)
        self._made.clauses["over"] = Clause(word.start, parts[-1].end, tuple(part.text for part in parts), spans)

    @staticmethod
    def _example(kind: Kind) -> str:
        return f'lock head {kind.script_words[0]} {kind.toward} "left hand"'

    def _part(self, what: str) -> Token:
        token = self._next(f'{what}, such as "left foot"')
        if token.kind not in (WORD, QUOTED) or not token.text:
            raise self._fail(f'{token.shown} is no part; expected {what}, such as "left foot"', token)
        return token

    def _kind_here(self, of_figure: bool) -> Kind | None:
        """Return the kind whose words stand here, read over them; None if there is none."""
        for words, kind in _kinds_by_words():
            if kind.of_figure == of_figure and all(self._is(word, k) for k, word in enumerate(words)):
                token, other = self._look(len(words)), kind_toward(words)
                named = token is not None and (token.kind == QUOTED or token.text not in stops()) and token.kind != SIGN
                if other is not None and named:
                    self._at += other[1]
                    return other[0]
                self._at += len(words)
                if words[-1] in kind_words(kind) and token is not None and token.text == "(":
                    self._at -= 1  # it is the first word of the target as well
                return kind
        return None

    def _kind(self, part: Token) -> Kind:
        kind = self._kind_here(of_figure=False)
        if kind is not None:
            return kind
        token = self._look()
        known = [each.script_words[0] for each in KINDS if not each.of_figure and not each.by_equation]
        if token is None:
            raise self._fail(f"what of {part.shown} is locked is missing; expected {one_of(known)}")
        if token.kind == WORD and token.text not in stops() and part.kind == WORD:
            pair = f"{part.text} {token.text}"
            if not nearest(token.text, known):
                raise self._fail(
                    f'{token.shown} is no kind of lock; expected {one_of(known)}, or quotes: "{pair}"', token
                )
        near = nearest(token.text, [word for words, _ in _kinds_by_words() for word in [" ".join(words)]])
        raise self._fail(f"{token.shown} is no kind of lock; expected {one_of(near or known)}", token)

    def _path_target(self) -> None:
        if self._sign("("):
            self._made.way = self._points()
            return
        token = self._look()
        if token is not None and (token.kind == QUOTED or (token.kind == WORD and token.text not in stops())):
            self._at += 1
            self._made.named = token

    def _equation(self) -> None:
        depth, tokens = 0, []
        while (token := self._look()) is not None:
            if token.kind == SIGN and token.text in "()":
                depth += 1 if token.text == "(" else -1
            if token.kind == WORD and depth <= 0 and token.text in CLAUSES:
                break
            tokens.append(token)
            self._at += 1
        if not tokens:
            raise self._fail("the equation is missing; expected one such as chest.bend = 0.5 * neck.bend", token)
        self._made.kind = next(kind for kind in KINDS if kind.by_equation)
        self._made.equation = tuple(tokens)

    # -- clauses ---------------------------------------------------------------------------------------------------

    def _clause(self, kind: Kind, token: Token) -> None:
        made, word = self._made, token.text if token.kind == WORD else ""
        own = kind_words(kind)
        if word in made.clauses or word in made.targets:
            raise self._fail(f"{word} stands twice; expected it once", token)
        if word == "from":
            made.clauses[word] = self._range()
        elif word == "ease":
            made.clauses[word] = self._eases()
        elif word == "weight":
            made.clauses[word] = self._weight()
        elif word == "name":
            self._at += 1
            name = self._next('a name in quotes, such as "heel"')
            if name.kind != QUOTED or not name.text:
                raise self._fail(f'{name.shown} stands after name; expected a name in quotes, such as "heel"', name)
            made.clauses[word] = Clause(token.start, name.end, (name.text,), ((name.start, name.end),))
        elif word == "axes" and kind.takes_axes:
            made.clauses[word] = self._axes()
        elif word == "using":
            made.clauses[word] = self._using()
        elif word == "mutual" and (kind.takes_other or kind.takes_mutual):
            self._at += 1
            made.clauses[word] = Clause(token.start, token.end)
        elif word in own:
            self._at += 1
            made.targets[word] = self._value(own[word], token)
        else:
            raise self._fail(self._no_clause(kind, token, own), token)

    def _no_clause(self, kind: Kind, token: Token, own: dict[str, TargetPart]) -> str:
        words = [*own, *(word for word in CLAUSES if word != "axes" or kind.takes_axes)]
        words = [word for word in words if word != "mutual" or kind.takes_other or kind.takes_mutual]
        words = [word for word in words if word not in self._made.clauses and word not in self._made.targets]
        if token.kind == WORD and token.text in stops():
            called = kind.script_words[0] if not kind.by_equation else "an equation"
            return f"{token.shown} says nothing of {called} here; expected {one_of(words)}"
        near = nearest(token.text, words) if token.kind == WORD else []
        return f"{token.shown} is not understood here; expected {one_of(near or words)}"

    def _frame(self, after: str) -> Token:
        token = self._next(f"a frame after {after}, such as 12")
        if token.kind != NUMBER or not token.text.isdigit():
            what = "is no whole frame" if token.kind == NUMBER else f"stands after {after}"
            raise self._fail(f"{token.shown} {what}; expected a frame such as 12", token)
        if len(token.text) > 9 or int(token.text) > MAX_FRAME:
            raise self._fail(f"frame {token.shown} is too late; expected at most {MAX_FRAME}", token)
        return token

    def _range(self) -> Clause:
        word = self._next("from")
        first = self._frame("from")
        if not self._is("to"):
            return Clause(word.start, first.end, (first.text,), ((first.start, first.end),))
        self._at += 1
        last = self._frame("to")
        if int(last.text) < int(first.text):
            raise self._fail(f"frame {last.text} lies before frame {first.text}; expected {first.text} or later", last)
        spans = ((first.start, first.end), (last.start, last.end))
        return Clause(word.start, last.end, (first.text, last.text), spans)

    def _frames(self, after: str) -> Token:
        token = self._next(f"a number of frames after {after}, such as 3")
        if token.kind != NUMBER or len(token.text) > 20 or not 0.0 <= float(token.text) <= MAX_FRAME:
            raise self._fail(f"{token.shown} is no number of frames; expected one such as 3", token)
        return token

    def _eases(self) -> Clause:
        word = self._next("ease")
        found: dict[str, Token] = {}
        while self._is("in") or self._is("out"):
            side = self._next("in or out")
            if side.text in found:
                raise self._fail(f"{side.text} stands twice; expected it once", side)
            found[side.text] = self._frames(side.text)
        if not found:
            found["in"] = self._frames("ease")
            token = self._look()
            found["out"] = self._frames("ease") if token is not None and token.kind == NUMBER else found["in"]
        values = tuple(found[side].text if side in found else "0" for side in ("in", "out"))
        spans = tuple((found[side].start, found[side].end) for side in ("in", "out") if side in found)
        return Clause(word.start, self._tokens[self._at - 1].end, values, spans)

    def _weight(self) -> Clause:
        word = self._next("weight")
        token = self._next("a number from 0 to 1")
        if token.kind != NUMBER or len(token.text) > 40 or not 0.0 <= float(token.text) <= 1.0:
            raise self._fail(f"{token.shown} is no weight; expected a number from 0 to 1", token)
        return Clause(word.start, token.end, (token.text,), ((token.start, token.end),))

    def _axes(self) -> Clause:
        word = self._next("axes")
        found: list[Token] = []
        while (token := self._look()) is not None and token.kind == WORD and token.text in ("x", "y", "z"):
            if any(token.text == each.text for each in found):
                raise self._fail(f"axis {token.text} stands twice; expected it once", token)
            found.append(token)
            self._at += 1
        if not found:
            raise self._fail("no axis stands after axes; expected x, y or z, or several of them", self._look())
        return Clause(word.start, found[-1].end, tuple(each.text for each in found))

    def _using(self) -> Clause:
        word = self._next("using")
        parts = [self._part("a joint that may help")]
        while self._sign(","):
            self._at += 1
            parts.append(self._part("a joint that may help"))
        spans = tuple((part.start, part.end) for part in parts)
        return Clause(word.start, parts[-1].end, tuple(part.text for part in parts), spans)

    def _point_clause(self) -> Clause:
        self._at += 1
        return self._vector("a point of the part")

    # -- numbers ---------------------------------------------------------------------------------------------------

    def _value(self, part: TargetPart, word: Token) -> Clause:
        if _SIZES[part.form] == 3:
            made = self._vector(f"{word.text} of the target")
        else:
            made = self._number(word)
        return Clause(word.start, made.end, made.values, made.spans)

    def _vector(self, what: str) -> Clause:
        """Read three expressions in parentheses."""
        opened = self._next(f"{what}: (x, y, z)")
        if opened.kind != SIGN or opened.text != "(":
            raise self._fail(f"{opened.shown} stands where {what} should; expected three numbers: (x, y, z)", opened)
        depth, begin = 0, self._look()
        spans: list[tuple[int, int]] = []
        start = opened.end
        while True:
            token = self._look()
            if token is None:
                raise self._fail('the "(" is not closed; expected ")" behind the third number', opened)
            self._at += 1
            if token.kind != SIGN:
                continue
            if token.text == "(":
                depth += 1
            elif token.text == ")" and depth:
                depth -= 1
            elif token.text in ",;)" and not depth:
                if not self._text[start : token.start].strip():
                    raise self._fail(f"a number is missing before {token.shown}; expected (x, y, z)", token)
                spans.append((start, token.start))
                start = token.end
                if token.text == ")":
                    break
        closed = self._tokens[self._at - 1]
        if len(spans) != 3:
            raise self._fail(f"{what} has {len(spans)} numbers; expected three: (x, y, z)", begin)
        tight = tuple(_tight(self._text, a, b) for a, b in spans)
        return Clause(opened.start, closed.end, tuple(self._text[a:b] for a, b in tight), tight)

    def _number(self, word: Token) -> Clause:
        """Read an expression up to the next clause."""
        depth, first = 0, self._look()
        while (token := self._look()) is not None:
            if token.kind == SIGN and token.text in "()":
                depth += 1 if token.text == "(" else -1
            if token.kind == WORD and depth <= 0 and token.text in stops() and not self._unit_here(token):
                break
            self._at += 1
        if first is None or first is token:
            raise self._fail(f"no number stands after {word.text}; expected one such as 0.4", token)
        end = self._tokens[self._at - 1].end
        return Clause(first.start, end, (self._text[first.start : end],), ((first.start, end),))

    def _unit_here(self, token: Token) -> bool:
        """Return whether a word is the unit of the number before it: ``12 in``."""
        return token.text == "in" and self._at > 0 and self._tokens[self._at - 1].kind == NUMBER


def _tight(text: str, a: int, b: int) -> tuple[int, int]:
    """Return a span without the blanks at its ends."""
    inner = text[a:b]
    return a + len(inner) - len(inner.lstrip()), b - (len(inner) - len(inner.rstrip()))
