"""Colours of the screen (sRGB) and linear light, as IEC 61966-2-1 has them: the one place for its curve."""

from __future__ import annotations

import numpy as np

from core.arrays import Array


def to_linear(values: object) -> Array:
    """Return colours of the screen as linear light, both 0 to 1, whatever their shape."""
    c = np.asarray(values, dtype=np.float64)
    return np.asarray(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4))


def to_screen(values: object) -> Array:
    """Return linear light as colours of the screen; light brighter than the screen becomes 1."""
    c = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return np.asarray(np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1.0 / 2.4) - 0.055))
