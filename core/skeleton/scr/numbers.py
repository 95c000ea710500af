"""Numbers as a file has them: as short as can be, and read back to the last bit."""

from __future__ import annotations

import math


def number_text(value: float) -> str:
    """Return the shortest text that is read back as exactly this number."""
    text = repr(float(value) + 0.0)
    return text.removesuffix(".0")


def degrees_text(radians: float) -> str:
    """Return the shortest decimal number of degrees that is read back as exactly this angle."""
    if not math.isfinite(radians):
        return number_text(radians)
    for digits in range(1, 18):
        text = f"{math.degrees(radians):.{digits}g}"
        if math.radians(float(text)) == radians:
            return number_text(float(text))
    # Rounding twice can step over the angle: look at the neighbours.
    value = math.degrees(radians)
    for candidate in (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
        if math.radians(candidate) == radians:
            return number_text(candidate)
    return number_text(value)
