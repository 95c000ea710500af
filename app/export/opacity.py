"""Pictures with transparency for files whose colours are not multiplied by it.

Encoders mix the colours of neighbouring pixels, seen or not. What is not seen gets the colour of what is seen beside
it: black there would shine through as a dark seam round the figure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def straight(picture: Pixels) -> Pixels:
    """Return a picture with its colours divided by its opacity, and colours where nothing is seen.

    Args:
        picture: Shape (height, width, 4), RGBA, premultiplied.
    """
    values = picture.astype(np.float32)
    seen = values[:, :, 3:] > 0.0
    colors = _spread(values)
    exact = np.divide(255.0 * values[:, :, :3], values[:, :, 3:], out=colors, where=seen)
    result = np.empty_like(picture)
    result[:, :, :3] = np.clip(np.rint(exact), 0.0, 255.0)
    result[:, :, 3] = picture[:, :, 3]
    return result


def _spread(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return for every pixel a colour of what is seen about it, shape (height, width, 3): of the smallest square.

    Squares are those of a pyramid of means, each of two by two of the one below (pull-push).
    """
    height, width = values.shape[:2]
    if min(height, width) <= 1:
        mean = values.mean(axis=(0, 1))
        color = 255.0 * mean[:3] / mean[3] if mean[3] > 0.0 else np.zeros(3, dtype=np.float32)
        return np.broadcast_to(color, (height, width, 3)).astype(np.float32)
    even = np.pad(values, ((0, height % 2), (0, width % 2), (0, 0)))
    half = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2, 4).mean(axis=(1, 3))
    colors = _spread(half)
    np.divide(255.0 * half[:, :, :3], half[:, :, 3:], out=colors, where=half[:, :, 3:] > 0.0)
    return colors.repeat(2, axis=0).repeat(2, axis=1)[:height, :width]
