"""What is selected in the timeline, moved by steps without a mouse: keys, points of curves, strips, a marker, beats.

Each kind of thing is a ``Steps``. A step that makes no sense for it says so; ``steps_of`` finds what is meant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QWidget

from app.timeline.locks.board import LockBoard
from app.timeline.locks.strip_drag import with_weight
from app.timeline.strips.times import allowed_together, place_for, slid, with_ease, with_end, with_start
from app.timeline.strips.track import NO_ROOM
from app.words.lock_words import weights_of
from core.animation.locks.strip import new_id

if TYPE_CHECKING:
    from app.timeline.curves.canvas import CurveCanvas
    from app.timeline.dynamics.curve_band import CurveBand
    from app.timeline.layer_lanes import LayerLanes
    from app.timeline.marks.band import MarkerBand
    from app.timeline.model import TimelineModel
    from app.timeline.music.track import AudioTrack
    from app.timeline.panel import TimelinePanel
    from app.timeline.strips.track import StripTracks

WEIGHT_STEP = 0.1


class Steps:
    """One kind of thing that can be selected. Each step returns what the status line is to say; "" for nothing."""

    needs = "Select keys, a strip, a marker or a beat in the timeline first"
    """What is said while nothing of the kind is selected."""

    @property
    def ready(self) -> bool:
        """Whether something is selected."""
        raise NotImplementedError

    def slide(self, by: int, ripple: bool = False) -> str:
        """Move what is selected by some frames, with ``ripple`` what follows it as well."""
        raise NotImplementedError

    def stretch(self, last: bool, by: int) -> str:
        """Move the last end of what is selected by some frames, or the first; the other one stays."""
        return "This has no ends to move"

    def rise(self, by: float) -> str:
        """Change its value or weight by some steps, whole or a tenth."""
        return "This has no value that goes up or down"

    def ease(self, at_end: bool, by: int) -> str:
        """Let it ease in, or out, over more frames or less."""
        return "Only strips ease in and out by frames; keys have Sequence > Ease"


class KeySteps(Steps):
    """The selected keys of the dope sheet."""

    def __init__(self, model: TimelineModel):
        self._model = model

    @property
    def ready(self) -> bool:
        return bool(self._model.selected)

    def slide(self, by: int, ripple: bool = False) -> str:
        self._model.set_shift(by, ripple)
        return self._drop()

    def stretch(self, last: bool, by: int) -> str:
        span = self._model.selected_span
        if span is None:
            return "Select keys at two or more frames to stretch them"
        self._model.set_scale(last, span[last] + by)
        return self._drop()

    def _drop(self) -> str:
        if not self._model.drop():
            return NO_ROOM
        frames = self._model.selected.frames
        return f"Key at frame {frames[0]}" if len(frames) == 1 else f"Keys at frames {frames[0]} to {frames[-1]}"


class LayerSteps(Steps):
    """The selected keys of layers."""

    def __init__(self, lanes: LayerLanes):
        self._layers = lanes.model.document.layers

    @property
    def ready(self) -> bool:
        return bool(self._layers.selected)

    def slide(self, by: int, ripple: bool = False) -> str:
        if ripple:
            return "Keys of a layer move alone"
        self._layers.shift(self._layers.selected, by)
        return ""


class CurveSteps(Steps):
    """The selected keys of curves, or the selected point of a timing or a speed."""

    needs = "Select keys of the curves first"

    def __init__(self, canvas: CurveCanvas):
        self._canvas = canvas

    @property
    def ready(self) -> bool:
        return self._canvas.has_selection

    def slide(self, by: int, ripple: bool = False) -> str:
        if ripple:
            return "Keys of curves move alone; in the dope sheet what follows goes along"
        self._canvas.step(by, 0.0)
        return ""

    def rise(self, by: float) -> str:
        self._canvas.step(0, by)
        return ""


class BandSteps(Steps):
    """The chosen key of what is keyed over time in the Dynamics tab: a torque, or how active a muscle is."""

    def __init__(self, band: CurveBand):
        self._band = band

    @property
    def ready(self) -> bool:
        return self._band.chosen is not None

    def slide(self, by: int, ripple: bool = False) -> str:
        return "Keys of this curve move alone" if ripple else self._band.step(by, 0.0)

    def rise(self, by: float) -> str:
        return self._band.step(0, by)


class StripSteps(Steps):
    """The selected strips of locks, or of what moves the joints."""

    needs = "Select a strip first: Edit > Strips > Next strip"

    def __init__(self, tracks: StripTracks):
        self._board, self._keys = tracks.board, tracks.keys

    @property
    def ready(self) -> bool:
        return self._keys.strip is not None

    def slide(self, by: int, ripple: bool = False) -> str:
        if not ripple:
            return self._keys.move(by)
        board, first = self._board, min(strip.start for strip in self._keys.strips)
        later = [strip for strip in board.all_strips if strip.start >= first]
        ids = {strip.id for strip in later}
        pairs = [(each, [other for other in board.siblings(each) if other.id not in ids]) for each in later]
        by = allowed_together(pairs, by, board.gap)
        return self._keys.put([slid(each, by) for each in later], self._keys.move_text)

    def stretch(self, last: bool, by: int) -> str:
        board, strips = self._board, self._keys.strips
        if not last:
            changed = [with_start(each, each.start + by, board.siblings(each), board.gap) for each in strips]
        else:
            closed = [each for each in strips if each.end is not None]
            if not closed:
                return f"{board.name_of(strips[0])} has no end to move"
            changed = [with_end(each, each.end + by, board.siblings(each), board.gap) for each in closed]
        return self._keys.put(changed, self._keys.retime_text)

    def rise(self, by: float) -> str:
        if not isinstance(self._board, LockBoard):
            return "Strengths are changed in the menu of the strip"
        changed = []
        for strip in self._keys.strips:
            weight = max(weights_of(strip.lock)) * strip.weight + by * WEIGHT_STEP
            changed.append(with_weight(strip, round(min(max(weight, 0.0), 1.0), 2)))
        done = self._keys.put(changed, "Set weight of lock")
        return done if done == NO_ROOM else f"{self._board.name_of(changed[0])}: weight {changed[0].lock.weight}"

    def ease(self, at_end: bool, by: int) -> str:
        strips = [each for each in self._keys.strips if not at_end or each.end is not None]
        if not strips:
            return f"{self._board.name_of(self._keys.strips[0])} has no end"
        changed = [with_ease(each, at_end, each.eases[at_end] + by) for each in strips]
        done = self._keys.put(changed, "Ease strip")
        frames = changed[0].eases[at_end]
        text = f"eases {'out' if at_end else 'in'} over {frames:g} frame{'s' * (frames != 1.0)}"
        return done if done == NO_ROOM else f"{self._board.name_of(changed[0])} {text}"

    def duplicate(self) -> str:
        """Put a copy of the strip that was selected last behind it, where there is room."""
        board, strip = self._board, self._keys.strip
        fresh = replace(strip, id=new_id())
        length = 1 if strip.end is None else strip.end - strip.start
        at = place_for(fresh, strip.start + length + board.gap, [*board.siblings(strip), strip], board.gap)
        if at is None:
            return "No room for a copy: it would meet another strip"
        made = slid(fresh, at - strip.start)
        if not board.put_all((*board.all_strips, made), "Copy strip"):
            return ""
        board.select(made.id)
        return f"{board.name_of(made)} copied, {board.span_of(made)}"


class MarkerSteps(Steps):
    """The marker at the current frame."""

    needs = "Go to a marker first: Sequence > Markers > Next marker"

    def __init__(self, band: MarkerBand):
        self._band, self._document = band, band.model.document

    @property
    def ready(self) -> bool:
        return self._band.here is not None

    def slide(self, by: int, ripple: bool = False) -> str:
        frame, taken = self._document.frame, {marker.frame for marker in self._band.markers}
        if ripple:
            return "Markers move alone"
        to = frame + by
        while to in taken:
            to += by
        if to < 0 or not self._document.markers.move(frame, to):
            return NO_ROOM
        self._document.set_frame(to)
        return f"Marker at frame {to}"


class BeatSteps(Steps):
    """The selected beat; with none selected the music itself."""

    needs = "Load music first"

    def __init__(self, track: AudioTrack):
        self._track = track

    @property
    def ready(self) -> bool:
        return self._track.music is not None

    def slide(self, by: int, ripple: bool = False) -> str:
        track, sequence = self._track, self._track.model.document.sequence
        beat = track.selected
        if sequence is None:
            return ""
        seconds = by / sequence.fps
        if ripple:
            track.edit("Shift beats", lambda music: music.shifted(seconds))
            return f"All beats {'later' if by > 0 else 'earlier'}"
        if beat is None:
            track.nudge(by)
            return ""
        track.edit("Move beat", lambda music: music.moved(beat, music.beats[beat] + seconds))
        return f"Beat {beat + 1} a frame {'later' if by > 0 else 'earlier'}"


def steps_of(timeline: TimelinePanel) -> Steps:
    """Return what is meant: what has the keyboard in the timeline, else what its tab shows."""
    focus = timeline.window().focusWidget() or QApplication.focusWidget()
    by_band: dict[QWidget, Steps] = {
        timeline.markers: MarkerSteps(timeline.markers),
        timeline.audio: BeatSteps(timeline.audio),
        timeline.locks: StripSteps(timeline.locks),
        timeline.layers: LayerSteps(timeline.layers),
        timeline.torques: BandSteps(timeline.torques),
        timeline.activations: BandSteps(timeline.activations),
    }
    if focus in by_band and by_band[focus].ready:
        return by_band[focus]
    by_tab: dict[str, Steps] = {
        "locks": StripSteps(timeline.locks),
        "dynamics": StripSteps(timeline.dynamics),
        "curves": CurveSteps(timeline.curves.canvas),
    }
    keys = KeySteps(timeline.model)
    shown = by_tab.get(timeline.transport.tabs.current, keys)
    if shown is keys and not keys.ready:  # nothing but a strip, or a marker, can be meant
        others = (by_band[timeline.layers], by_band[timeline.locks], by_band[timeline.markers])
        return next((each for each in others if each.ready), keys)
    return shown
