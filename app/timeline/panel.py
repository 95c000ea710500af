"""The timeline under the work area: transport, key strip, ruler, dope sheet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    HybridChanged,
    LocksChanged,
    SequenceChanged,
    SessionChanged,
)
from app.physics.series import motion_series
from app.process.handler_guard import guarded
from app.timeline import hints
from app.timeline.camera_lane import CameraLane
from app.timeline.curves.panel import CurvesPanel
from app.timeline.drop_mark import DropMark
from app.timeline.dynamics.page import DynamicsPage
from app.timeline.dynamics.violations import ViolationSearch
from app.timeline.figure_lanes import LANE, FigureLanes
from app.timeline.hints import HintsAt, TimelineHints
from app.timeline.key_strip import HEIGHT as FULL_HEIGHT
from app.timeline.key_strip import LOW_HEIGHT, KeyStrip, Thumbnails
from app.timeline.layer_lanes import LayerLanes
from app.timeline.locks.board import LockBoard
from app.timeline.locks.track import LockHeader, LockTracks
from app.timeline.marks.band import MarkerBand
from app.timeline.model import TimelineModel
from app.timeline.music.track import AudioTrack
from app.timeline.ruler import Ruler
from app.timeline.script.page import ScriptPage
from app.timeline.sheet.dope_sheet import DopeSheet
from app.timeline.sheet.picture import ROW_HEIGHT
from app.timeline.strips.track import LOW_ROW
from app.timeline.time_bar import TimeBar
from app.timeline.time_scale import NAMES_WIDTH
from app.timeline.transport import Transport
from app.widgets.behaviour.base import Filled
from app.widgets.frames.menu import ActionsByName
from app.widgets.frames.veil import Veil
from app.widgets.layouts import column_layout

if TYPE_CHECKING:
    from app.document.document import Document

LOW_BELOW = 260  # in panels lower than this the key strip takes less height
MOST_LANES = 4  # of other figures that the timeline has room for at first
LEAST_LOCKS, MOST_LOCKS = 2, 5  # rows of locks that the timeline has room for at first
SETTLING = 500  # [ms] in which rows that were just made get their height


class _Rule(Filled):
    ground = "line"

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(1)


class TimelinePanel(Filled):
    """Keys along the frames.

    Args:
        document: The open document.
        actions: The window's actions by name, for the transport's buttons.
        thumbnails: Draws key poses.
        parent: Parent widget.

    Signals:
        height_changed(): ``height_within`` gives another height than before.
    """

    height_changed = Signal()

    def __init__(
        self,
        document: Document,
        actions: ActionsByName,
        thumbnails: Thumbnails,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._tab, self._came_with_physics = "keys", False
        self.model = TimelineModel(document, self)
        self.transport = Transport(document, actions)
        self.strip = KeyStrip(self.model, thumbnails)
        self.ruler = Ruler(self.model)
        self.markers = MarkerBand(self.model)
        self.audio = AudioTrack(self.model, actions)
        self.bar = TimeBar(self.model)
        self.sheet = DopeSheet(self.model)
        self.layers = LayerLanes(self.model)
        self.lanes = FigureLanes(self.model)
        self.camera = CameraLane(self.model)
        self.board = LockBoard(self.model)
        self.lock_header = LockHeader(self.board)
        self.locks = LockTracks(self.board)
        self.violations = ViolationSearch(document, self)
        self._page = DynamicsPage(self.model, self.violations)
        self.dynamics, self.energy, self.violation_band = self._page.tracks, self._page.energy, self._page.band
        self.torques, self.activations = self._page.torques, self._page.activations
        self.curves = CurvesPanel(self.model)
        self.script = ScriptPage(document)
        self.scroll_area = QScrollArea()
        self.scroll_area.setAccessibleName("Tracks")
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the tracks in it take the keyboard, and scroll it
        self.scroll_area.setWidget(self._tracks())
        self.scroll_area.setWidgetResizable(True)
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setMinimumHeight(40)
        self._settling = QTimer(self, singleShot=True, interval=SETTLING)
        self.scroll_area.verticalScrollBar().rangeChanged.connect(self._on_range)
        column = column_layout(self)
        below_strip, below_bar = _Rule(), _Rule()
        self._sheet_parts: tuple[QWidget, ...] = (self.strip, below_strip, self.scroll_area)
        self._curve_parts: tuple[QWidget, ...] = (self.curves.bar, below_bar, self.curves)
        above = (self.transport, _Rule(), self.strip, below_strip, self.curves.bar, below_bar, self.ruler, _Rule())
        for part in (*above, self.markers):
            column.addWidget(part)
        column.addWidget(self.scroll_area, 1)
        column.addWidget(self._page, 1)
        column.addWidget(self.curves, 1)
        column.addWidget(self.script, 1)
        for page in (*self._curve_parts, self._page, self.script):
            page.hide()
        column.addWidget(self.audio)
        column.addWidget(self.bar)
        self._column, self._footing = column, 0
        self._veil = Veil(self)
        self._drop = DropMark(self)
        self.transport.tabs.chosen.connect(self._choose_tab)
        self.transport.frame.changed.connect(lambda _frame: self.model.reveal(document.frame))
        self.lock_header.toggled.connect(self.locks.setVisible)
        self.setAccessibleName("Timeline")
        self._strips = 0
        self.hints = TimelineHints(self, self._hint_sources(), lambda: hints.anywhere(document.session))
        document.changed.connect(self._on_change)
        self.violations.changed.connect(self._flag)
        motion_series(document).reset.connect(self._show_simulated)
        motion_series(document).grown.connect(self._show_simulated)

    def _hint_sources(self) -> dict[QWidget, HintsAt]:
        """Return for each band what gives its hints."""
        sources: dict[QWidget, HintsAt] = {
            self.markers: lambda at: hints.of_markers(self.markers, at),
            self.audio: lambda at: hints.of_music(self.audio, at),
            self.bar: lambda at: hints.of_bar(self.bar, at),
            self.layers: lambda at: hints.of_layers(self.layers, at),
            self.locks: lambda at: hints.of_locks(self.locks, at),
            self.curves.canvas: lambda at: hints.of_curves(self.curves.canvas, at),
            self.dynamics: lambda at: hints.of_dynamics(self.dynamics, at),
            self.torques: lambda at: hints.of_keyed(self.torques, at, "key a torque"),
            self.activations: lambda at: hints.of_keyed(self.activations, at, "key the activation"),
            self.violation_band: lambda at: hints.of_violations(self.violation_band, at),
        }
        for band in (self.strip, self.ruler, self.sheet, self.energy):
            sources[band] = partial(hints.of_keys, band)
        return sources

    def _on_change(self, change: Change) -> None:
        """Bring the locks into sight when one is made under more tracks than fit; show dynamics in physics mode."""
        if isinstance(change, SessionChanged) and change.name == "mode":
            self._follow_mode(str(change.value))
        if isinstance(change, (LocksChanged, HybridChanged, FigureChanged, FileChanged, SequenceChanged)):
            self.hints.refresh()
        if not isinstance(change, (LocksChanged, FigureChanged, FileChanged, SequenceChanged)):
            return
        QTimer.singleShot(0, self, self._fit_bands)
        before, self._strips = self._strips, len(self.model.document.locks.strips)
        if isinstance(change, LocksChanged) and self._strips > before:
            self._settling.start()
            QTimer.singleShot(0, self, self.show_locks)

    def _follow_mode(self, mode: str) -> None:
        """Show the tab of dynamics instead of the dope sheet in physics mode, and the dope sheet after that."""
        if mode == "physics" and self._tab == "keys":
            self._came_with_physics = True
            self.show_tab("dynamics")
        elif mode != "physics" and self._came_with_physics:
            self._came_with_physics = False
            if self._tab == "dynamics":
                self.show_tab("keys")

    def show_locks(self) -> None:
        """Scroll so far that the first rows of locks can be seen under their heading."""
        if self.locks.isVisible():
            bottom = self.locks.y() + min(self.locks.height(), LEAST_LOCKS * LOW_ROW)
            bar, room = self.scroll_area.verticalScrollBar(), self.scroll_area.viewport().height()
            bar.setValue(max(bar.value(), bottom - room))

    def _on_range(self) -> None:
        """Show the locks again where their rows have only now got their height."""
        if self._settling.isActive():
            self.show_locks()

    def _tracks(self) -> QWidget:
        """Return what is scrolled: the dope sheet, and the locks under it."""
        tracks = QWidget()
        column = column_layout(tracks)
        for part in (self.layers, self.sheet, self.lanes, self.camera, self.lock_header, self.locks):
            column.addWidget(part)
        column.addStretch(1)
        return tracks

    def _flag(self) -> None:
        """Show on the ruler what is implausible."""
        found = self.violations.spans
        self.model.implausible = tuple((each.first, each.last, each.text) for each in found if not each.hint)
        self.ruler.update()

    def _show_simulated(self) -> None:
        """Show on the ruler what was simulated."""
        span = motion_series(self.model.document).span
        if span != self.model.simulated:
            if (span is None) != (self.model.simulated is None):
                self.dynamics.update()
            self.model.simulated = span
            self.ruler.update()

    def _choose_tab(self, key: str) -> None:
        """Show a tab that was chosen by hand: it stays whatever the mode."""
        self._came_with_physics = False
        self.show_tab(key)

    def show_tab(self, key: str) -> None:
        """Show a tab: the dope sheet with the locks under it, ``"keys"``, the locks alone in higher rows or as a text,
        ``"script"``, curves, or what moves the joints, ``"dynamics"``.
        """
        alone, curved, dynamic, written = (key == each for each in ("locks", "curves", "dynamics", "script"))
        before, self._tab = self._tab, key
        self.transport.tabs.set_current(key)
        for parts, shown in ((self._sheet_parts, not curved and not written), (self._curve_parts, curved)):
            for part in parts:
                part.setVisible(shown)
        self.scroll_area.setVisible(not curved and not dynamic and not written)
        self.script.setVisible(written)
        self._page.setVisible(dynamic)
        self.violations.set_open(dynamic)
        for part in (self.sheet, self.lock_header):
            part.setVisible(not alone)
        self.layers.setVisible(not alone and bool(self.layers.layers))
        self.lanes.setVisible(not alone and bool(self.lanes.lanes))
        self.camera.setVisible(not alone and bool(self.camera.keys))
        self.locks.set_high(alone)
        self.locks.setVisible(alone or self.lock_header.isChecked())
        self.scroll_area.verticalScrollBar().setValue(0)
        if dynamic or before == "dynamics":
            self.height_changed.emit()

    @property
    def tracks(self) -> QWidget:
        """What takes the keyboard when the timeline is asked to."""
        tabs: dict[str, QWidget] = {"locks": self.locks, "curves": self.curves.canvas, "dynamics": self.dynamics}
        tabs["script"] = self.script.editor
        return tabs.get(self.transport.tabs.current, self.sheet)

    @property
    def home(self) -> QWidget:
        """What gets the keyboard back from the fields of the timeline."""
        return self.tracks

    @property
    def bands(self) -> tuple[QWidget, ...]:
        """What takes the keyboard when the pointer comes to it."""
        inside = (
            self.strip,
            self.ruler,
            self.markers,
            self.layers,
            self.sheet,
            self.camera,
            self.locks,
            self.curves.canvas,
            self.audio,
        )
        return (*inside, self.bar, self.dynamics, self.torques, self.activations, self.energy, self.violation_band)

    def stop(self) -> None:
        """End what goes on in the background."""
        self.board.stop()
        self.violations.stop()
        motion_series(self.model.document).stop()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(1028, 300)

    def show_drop(self, frame: int | None, text: str, ghost: tuple[float, str] | None = None) -> None:
        """Show the frame that something dragged would come to, and what would happen; None for nothing dragged.

        Args:
            frame: The frame.
            text: What would happen.
            ghost: How long it is, [frames], and what it is called; None if that is not known.
        """
        x = None if frame is None else NAMES_WIDTH + self.model.x(frame)
        top = self.strip.y() if self.strip.isVisible() else self.ruler.y()  # the transport stays clear
        strip = None
        if x is not None and frame is not None and ghost is not None:
            strip = (x, NAMES_WIDTH + self.model.x(frame + ghost[0]), ghost[1])
        self._drop.show_at(x, text, top, strip)

    def rest(self, why: str) -> None:
        """Take no input and say why; "" works again."""
        self._veil.cover(why)

    @property
    def _fixed_height(self) -> int:
        bands = sum(band.height() for band in (self.markers, self.audio) if not band.isHidden())
        return self.transport.height() + self.ruler.height() + self.bar.height() + 3 + bands  # 3 are the thin lines

    @property
    def whole_height(self) -> int:
        """Height at which every row of keys can be seen, and as many of locks as there is room for at first."""
        return self._height_with(min(max(len(self.board.rows), LEAST_LOCKS), MOST_LOCKS))

    def _height_with(self, locks: int) -> int:
        """Return the height that shows every row of keys, and some of locks if they stand open."""
        keys = self.sheet.sizeHint().height() + self.lock_header.sizeHint().height()
        rows = locks * LOW_ROW + 2 if self.lock_header.isChecked() else 0
        others = (
            self.layers.height_of(MOST_LANES) + min(len(self.lanes.lanes), MOST_LANES) * LANE + bool(self.lanes.lanes)
        )
        return self._fixed_height + FULL_HEIGHT + keys + others + rows

    @property
    def _dynamics_height(self) -> int:
        """Height at which all of the Dynamics tab can be seen."""
        return self._fixed_height + FULL_HEIGHT + self._page.wanted_height

    def height_within(self, room: int) -> int:
        """Return the height that suits best: every row if ``room`` holds them, else as many whole ones as fit."""
        if self._tab == "dynamics":
            return max(min(self._dynamics_height, room), self.minimumSizeHint().height())
        if self.whole_height <= room:
            return self.whole_height
        locks = (room - self._height_with(0)) // LOW_ROW
        if locks >= 1 and self.lock_header.isChecked():
            return self._height_with(locks)
        strip = LOW_HEIGHT if room < LOW_BELOW else FULL_HEIGHT
        least = self._fixed_height + strip
        rows = min((room - least - 1) // ROW_HEIGHT, len(self.model.rows))
        return max(least + max(rows, 3) * ROW_HEIGHT + 1, self.minimumSizeHint().height())

    def set_footing(self, height: int) -> None:
        """Leave room at the foot, below the bar; the tracks give it up, and everything above them stays where it is."""
        if height != self._footing:
            self._footing = height
            self._column.setContentsMargins(0, 0, 0, height)
            self.updateGeometry()

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(480, 160 + self._footing)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.transport.set_room(self.width())
        self._fit_bands()

    def _fit_bands(self) -> None:
        """Give key poses and music as much height as there is for what is open: the height may be the one before."""
        whole = self._dynamics_height if self._tab == "dynamics" else self.whole_height
        low = self.height() < min(LOW_BELOW, whole)
        self.strip.set_low(low)
        self.audio.set_low(low)
