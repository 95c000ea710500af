"""Strands that hang on parts of figures, as hair, tails, cords and the hems of skirts do; part of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.deformable.body import Attachment, Deformable
from core.dynamics.deformable.strand import strand as strand_body
from core.errors import DynamicsError

MOST_LINKS = 200
_NUMBERS: dict[str, tuple[float, float, str]] = {
    "mass": (1e-6, 1e4, "kg"),
    "stretch": (0.0, 1e9, "N"),
    "bend": (0.0, 1e9, "N"),
    "damping": (0.0, 10.0, "s"),
    "drag": (0.0, 1e3, "1/s"),
    "shape": (0.0, 1e3, "1/s"),
    "radius": (1e-5, 10.0, "m"),
}
_MEMBERS = ("part", "points", "links", *_NUMBERS, "other", "anchor", "collides", "figure", "name")


@dataclass(frozen=True, eq=False)
class Strand:
    """A strand whose first node is fixed to a part of a figure, and its last one to another part if that is named.

    Attributes:
        part: Name of the joint that it hangs on.
        points: Its way at rest in that joint's frame, from where it is fixed, shape (k, 3), at least two, [m].
        links: How many links it has; None for one between each two points.
        mass: Of all of it, [kg].
        stretch: Force that would stretch it to twice its length, [N].
        bend: The same of what keeps it straight, [N].
        damping: How quickly links stop to swing along themselves, [s].
        drag: How much the air brakes it, [1/s].
        shape: How strongly it goes back to its way at rest, as the frequency with which it swings about it, [1/s]; 0
            for a cord that only hangs.
        radius: How thick it is, [m].
        other: Name of the joint that its last node is fixed to, or None.
        anchor: Where in that joint's frame, shape (3,), [m].
        collides: Whether the parts of the figure stop it, but near an end for what that is fixed inside of.
        figure: Name of the figure; empty for the first.
        name: What people call it.

    Raises:
        DynamicsError: If a value makes no sense; names it and what would be right.
    """

    part: str
    points: ArrayLike
    links: int | None = None
    mass: float = 0.05
    stretch: float = 100.0
    bend: float = 1.0
    damping: float = 0.02
    drag: float = 1.0
    shape: float = 0.0
    radius: float = 0.005
    other: str | None = None
    anchor: ArrayLike = field(default_factory=lambda: np.zeros(3))
    collides: bool = True
    figure: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        put, place = object.__setattr__, f'strand "{self.name}"' if self.name else f"strand of {shown(self.part)}"
        if not isinstance(self.part, str) or not self.part:
            raise DynamicsError(f"{place}: part is {shown(self.part)}; it must be the name of a joint")
        if self.other is not None and (not isinstance(self.other, str) or not self.other):
            raise DynamicsError(f"{place}: other is {shown(self.other)}; it must be the name of a joint, or null")
        for what in ("figure", "name"):
            if not isinstance(getattr(self, what), str):
                raise DynamicsError(f"{place}: {what} is {shown(getattr(self, what))}; it must be text")
        if not isinstance(self.collides, (bool, np.bool_)):
            raise DynamicsError(f"{place}: collides is {shown(self.collides)}; it must be true or false")
        put(self, "collides", bool(self.collides))
        for what, (least, most, unit) in _NUMBERS.items():
            put(self, what, _number(getattr(self, what), f"{place}: {what}", least, most, unit))
        links = self.links
        if links is not None:
            if not isinstance(links, (int, np.integer)) or isinstance(links, bool) or not 1 <= links <= MOST_LINKS:
                raise DynamicsError(
                    f"{place}: links is {shown(links)}; it must be a whole number from 1 to {MOST_LINKS}"
                )
            put(self, "links", int(links))
        points = _array(self.points, f"{place}: points")
        if points.ndim != 2 or points.shape[1] != 3 or not 2 <= len(points) <= MOST_LINKS + 1:
            raise DynamicsError(
                f"{place}: points has shape {points.shape}; it must be 2 to {MOST_LINKS + 1} rows of three numbers"
            )
        anchor = _array(self.anchor, f"{place}: anchor")
        if anchor.shape != (3,):
            raise DynamicsError(f"{place}: anchor has shape {anchor.shape}; it must be three numbers")
        put(self, "points", points)
        put(self, "anchor", anchor)
        self.body()

    def body(self) -> Deformable:
        """Return its nodes at rest in the frame of its part, those that are fixed attached as to bodies 0 and 1.

        Raises:
            DynamicsError: If two points in a row are at one place.
        """
        ends = {0: Attachment(0, tuple(np.asarray(self.points)[0].tolist()))}
        if self.other is not None:
            ends[-1] = Attachment(1, tuple(np.asarray(self.anchor).tolist()))
        return strand_body(
            self.name or self.part, self.points, mass=self.mass, stretch=self.stretch, bend=self.bend,
            damping=self.damping, links=self.links, attached=ends, radius=self.radius,
        )  # fmt: skip

    def to_record(self) -> dict[str, Any]:
        """Return it as JSON; what is as usual is left out."""
        usual = {each: getattr(Strand, each) for each in (*_NUMBERS, "links", "other", "collides", "figure", "name")}
        record: dict[str, Any] = {"part": self.part, "points": np.asarray(self.points).tolist()}
        record |= {each: getattr(self, each) for each, value in usual.items() if getattr(self, each) != value}
        if np.any(self.anchor):
            record["anchor"] = np.asarray(self.anchor).tolist()
        return record

    @classmethod
    def from_record(cls, record: Any, place: str = "strand") -> Strand:
        """Return the strand of a record: ``part``, ``points``, and what else a ``Strand`` has.

        Raises:
            DynamicsError: With one line, if it is malformed; names the place, the value and what would be right.
        """
        if not isinstance(record, Mapping):
            raise DynamicsError(f"{place} is {shown(record)}; it must be an object with part, points")
        for name in record:
            if name not in _MEMBERS:
                raise DynamicsError(f"{place} has a member {shown(name)}; it can have {', '.join(_MEMBERS)}")
        for name in ("part", "points"):
            if name not in record:
                raise DynamicsError(f"{place} has no {name}; it needs part, points")
        try:
            return cls(**record)
        except DynamicsError as error:
            raise DynamicsError(f"{place}: {error}") from None


def _array(value: ArrayLike, what: str) -> Array:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if not np.isfinite(array).all() or (np.abs(array) > 1e6).any():
        raise DynamicsError(f"{what} is {shown(value)}; it must be finite numbers within 1e6 m")
    array.setflags(write=False)
    return array


def _number(value: Any, what: str, least: float, most: float, unit: str) -> float:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not np.isfinite(value):
        raise DynamicsError(f"{what} is {shown(value)}; it must be a number")
    if not least <= value <= most:
        raise DynamicsError(f"{what} {value:g} {unit} makes no sense; it must lie in {least:g}..{most:g}")
    return float(value)
