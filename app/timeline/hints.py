"""Which keys and gestures work where the mouse is on the timeline, for the status line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPointF, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from app.document.session import Session
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas
from app.timeline.curves.canvas import CurveCanvas
from app.timeline.dynamics.curve_band import CurveBand
from app.timeline.dynamics.track import DynamicsTracks
from app.timeline.dynamics.violations import ViolationBand
from app.timeline.layer_lanes import EYE, NAME, SOLO, TRACK, WEIGHT, LayerLanes
from app.timeline.locks.track import LockTracks
from app.timeline.marks.band import MarkerBand
from app.timeline.music.track import AudioTrack
from app.timeline.strips import shape
from app.timeline.time_bar import MIDDLE, TimeBar
from app.timeline.time_scale import NAMES_WIDTH
from app.words.keys_now import cap_of

Hints = tuple[tuple[str, str], ...]
HintsAt = Callable[[QPointF], Hints]

ESCAPE = ("Esc", "cancel")
ZOOM: Hints = (("Wheel", "zoom"), ("Shift Wheel", "pan"))
DRAGGED_KEYS: Hints = (("Alt", "the rest ripples"), ("Shift", "no snapping"), ESCAPE)
NAMES: Hints = (("Click", "select the parts"), ("Shift", "add"), ("Double-click", "open or close"))
STRIP_PARTS: Mapping[str, str] = {
    shape.START: "move the start",
    shape.END: "move the end",
    shape.EASE_IN: "ease in",
    shape.EASE_OUT: "ease out",
    shape.WEIGHT: "set the weight",
    shape.BODY: "move the lock",
}
LANE_PARTS: Mapping[str, Hints] = {
    EYE: (("Click", "mute or let act"),),
    SOLO: (("Click", "act alone"),),
    WEIGHT: (("Drag", "set the weight"), ("Double-click", "100 %")),
    NAME: (("Click", "pose on it"), ("Double-click", "rename")),
}
DYNAMIC_PARTS: Mapping[str, str] = {**STRIP_PARTS, shape.BODY: "move"}
_LATER = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.KeyPress,
)


def anywhere(session: Session) -> Hints:
    """Return what the keyboard does where the mouse is over nothing of its own, such as the transport."""
    play, step = cap_of("play"), cap_of("step_back", "step_forward")
    if session.physics_mode:
        beyond = cap_of("simulation_back", "simulation_step")
        return ((play, "simulate or pause"), (step, "a frame"), (beyond, "step back, forward"))
    return ((play, "play or pause"), (step, "step"), (cap_of("previous_key", "next_key"), "previous, next key"))


def of_keys(band: TimelineCanvas, position: QPointF) -> Hints:
    """Return the hints of a band of keys, or of the ruler."""
    doing = band.mouse.doing
    if doing in ("keys", "spread"):
        return DRAGGED_KEYS
    if doing in ("box", "zoom"):
        return (ESCAPE,)
    if band.scrubs:
        select: Hints = (("Shift Drag", "select the keys of a span"),) if band.spans else ()
        return (("Drag", "go to a frame"), *select, *ZOOM, ("Ctrl Shift Drag", "zoom to a span"))
    if position.x() < NAMES_WIDTH:
        rows = (cap_of("previous_row", "next_row"), "from row to row")
        return (*NAMES, rows) if band.row_under(position) is not None else ()
    if band.end_under(position) is not None:
        return (("Drag", "stretch the selected keys"), *DRAGGED_KEYS[:2])
    if (key := band.key_under(position)) is not None:
        if band.mouse.crowded(key, band.row_under(position)):
            return (("Drag", "select"), ("Click", "select one"), ("Shift", "add"), *ZOOM)
        return (
            ("Drag", "move"),
            ("Alt Drag", "the rest ripples"),
            ("Shift", "select up to here"),
            ("Ctrl", "add or take out"),
            ("Double-click", "numbers"),
        )
    return (("Drag", "select"), ("Shift Drag", "add"), *ZOOM, ("Double-click", "whole sequence"))


def of_layers(band: LayerLanes, position: QPointF) -> Hints:
    """Return the hints of the lanes of layers."""
    if band.busy:
        return (ESCAPE,)
    row, part = band.at(position)
    if part == TRACK:
        if band.key_near(row, position.x()) is not None:
            return (("Drag", "move"), ("Shift", "select up to here"), ("Ctrl", "add or take out"))
        return (("Drag", "select keys"), ("Shift Drag", "add"), (cap_of("paste_keys"), "paste"))
    return LANE_PARTS.get(part, ())


def of_locks(band: LockTracks, position: QPointF) -> Hints:
    """Return the hints of the tracks of locks."""
    if band.drag is not None:
        return (ESCAPE,)
    found = band.grabbed(position)
    if found is None:
        return ZOOM if position.x() >= NAMES_WIDTH else (("Click", "select"),)
    part = found[1]
    if not isinstance(part, str):
        return (("Drag", "move this key of the target"), ("Click", "go to its frame"))
    copy: Hints = (("Ctrl Drag", "copy"),) if part == shape.BODY else ()
    return (("Drag", STRIP_PARTS[part]), *copy, (cap_of("edit_lock"), "edit"), ("Right-click", "more"))


def of_dynamics(band: DynamicsTracks, position: QPointF) -> Hints:
    """Return the hints of the tracks of joints that forces move."""
    if band.drag is not None or band.boxing:
        return (ESCAPE,)
    found = band.grabbed(position)
    if found is not None:
        what = DYNAMIC_PARTS[str(found[1])]
        change: Hints = ((cap_of("toggle_motor"), "dynamic or motor"), (cap_of("remove_strip"), "keyed"))
        return (("Drag", what), ("Ctrl Drag", "copy"), *change, ("Right-click", "more"))
    if position.x() < NAMES_WIDTH:
        return NAMES if band.row_at(position.y()) is not None else ()
    return (("Double-click", "make dynamic"), ("Drag", "select"), ("Right-click", "more"), *ZOOM)


def of_keyed(band: CurveBand, position: QPointF, what: str) -> Hints:
    """Return the hints of numbers keyed over time; ``what`` a double click does."""
    if band.drag is not None:
        return (("Shift", "along one axis"), ("Ctrl", "fine"), ESCAPE)
    if position.x() < NAMES_WIDTH:
        return (("Click", "choose"),)
    if band.key_at(position) is not None:
        remove: Hints = ((cap_of("delete_selected_keys"), "remove"),)
        return (("Drag", "move"), (cap_of("move_earlier", "move_later"), "step"), *remove, ("Right-click", "number"))
    return (("Double-click", what), ("Right-click", "number"), *ZOOM)


def of_violations(band: ViolationBand, position: QPointF) -> Hints:
    """Return the hints of the band of implausible spans."""
    if band.at(position) is not None:
        return (("Click", "menu"),)
    return (("Click", "go to a frame"), *ZOOM)


def of_markers(band: MarkerBand, position: QPointF) -> Hints:
    """Return the hints of the band of markers."""
    if band.model.marks.moving is not None:
        return (ESCAPE,)
    if band.marker_at(position) is not None:
        return (("Drag", "move"), ("Click", "go there"), ("Double-click", "rename"))
    return (("Click", "go to a frame"), ("Right-click", "add a marker"))


def of_music(band: AudioTrack, position: QPointF) -> Hints:
    """Return the hints of the waveform."""
    if band.drag is not None:
        return (("Ctrl", "fine"), ESCAPE)
    if position.x() < NAMES_WIDTH:
        return ()
    if band.beat_at(position) is not None:
        return (("Drag", "move the beat"), ("Shift Drag", "all beats"), ("Click", "go there"))
    return (("Drag", "change where the music starts"), ("Double-click", "add a beat, above the wave"), *ZOOM)


def of_bar(bar: TimeBar, position: QPointF) -> Hints:
    """Return the hints of the overview."""
    if bar.held:
        return (ESCAPE,)
    part = bar.part_at(position)
    if position.x() < NAMES_WIDTH:
        return ()
    does = ("Click", "show these frames") if not part else ("Drag", "pan" if part == MIDDLE else "zoom")
    return (does, *ZOOM, ("Double-click", "whole sequence"))


def of_curves(canvas: CurveCanvas, position: QPointF) -> Hints:
    """Return the hints of the curves."""
    if canvas.drag is not None:
        return (*canvas.drag.hints, ESCAPE)
    if canvas.over_box:
        return (("Drag", "scale, or inside move"), ("Shift", "about the middle"), ("Alt", "skew"), ("Ctrl", "fine"))
    boxes: Hints = (("Drag", "select, or move a key"), ("Alt Drag", "select, also from a key"))
    ground: Hints = boxes if canvas.view.boxes else (("Drag", "move a point"),)
    shows: Hints = ((cap_of("frame_selected"), "show the selected"), (cap_of("frame_all"), "show all"))
    return (*ground, *ZOOM, ("Ctrl Wheel", "zoom the values"), *shows)


class TimelineHints(QObject):
    """Watches the mouse over the timeline.

    Args:
        panel: The whole timeline.
        bands: Its bands, each with what gives the hints at a place in it.
        elsewhere: Gives the hints where no band has any.

    Signals:
        changed(): ``current`` says something new.
    """

    changed = Signal()

    def __init__(self, panel: QWidget, bands: Mapping[QWidget, HintsAt], elsewhere: Callable[[], Hints]):
        super().__init__(panel)
        self.current: Hints = ()
        """What works where the mouse is; () while it is elsewhere."""
        self._panel, self._bands, self._elsewhere = panel, dict(bands), elsewhere
        self._inside = False
        self._band: QWidget | None = None
        self._place = QPointF()
        for widget in (panel, *bands):
            widget.installEventFilter(self)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Enter, QEvent.Type.Leave):
            if isinstance(event, QEnterEvent):
                self._place = event.position()
            self._cross(watched, kind == QEvent.Type.Enter)
        elif kind == QEvent.Type.MouseMove and watched is self._band and isinstance(event, QMouseEvent):
            self._place = event.position()
            self._notify()
        elif kind in _LATER:
            if kind == QEvent.Type.MouseButtonPress and watched in self._bands and isinstance(event, QMouseEvent):
                self._inside, self._band, self._place = True, watched, event.position()  # pens and touches do not enter
            QTimer.singleShot(0, self, self._notify)  # once the band has taken it
        return False

    def refresh(self) -> None:
        """Look again at what is under the resting mouse: something there is another."""
        if self._inside:
            QTimer.singleShot(0, self, self._notify)

    def _cross(self, watched: QObject, entered: bool) -> None:
        if watched is self._panel:
            self._inside = entered
        elif entered and isinstance(watched, QWidget):
            self._band = watched
        elif watched is self._band:
            self._band = None
        self._notify()

    def _notify(self) -> None:
        hints: Hints = ()
        if self._inside:
            hints_at = None if self._band is None else self._bands[self._band]
            hints = (() if hints_at is None else hints_at(self._place)) or self._elsewhere()
        if hints != self.current:
            self.current = hints
            self.changed.emit()
