"""What the Dynamics tab shows: implausible spans, rows of joints, torques of the selected strip, energy."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from app.look import fonts, style
from app.physics.plot_feed import PlotFeed
from app.physics.series import motion_series
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas
from app.timeline.dynamics.activation_band import ActivationBand
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.dynamics.curve_band import HEIGHT as CURVES_HEIGHT
from app.timeline.dynamics.curve_band import LEAST as LEAST_CURVES
from app.timeline.dynamics.torque_band import TorqueBand
from app.timeline.dynamics.track import DynamicsTracks
from app.timeline.dynamics.violations import HEIGHT as BAND_HEIGHT
from app.timeline.dynamics.violations import ViolationBand, ViolationSearch
from app.timeline.model import TimelineModel
from app.timeline.strips.track import LOW_ROW
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.layouts import column_layout
from app.widgets.plots.area import PlotArea
from app.widgets.plots.curves import Floats
from app.widgets.plots.legend import GAP, LINE, SAMPLE, draw_sample, name_of
from app.widgets.plots.motion_curves import ENERGY, energies

LEAST, HEIGHT, MOST = 48, 82, 150
"""Heights it may have, and the one it likes, [px]; lower than LOW it has short names side by side."""
LOW = 56
TITLE_TOP, LEGEND_TOP = 5.0, 22.0


class EnergyRow(TimelineCanvas):
    """Kinetic, potential and total energy of what was simulated, or of the keyed motion; a press goes to a frame."""

    scrubs = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.series = motion_series(model.document)
        self.area = PlotArea(ENERGY, "Energy")
        self.area.at_left = True
        self.area.setParent(self)
        self.area.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        document = model.document
        # The playhead of the bands above is at whole frames.
        self.feed = PlotFeed(self.series, self.area, self._rows, lambda: ENERGY, lambda: float(document.frame))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Plot of energy")
        self.setMinimumHeight(LEAST)
        self.setMaximumHeight(MOST)

    def _rows(self, rows: Floats) -> Floats:
        return energies(rows, self.series.zero)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()
        self.feed.show()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        self.area.setGeometry(NAMES_WIDTH, 1, max(self.width() - NAMES_WIDTH, 1), self.height() - 1)
        self.area.set_frames(self.model.x(0.0), self.model.pixels)

    def take_change(self) -> None:
        self.area.set_frames(self.model.x(0.0), self.model.pixels)
        self.update()

    def take_frame(self) -> None:
        """The plot has a playhead of its own."""

    def show_cursor(self, position: QPointF) -> None:
        super().show_cursor(position)
        on_plot = position.x() >= NAMES_WIDTH
        frame = self.area.frame_at(position.x() - NAMES_WIDTH)
        self.area.set_hover(frame if on_plot and self.area.values_at(frame) is not None else None)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            self.area.show_values_at(event.position().x() - NAMES_WIDTH, event.globalPosition().toPoint())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.area.set_hover(None)
        super().leaveEvent(event)

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:  # shown at once, and by every move
            return True
        return super().event(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "panel", "input")
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        painter.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        painter.setPen(style.color("text"))
        low = self.height() < HEIGHT - 4
        top = 2.0 if low else TITLE_TOP
        painter.drawText(QRectF(12, top, NAMES_WIDTH - 16, LINE), Qt.AlignmentFlag.AlignVCenter, "Energy")
        painter.setFont(fonts.font(fonts.SECONDARY))
        y = top + LINE if low else LEGEND_TOP
        abreast = 2 if self.height() < LOW else 1
        step = min((self.height() - y - 3.0) / math.ceil(len(ENERGY) / abreast), 19.0)
        wide = (NAMES_WIDTH - 16.0) / abreast
        for number, look in enumerate(ENERGY):
            row, column = divmod(number, abreast)
            left = 12.0 + column * wide
            draw_sample(painter, look, left, y + (row + 0.5) * step)
            painter.setPen(style.color("text2"))
            box = QRectF(left + SAMPLE + GAP, y + row * step, wide - SAMPLE - GAP, step)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name_of(look, short=abreast > 1))
        painter.end()


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
        self.torques = TorqueBand(self.board)
        self.activations = ActivationBand(model)
        self.energy = EnergyRow(model)
        self.scroll_area = QScrollArea()
        self.scroll_area.setAccessibleName("What moves the joints")
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the tracks in it take the keyboard, and scroll it
        self.scroll_area.setWidget(self.tracks)
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setMinimumHeight(40)
        column = column_layout(self)
        column.addWidget(self.band)
        column.addWidget(self.scroll_area, 1000)
        column.addWidget(self.torques, 2)
        column.addWidget(self.activations, 2)
        column.addWidget(self.energy, 1)
        column.addStretch(0)
        self._fit()
        self.board.grown.connect(self._fit)
        self._selected = self.board.selected
        self.board.changed.connect(self._follow_selection)
        self._known = {strip.id for strip in self.board.all_strips}
        self.board.document.changed.connect(self._show_made)
        self.activations.grown.connect(self._fit)
        model.changed.connect(self._fit_below)
        search.changed.connect(self._fit)

    @property
    def _band_height(self) -> int:
        return BAND_HEIGHT if self.search.found else 0

    @property
    def wanted_height(self) -> int:
        """Height at which all rows are seen, and curves and energy as they like to be, [px]."""
        curves = CURVES_HEIGHT if self.torques.rows or self.activations.rows else 0
        return self._band_height + self.tracks.sizeHint().height() + curves + HEIGHT

    def _fit(self) -> None:
        self.scroll_area.setMaximumHeight(self.tracks.sizeHint().height())
        self._fit_below()

    def _fit_below(self) -> None:
        """Show activations while a muscle is picked, else torques where there are some, and energy if there is room."""
        active = bool(self.activations.rows)
        keyed = not active and bool(self.torques.rows)
        rows = min(LEAST_ROWS * LOW_ROW, self.tracks.sizeHint().height())
        room = self.height() - self._band_height - rows
        spare = room - (CURVES_HEIGHT if keyed or active else 0)
        self.energy.setHidden(spare < LEAST)
        self.energy.setMinimumHeight(min(max(spare, LEAST), LOW))
        appears = keyed and self.torques.isHidden()
        self.torques.setHidden(not keyed)
        self.activations.setHidden(not active)
        if appears:  # the rows have less room then
            QTimer.singleShot(0, self, self._reveal)
        low = room + rows - self.scroll_area.minimumHeight()  # where that is all there is room for, with a row or two
        for band in (self.torques, self.activations):
            band.setMinimumHeight(min(max(low, LEAST_CURVES), CURVES_HEIGHT))

    def _follow_selection(self) -> None:
        """Show the torques of a strip that is selected, and no activations any more."""
        selected, self._selected = self._selected, self.board.selected
        if self.board.selected is not None and self.board.selected != selected and self.activations.rows:
            self.board.document.physics.unpick()
        self._fit_below()

    def _show_made(self) -> None:
        """Scroll to a strip that was made elsewhere, by its key perhaps: a low window has only a few of the rows."""
        strips = self.board.all_strips
        made = [strip for strip in strips if strip.id not in self._known]
        self._known = {strip.id for strip in strips}
        if len(made) == 1:
            QTimer.singleShot(0, self, lambda: self.tracks.show_strip(made[0]))

    def _reveal(self) -> None:
        """Scroll to the row of the joint and strip whose torques are shown."""
        strip = self.torques.strip
        if strip is not None:
            self.tracks.show_strip(strip, self.torques.joint)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_below()
