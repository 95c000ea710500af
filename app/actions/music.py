"""What the actions of music and markers do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, QTimer
from PySide6.QtWidgets import QFileDialog

from app.actions.group import WindowActions
from app.document.changes import Change, FigureChanged, FileChanged, SequenceChanged, SessionChanged
from app.music.loading import Music
from app.music.sound import SoundTrack
from app.timeline.marks.times import next_frame
from app.widgets.frames.menu import make_menu, pop_up
from app.words.keys_now import key_of
from core.audio import SUFFIXES, AudioRecord
from core.audio.tapping import FEWEST, beats_of_taps

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow

FILTER = f"Sounds ({' '.join('*' + suffix for suffix in SUFFIXES)});;All files (*)"
NEEDS_BEATS = ("double_tempo", "half_tempo", "previous_beat", "next_beat", "delete_beat")
NEEDS_MUSIC = (
    "detect_beats",
    "tap_beats",
    "remove_music",
    "sound",
    "music_earlier",
    "music_later",
    "add_beat",
    *NEEDS_BEATS,
)
TAP_PAUSE_MS = 3000
"""After so long without a tap, tapping is over."""


class MusicActions(WindowActions):
    """Actions about music and markers.

    Attributes:
        music: The sound in memory.
        track: What is heard of it.
    """

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self.music = Music(self.document, window.background, window)
        self.track = SoundTrack(self.document, window.player, self.music, parent=window)
        self._taps: list[float] = []
        self._shown = False
        self._pause = QTimer(window, singleShot=True, interval=TAP_PAUSE_MS)
        self._pause.timeout.connect(self.end_taps)

    def handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "load_music": self.load,
            "detect_beats": self.music.detect,
            "tap_beats": self.tap,
            "double_tempo": lambda: self._edit("Double tempo", AudioRecord.doubled),
            "half_tempo": lambda: self._edit("Halve tempo", AudioRecord.halved),
            "remove_music": self.remove,
            "sound": self._flip_sound,
            "add_marker": self.add_marker,
            "rename_marker": self.rename_marker,
            "delete_marker": self.delete_marker,
            "music_earlier": lambda: self._window.timeline.audio.nudge(-1),
            "music_later": lambda: self._window.timeline.audio.nudge(1),
            "previous_beat": lambda: self.go_to_beat(-1),
            "next_beat": lambda: self.go_to_beat(1),
            "add_beat": self.add_beat,
            "delete_beat": self.delete_beat,
            "previous_marker": lambda: self.go_to_marker(-1),
            "next_marker": lambda: self.go_to_marker(1),
        }

    def connect(self) -> None:
        """Connect with the rest of the window, once it is built."""
        timeline = self._window.timeline
        self.music.changed.connect(self._show_sound)
        self.document.changed.connect(self._take)
        self._window.player.stopped.connect(self.end_taps)
        timeline.audio.found_wanted.connect(self._find)
        timeline.ruler.ruler_menu_requested.connect(self._show_ruler_menu)
        self.music.follow()
        self._show_state()

    def stop(self) -> None:
        """End what goes on in the background."""
        self._pause.stop()
        self.track.stop()

    def _take(self, change: Change) -> None:
        if isinstance(change, (FileChanged, FigureChanged, SequenceChanged)):
            if not isinstance(change, SequenceChanged):
                self._drop_taps()
            self._show_sound()
        elif isinstance(change, SessionChanged) and change.name in ("sound", "mode"):
            self._show_state()

    def _show_sound(self) -> None:
        shown = not self._window.timeline.audio.isHidden()
        if shown != self._shown:  # the band has come or gone, and the timeline needs room for it
            self._shown = shown
            self._window.workbench.fit_timeline()
        self._window.timeline.audio.show_sound(self.music.waveform, self.music.problem, self.music.reading)
        self._show_state()

    def _show_state(self) -> None:
        """Enable what makes sense now."""
        actions, record, sequence = self._window.action_table, self.music.record, self.document.sequence
        posing = self.document.session.mode != "skeleton" and sequence is not None
        for name in NEEDS_MUSIC:
            beats = name not in NEEDS_BEATS or (record is not None and len(record.beats) > 1)
            actions[name].setEnabled(posing and record is not None and beats)
        for name in ("previous_marker", "next_marker", "rename_marker", "delete_marker"):
            actions[name].setEnabled(posing and sequence is not None and bool(sequence.markers))
        actions["sound"].setChecked(self.document.session.playback.sound)

    # -- music -----------------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask for a sound file and make it the sequence's music."""
        self._ask("Music")

    def _find(self) -> None:
        if self.music.problem.startswith("was not read"):
            self.music.retry()
        else:
            self._ask("Find the music")

    def _ask(self, title: str) -> None:
        record = self.music.record
        folder = Path(record.file).parent if record is not None else self._window.files.own_folder()
        path, _ = QFileDialog.getOpenFileName(self._window, title, str(folder), FILTER)
        if path:
            self.load_path(Path(path))

    def load_path(self, path: Path) -> bool:
        """Make a sound file the sequence's music; returns whether it is being read."""
        return self.music.load(path)

    def take_drop(self, data: QMimeData) -> bool:
        """Take a sound file that was dropped on the window; returns whether there was one."""
        sounds = self.carried(data)
        if sounds:
            self.load_path(sounds[0])
        return bool(sounds)

    @staticmethod
    def carried(data: QMimeData) -> list[Path]:
        """Return the sound files among what is being dropped."""
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        return [path for path in paths if path.suffix.lower() in SUFFIXES]

    def remove(self) -> None:
        """Take the music away."""
        self.document.music.set(None, text="Remove music")

    def _flip_sound(self) -> None:
        session = self.document.session
        session.playback.sound = not session.playback.sound
        self._show_state()

    def _edit(self, text: str, change: Callable[[AudioRecord], AudioRecord]) -> None:
        record = self.music.record
        if record is not None:
            self.document.music.set(change(record), text=text)

    # -- tapping ---------------------------------------------------------------------------------------------------

    @property
    def tapping(self) -> bool:
        """Whether somebody taps along."""
        return bool(self._taps)

    def tap(self) -> None:
        """Take a tap at what is heard now; the first one begins to play, the last is followed by a pause."""
        record, sequence = self.music.record, self.document.sequence
        if record is None or sequence is None:
            return
        player = self._window.player
        if not player.playing:
            player.play()
            if player.playing:
                beat = f"Press {key_of('tap_beats')} on every beat, or click the tempo to the left of the music"
                self.document.say("info", f"{beat}; pause to finish")
            return
        self._taps.append(player.position / sequence.fps - record.offset)
        self._pause.start()
        self._window.timeline.audio.show_taps(len(self._taps))

    def end_taps(self) -> None:
        """Make beats of the taps there are."""
        taps, record, sound = list(self._taps), self.music.record, self.music.sound
        self._drop_taps()
        if record is None or not taps:
            return
        duration = sound.duration if sound is not None else max(taps)
        beats = beats_of_taps(taps, duration)
        if beats is None:
            self.document.say("info", f"Beats unchanged: at least {FEWEST} taps are needed")
            return
        changed = record.with_beats([b for b in beats.times.tolist() if b >= 0.0], beats.tempo, beats.downbeat)
        self.document.music.set(changed, text="Tap beats")
        steady = "an unsteady beat, kept as tapped" if beats.doubtful else "a steady beat through the whole piece"
        self.document.say("info", f"{len(taps)} taps, {beats.tempo:.1f} bpm: {steady}")

    def _drop_taps(self) -> None:
        self._taps.clear()
        self._pause.stop()
        self._window.timeline.audio.show_taps(0)

    # -- beats -----------------------------------------------------------------------------------------------------

    def go_to_beat(self, direction: int) -> None:
        """Select the nearest beat before or after the current frame, and go there."""
        record, sequence, audio = self.music.record, self.document.sequence, self._window.timeline.audio
        if record is None or sequence is None:
            return
        frames = [round((beat + record.offset) * sequence.fps) for beat in record.beats]
        frame = next_frame((frame for frame in frames if frame >= 0), self.document.frame, direction)
        if frame is None:
            self.tell("No later beat" if direction > 0 else "No earlier beat")
            return
        beat = frames.index(frame)
        audio.select(beat)
        self.document.set_frame(frame)
        self._window.timeline.model.reveal(frame)
        self.tell(f"Beat {beat + 1} is selected")

    def add_beat(self) -> None:
        """Add a beat at the current frame."""
        sequence = self.document.sequence
        if sequence is not None:
            self._window.timeline.audio.add_beat(self.document.frame / sequence.fps)

    def delete_beat(self) -> None:
        """Take the selected beat away."""
        audio = self._window.timeline.audio
        if audio.selected is None:
            self.tell("Select a beat first: Sequence > Music > Next beat")
        else:
            audio.remove_beat(audio.selected)

    # -- markers ---------------------------------------------------------------------------------------------------

    def add_marker(self) -> None:
        """Put a marker at the current frame and let its name be typed; with one there, rename it."""
        if self.document.sequence is not None:
            self._window.timeline.markers.begin(self.document.frame)

    def rename_marker(self) -> None:
        """Let another name be typed for the marker at the current frame."""
        if self._at_marker():
            self._window.timeline.markers.begin(self.document.frame)

    def delete_marker(self) -> None:
        """Take the marker at the current frame away."""
        if self._at_marker():
            self.document.markers.remove(self.document.frame)

    def _at_marker(self) -> bool:
        """Return whether there is a marker at the current frame; say how to go to one if not."""
        if self._window.timeline.markers.here is None:
            self.tell("Go to a marker first: Sequence > Markers > Next marker")
            return False
        return True

    def go_to_marker(self, direction: int) -> None:
        """Go to the previous or the next marker."""
        sequence, here = self.document.sequence, self.document.frame
        if sequence is None:
            return
        frame = next_frame((marker.frame for marker in sequence.markers), here, direction)
        if frame is not None:
            self.document.set_frame(frame)
        else:
            self.document.say("info", "No later marker" if direction > 0 else "No earlier marker")

    def _show_ruler_menu(self, place: QPoint, frame: int) -> None:
        timeline, document, sequence = self._window.timeline, self.document, self.document.sequence
        if sequence is None:
            return
        first, last = sequence.range
        marked = any(marker.frame == frame for marker in sequence.markers)
        items = [
            (f"Rename marker at frame {frame}" if marked else f"Add marker at frame {frame}",
             lambda: timeline.markers.begin(frame), "marker"),
            None,
            (f"Play from frame {frame}", lambda: document.sequences.set_range(frame, max(frame, last)), "first"),
            (f"Play up to frame {frame}", lambda: document.sequences.set_range(min(first, frame), frame), "last"),
        ]  # fmt: skip
        if marked:
            items.insert(1, ("Delete this marker", lambda: document.markers.remove(frame), "trash"))
        pop_up(make_menu(timeline.ruler, items), place)
