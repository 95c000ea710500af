"""Arithmetic for number fields: ``90/2``, ``+5``, ``3 cm + 2 mm``. A parser of its own; nothing typed is run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

LONGEST = 120
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"[A-Za-zµ]+(?:/s²)?|[°%]"
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|({_WORD})|([-+*/()]))")
_CONSTANTS = {"pi": math.pi, "tau": math.tau}


class ExpressionError(ValueError):
    """Typed text that is not a number or a sum; the message says where and what would be right."""


def evaluate(text: str, units: Mapping[str, float] | None = None, current: float | None = None) -> float:
    """Return the value of an arithmetic expression.

    ``+ - * /`` and parentheses with the usual precedence. Text that begins with ``+``, ``*`` or ``/`` is applied to
    the value that stands in the field, as are ``+=`` and ``-=``; a leading ``-`` is a negative number.

    Args:
        text: What was typed; a comma counts as the decimal point, U+2212 as minus.
        units: How many of the field's units one of each named unit is; a number without one is in the field's unit.
        current: Value in the field, for relative input; None takes ``+5`` as 5.

    Raises:
        ExpressionError: If the text is no expression, divides by zero, or the value is not finite.
    """
    source = text.strip().replace("−", "-").replace("×", "*").replace("÷", "/").replace(",", ".")
    if not source:
        raise ExpressionError("nothing typed; a number is needed")
    if len(source) > LONGEST:
        raise ExpressionError(f"{len(source)} characters; at most {LONGEST} are read")
    relative = ""
    if current is not None:
        if source[:2] in ("+=", "-=", "*=", "/="):
            relative, source = source[0], source[2:]
        elif source[0] in "+*/":
            relative, source = source[0], source[1:]
    value = _Parser(source, units or {}).result()
    if relative and current is not None:
        value = _apply(relative, current, value)
    if not math.isfinite(value):
        raise ExpressionError(f'"{text.strip()}" is not a finite number')
    return value


def _apply(operator: str, left: float, right: float) -> float:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0.0:
        raise ExpressionError("division by zero")
    return left / right


class _Parser:
    """Recursive descent over ``sum := product (± product)*``, ``product := factor (*/ factor)*``."""

    def __init__(self, text: str, units: Mapping[str, float]):
        self._units = units
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ExpressionError(f'"{text[at:].strip()[:12]}" is not understood; numbers, + − * / and ( ) are')
            number, word, sign = found.groups()
            self._tokens.append(("number", number) if number else ("word", word) if word else ("sign", sign))
            at = found.end()
        self._at = 0

    def result(self) -> float:
        value = self._sum()
        if self._at < len(self._tokens):
            raise ExpressionError(f'"{self._tokens[self._at][1]}" is not expected here')
        return value

    def _next(self, signs: str) -> str:
        if self._at < len(self._tokens):
            kind, token = self._tokens[self._at]
            if kind == "sign" and token in signs:
                self._at += 1
                return token
        return ""

    def _sum(self) -> float:
        value = self._product()
        while sign := self._next("+-"):
            value = _apply(sign, value, self._product())
        return value

    def _product(self) -> float:
        # A unit belongs to everything before it in its product, so that "1/4 turn" and "pi/2 rad" mean what they say.
        value, unit = self._with_unit(self._factor(), "")
        while sign := self._next("*/"):
            value, unit = self._with_unit(_apply(sign, value, self._factor()), unit)
        return value

    def _factor(self) -> float:
        if sign := self._next("+-"):
            return -self._factor() if sign == "-" else self._factor()
        if self._next("("):
            value = self._sum()
            if not self._next(")"):
                raise ExpressionError('a ")" is missing')
            return value
        if self._at >= len(self._tokens):
            raise ExpressionError("a number is missing at the end")
        kind, token = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return float(token)
        if kind == "word" and token in _CONSTANTS:
            return _CONSTANTS[token]
        raise ExpressionError(f'"{token}" is not a number')

    def _with_unit(self, value: float, before: str) -> tuple[float, str]:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] != "word":
            return value, before
        unit = self._tokens[self._at][1]
        if unit not in self._units:
            raise ExpressionError(f'unknown unit "{unit}"; known here: {", ".join(self._units) or "none"}')
        if before:
            raise ExpressionError(f'"{before}" times "{unit}" is not a unit; one unit per product')
        self._at += 1
        return value * self._units[unit], unit
