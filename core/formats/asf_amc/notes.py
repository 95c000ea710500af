"""What an ASF file has no place for, kept in its documentation: names with blanks, the bridges between joints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.skeleton.scr.lexer import CONTROL

_FIRST = "Written by Sequence Editor. Other programs need none of these lines:"
_JOINT = re.compile(r'joint (\S+) "(.*)"')
_FIGURE = re.compile(r'figure "(.*)"')
_AXES = ("x", "y", "z")


@dataclass
class Notes:
    """What the documentation of a file of our own says.

    Attributes:
        figure: The figure's name, or None.
        joints: Name of the joint that a bone stands for, by the bone's name in small letters, where they differ.
        bridges: Bones, by their names in small letters, that only lead from the end of one to the beginning of others.
        rest: Where the root rests; the motion counts from zero. [units of the file]
        turns: About which axes the root may turn, the first to be applied first; None for all that are listed.
    """

    figure: str | None = None
    joints: dict[str, str] = field(default_factory=dict)
    bridges: set[str] = field(default_factory=set)
    rest: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turns: tuple[str, ...] | None = None


def is_own(lines: Iterable[str]) -> bool:
    """Return whether the documentation is one that :func:`written` made."""
    return next(iter(lines), "").strip() == _FIRST


def read_notes(lines: list[str]) -> Notes:
    """Return what the documentation says; of another program's file, nothing."""
    notes = Notes()
    if not is_own(lines):
        return notes
    for line in map(str.strip, lines[1:]):
        word, _, rest = line.partition(" ")
        if (match := _JOINT.fullmatch(line)) and match[2].strip() and match[2].isprintable():
            notes.joints[match[1].lower()] = match[2]
        elif (match := _FIGURE.fullmatch(line)) and match[1].strip() and match[1].isprintable():
            notes.figure = match[1]
        elif word == "bridge":
            notes.bridges.add(rest.strip().lower())
        elif word == "turns" and all(axis in _AXES for axis in rest.split()):
            notes.turns = tuple(dict.fromkeys(rest.split()))
        elif word == "rest":
            notes.rest = _triple(rest) or notes.rest
    return notes


def _triple(text: str) -> tuple[float, float, float] | None:
    try:
        x, y, z = (float(word) for word in text.split())
    except ValueError:
        return None
    return (x, y, z) if max(abs(x), abs(y), abs(z)) <= 1e9 else None


def written(notes: Notes, rest: Iterable[str]) -> list[str]:
    """Return the lines of a documentation.

    Args:
        notes: What to say; the bones' names as they are written.
        rest: The numbers of ``notes.rest`` as they are written.
    """
    lines = [_FIRST]
    if notes.figure is not None:
        lines.append(f'figure "{_plain(notes.figure)}"')
    if any(notes.rest):
        lines.append(f"rest {' '.join(rest)}")
    if notes.turns is not None:
        lines.append(f"turns {' '.join(notes.turns)}".rstrip())
    lines += [f'joint {bone} "{_plain(name)}"' for bone, name in notes.joints.items()]
    lines += [f"bridge {bone}" for bone in sorted(notes.bridges)]
    return lines


def _plain(text: str) -> str:
    return " ".join(CONTROL.sub("_", text).split("\n"))
