"""A waveform as a picture: made by numpy at the screen's resolution, and kept until it would look different."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor, QImage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.audio import Waveform


class WavePicture:
    """Keeps the last picture."""

    def __init__(self) -> None:
        self._key: object = None
        self._image = QImage()
        self._pixels: NDArray[np.uint32] = np.zeros((0, 0), dtype=np.uint32)  # an image does not keep its memory

    def image(
        self,
        waveform: Waveform,
        times: tuple[float, float],
        size: tuple[int, int],
        colors: tuple[QColor, QColor],
        gain: float,
    ) -> QImage:
        """Return the picture of a stretch of a sound.

        Args:
            waveform: The sound.
            times: Times of the left and the right edge, [s] from its start.
            size: Width and height, device px.
            colors: Of the reach from the lowest to the highest sample, and of the loudness inside.
            gain: Factor of the loudness.
        """
        width, height = size
        key = (id(waveform), times, size, colors[0].rgba(), colors[1].rgba(), gain)
        if key != self._key:
            self._key = key
            self._pixels = _drawn(waveform, times, width, height, colors, gain)
            self._image = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        return self._image


def _drawn(
    waveform: Waveform, times: tuple[float, float], width: int, height: int, colors: tuple[QColor, QColor], gain: float
) -> NDArray[np.uint32]:
    columns = waveform.columns(*times, width)
    scale = gain / max(waveform.peak, 1e-3)  # a quiet recording fills the band too
    half = (height - 1) / 2.0
    heights = ((np.arange(height) - half) / max(half, 1.0))[:, None]
    inside = waveform.sound.duration
    seconds = times[0] + (np.arange(width) + 0.5) * (times[1] - times[0]) / max(width, 1)
    there = (seconds >= 0.0) & (seconds <= inside)
    thin = 0.6 / max(half, 1.0)
    low, high = np.minimum(-columns.high * scale, -thin), np.maximum(-columns.low * scale, thin)
    body = (heights >= low) & (heights <= high) & there
    core = (np.abs(heights) <= columns.power * scale) & there
    pixels = np.zeros((height, width), dtype=np.uint32)
    pixels[body] = colors[0].rgba()
    pixels[core] = colors[1].rgba()
    return pixels
