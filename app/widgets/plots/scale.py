"""Where frames and values are on a plot."""

from __future__ import annotations

import numpy as np

from app.widgets.plots.curves import Floats

ABOVE, BELOW = 4.0, 3.0  # beside the highest and the lowest value, px


class PlotScale:
    """Places on a plot, [px].

    Attributes:
        width, height: Of the plot.
        left: Place of frame 0; ``pixels`` the width of a frame.
        low, high: Values at its lower and upper end.
    """

    def __init__(self) -> None:
        self.width, self.height = 100.0, 60.0
        self.left, self.pixels = 0.0, 1.0
        self.low, self.high = 0.0, 1.0

    def state(self) -> tuple[float, ...]:
        """Return all that places depend on."""
        return (self.width, self.height, self.left, self.pixels, self.low, self.high)

    def x(self, frame: float) -> float:
        """Return where a frame is."""
        return self.left + frame * self.pixels

    def xs(self, frames: Floats) -> Floats:
        """Return where frames are."""
        return self.left + frames * self.pixels

    def frame(self, x: float) -> float:
        """Return the frame at a place."""
        return (x - self.left) / self.pixels

    def ys(self, values: Floats) -> Floats:
        """Return where values are; far outside no farther than can be painted."""
        share = (values - self.low) / (self.high - self.low)
        return np.asarray(self.height - BELOW - np.clip(share, -10.0, 10.0) * (self.height - ABOVE - BELOW))

    def y(self, value: float) -> float:
        """Return where one value is."""
        share = (value - self.low) / (self.high - self.low)
        return self.height - BELOW - min(max(share, -10.0), 10.0) * (self.height - ABOVE - BELOW)

    def lines(self) -> tuple[float, ...]:
        """Return where lines across are: at the ends, in the middle, and at 0."""
        return tuple(self.y(value) for value in {self.low, 0.5 * (self.low + self.high), self.high, 0.0})
