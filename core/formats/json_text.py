"""JSON as the project files use it: exact numbers, nothing but plain values, and errors that say where they are."""

from __future__ import annotations

import json
import math
from typing import Any

from core.errors import FormatError, Problem

DEEPEST = 64
"""How deep lists and objects may lie in each other."""

_LISTED = 100
_FLOATS = {float}
_plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


class _TwiceError(ValueError):
    """A member name that appears twice in one object."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise _TwiceError(name)
            seen.add(name)
    return members


def parse(text: str, file: str, what: str = "a sequence file") -> Any:
    """Return the value that ``text`` writes.

    Args:
        text: JSON.
        file: Name of the file for messages.
        what: What it should be, for messages.

    Raises:
        FormatError: At a syntax error, with its line and column; at NaN or infinity, a number out of range, half a
            character, a member named twice, or nesting deeper than ``DEEPEST``, with its place in the structure.
    """
    try:
        # NaN and Infinity become floats that are not finite, for which the check below names the place.
        value = json.loads(text, object_pairs_hook=_members, parse_constant=lambda _: math.nan)
    except json.JSONDecodeError as error:
        raise FormatError(Problem(file, error.lineno, error.colno, _no_json(error.msg, what))) from None
    except _TwiceError as error:
        message = f'an object has two members named "{_short(str(error))}"; each may stand once'
        raise FormatError(Problem(file, 0, 0, message)) from None
    except ValueError:
        # What is left is a whole number with more digits than Python converts.
        raise FormatError(Problem(file, 0, 0, "a number has too many digits; numbers are 64-bit floats")) from None
    except RecursionError:
        message = f"lists and objects are nested too deep; at most {DEEPEST} levels are read"
        raise FormatError(Problem(file, 0, 0, message)) from None
    problems = [Problem(file, 0, 0, message) for message in check(value)]
    if problems:
        raise FormatError(problems)
    return value


def _no_json(reason: str, what: str) -> str:
    return f"is not {what}, or is cut off: {reason[:1].lower()}{reason[1:]}"


def finite_numbers(values: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether all of a row are floats and finite, without looking at each: poses are long and many.

    A row of finite floats whose sum is not finite counts as none; whoever asks then looks at each.
    """
    return set(map(type, values)) == _FLOATS and math.isfinite(sum(values))


def check(value: Any) -> list[str]:
    """Return what is wrong with a JSON value as messages with their places; [] if nothing is.

    Wrong are numbers that are not finite, halves of characters, too deep nesting and values of no JSON type.
    """
    problems: list[str] = []
    # A stack of its own: a bomb of brackets must not run into Python's recursion limit.
    stack: list[tuple[Any, str, int]] = [(value, "", 0)]
    while stack and len(problems) < _LISTED:
        item, place, depth = stack.pop()
        here = place or "the file"
        if isinstance(item, (dict, list, tuple)):
            if depth >= DEEPEST:
                return [f"{here[:200]}: nested too deep; at most {DEEPEST} levels are read"]
            if not isinstance(item, dict) and finite_numbers(item):
                continue
            if isinstance(item, dict):
                for name in item:
                    if not isinstance(name, str):
                        problems.append(f"{here}: member name {name!r} is not text")
                    elif not _whole(name):
                        problems.append(f"{here}: a member name holds half a character (a lone surrogate)")
                dot = f"{place}." if place else ""
                children = [(child, dot + _short(str(name))) for name, child in item.items()]
            else:
                children = [(child, f"{place}[{i}]") for i, child in enumerate(item)]
            stack.extend((child, name, depth + 1) for child, name in reversed(children))
        elif isinstance(item, float):
            if not math.isfinite(item):
                problems.append(f"{here}: the number is not finite; NaN and infinity have no place in a file")
        elif isinstance(item, str):
            if not _whole(item):
                problems.append(f"{here}: the text holds half a character (a lone surrogate)")
        elif item is not None and not isinstance(item, int):
            problems.append(f"{here}: a {type(item).__name__} cannot be written in a file")
    return problems


def _whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _short(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def show(value: Any) -> str:
    """Return a value for a message: what was found, cut short."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return _short(json.dumps(value, ensure_ascii=False))


def write(value: Any) -> str:
    """Return ``value`` as JSON text: indented, with lists of plain values on one line and every float by ``repr``.

    Raises:
        FormatError: If a value cannot be written; see ``check``.
    """
    problems = check(value)
    if problems:
        raise FormatError([Problem("project", 0, 0, message) for message in problems])
    parts: list[str] = []
    _write(value, "", parts)
    parts.append("\n")
    return "".join(parts)


def _flat(value: list[Any] | tuple[Any, ...]) -> bool:
    return not any(isinstance(child, (dict, list, tuple)) for child in value)


def _write(value: Any, indent: str, parts: list[str]) -> None:
    inner = indent + " "
    if isinstance(value, dict) and value:
        opening = "{\n"
        for name, child in value.items():
            parts.append(f"{opening}{inner}{_plain(name)}: ")
            _write(child, inner, parts)
            opening = ",\n"
        parts.append(f"\n{indent}}}")
    elif isinstance(value, (list, tuple)) and finite_numbers(value):
        parts.append(f"[{', '.join(map(repr, value))}]")
    elif isinstance(value, (list, tuple)) and not _flat(value):
        opening = "[\n"
        for child in value:
            parts.append(opening + inner)
            _write(child, inner, parts)
            opening = ",\n"
        parts.append(f"\n{indent}]")
    else:
        parts.append(_plain(value))
