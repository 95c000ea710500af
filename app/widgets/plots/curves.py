"""What a plot shows: curves that share their frames and grow at the end, and the axis for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SOLID: tuple[float, ...] = ()
DASHED, DOTTED = (5.0, 3.0), (1.5, 3.0)
"""Lengths that are drawn and left out, [px]."""


@dataclass(frozen=True)
class CurveStyle:
    """How one curve looks, and what it is.

    Attributes:
        name: Its name, ``"Kinetic"``; ``short`` in narrow legends, ``"Kin."``.
        token: Colour.
        pattern: ``SOLID``, ``DASHED`` or ``DOTTED``: what sets it apart without colour.
        unit: Of its values.
        factor: By how much it is drawn higher than it is.
    """

    name: str
    short: str
    token: str
    pattern: tuple[float, ...]
    unit: str
    factor: float = 1.0


class Curves:
    """Values of some curves at ascending frames.

    Args:
        count: How many curves.

    Attributes:
        version: Another number whenever values change that were there before.
    """

    def __init__(self, count: int):
        self.count = count
        self.version = 0
        self._length = 0
        self._frames = np.empty(0)
        self._values = np.empty((0, count))

    def __len__(self) -> int:
        return self._length

    @property
    def frames(self) -> Floats:
        """Frames, shape (n,)."""
        return self._frames[: self._length]

    @property
    def values(self) -> Floats:
        """Values, shape (n, count)."""
        return self._values[: self._length]

    def put(self, frames: Floats, values: Floats) -> None:
        """Show other values: shapes (n,) and (n, count), frames ascending."""
        self._frames, self._values = (
            np.array(frames, dtype=float),
            np.array(values, dtype=float).reshape(-1, self.count),
        )
        self._length = len(self._frames)
        self.version += 1

    def append(self, frame: float, values: Floats | tuple[float, ...]) -> None:
        """Add values at a frame after all others; none of a frame that is not."""
        if self._length and frame <= self._frames[self._length - 1]:
            return
        if self._length == len(self._frames):
            room = max(2 * self._length, 256)
            frames, rows = np.empty(room), np.empty((room, self.count))
            frames[: self._length], rows[: self._length] = self.frames, self.values
            self._frames, self._values = frames, rows
        self._frames[self._length], self._values[self._length] = frame, values
        self._length += 1

    def extend(self, frames: Floats, values: Floats) -> None:
        """Add values at frames after all others, shapes (n,) and (n, count)."""
        for frame, row in zip(frames.tolist(), values, strict=True):
            self.append(frame, row)

    def at(self, frame: float) -> Floats | None:
        """Return the values at a frame, between two by interpolation, shape (count,); None beyond both ends."""
        frames = self.frames
        if not self._length or not frames[0] - 1e-9 <= frame <= frames[-1] + 1e-9:
            return None
        number = int(np.searchsorted(frames, frame))
        if number == 0 or number == len(frames):
            return np.array(self.values[min(number, len(frames) - 1)])
        before, after = float(frames[number - 1]), float(frames[number])
        share = (frame - before) / (after - before)
        return np.asarray((1.0 - share) * self.values[number - 1] + share * self.values[number])


_SPARE = 1.3
_STEPS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)


def round_up(value: float) -> float:
    """Return a number of two digits at most that is no smaller: the upper end of an axis; 1 for 0."""
    if not np.isfinite(value) or value <= 1e-9:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next((step * power for step in _STEPS if value <= step * power * (1.0 + 1e-9)), 10.0 * power))


def drawn_range(tops: float, bottoms: float, before: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the lower and upper end of an axis for values from ``bottoms`` to ``tops``; 0 is always on it.

    An axis ``before`` stays as it is while the values fit and fill a third of it, and gets longer with some room to
    spare: curves that grow are seldom drawn again.
    """
    low, high = min(bottoms, 0.0), max(tops, 0.0)
    if before is not None:
        if before[0] <= low and high <= before[1] and high - low >= (before[1] - before[0]) / 3.0:
            return before
        high = _SPARE * high if high > before[1] else high
        low = _SPARE * low if low < before[0] else low
    upper = round_up(high)
    if low >= -0.02 * upper:
        return 0.0, upper
    return -round_up(-low), upper if high > 0.02 * -low else 0.0
