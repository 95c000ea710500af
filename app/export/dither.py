"""A dither that stands still from picture to picture, so that it costs a movie little and does not shimmer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def ordered_dither(width: int, height: int) -> NDArray[np.float32]:
    """Return Bayer's 8 x 8 pattern over a picture: steps of 1/64 from -0.5 to 0.5, mean 0, shape (height, width).

    Source: Bayer, An optimum method for two-level rendition of continuous-tone pictures (1973).
    """
    grid = np.zeros((1, 1))
    for _ in range(3):
        grid = np.block([[4 * grid, 4 * grid + 2], [4 * grid + 3, 4 * grid + 1]])
    pattern = ((grid + 0.5) / 64.0 - 0.5).astype(np.float32)
    return np.tile(pattern, (-(-height // 8), -(-width // 8)))[:height, :width]
