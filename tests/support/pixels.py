"""Pictures as arrays: asking an image for one pixel after the other takes seconds where there are many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage


def rgb(image: QImage) -> NDArray[np.int16]:
    """Return red, green and blue of every pixel, shape (height, width, 3), 0 to 255; new."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(np.int16)


def distance(image: QImage, color: QColor) -> NDArray[np.int16]:
    """Return how far every pixel is from a color in the channel that differs most, shape (height, width)."""
    furthest: NDArray[np.int16] = np.abs(rgb(image) - np.array(color.getRgb()[:3], np.int16)).max(axis=2)
    return furthest


def alpha(image: QImage) -> NDArray[np.uint8]:
    """Return how opaque every pixel is, shape (height, width), 0 to 255; new."""
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.width(), 4)
    return rows[..., 3].copy()
