"""Plots of the Physics panel: energy and momentum of what is simulated, or of the keyed motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel

from app.look import fonts, style
from app.physics.plot_feed import PlotFeed
from app.physics.series import motion_series
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.layouts import column_layout
from app.widgets.plots.area import PlotArea
from app.widgets.plots.curves import CurveStyle, Floats
from app.widgets.plots.legend import Legend
from app.widgets.plots.motion_curves import ENERGY, MOMENTUM, ZERO, energies, momenta, momentum_styles

if TYPE_CHECKING:
    from app.document.document import Document

DOCKED_MS = 66
"""How often they are drawn on while a simulation goes on, [ms]: half as often as the one under the tracks."""
LONGER = 1.6
"""What a simulation that goes on beyond the frames that are shown makes them longer by."""


class _MotionPlot(Painted):
    """A title, a legend and a plot; subclasses say of what.

    Args:
        document: The open document.
        title: Its title.
        styles: Its curves.
    """

    def __init__(self, document: Document, title: str, styles: tuple[CurveStyle, ...]):
        super().__init__()
        self.document = document
        self.series = motion_series(document)
        self.legend, self.area = Legend(styles), PlotArea(styles, title)
        heading = QLabel(title)
        heading.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 8, 0)
        head.addWidget(heading)
        head.addStretch(1)
        head.addWidget(self.legend)
        column = column_layout(self, (1, 5, 1, 4), 3)
        column.addLayout(head)
        column.addWidget(self.area, 1)
        self.setAccessibleName(f"Plot of {title.lower()}")
        self._last = 0.0
        self.feed = PlotFeed(self.series, self.area, self._rows, self._styles, interval=DOCKED_MS)
        self.feed.taken.connect(self._taken)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(260, 116)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(160, 84)

    def _rows(self, rows: Floats) -> Floats:
        raise NotImplementedError

    def _styles(self) -> tuple[CurveStyle, ...]:
        return self.area.styles

    # -- following ------------------------------------------------------------------------------------------------

    def _taken(self, anew: bool) -> None:
        if anew:
            self._last = 0.0
            self.legend.set_styles(self.area.styles)
        self._fit_frames()

    def _fit_frames(self) -> None:
        """Show the frames there are, with room for those to come."""
        shown, sequence = self.series.shown, self.document.sequence
        if not len(shown) or sequence is None:
            return
        first, last = float(shown.frames[0]), float(shown.frames[-1])
        if self.series.showing == "simulated":
            wanted = max(float(sequence.range[1]), first + sequence.fps)
            while wanted < last:
                wanted = first + LONGER * (wanted - first)
            last = self._last = max(self._last, wanted)
        pixels = (self.area.width() - 2.0) / max(last - first, 1.0)
        self.area.set_frames(1.0 - first * pixels, pixels)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.feed.show()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_frames)

    # -- the mouse: a press goes to that frame ----------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self.document.skeleton is not None:
            at = self.area.mapFromGlobal(event.globalPosition())
            self.document.set_frame(max(round(self.area.frame_at(at.x())), 0))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, self.rect().toRectF(), style.color("input"), style.color("line"))
        painter.end()


class EnergyPlot(_MotionPlot):
    """Kinetic, potential and total energy; the potential one against the first frame shown."""

    def __init__(self, document: Document):
        super().__init__(document, "Energy", ENERGY)
        self.legend.setToolTip(ZERO)

    def _rows(self, rows: Floats) -> Floats:
        return energies(rows, self.series.zero)


class MomentumPlot(_MotionPlot):
    """Sizes of the linear momentum and of the angular momentum about the centre of mass."""

    def __init__(self, document: Document):
        super().__init__(document, "Momentum", MOMENTUM)
        self.legend.setToolTip("Linear momentum, and angular momentum about the centre of mass")

    def _rows(self, rows: Floats) -> Floats:
        return momenta(rows)

    def _styles(self) -> tuple[CurveStyle, ...]:
        series = self.series
        both = [each.values for each in (series.shown, series.keyed) if len(each)]
        return momentum_styles(np.concatenate(both) if both else np.empty((0, 4)))
