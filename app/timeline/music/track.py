"""The band of the music: its waveform, its beats, when it starts, with its drags and its menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from app.document.changes import Change, SessionChanged
from app.look import style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.marks.lines import seen_beats
from app.timeline.model import TimelineModel
from app.timeline.music.picture import HEIGHT, LANE, LOW_HEIGHT, SPEAKER, AudioPicture
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.behaviour.own_keys import means
from app.widgets.frames.menu import ActionsByName, add_action, pop_up, space_shortcuts
from core.audio import AudioError, AudioRecord

if TYPE_CHECKING:
    from core.audio import Waveform

BARS = (2, 3, 4, 5, 6, 8)
GAINS = (0.25, 0.5, 1.0, 1.5, 2.0)
NUDGES = ((-1.0, "One frame earlier"), (1.0, "One frame later"), (-0.1, "A tenth earlier"), (0.1, "A tenth later"))


def show_audio_menu(track: AudioTrack, place: QPoint, beat: int | None, time: float) -> None:
    """Open the menu.

    Args:
        track: The band.
        place: Where, on the screen.
        beat: The beat that was clicked, or None.
        time: The time that was clicked, [s].
    """
    pop_up(audio_menu(track, beat, time), place)


def audio_menu(track: AudioTrack, beat: int | None, time: float) -> QMenu:
    """Return the menu; see ``show_audio_menu``."""
    menu = QMenu(track)
    music = track.music
    if music is None:
        return menu
    actions = track.actions_by_name
    if beat is not None:
        add_action(menu, "Bar begins here", lambda: track.change("Begin bar", downbeat=beat))
        add_action(menu, "Delete this beat", lambda: track.remove_beat(beat))
    else:
        add_action(menu, "Add beat here", lambda: track.add_beat(time))
    menu.addSeparator()
    for name in ("detect_beats", "tap_beats", "double_tempo", "half_tempo"):
        menu.addAction(actions[name])
    bars, group = menu.addMenu("Beats in a bar"), QActionGroup(menu)
    for count in BARS:
        set_bar = partial(track.change, "Set beats in a bar", bar=count)
        add_action(bars, str(count), set_bar, checked=count == music.bar, group=group)
    menu.addSeparator()
    nudges = menu.addMenu("Nudge the music")
    for frames, text in NUDGES:
        add_action(nudges, text, partial(track.nudge, frames))
    nudges.addSeparator()
    add_action(nudges, "Start at frame 0", lambda: track.change("Nudge music", offset=0.0), music.offset != 0.0)
    loudness = menu.addMenu("Loudness")
    for gain in GAINS:
        text, set_gain = f"{gain:.0%}".replace("%", " %"), partial(track.change, "Set loudness", gain=gain)
        add_action(loudness, text, set_gain, checked=abs(gain - music.gain) < 1e-9)
    menu.addAction(actions["sound"])
    menu.addSeparator()
    menu.addAction(actions["load_music"])
    menu.addAction(actions["remove_music"])
    space_shortcuts(menu)
    return menu


FINE = 0.1
STICK = 6.0
"""How near the playhead or a key a beat sticks to it, [px]."""


class AudioDrag:
    """One drag from press to release, shown by ``TimeMarks.preview``.

    Args:
        track: The band.
        what: Index of the beat that is dragged, or ``"music"``.
        press: Where the button went down.
        modifiers: Held at press; with Shift all beats go along the sound together.
    """

    def __init__(self, track: AudioTrack, what: int | str, press: QPointF, modifiers: Qt.KeyboardModifier):
        music = track.music
        assert music is not None
        self._track, self._what = track, what
        self._start: AudioRecord = music
        self._last = track.model.exact_frame(press.x() - NAMES_WIDTH)
        self._travelled = 0.0  # frames, fine parts included
        self._all = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        self._marks = track.model.marks
        self._record = track.model.document.sequence.audio if track.model.document.sequence is not None else None
        self.text = ""

    @property
    def active(self) -> bool:
        """Whether the music is still the one at press."""
        sequence = self._track.model.document.sequence
        return sequence is not None and sequence.audio is self._record

    def move(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show where it is now; Ctrl for a tenth of the motion, and without sticking."""
        fine = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        model = self._track.model
        frame_here = model.exact_frame(position.x() - NAMES_WIDTH)
        self._travelled += (frame_here - self._last) * (FINE if fine else 1.0)
        self._last = frame_here
        fps = model.document.sequence.fps  # type: ignore[union-attr]  # active, so there is one
        seconds = self._travelled / fps
        start = self._start
        try:
            if isinstance(self._what, int):
                if self._all:
                    seconds = self._stuck(seconds, start.beats[self._what] + start.offset, fps, fine)
                    shown = start.shifted(seconds)
                    self.text = f"All beats {seconds * 1000:+.0f} ms later".replace("-", "−")
                else:
                    seconds = self._stuck(seconds, start.beats[self._what] + start.offset, fps, fine)
                    shown = start.moved(self._what, start.beats[self._what] + seconds)
                    frame = (shown.beats[self._what] + shown.offset) * fps
                    self.text = f"Beat {self._what + 1} at frame {frame:.1f} · Shift moves all beats"
            else:
                seconds = self._whole(seconds, fps, fine)
                shown = replace(start, offset=round(start.offset + seconds, 6))
                self.text = f"Music starts at {shown.offset:.3f} s, frame {shown.offset * fps:.1f}".replace("-", "−")
        except AudioError as error:
            self.text = str(error)
            return
        self._marks.preview = shown
        model.changed.emit()

    def _whole(self, seconds: float, fps: float, fine: bool) -> float:
        """Return a shift by whole frames, or to where a beat meets the playhead if it is near."""
        if fine:
            return seconds
        frame = self._track.model.document.frame
        beats = [(beat + self._start.offset) * fps for beat in self._start.beats]
        near = min((frame - beat - seconds * fps for beat in beats), key=abs, default=None)
        if near is not None and abs(near) * self._track.model.pixels <= STICK:
            return seconds + near / fps
        return round(seconds * fps) / fps

    def _stuck(self, seconds: float, at: float, fps: float, fine: bool) -> float:
        """Return a shift that brings a time onto the playhead if it comes near it."""
        away = self._track.model.document.frame - (at + seconds) * fps
        if not fine and abs(away) * self._track.model.pixels <= STICK:
            return seconds + away / fps
        return seconds

    def drop(self) -> None:
        """End it as one undo step."""
        shown, self._marks.preview = self._marks.preview, None
        if shown is not None and self.active and shown != self._start:
            text = "Move music" if self._what == "music" else "Shift beats" if self._all else "Move beat"
            self._track.model.document.music.set(shown, text=text)
        self._track.model.changed.emit()

    def cancel(self) -> None:
        """Give it up."""
        self._marks.preview = None
        self._track.model.changed.emit()


REACH = 5.0


class AudioTrack(TimelineCanvas):
    """Music under the tracks: drag it to move its start, drag a beat in the lane at its top to move that.

    Args:
        model: The shared scale.
        actions: The window's actions by name, for the menu.

    Signals:
        found_wanted(): The person wants to say where the file is now.
    """

    found_wanted = Signal()

    def __init__(self, model: TimelineModel, actions: ActionsByName):
        super().__init__(model)
        self.actions_by_name = actions
        self.waveform: Waveform | None = None
        self.problem = ""
        self.reading = False
        self.tapping = 0  # taps so far, while somebody taps along
        self.drag: AudioDrag | None = None
        self.selected: int | None = None  # index of the beat that Del takes away
        self._count = 0  # of beats, when they were looked at last
        self._pressed: int | str | None = None  # the beat under the press, or "music"
        self.hovered: int | None = None
        self._press = QPointF()
        self._held = Qt.KeyboardModifier.NoModifier
        self._picture = AudioPicture(self)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Music")
        model.changed.connect(self._take)
        model.document.changed.connect(self._hear)
        self._take()

    # -- state ----------------------------------------------------------------------------------------------------

    @property
    def music(self) -> AudioRecord | None:
        """The music as it is shown."""
        return self.model.marks.music

    def show_sound(self, waveform: Waveform | None, problem: str, reading: bool) -> None:
        """Show another waveform, or why there is none."""
        self.waveform, self.problem, self.reading = waveform, problem, reading
        self.update()

    def show_taps(self, count: int) -> None:
        """Show how many taps have come; 0 when nobody taps."""
        self.tapping = count
        self.update()

    def set_low(self, low: bool) -> None:
        """Take less height, for low windows."""
        self.setFixedHeight(LOW_HEIGHT if low else HEIGHT)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    def _take(self) -> None:
        music = self.music
        if self.drag is not None and not self.drag.active:
            self.drag = None
        count = 0 if music is None else len(music.beats)
        if count != self._count:  # another beat has the number of the one that was selected or pointed at
            self._count, self.selected, self.hovered = count, None, None
        self.setVisible(music is not None and self.model.document.skeleton is not None)
        self._describe()
        self.update()

    def _hear(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name == "sound":
            self.update()

    def _describe(self) -> None:
        music = self.music
        if music is None:
            self.setAccessibleDescription("")
            return
        words = f"{self.name}, starts at {music.offset:.3f} s, {len(music.beats)} beats"
        if self.selected is not None:
            words += f", beat {self.selected + 1} selected"
        self.setAccessibleDescription(words)

    @property
    def name(self) -> str:
        """Name of the file."""
        music = self.music
        return "" if music is None else PurePath(music.file.rpartition(":")[2]).name

    @property
    def dragging(self) -> bool:
        return self.drag is not None or super().dragging

    # -- what lies where ------------------------------------------------------------------------------------------

    def time_at(self, x: float) -> float:
        """Return the time on the time line at a place in this widget, [s]."""
        sequence = self.model.document.sequence
        fps = 1.0 if sequence is None else sequence.fps
        return (x - self.track_x(0.0)) / self.model.pixels / fps

    def beat_x(self, index: int) -> float:
        """Return where a beat lies in this widget."""
        return self.track_x(0.0) + float(self.model.marks.beats.frames[index]) * self.model.pixels

    def beat_at(self, position: QPointF) -> int | None:
        """Return the beat whose mark in the lane is at a point."""
        music = self.music
        if music is None or position.x() < NAMES_WIDTH or not 0.0 <= position.y() < LANE + 2.0:
            return None
        xs, _, indices = seen_beats(self)
        if not len(xs):
            return None
        nearest = int(abs(xs - position.x()).argmin())
        return int(indices[nearest]) if abs(xs[nearest] - position.x()) <= REACH else None

    def key_under(self, position: QPointF) -> int | None:
        return None

    # -- mouse ----------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() == Qt.MouseButton.MiddleButton:
            super().mousePressEvent(event)
            return
        if event.button() != Qt.MouseButton.LeftButton or self.music is None:
            return
        if position.x() < NAMES_WIDTH:
            if SPEAKER.contains(position):
                self.actions_by_name["sound"].trigger()
            elif self.problem:
                self.found_wanted.emit()
            elif self.model.document.session.playback.playing:
                self.actions_by_name["tap_beats"].trigger()
            return
        self._press, self._held = position, event.modifiers()
        beat = self.beat_at(position)
        self._pressed = beat if beat is not None else "music"
        self.selected = beat
        self._describe()
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is None and self.drag is None:
            self._show_hover(position)
            if event.buttons() & Qt.MouseButton.MiddleButton:
                super().mouseMoveEvent(event)
            return
        if self.drag is None and self._pressed is not None:
            if abs(position.x() - self._press.x()) < DRAG_DISTANCE:
                return
            self.drag = AudioDrag(self, self._pressed, self._press, self._held)
            self._pressed = None
        if self.drag is not None and self.drag.active:
            self.drag.move(position, event.modifiers())
            self.model.document.say("info", self.drag.text)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        drag, self.drag = self.drag, None
        pressed, self._pressed = self._pressed, None
        if drag is not None:
            drag.drop()
        elif pressed == "music":
            self.model.document.set_frame(self.model.frame_at(event.position().x() - NAMES_WIDTH))
        elif isinstance(pressed, int):
            self.model.document.set_frame(max(0, round(float(self.model.marks.beats.frames[pressed]))))
        self._show_hover(event.position())

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        in_lane = position.x() >= NAMES_WIDTH and position.y() < LANE + 2.0
        if event.button() == Qt.MouseButton.LeftButton and in_lane and self.beat_at(position) is None:
            self.add_beat(self.time_at(position.x()))
        else:
            self.mousePressEvent(event)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.hovered = None
        self.update()
        super().leaveEvent(event)

    def _show_hover(self, position: QPointF) -> None:
        hover = self.beat_at(position)
        if hover != self.hovered:
            self.hovered = hover
            self.update()
        if hover is not None:
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        elif self.music is not None and position.x() >= NAMES_WIDTH and position.y() >= LANE:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.setCursor(Qt.CursorShape.ArrowCursor)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.music is None or self.drag is not None:
            return
        self._pressed = None
        keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        position = QPointF(event.pos())
        beat = self.selected if keyboard else self.beat_at(position)
        if keyboard:
            position = QPointF(self.track_x(self.model.document.frame), LANE)
        if beat is not None:
            self.selected = beat
            self.update()
        show_audio_menu(self, self.mapToGlobal(position.toPoint()), beat, self.time_at(position.x()))

    # -- edits ----------------------------------------------------------------------------------------------------

    def add_beat(self, time: float) -> None:
        """Add a beat at a time on the time line, [s], and select it."""
        before = self._count
        self.edit("Add beat", lambda music: music.added(time - music.offset))
        music = self.music
        if music is not None and len(music.beats) > before:
            self.selected = min(range(len(music.beats)), key=lambda i: abs(music.beats[i] + music.offset - time))
            self._describe()
            self.update()

    def select(self, index: int | None) -> None:
        """Select a beat, or none."""
        self.selected = index
        self._describe()
        self.update()

    def remove_beat(self, index: int) -> None:
        """Take a beat away."""
        self.edit("Delete beat", lambda music: music.removed(index))

    def nudge(self, frames: float) -> None:
        """Let the music start some frames later."""
        sequence = self.model.document.sequence
        if sequence is not None:
            self.edit("Nudge music", lambda music: replace(music, offset=music.offset + frames / sequence.fps))

    def change(self, text: str, **values: Any) -> None:
        """Change values of the music's record as one step."""
        self.edit(text, lambda music: replace(music, **values))

    def edit(self, text: str, change: Callable[[AudioRecord], AudioRecord]) -> None:
        """Change the music's record as one step; what is not possible is said."""
        document = self.model.document
        music = self.music
        if music is None:
            return
        try:
            document.music.set(change(music), text=text)
        except AudioError as error:
            document.say("warning", str(error))

    # -- keyboard -------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self.drag is not None or self._pressed is not None
        return self.selected is not None and means(event, "delete_selected_keys")

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.takes(event):
            event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            drag, self.drag, self._pressed = self.drag, None, None
            if drag is not None:
                drag.cancel()
                self.model.document.say("info", "Cancelled")
        elif self.selected is not None:
            self.remove_beat(self.selected)

    # -- words ----------------------------------------------------------------------------------------------------

    def tip(self, position: QPointF) -> str:
        music = self.music
        if music is None or self.drag is not None:
            return ""
        if position.x() < NAMES_WIDTH:
            if SPEAKER.contains(position):
                return "Sound off" if self.model.document.session.playback.sound else "Sound on"
            file = music.file.rpartition(":")[2]
            if self.problem:
                return f"{file}\n{self.problem}: click to locate it"
            how = "\nClick on every beat to tap along" if self.model.document.session.playback.playing else ""
            return f"{file}\n{self.about(music)}{how}"
        beat = self.beat_at(position)
        if beat is None:
            return f"{self.name}, starts at {music.offset:.3f} s\nDrag to move it along the frames"
        frame = float(self.model.marks.beats.frames[beat])
        place = (beat - music.downbeat) % music.bar + 1
        return f"Beat {beat + 1}, the {_ORDINALS[place - 1]} of its bar\nframe {frame:.1f}, drag to move it"

    def about(self, music: AudioRecord) -> str:
        """Return what stands under the name: how fast it is, and when it starts."""
        if self.reading:
            return "Reading…"
        if self.tapping:
            return f"{self.tapping} taps"
        tempo = "No beats" if not music.beats else "Beats" if music.tempo is None else f"{music.tempo:.1f} bpm"
        start = f"{music.offset:+.2f} s".replace("-", "−")
        return f"{tempo} · {start}" if music.offset else tempo

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        music = self.music
        self.draw_names_ground(painter, "panel", "panel")
        if music is not None:
            self._picture.names(painter, music)
            self.clip_tracks(painter)
            painter.fillRect(QRectF(NAMES_WIDTH, 0, self.width(), LANE), style.mix("panel", "head", 0.75))
            if self.waveform is not None:
                self._picture.wave(painter, music)
            self.draw_grid(painter, self.height())
            if self.waveform is None:
                self._picture.why_not(painter)
            self._picture.beats(painter)
            self.draw_playhead(painter)
            painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()


_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth",
    "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip
