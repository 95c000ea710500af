"""How a figure walks: what a person sets, and how speed, length and rate of the steps hang together.

Anyone who walks faster makes both longer and quicker steps: their ratio stays the same over speeds (Sekiya and Nagasaki
1998, "Reproducibility of the walking patterns of normal young adults", Gait & Posture 7, 225-227: 0.0064 m min/step).
Figures of another size walk alike at the same Froude number, so lengths go with the leg, times with the root of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from core.gait.error import GaitError
from core.gait.ground_path import MOST_POINTS, path_of

WALK = "walk"
CURVES, FORCES = "curves", "forces"
LEGS = (CURVES, FORCES)
"""What moves the body of a walk on two legs."""

MOST_STEPS = 500
_GRAVITY = 9.81
ADULT = 0.92
"""Leg of the adults that were measured, [m]."""
_RATIO = 0.0064 * 60.0  # [m s]: step length over step rate of adults
_EASY = 0.42  # Froude number's root of an easy walk
_RANGES: dict[str, tuple[float, float]] = {
    "steps": (1, MOST_STEPS),
    "speed": (0.05, 10.0),
    "step_length": (0.02, 5.0),
    "step_rate": (0.2, 8.0),
    "width": (0.0, 2.0),
    "sway": (0.0, 3.0),
    "arm_swing": (0.0, 3.0),
    "lift": (0.0, 5.0),
    "bounce": (0.0, 3.0),
    "lean": (-math.radians(30.0), math.radians(30.0)),
    "turn": (-math.radians(60.0), math.radians(60.0)),
    "heading": (-2.0 * math.pi, 2.0 * math.pi),
}

Footprint = tuple[float, float, float]
"""Where a foot is set down: x and z, [m], and where it points, [rad] from +z toward +x."""

_NOTHING: Mapping[int, Footprint] = MappingProxyType({})


@dataclass(frozen=True)
class Manner:
    """How a figure walks. Immutable; ``dataclasses.replace`` makes others.

    Of speed, length and rate of the steps any two give the third, and one gives the others by how people walk.

    Attributes:
        kind: Name of a gait in ``core.gait.table``.
        steps: How many steps.
        speed: [m/s]; None for what the others say.
        step_length: [m]; None likewise.
        step_rate: Steps a second, [1/s]; None likewise.
        width: How far the feet stand apart sideways, middle to middle, [m]; None for the figure's usual one.
        sway: How far the body goes from side to side, 1 for the usual.
        arm_swing: How far arms and shoulders swing, 1 for the usual.
        lift: How high feet are lifted over the ground, 1 for the usual.
        bounce: How far the body goes up and down, 1 for the usual.
        lean: How far the trunk leans forward, [rad].
        turn: By how much each step turns, to the left if positive, [rad].
        heading: Where the walk begins to go, [rad] from +z toward +x.
        place: x and z where it begins, [m].
        path: Points that it walks along instead, x and z of each, [m]; steps, turn, heading and place then follow from
            them. None if there are fewer than two.
        start: Whether it begins standing; else it begins under way.
        stop: Whether it ends standing.
        first: The foot that takes the first step, ``"left"`` or ``"right"``.
        legs: What moves the body over the feet of a walk on two legs, one of ``LEGS``: curves, or, where steps are
            even, forces of the legs (``core.gait.leg_dynamics``).
        feet: Names of the feet it goes on, if not those that the figure has by its names and its rest pose: left and
            right, of four-legged figures first those behind.
        footprints: Where single footprints are instead, by number, in the order in which feet land: of a walk on two
            feet 0 and 1 are those it begins on.

    Raises:
        GaitError: If a value makes no sense, names it and what would be right.
    """

    kind: str = WALK
    steps: int = 10
    speed: float | None = None
    step_length: float | None = None
    step_rate: float | None = None
    width: float | None = None
    sway: float = 1.0
    arm_swing: float = 1.0
    lift: float = 1.0
    bounce: float = 1.0
    lean: float = 0.0
    turn: float = 0.0
    heading: float = 0.0
    place: tuple[float, float] = (0.0, 0.0)
    path: tuple[tuple[float, float], ...] = ()
    start: bool = True
    stop: bool = True
    first: str = "right"
    legs: str = CURVES
    feet: tuple[str, ...] = ()
    footprints: Mapping[int, Footprint] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or not self.kind:
            raise GaitError(f"kind is {self.kind!r}; it must be the name of a gait")
        if not all(isinstance(name, str) for name in self.feet):
            raise GaitError(f"feet are {self.feet!r}; they must be names of parts")
        if not isinstance(self.steps, int) or isinstance(self.steps, bool):
            raise GaitError(f"steps is {self.steps!r}; it must be a whole number")
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is None and name in ("speed", "step_length", "step_rate", "width"):
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if not number or not low <= value <= high:
                raise GaitError(f"{name.replace('_', ' ')} is {value!r}; it must lie in {low:g}..{high:g}")
        if self.speed is not None and self.step_length is not None and self.step_rate is not None:
            made = self.step_length * self.step_rate
            if abs(made - self.speed) > 0.01 * self.speed:
                raise GaitError(
                    f"steps of {self.step_length:g} m at {self.step_rate:g} a second make {made:.3g} m/s, not "
                    f"{self.speed:g}; leave one of the three out"
                )
        if self.first not in ("left", "right"):
            raise GaitError(f'the first step is with "{self.first}"; it must be left or right')
        if self.legs not in LEGS:
            raise GaitError(f"legs is {self.legs!r}; it must be {' or '.join(LEGS)}")
        for name in ("start", "stop"):
            if not isinstance(getattr(self, name), bool):
                raise GaitError(f"{name} is {getattr(self, name)!r}; it must be true or false")
        if len(self.place) != 2 or not all(_far(value) for value in self.place):
            raise GaitError(f"place is {self.place!r}; it must be two numbers of metres")
        if self.path:
            self._check_path()
        last = most_prints(MOST_STEPS if self.path else self.steps) - 1
        for which, print_ in self.footprints.items():
            if not isinstance(which, int) or not 0 <= which <= last:
                raise GaitError(f"footprint {which!r} is not one of this walk; it has 0 to {last}")
            if len(print_) != 3 or not all(_far(value) for value in print_):
                raise GaitError(f"footprint {which} is {print_!r}; it must be x, z and where it points")

    def _check_path(self) -> None:
        if len(self.path) > MOST_POINTS:
            raise GaitError(f"a path has {len(self.path)} points; {MOST_POINTS} at most")
        for k, point in enumerate(self.path):
            if len(point) != 2 or not all(_far(value) for value in point):
                raise GaitError(f"point {k} of the path is {point!r}; it must be x and z, two numbers of metres")
        path_of(self.path)

    def pace(self, leg: float) -> Pace:
        """Return speed, length and rate of the steps of a walk for a leg of so many metres."""
        v, length, rate = self.speed, self.step_length, self.step_rate
        ratio = _RATIO * (leg / ADULT) ** 1.5
        if length is not None and rate is not None:
            v = length * rate
        elif v is not None and length is not None:
            rate = v / length
        elif v is not None and rate is not None:
            length = v / rate
        elif length is not None:
            rate = length / ratio
        elif rate is not None:
            length = rate * ratio
        else:
            v = _EASY * math.sqrt(_GRAVITY * leg) if v is None else v
            rate = math.sqrt(v / ratio)
            length = v / rate
        assert length is not None and rate is not None
        return Pace(length * rate, length, rate)


@dataclass(frozen=True)
class Pace:
    """Speed [m/s], length [m] and rate [1/s] of the steps; the first is the product of the others."""

    speed: float
    length: float
    rate: float

    def duty(self, leg: float) -> float:
        """Return how much of two steps a foot is on the ground until it rolls over the tips of its toes.

        0.585 at an easy walk, where people leave it at 0.62: toes of figures are stiff, and go with the foot that
        leaves; less the faster it goes (Murray 1967, "Gait as a total pattern of movement", American
        Journal of Physical Medicine 46, 290-333).
        """
        return min(max(0.675 - 0.21 * self.speed / math.sqrt(_GRAVITY * leg), 0.525), 0.665)


def most_prints(steps: int) -> int:
    """Return how many footprints so many steps have at most: on four feet, with those it begins and ends on."""
    return 2 * steps + 12


def _far(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return math.isfinite(value) and abs(value) <= 1e6


def manner_to_json(manner: Manner) -> dict[str, Any]:
    """Return a manner as a JSON value; what is at its default is left out."""
    record: dict[str, Any] = {"kind": manner.kind}
    usual = Manner(manner.kind)
    for each in fields(Manner):
        value = getattr(manner, each.name)
        if value == getattr(usual, each.name):
            continue
        if each.name == "footprints":
            value = {str(number): list(print_) for number, print_ in sorted(value.items())}
        if each.name == "path":
            value = [list(point) for point in value]
        record[each.name] = list(value) if isinstance(value, tuple) else value
    return record


def manner_from_json(record: Any) -> Manner:
    """Return the manner that a record stands for; members that it does not know are left out.

    Raises:
        GaitError: If it is no record of one, or a value makes no sense.
    """
    if not isinstance(record, Mapping) or "kind" not in record:
        raise GaitError("the record of a walk must be an object with kind")
    known = {each.name for each in fields(Manner)}
    values = {name: value for name, value in record.items() if name in known}
    try:
        if "place" in values:
            values["place"] = tuple(values["place"])
        if "feet" in values:
            values["feet"] = tuple(values["feet"])
        if "path" in values:
            values["path"] = tuple(tuple(point) for point in values["path"])
        if "footprints" in values:
            values["footprints"] = {int(number): tuple(print_) for number, print_ in values["footprints"].items()}
    except (TypeError, ValueError, AttributeError):
        raise GaitError("place, path and footprints of a walk must be numbers") from None
    return Manner(**values)
