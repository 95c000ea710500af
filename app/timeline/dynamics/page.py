"""What the Dynamics tab shows: implausible spans, rows of joints, energy."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.process.handler_guard import guarded
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.dynamics.energy_row import HEIGHT, LEAST, EnergyRow
from app.timeline.dynamics.track import DynamicsTracks
from app.timeline.dynamics.violation_band import HEIGHT as BAND_HEIGHT
from app.timeline.dynamics.violation_band import ViolationBand
from app.timeline.dynamics.violation_search import ViolationSearch
from app.timeline.model import TimelineModel
from app.timeline.strips.picture import LOW_ROW

LEAST_ROWS = 3
"""Where energy leaves no room for so many rows it is not shown: the Physics panel has it as well."""


class DynamicsPage(QWidget):
    """The tab.

    Args:
        model: The timeline's scale and keys.
        search: What is implausible.
    """

    def __init__(self, model: TimelineModel, search: ViolationSearch):
        super().__init__()
        self.search = search
        self.board = DynamicsBoard(model)
        self.tracks = DynamicsTracks(self.board)
        self.band = ViolationBand(model, search)
        self.energy = EnergyRow(model)
        self.scroll_area = QScrollArea()
        self.scroll_area.setWidget(self.tracks)
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setMinimumHeight(40)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.band)
        column.addWidget(self.scroll_area, 1000)
        column.addWidget(self.energy, 1)
        column.addStretch(0)
        self._fit()
        self.board.grown.connect(self._fit)
        search.changed.connect(self._fit)

    @property
    def _band_height(self) -> int:
        return BAND_HEIGHT if self.search.found else 0

    @property
    def wanted_height(self) -> int:
        """Height at which all rows are seen, and energy as it likes to be, [px]."""
        return self._band_height + self.tracks.sizeHint().height() + HEIGHT

    def _fit(self) -> None:
        self.scroll_area.setMaximumHeight(self.tracks.sizeHint().height())
        self._fit_energy()

    def _fit_energy(self) -> None:
        rows = min(LEAST_ROWS * LOW_ROW, self.tracks.sizeHint().height())
        self.energy.setHidden(self.height() < self._band_height + rows + LEAST)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_energy()
