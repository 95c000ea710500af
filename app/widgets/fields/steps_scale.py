"""The scale of a number of iterations: even steps in its logarithm, and "as many as needed" at the far end."""

from __future__ import annotations

import math

from app.widgets.fields.setting_quantities import STEPS
from app.widgets.fields.setting_slider import Scale

AS_NEEDED = float(STEPS.most + 1)
"""The value that stands for as many as needed."""

_OPEN_END = 1.06  # where "as needed" stands beyond the most steps, as a share of the track up to them


def steps_scale() -> Scale:
    """Return the scale; it gives whole numbers, and ``AS_NEEDED`` at its far end."""
    top = math.log10(STEPS.most)

    def place(value: float) -> float:
        return _OPEN_END * top if value > STEPS.most else math.log10(max(value, 1.0))

    def value(place: float) -> float:
        return AS_NEEDED if place > 0.5 * (1.0 + _OPEN_END) * top else float(round(10.0 ** min(place, top)))

    return Scale(1.0, AS_NEEDED, AS_NEEDED, place, value)
