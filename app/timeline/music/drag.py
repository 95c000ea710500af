"""A drag in the band of the music: of its start, or of one beat. Nothing is edited before the release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt

from app.timeline.time_scale import NAMES_WIDTH
from core.audio import AudioError, AudioRecord

if TYPE_CHECKING:
    from app.timeline.music.track import AudioTrack

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
