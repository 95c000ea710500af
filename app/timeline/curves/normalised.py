"""The normalised view: every curve drawn over the same height, so that curves of unlike size are seen together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array

if TYPE_CHECKING:
    from app.timeline.curves.model import CurvesModel
    from app.timeline.curves.rows import CurveRow

LEAST_RANGE = {"angle": 1.0, "length": 1.0, "number": 0.01}
"""Curves that vary by less are not drawn any taller, in the unit on screen: a tremble must not look like a swing."""


class NormalisedRows:
    """Which values of each curve are drawn at 0 and at 1: those of its lowest and its highest key.

    Args:
        model: What the parts of the curve editor share.
    """

    def __init__(self, model: CurvesModel):
        self._model = model
        self._token: object = None
        self._kept: dict[int, tuple[float, float]] = {}

    def _range(self, row: CurveRow) -> tuple[float, float]:
        """Return the value drawn at 0 and how much is drawn as 1; the same all through a drag."""
        model = self._model
        if not model.dragging and self._token != model.motion:
            self._token, self._kept = model.motion, {}
        if row.id not in self._kept:
            values = np.empty(0) if row.turned else model.key_values(row, model.key_frames(row))
            values = values[np.isfinite(values)]
            low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
            least = LEAST_RANGE[row.unit]
            if high - low < least:
                low, high = 0.5 * (low + high - least), 0.5 * (low + high + least)
            if row.turned:
                low, high = 0.0, 180.0
            self._kept[row.id] = low, high - low
        return self._kept[row.id]

    def gain(self, row: CurveRow) -> float:
        """Return how much is drawn for one unit on screen of a row."""
        return 1.0 / self._range(row)[1] if self._model.normalised else 1.0

    def drawn(self, row: CurveRow, values: Array) -> Array:
        """Return at which values of the axis the values of a row are drawn, any shape."""
        if not self._model.normalised:
            return values
        low, span = self._range(row)
        made: Array = (values - low) / span
        return made
