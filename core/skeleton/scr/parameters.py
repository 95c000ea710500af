"""What a joint type takes behind its name, read and written: numbers, axes, points, words, curves and surfaces.

``core.joints.base.JointModel.parameters`` says what a type takes. A curve or surface is its own name and what it takes
itself; control points are their number, or rows and columns, and then as many times three numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.errors import JointError
from core.joints.base import JointModel
from core.joints.geometry import CURVES, SURFACES, Shape
from core.skeleton.joint import axis_letter
from core.skeleton.scr.lexer import WORD, Cursor, Token, choices
from core.skeleton.scr.numbers import degrees_text, number_text
from core.skeleton.scr.values import read_axis, read_length

MOST_POINTS = 12
"""Control points along each direction of a Bezier curve or surface: beyond that it is a spline's task."""
_DIMENSIONS = {"points": 1, "grid": 2}
_SHAPES: dict[str, tuple[type[Shape], ...]] = {"curve": CURVES, "surface": SURFACES}


def usage(kind: type[JointModel]) -> str:
    """Return what stands behind a type's name, for messages."""
    return " ".join([*(_usage(attribute, what) for attribute, what in kind.parameters), "[LO HI ...] [LABEL ...]"])


def _usage(attribute: str, what: str) -> str:
    kind, *words = what.split()
    if kind in _SHAPES:
        return f"{kind.upper()} ..."
    if kind == "word":
        return f"[{' or '.join(words)}]"
    if len(words) == 2:
        return f"[{words[1]} {words[1].upper()}]"
    return attribute.upper()


def read_parameters(cursor: Cursor, kind: type[JointModel]) -> JointModel:
    """Return a joint type by what stands behind its name.

    Raises:
        LineProblem: If that does not fit.
    """
    found: JointModel = _made(cursor, kind, cursor.tokens[cursor.at - 1])
    return found


def _made(cursor: Cursor, kind: Any, token: Token) -> Any:
    """Return a type, or a curve or surface, of what it takes."""
    values, optional = [], {}
    for attribute, what in kind.parameters:
        value = _read(cursor, attribute, what)
        if not _may_be_left_out(what):
            values.append(value)
        elif value is not None:
            optional[attribute] = value
    try:
        return kind(*values, **optional)
    except JointError as error:
        raise cursor.fail(str(error), token) from None


def _may_be_left_out(what: str) -> bool:
    return what.startswith("word ") or " after " in what


def _read(cursor: Cursor, attribute: str, what: str) -> Any:
    """Return a parameter, None for one that may be left out and is."""
    kind, *words = what.split()
    if kind in _SHAPES:
        return _read_shape(cursor, kind)
    if kind in _DIMENSIONS:
        return _read_points(cursor, _DIMENSIONS[kind])
    if kind == "word":
        word = cursor.next
        return cursor.take().text.casefold() if word is not None and word.text.casefold() in words else None
    if words:
        word = cursor.next
        if word is None or word.kind != WORD or word.text.casefold() != words[1]:
            return None
        cursor.take()
    if kind == "letter":
        letter = cursor.take()
        if letter.text.casefold() not in ("x", "y", "z"):
            raise cursor.fail(f"{letter} is not an axis; expected x, y or z", letter)
        return letter.text.casefold()
    if kind == "axis":
        return tuple(read_axis(cursor).tolist())
    if kind == "point":
        return tuple(read_length(cursor, f"{attribute} {letter}") for letter in "xyz")
    if kind == "length":
        return read_length(cursor, attribute)
    value = cursor.number(attribute)
    return math.radians(value) if kind == "angle" else value


def _read_shape(cursor: Cursor, what: str) -> Shape:
    token = cursor.next
    kinds = {kind.name: kind for kind in _SHAPES[what]}
    if token is None:
        raise cursor.fail(f"a {what} is missing; expected one of {', '.join(kinds)}")
    kind = kinds.get(token.text.casefold()) if token.kind == WORD else None
    if kind is None:
        raise cursor.fail(f"{token} is not a {what}; {choices(token.text, kinds)}", token)
    cursor.take()
    found: Shape = _made(cursor, kind, token)
    return found


def _read_points(cursor: Cursor, dimensions: int) -> np.ndarray:
    counts = []
    for name in ("points",) if dimensions == 1 else ("rows", "columns"):
        token = cursor.next
        value = cursor.number(name)
        if not (value == int(value) and 2 <= value <= MOST_POINTS):
            raise cursor.fail(f"{token} {name} cannot be; expected a whole number from 2 to {MOST_POINTS}", token)
        counts.append(int(value))
    number = math.prod(counts)
    places = [[read_length(cursor, f"{letter} of control point {k + 1}") for letter in "xyz"] for k in range(number)]
    return np.array(places).reshape(*counts, 3)


def parameter_words(model: JointModel) -> list[str]:
    """Return what a joint type takes as words, which are read back as the same."""
    return list(_all_words(model))


def _all_words(model: JointModel | Shape) -> Iterator[str]:
    for attribute, what in model.parameters:
        value = getattr(model, attribute)
        if not (_may_be_left_out(what) and value == getattr(type(model), attribute)):
            yield from _words(value, what)


def _words(value: Any, what: str) -> Iterator[str]:
    kind, *more = what.split()
    if kind in _SHAPES:
        yield value.name
        yield from _all_words(value)
    elif kind in _DIMENSIONS:
        yield from map(str, value.shape[:-1])
        yield from map(number_text, value.ravel().tolist())
    elif kind == "word":
        yield value
    else:
        yield from more[1:]
        if kind == "axis":
            letter = axis_letter(np.array(value))
            yield from [letter] if letter else map(number_text, value)
        elif kind == "point":
            yield from map(number_text, value)
        elif kind == "letter":
            yield value
        else:
            yield degrees_text(value) if kind == "angle" else number_text(value)
