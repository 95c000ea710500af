"""What stands in an ASF file: its sections as they are, and notes in its documentation on what it has no place for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.errors import Problem
from core.skeleton.scr.lexer import CONTROL

ROOT = "root"
CHANNELS = ("tx", "ty", "tz", "rx", "ry", "rz")
MOST_BONES = 1000
FARTHEST = 1e9
"""The largest number that is read, for lengths and angles alike."""


def shown(text: str, most: int = 40) -> str:
    """Return text from a file fit for a message: cut short, and nothing in it that cannot be printed."""
    clean = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[: most + 1])
    return clean if len(clean) <= most else clean[: most - 1] + "…"


@dataclass
class Bone:
    """A bone, or the root, as the file has it; angles in the file's unit, lengths too.

    Attributes:
        name: Its name; ``root`` for the root.
        line: Where it begins.
        direction: From its beginning to its end in the axes of the whole figure, shape (3,); of unit length, usually.
        length: How long it is.
        axis: Angles that turn the figure's axes into the bone's, shape (3,).
        order: In which order they do, such as ``"xyz"``: each about the figure's own axes.
        dofs: Its degrees of freedom as listed: ``rx``, ``ty`` ...
        limits: Of each, where they are given.
        mass: Its mass, or None.
        center: How far along the bone its centre of mass lies, or None.
        position: Of the root only, shape (3,).
        children: Bones that begin where this one ends, in the order of the hierarchy.
    """

    name: str
    line: int = 0
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: Array = field(default_factory=lambda: np.zeros(3))
    order: str = "xyz"
    dofs: tuple[str, ...] = ()
    limits: list[tuple[float, float]] = field(default_factory=list)
    mass: float | None = None
    center: float | None = None
    position: Array = field(default_factory=lambda: np.zeros(3))
    children: list[str] = field(default_factory=list)


@dataclass
class AsfFile:
    """An ASF file.

    Attributes:
        name: What ``:name`` says.
        mass: Factor of masses.
        length: What ``length`` among the units says: 1/length inches are one unit; None if nothing.
        degrees: Whether its angles are in degrees.
        notes: The lines of the documentation.
        bones: The root and all bones by their names in small letters, in the order of the file.
        warnings: What could be lived with.
    """

    name: str = ""
    mass: float = 1.0
    length: float | None = None
    degrees: bool = True
    notes: list[str] = field(default_factory=list)
    bones: dict[str, Bone] = field(default_factory=dict)
    warnings: list[Problem] = field(default_factory=list)

    def depth_first(self) -> list[tuple[Bone, int]]:
        """Return the bones as the hierarchy has them, the root first, each with the place of its parent; -1 for it."""
        found: list[tuple[Bone, int]] = []
        stack = [(ROOT, -1)]
        while stack:
            name, parent = stack.pop()
            bone = self.bones[name]
            found.append((bone, parent))
            place = len(found) - 1
            stack.extend((child, place) for child in reversed(bone.children))
        return found


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
