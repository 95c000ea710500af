"""What a person may say about a motion file: what it does not say itself, such as its size, and which part is taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from core.errors import FormatError, Problem
from core.formats.importing.units import checked_unit

AUTO = "auto"
REPLACE, ADD = "replace", "add"
LOWEST, FIRST, AVERAGE = "lowest", "first", "average"

UPS = ("x", "y", "z", "-x", "-y", "-z")
"""Axes of a file that may point upwards."""

FLOORS = (LOWEST, FIRST)
"""Which point of the feet is put on the floor: the lowest of the whole motion, or that of its first frame."""

FACINGS = (FIRST, AVERAGE)
"""When the figure faces the front, +z: in the first frame, or on average."""

POSITIONS = (REPLACE, ADD)
"""What position channels do with a joint's offset."""

SHORTEST, TALLEST = 1e-3, 1e4
"""What a figure's height may be made, [m]."""

SLOWEST, FASTEST = 0.01, 1e5
"""Frames a second that a motion may have."""


@dataclass(frozen=True)
class ImportChoices:
    """How a motion file is read where it leaves something open, and what of it; None takes the file as it is.

    Attributes:
        unit: Metres in one unit of the file; None guesses it.
        height: How tall the figure is made, [m], in place of ``unit``.
        up: The file's axis that points upwards, one of ``UPS``; ``"auto"`` finds it in the data.
        floor: One of ``FLOORS``.
        facing: One of ``FACINGS``.
        positions: One of ``POSITIONS``; ``"auto"`` measures it.
        rate: Frames a second of the file, where it does not say or is wrong; the motion is slower or faster by that.
        fps: Frames a second that the motion is brought to; it takes as long as before.
        first: First frame of the file that is taken, counted from 0.
        last: Last frame that is taken.
    """

    unit: float | None = None
    height: float | None = None
    up: str | None = None
    floor: str | None = None
    facing: str | None = None
    positions: str | None = None
    rate: float | None = None
    fps: float | None = None
    first: int | None = None
    last: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every frame is taken as the file has it."""
        return self.rate is self.fps is self.first is self.last is None

    @property
    def given(self) -> tuple[str, ...]:
        """Names of those that a person has chosen."""
        return tuple(name for name, value in vars(self).items() if value is not None and value != AUTO)

    @classmethod
    def found(cls) -> ImportChoices:
        """Return the choices that follow what is found in the data: what the editor and the command line begin with."""
        return cls(up=AUTO, positions=AUTO)

    def checked(self, file: str) -> ImportChoices:
        """Return the choices with numbers as floats.

        Raises:
            FormatError: If one of them makes no sense.
        """

        def fail(message: str) -> FormatError:
            return FormatError(Problem(file, 0, 0, message))

        for name, value, valid in (
            ("up axis", self.up, (*UPS, AUTO)),
            ("floor", self.floor, FLOORS),
            ("facing", self.facing, FACINGS),
            ("positions", self.positions, (*POSITIONS, AUTO)),
        ):
            if value is not None and value not in valid:
                expected = ", ".join(f'"{one}"' for one in valid)
                raise fail(f"{value!r} makes no sense for {name}; expected one of {expected}")
        if self.unit is not None and self.height is not None:
            raise fail("both a unit and a height are given; expected one of them; each determines the other")
        unit = None if self.unit is None else checked_unit(self.unit, file)
        height = self.height
        if height is not None:
            number = isinstance(height, (int, float)) and not isinstance(height, bool)
            if not number or not math.isfinite(height) or not SHORTEST <= height <= TALLEST:
                raise fail(f"{height!r} is not a height; expected metres, {SHORTEST:g} to {TALLEST:g}")
            height = float(height)
        for rate in (self.rate, self.fps):
            number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
            if rate is not None and not (number and SLOWEST <= rate <= FASTEST):
                raise fail(f"{rate!r} frames a second make no sense; expected {SLOWEST:g} to {FASTEST:g}")
        for frame in (self.first, self.last):
            if frame is not None and (isinstance(frame, bool) or not isinstance(frame, int) or frame < 0):
                raise fail(f"{frame!r} is not a frame; expected a whole number from 0 on")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise fail(f"frames {self.first} to {self.last} run backwards; expected {self.last} to {self.first}")
        return replace(self, unit=unit, height=height)
