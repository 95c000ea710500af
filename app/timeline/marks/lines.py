"""Faint lines of beats and markers through the bands of the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.look import style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.timeline.model import TimelineModel
    from core.animation.marker import Marker

LEAST_BEATS = 7.0
"""Beats that stand nearer than this are left out but for those that begin a bar, [px]; these too if they do."""


class TimeBand(Protocol):
    """A band of the timeline: what stands at a frame stands at an x of it."""

    @property
    def model(self) -> TimelineModel:
        """Scale, beats and markers."""

    def track_x(self, frame: float) -> float:
        """Return where a frame lies, [px]."""


def marker_color(marker: Marker) -> QColor:
    """Return the colour of a marker: its own, or the theme's."""
    return QColor(marker.color) if marker.color is not None else style.color("text")


def seen_beats(canvas: TimeBand) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.intp]]:
    """Return the beats in sight that there is room for: their x, whether they begin a bar, and their indices."""
    frames, strong = canvas.model.marks.beats
    first, last = canvas.model.visible()
    begin, end = np.searchsorted(frames, (max(first, 0.0), last))
    indices = np.arange(begin, end)
    chosen = strong[begin:end]
    if len(indices) > 1:
        pixels = canvas.model.pixels
        span = float(frames[end - 1] - frames[begin]) * pixels
        if span / (len(indices) - 1) < LEAST_BEATS:
            indices = indices[chosen]
            if len(indices) > 1 and span / (len(indices) - 1) < LEAST_BEATS:
                indices = indices[:0]
    xs = canvas.track_x(0.0) + frames[indices] * canvas.model.pixels
    return xs, strong[indices], indices


def draw_mark_lines(canvas: TimeBand, painter: QPainter, bottom: float) -> None:
    """Draw a line for each beat and marker in sight; weak beats are dotted, those that begin a bar solid."""
    xs, strong, _ = seen_beats(canvas)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for kind, line, amount in ((False, Qt.PenStyle.DotLine, 0.36), (True, Qt.PenStyle.SolidLine, 0.28)):
        places = np.floor(xs[strong == kind]) + 0.5
        if len(places):
            painter.setPen(QPen(style.mix("panel", "text", amount), 1.0, line))
            painter.drawLines([QLineF(x, 0.0, x, bottom) for x in places.tolist()])
    first, last = canvas.model.visible()
    for marker in canvas.model.marks.markers:
        if first <= marker.frame <= last:
            ink = QColor(marker_color(marker))
            ink.setAlphaF(0.6)
            painter.setPen(QPen(ink, 1.0, Qt.PenStyle.DashLine))
            x = np.floor(canvas.track_x(marker.frame)) + 0.5
            painter.drawLine(QLineF(x, 0.0, x, bottom))
