"""Brings what is simulated, or the keyed motion, onto a plot, sample by sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.widgets.plots.area import PlotArea
from app.widgets.plots.curves import CurveStyle, Floats

if TYPE_CHECKING:
    from app.physics.series import MotionSeries

SOON_MS = 33
"""Plots are drawn on at most so often, [ms]: every other sample of a simulation in real time."""
REST_MS = 200
"""So long after the playhead has moved assistive tools get the values there."""


class PlotFeed(QObject):
    """Keeps a plot as the series is, as long as it can be seen.

    Args:
        series: What is shown.
        area: The plot.
        rows: From rows of the series to the plot's values.
        styles: Returns how the curves look now.
        now: Returns where the playhead is; None for the frame that is shown, between whole ones too.
        interval: Least time between two times that it is drawn on, [ms].

    Signals:
        taken(bool): The plot has other values (True), or more of them (False).
    """

    taken = Signal(bool)

    def __init__(
        self,
        series: MotionSeries,
        area: PlotArea,
        rows: Callable[[Floats], Floats],
        styles: Callable[[], tuple[CurveStyle, ...]],
        now: Callable[[], float] | None = None,
        interval: int = SOON_MS,
    ):
        super().__init__(area)
        self.series, self.area = series, area
        self._rows, self._styles = rows, styles
        self._seen = area.isVisible  # kept: it is known again by this object
        self._now = now or (lambda: series.now)
        self._soon = QTimer(self, singleShot=True, interval=interval)
        self._soon.timeout.connect(self._take_new)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(area.describe)
        series.reset.connect(self.take_all)
        series.grown.connect(self._take_later)
        series.moved.connect(self._take_later)

    def show(self) -> None:
        """The plot is shown: call this then."""
        self.series.need(self._seen)
        QTimer.singleShot(0, self, self.take_all)

    def take_all(self) -> None:
        """Take everything again."""
        if not self.area.isVisible():
            return
        series, area = self.series, self.area
        shown = series.shown
        area.set_styles(self._styles())
        area.curves.put(shown.frames, self._rows(shown.values))
        tail = series.keyed if series.showing == "simulated" else None
        if tail is not None and len(tail):
            area.tail.put(tail.frames, self._rows(tail.values))
        else:
            area.tail.put(np.empty(0), np.empty((0, len(area.styles))))
        area.set_empty_text(series.problem)
        area.now = self._now()
        area.set_span(series.span if series.showing == "simulated" else None)
        self.taken.emit(True)
        area.refresh()
        self._rest.start()

    def _take_later(self) -> None:
        if not self._soon.isActive() and self.area.isVisible():
            self._soon.start()

    def _take_new(self) -> None:
        """Draw on, and move the playhead."""
        series, area = self.series, self.area
        if not area.isVisible():
            return
        shown = series.shown
        area.now = self._now()
        grown = series.showing == "simulated" and len(shown) > len(area.curves)
        if grown and self._styles() != area.styles:  # what has come asks for another scale beside the rest
            self.take_all()
        elif grown:
            begin = len(area.curves)
            area.curves.extend(shown.frames[begin:], self._rows(shown.values[begin:]))
            area.set_span(series.span)
            self.taken.emit(False)
            area.refresh()
        else:
            area.set_now(area.now)
        if not self._rest.isActive():
            self._rest.start()
