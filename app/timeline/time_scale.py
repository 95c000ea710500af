"""The scale of the timeline: which frame lies where, zoom and pan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

NAMES_WIDTH = 136
MARGIN = 32.0
MOST_PIXELS = 60.0
LEAST_PIXELS = 1e-4
EMPTY_SPAN = 60  # frames shown while there is no motion yet
LEAST_SPAN = 24
ZOOM_STEP, PAN_STEP = 1.2, 60.0
"""By how much a step of the wheel, or an action, zooms and moves what is shown, [px]."""
_STEPS = (1, 2, 3, 6, 12, 30, 60, 120, 300, 600, 1200, 3000, 6000, 12000, 30000, 60000, 120000, 300000, 600000,
         1200000, 3000000, 6000000)  # fmt: skip


class TimeScale(QObject):
    """Where frames lie along the tracks.

    Attributes:
        width: Of the tracks, [px].
        left: Frame at the left edge of the tracks, less the margin.
        pixels: Width of a frame, [px].

    Signals:
        changed(): Anything that the parts of the timeline draw is different now.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.width = 600.0
        self.left = 0.0
        self.pixels = 10.0
        self._fitted = False  # whether all is shown, at any width
        self._unseen = True  # whether what there is has not been shown as a whole yet

    def extent(self) -> tuple[int, int, int]:
        """Return the first and the last frame worth seeing, and how many keys there are."""
        raise NotImplementedError

    def touch(self) -> None:
        """Have everything drawn again."""
        self.changed.emit()

    # -- places ---------------------------------------------------------------------------------------------------

    def x(self, frame: float) -> float:
        """Return where a frame lies, in px from the left edge of the tracks."""
        return MARGIN + (frame - self.left) * self.pixels

    def xs(self, frames: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where many frames lie."""
        return MARGIN + np.subtract(frames, self.left, dtype=np.float64) * self.pixels

    def exact_frame(self, x: float) -> float:
        """Return the frame at a place, whole or not."""
        return self.left + (x - MARGIN) / self.pixels

    def frame_at(self, x: float) -> int:
        """Return the nearest frame to a place, never below 0."""
        return max(0, round(self.exact_frame(x)))

    def visible(self) -> tuple[float, float]:
        """Return the frames at the two edges."""
        return self.left - MARGIN / self.pixels, self.left + (self.width - MARGIN) / self.pixels

    def tick_step(self, least: float = 54.0) -> int:
        """Return the number of frames between two ticks that are at least some px apart; numbers need 54."""
        return next((step for step in _STEPS if step * self.pixels >= least), _STEPS[-1])

    # -- changing -------------------------------------------------------------------------------------------------

    def set_width(self, width: float) -> None:
        """Tell the width of the tracks; a scale that was fitted to it goes on showing the same frames."""
        if width != self.width:
            before, self.width = self.width, max(width, 60.0)
            if self._fitted:
                ratio = (self.width - 2 * MARGIN) / (before - 2 * MARGIN)
                self.pixels = float(np.clip(self.pixels * ratio, LEAST_PIXELS, MOST_PIXELS))
                self.touch()

    def fit(self, quiet: bool = False) -> None:
        """Show the range and all keys."""
        first, last, keys = self.extent()
        last = max(last, first + (LEAST_SPAN if keys > 1 else EMPTY_SPAN))
        self._show(float(first), float(last))
        self._fitted, self._unseen = True, False
        if not quiet:
            self.touch()

    def show_span(self, first: float, last: float) -> None:
        """Show the frames from one to another, as large as they can be."""
        self._show(first, max(last, first + 1e-3))
        self._fitted = False
        self.touch()

    def _show(self, first: float, last: float) -> None:
        room = self.width - 2 * MARGIN
        self.pixels = float(np.clip(room / (last - first), LEAST_PIXELS, MOST_PIXELS))
        spare = max(room / self.pixels - (last - first), 0.0) if self.pixels == MOST_PIXELS else 0.0
        self.left = first - 0.5 * spare

    def zoom(self, factor: float, x: float) -> None:
        """Zoom so that the frame at ``x`` stays where it is."""
        frame = self.exact_frame(x)
        self.pixels = float(np.clip(self.pixels * factor, LEAST_PIXELS, MOST_PIXELS))
        self.left = frame - (x - MARGIN) / self.pixels
        self._fitted = False
        self._clamp()
        self.touch()

    def pan(self, pixels: float) -> None:
        """Move the tracks sideways."""
        self.left -= pixels / self.pixels
        self._fitted = False
        self._clamp()
        self.touch()

    def _clamp(self) -> None:
        self.left = max(self.left, -0.75 * self.width / self.pixels, -200.0)

    @staticmethod
    def bounded_pixels(pixels: float) -> float:
        """Return the nearest width of a frame that can be shown, [px]."""
        return float(np.clip(pixels, LEAST_PIXELS, MOST_PIXELS))

    def put_left(self, left: float, pixels: float) -> None:
        """Show the frames from one on, at a scale, as ``left`` and ``pixels`` say it."""
        self.pixels = self.bounded_pixels(pixels)
        self.left, self._fitted = left, False
        self._clamp()
        self.touch()

    def reveal(self, frame: float) -> None:
        """Scroll so that a frame can be seen."""
        first, last = self.visible()
        if not first <= frame <= last:
            self.left = max(0.0, frame - 0.5 * (self.width - MARGIN) / self.pixels)
            self.touch()
