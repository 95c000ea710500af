"""Expressions from text: one grammar for files, number fields and scripts. Nothing in a text is ever run.

::

    sum     := product (("+" | "-") product)*
    product := signed [UNIT] (("*" | "/") signed [UNIT])*
    signed  := ("+" | "-")* atom [("^" | "**") signed]
    atom    := NUMBER | NAME | FUNCTION "(" sum ("," sum)* ")" | "(" sum ")"

The text is read once from left to right with stacks of its own, so that no nesting reaches Python's recursion limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple, NoReturn

from core.errors import ExpressionError
from core.symbolic.expression import (
    CONSTANT,
    OPERATIONS,
    Expression,
    apply,
    constant,
    divide,
    multiply,
    raise_to,
    symbol,
)

LONGEST = 10_000
"""Most characters of a text."""
DEEPEST = 256
"""Most parentheses within each other."""
CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau}
FUNCTIONS: Mapping[str, str] = {word: name for name, row in OPERATIONS.items() for word in row.words}
"""The operation behind each function's name in a text."""


def _pattern(number: str) -> re.Pattern[str]:
    word, sign = r"(?P<word>[^\W\d]\w*(?:/s²)?|[°%])", r"(?P<sign>\*\*|[-+*/^(),;−×÷])"
    return re.compile(rf"\s*(?:(?P<number>(?:{number})(?:[eE][+-]?[0-9]+)?)|{word}|{sign})")


_TOKEN = _pattern(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_COMMA_TOKEN = _pattern(r"[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+")
_COMMA_ARGUMENT_TOKEN = _pattern(r"[0-9]+(?:\.[0-9]*|,[0-9]+)?|[.,][0-9]+")
_NAME = re.compile(r"[^\W\d_]\w*")
_SAME_SIGN = {"−": "-", "×": "*", "÷": "/", "**": "^", ";": ","}
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "^": 4}
_SHOWN = 20
_LISTED = 40
_LONGEST_GUESS = 40


class _Value(NamedTuple):
    """What has been read: the expression, and its number at rest where that is known."""

    expression: Expression
    rest: float | None


class _Pending(NamedTuple):
    """An operator that waits for what stands to the right of it."""

    binding: int
    sign: str
    position: int


class _Level:
    """What is open between two parentheses: values, the operators that wait, the unit of the present product."""

    __slots__ = ("function", "pending", "position", "unit", "values")

    def __init__(self, position: int, function: str = ""):
        self.position = position
        self.function = function
        self.pending: list[_Pending] = []
        self.values: list[_Value] = []
        self.unit = ""


def parse(
    text: str,
    names: Mapping[str, Expression] | Iterable[str] = (),
    units: Mapping[str, float] | None = None,
    rest: Mapping[str, float] | None = None,
    decimal_comma: bool = False,
    longest: int = LONGEST,
) -> Expression:
    """Return the expression that a text says.

    ``+ - * /``, ``^`` or ``**``, parentheses, the functions of ``FUNCTIONS``, ``pi`` and ``tau``. A power binds more
    tightly than the sign before it (``-2^2`` is -4) and groups from the right. A unit belongs to everything before
    it in its product, so that ``1/4 turn`` and ``pi/2 rad`` mean what they say; one unit per product.

    Args:
        text: What is read; U+2212 counts as minus, ``×`` and ``÷`` as they look, ``;`` separates like a comma.
        names: The variables, either words, each a symbol, or a mapping to what they stand for.
        units: How many of the wanted unit one of each named unit is.
        rest: Values of variables at which the expression must be finite; only parts of which all are known are
            checked.
        decimal_comma: Whether a comma is a decimal point; between a function's values only before a digit.
        longest: Most characters.

    Raises:
        ExpressionError: If the text is no expression, is too long or nested too deep, or is not finite at rest.
    """
    if len(text) > longest:
        raise ExpressionError(f"{len(text)} characters; expected at most {longest}", longest)
    known = names if isinstance(names, Mapping) else {name: symbol(name) for name in names}
    return _Reader(text, known, units or {}, rest or {}, decimal_comma).result()


def parse_several(
    text: str,
    count: int,
    names: Mapping[str, Expression] | Iterable[str] = (),
    units: Mapping[str, float] | None = None,
    rest: Mapping[str, float] | None = None,
) -> list[Expression]:
    """Return the expressions of a line, ``u*2 0 sin(v)``: set apart by commas, or else by blanks.

    Commas and blanks within parentheses do not count. Without commas an expression must not hold blanks elsewhere.

    Args:
        text: The line.
        count: How many are expected.
        names: As in ``parse``.
        units: As in ``parse``.
        rest: As in ``parse``.

    Raises:
        ExpressionError: As in ``parse``, with the position in the line; or if there are more or fewer.
    """
    known = names if isinstance(names, Mapping) else {name: symbol(name) for name in names}
    # Blanks up to where each begins keep the positions of its errors.
    return [parse(" " * start + text[start:end], known, units, rest) for start, end in set_apart(text, count)]


def set_apart(text: str, count: int) -> list[tuple[int, int]]:
    """Return where each expression of a line begins and ends, as ``parse_several`` sets them apart.

    Raises:
        ExpressionError: If there are more or fewer, or the line is too long.
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"{len(text)} characters; expected at most {LONGEST}", LONGEST)
    places = _parts(text)
    if len(places) != count:
        at = places[count][0] if len(places) > count else len(text)
        raise ExpressionError(
            f"{len(places)} expressions; expected {count}, set apart by commas, or by blanks that stand nowhere else",
            at,
        )
    return places


def check_name(name: str) -> None:
    """Check that a word can name a variable.

    Raises:
        ExpressionError: If it is no word, or a constant or function has that name.
    """
    if name in CONSTANTS or name in FUNCTIONS:
        raise ExpressionError(f'"{name}" is a {"constant" if name in CONSTANTS else "function"}; expected another name')
    if not _NAME.fullmatch(name):
        raise ExpressionError(f"{_shown(name)} is no name; expected a letter, then letters, digits or _")


def _parts(text: str) -> list[tuple[int, int]]:
    depth = 0
    commas: list[int] = []
    blanks: list[int] = []
    for i, character in enumerate(text):
        if character in "()":
            depth += 1 if character == "(" else -1
        elif depth == 0 and character in ",;":
            commas.append(i)
        elif depth == 0 and character.isspace():
            blanks.append(i)
    cuts = [-1, *(commas or blanks), len(text)]
    found = [(before + 1, cut) for before, cut in pairwise(cuts)]
    return found if commas else [(start, end) for start, end in found if start < end]


def _shown(text: str) -> str:
    """Return the beginning of a text in quotes, with what cannot be seen spelled out."""
    seen = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text[:_SHOWN])
    return f'"{seen}{"…" if len(text) > _SHOWN else ""}"'


def _listed(words: Iterable[str]) -> str:
    names = list(words)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


class _Reader:
    """Reads one text."""

    def __init__(
        self,
        text: str,
        names: Mapping[str, Expression],
        units: Mapping[str, float],
        rest: Mapping[str, float],
        decimal_comma: bool,
    ):
        self._text = text
        self._names = names
        self._units = units
        self._rest = rest
        self._decimal_comma = decimal_comma
        self._at = 0
        self._start = 0  # of the token read last
        self._levels = [_Level(0)]
        self._operand_wanted = True
        self._unit_read = False

    def result(self) -> Expression:
        while (token := self._token()) is not None:
            kind, word = token
            if self._operand_wanted:
                self._operand(kind, word)
            else:
                self._operator(kind, word)
        self._start = len(self._text.rstrip())
        level = self._levels[-1]
        if not self._start:
            self._fail("nothing is written", "a number, a name or (", len(self._text))
        if self._operand_wanted:
            self._fail("the text ends", "a number, a name or (")
        if len(self._levels) > 1:
            self._fail(f'the text ends, and the "(" of character {level.position + 1} is open', '")"')
        self._reduce(level, 0)
        return level.values[0].expression

    def _fail(self, what: str, wanted: str, position: int | None = None) -> NoReturn:
        raise ExpressionError(f"{what}; expected {wanted}", self._start if position is None else position)

    def _token(self) -> tuple[str, str] | None:
        pattern = _TOKEN
        if self._decimal_comma:
            pattern = _COMMA_ARGUMENT_TOKEN if self._levels[-1].function else _COMMA_TOKEN
        found = pattern.match(self._text, self._at)
        if found is None:
            left = self._text[self._at :]
            blank = len(left) - len(left.lstrip())
            if blank == len(left):
                return None
            self._start = self._at + blank
            self._fail(f"{_shown(left[blank:])} is not understood", "numbers, names, + - * / ^ and parentheses")
        kind = str(found.lastgroup)
        self._start, self._at = found.start(kind), found.end()
        word = found[kind]
        if kind == "number":
            return kind, word.replace(",", ".")
        if word.endswith("/s²") and word not in self._units:
            word = word[:-3]
            self._at -= 3
        return kind, _SAME_SIGN.get(word, word)

    def _operand(self, kind: str, word: str) -> None:
        level = self._levels[-1]
        if kind == "number":
            value = float(word)
            if not math.isfinite(value):
                self._fail(f"{_shown(word)} is too large a number", "at most 1.797e308")
            level.values.append(_Value(constant(value), value))
            self._operand_wanted = False
        elif kind == "word":
            self._word(level, word)
        elif word == "(":
            self._open("")
        elif word == "-":
            level.pending.append(_Pending(_BINDING["sign"], "sign", self._start))
        elif word != "+":
            self._fail(f"{_shown(word)} stands where a value should", "a number, a name or (")

    def _word(self, level: _Level, word: str) -> None:
        if word in self._names:
            rest = self._rest.get(word)
            expression = self._names[word]
            level.values.append(_Value(expression, expression.value if expression.operation == CONSTANT else rest))
            self._operand_wanted = False
        elif word in CONSTANTS:
            level.values.append(_Value(constant(CONSTANTS[word]), CONSTANTS[word]))
            self._operand_wanted = False
        elif word in FUNCTIONS:
            start = self._start
            following = self._token()
            if following is None:
                self._fail(f"the text ends after {word}", f'"(", as in {word}(1)', len(self._text.rstrip()))
            if following[1] != "(":
                self._fail(f"{_shown(following[1])} stands after {word}", f'"(", as in {word}(1)')
            self._start = start
            self._open(word)
        elif word in self._units:
            self._fail(f"{_shown(word)} is a unit", "a number before it")
        else:
            wanted = [*self._names, *CONSTANTS, *FUNCTIONS]
            near = get_close_matches(word, wanted, n=1) if len(word) <= _LONGEST_GUESS and len(wanted) < 1000 else []
            self._fail(f"{_shown(word)} is not known here", f'"{near[0]}" or another name' if near else _listed(wanted))

    def _open(self, function: str) -> None:
        if len(self._levels) > DEEPEST:
            self._fail(f"more than {DEEPEST} parentheses within each other", f"at most {DEEPEST}")
        self._levels.append(_Level(self._start, function))

    def _operator(self, kind: str, word: str) -> None:
        level = self._levels[-1]
        unit_read, self._unit_read = self._unit_read, False
        if kind == "word":
            self._unit(level, word)
        elif kind == "number" or word == "(":
            self._fail(f"{_shown(word)} follows a value", "an operator between them, or the end")
        elif word == ")":
            self._close()
        elif word == ",":
            if not level.function:
                hint = "; a decimal comma has a digit behind it" if self._decimal_comma else "; decimals have a point"
                self._fail('"," stands outside a function', f"an operator or the end{hint}")
            self._reduce(level, 0)
            # The arguments that are complete lie below a mark, as if they were operands of an operator.
            level.pending.append(_Pending(-1, ",", self._start))
            level.unit = ""
            self._operand_wanted = True
        elif word == "^" and unit_read:
            self._fail("a unit has no power", "the power before the unit, as in 2^2 cm, or parentheses")
        else:
            binding = _BINDING[word]
            self._reduce(level, binding + 1 if word == "^" else binding)
            level.pending.append(_Pending(binding, word, self._start))
            self._operand_wanted = True
            if binding == 1:
                level.unit = ""

    def _unit(self, level: _Level, word: str) -> None:
        if word not in self._units:
            if not self._units or word in self._names or word in CONSTANTS or word in FUNCTIONS:
                self._fail(f"{_shown(word)} follows a value", "an operator between them, or the end")
            self._fail(f"unknown unit {_shown(word)}", f"{_listed(self._units)}, an operator or the end")
        if level.unit:
            self._fail(f'"{level.unit}" times "{word}" is not a unit', "one unit per product")
        self._reduce(level, _BINDING["*"])
        level.unit = word
        self._unit_read = True
        size = self._units[word]
        self._join(level, "*", self._start, level.values.pop(), _Value(constant(size), size))

    def _close(self) -> None:
        if len(self._levels) == 1:
            self._fail('")" has no "(" before it', "an operator or the end")
        level = self._levels[-1]
        self._reduce(level, 0)
        if level.function:
            operation = FUNCTIONS[level.function]
            arity = OPERATIONS[operation].arity
            if len(level.values) != arity:
                plural = "value" if arity == 1 else "values"
                self._fail(f"{level.function} has {len(level.values)}", f"{arity} {plural} in its parentheses")
            value = self._applied(level.function, operation, level.values, level.position)
        else:
            value = level.values[0]
        self._levels.pop()
        self._levels[-1].values.append(value)
        self._operand_wanted = False

    def _reduce(self, level: _Level, binding: int) -> None:
        """Join what waits and binds at least as tightly."""
        while level.pending and level.pending[-1].binding >= binding:
            _, sign, position = level.pending.pop()
            right = level.values.pop()
            if sign == "sign":
                level.values.append(_Value(-right.expression, None if right.rest is None else -right.rest))
            else:
                self._join(level, sign, position, level.values.pop(), right)

    def _join(self, level: _Level, sign: str, position: int, left: _Value, right: _Value) -> None:
        rest = None
        if left.rest is not None and right.rest is not None:
            rest = _number(sign, left.rest, right.rest, right.expression)
            if not math.isfinite(rest):
                constants = left.expression.operation == CONSTANT and right.expression.operation == CONSTANT
                where = "" if constants else " at rest"
                if sign == "/" and right.rest == 0.0:
                    self._fail(f"division by zero{where}", "a divisor that is not zero there", position)
                named = f"{left.rest:g} {sign} {right.rest:g}"
                self._fail(f"{named}{where} is not a finite number", "a result that is", position)
        try:
            if sign == "+":
                expression = left.expression + right.expression
            elif sign == "-":
                expression = left.expression - right.expression
            elif sign == "*":
                expression = multiply(left.expression, right.expression)
            elif sign == "/":
                expression = divide(left.expression, right.expression)
            else:
                expression = raise_to(left.expression, right.expression)
        except ExpressionError as error:
            raise ExpressionError(error.reason, position) from None
        level.values.append(_Value(expression, rest))

    def _applied(self, word: str, operation: str, values: list[_Value], position: int) -> _Value:
        numbers = [value.rest for value in values if value.rest is not None]
        rest = None
        if len(numbers) == len(values):
            rest = OPERATIONS[operation].function(*numbers)
            if not math.isfinite(rest):
                where = "" if all(value.expression.operation == CONSTANT for value in values) else " at rest"
                given = ", ".join(f"{number:g}" for number in numbers)
                self._fail(f"{word}({given}){where} is not a finite number", "values for which it is", position)
        return _Value(apply(operation, *[value.expression for value in values]), rest)


def _number(sign: str, left: float, right: float, exponent: Expression) -> float:
    """Return two numbers joined, as the expression will be evaluated."""
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if sign == "/":
        return left / right if right else math.nan
    if exponent.operation == CONSTANT:
        try:
            return math.pow(left, right)
        except (ValueError, OverflowError):
            return math.nan
    return OPERATIONS["exp"].function(right * OPERATIONS["log"].function(left))
