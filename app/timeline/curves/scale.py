"""The value axis of the curve editor: where a value lies, zoom, pan and the numbers along it."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array

LEAST_GAP = 26.0  # between two numbers of the axis, px
EDGE = 18.0  # px that a fitted curve keeps from the upper and lower edge
FINEST, COARSEST = 1e-6, 1e5  # units a px
_ROUND = (1.0, 2.0, 5.0)
_DEGREES = (10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0)


class ValueScale:
    """Values up along the height of a picture.

    Attributes:
        middle: Value at half the height.
        unit: Units a px.
        height: Height of the picture, [px].
        fitted: Whether it still shows what it was fitted to.
        stale: Whether it is to be fitted again before the next picture: other curves are shown.
    """

    def __init__(self) -> None:
        self.middle, self.unit, self.height = 0.0, 1.0, 200.0
        self.fitted, self.stale = False, True

    def y(self, value: float) -> float:
        """Return where a value lies, in px from the upper edge."""
        return self.height / 2.0 - (value - self.middle) / self.unit

    def ys(self, values: Array) -> Array:
        """Return where many values lie."""
        return np.asarray(self.height / 2.0 - (values - self.middle) / self.unit)

    def value(self, y: float) -> float:
        """Return the value at a place."""
        return self.middle + (self.height / 2.0 - y) * self.unit

    @property
    def span(self) -> tuple[float, float]:
        """Values at the lower and the upper edge."""
        return self.value(self.height), self.value(0.0)

    def zoom(self, factor: float, y: float) -> None:
        """Zoom so that the value at ``y`` stays where it is."""
        value = self.value(y)
        self.unit = float(np.clip(self.unit / factor, FINEST, COARSEST))
        self.middle = value - (self.height / 2.0 - y) * self.unit
        self.fitted = self.stale = False

    def pan(self, pixels: float) -> None:
        """Move what is shown down by some px."""
        self.middle += pixels * self.unit
        self.fitted = self.stale = False

    def fit(self, lower: float, upper: float, least: float = 1.0) -> None:
        """Show a range of values, at least ``least`` units of it."""
        room = max(self.height - 2.0 * EDGE, 20.0)
        self.middle = 0.5 * (lower + upper)
        self.unit = float(np.clip(max(upper - lower, least) / room, FINEST, COARSEST))
        self.fitted = True

    def step(self, degrees: bool = False) -> float:
        """Return how far two numbers of the axis are apart; in whole parts of a turn where degrees are shown."""
        least = LEAST_GAP * self.unit
        if degrees and 5.0 < least <= 360.0:
            return next(step for step in _DEGREES if step >= least)
        power = 10.0 ** math.floor(math.log10(least))
        return next(power * step for step in (*_ROUND, 10.0) if power * step >= least * (1.0 - 1e-9))

    def ticks(self, degrees: bool = False) -> tuple[float, Array]:
        """Return the step between the numbers of the axis, and the numbers that can be seen."""
        step = self.step(degrees)
        low, high = self.span
        return step, np.arange(math.ceil(low / step), math.floor(high / step) + 1) * step
