"""What stands in an ASF file: its sections as they are, before they become a figure."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.errors import Problem

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
