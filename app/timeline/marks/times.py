"""What stands along the frames besides keys: beats of the music, and markers. Bands draw them, drags stick to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.audio import AudioError, AudioRecord

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.marker import Marker


def next_frame(frames: Iterable[int], now: int, direction: int) -> int | None:
    """Return the nearest of some frames after a frame, or before it for a direction of -1; None if there is none."""
    beyond = [frame for frame in frames if (frame - now) * direction > 0]
    return min(beyond, key=lambda frame: abs(frame - now), default=None)


class BeatFrames(NamedTuple):
    """Beats along the frames.

    Attributes:
        frames: Where they are, whole or not, ascending, shape (n,); a beat may lie before frame 0.
        strong: Which of them begin a bar, shape (n,).
    """

    frames: NDArray[np.float64]
    strong: NDArray[np.bool_]


NO_BEATS = BeatFrames(np.zeros(0), np.zeros(0, dtype=bool))


class TimeMarks:
    """Beats and markers of the sequence that is shown.

    Attributes:
        preview: Music as a drag under way would leave it, or None.
        moving: Markers as a drag under way would leave them, or None.
        rippling: Markers as keys that are dragged take them along, or None.
    """

    def __init__(self, document: Document):
        self._document = document
        self.preview: AudioRecord | None = None
        self.moving: tuple[Marker, ...] | None = None
        self.rippling: tuple[Marker, ...] | None = None
        self._read: tuple[object, AudioRecord | None] = (None, None)
        self._beats: tuple[object, float, BeatFrames] = (None, 0.0, NO_BEATS)

    @property
    def music(self) -> AudioRecord | None:
        """The music as it is shown; None if the sequence has none, or a record that makes no sense."""
        if self.preview is not None:
            return self.preview
        sequence = self._document.sequence
        record = None if sequence is None else sequence.audio
        if record is None:
            return None
        if self._read[0] is not record:
            try:
                self._read = (record, AudioRecord.of(record))
            except AudioError:
                self._read = (record, None)
        return self._read[1]

    @property
    def beats(self) -> BeatFrames:
        """The beats of the music as it is shown."""
        music, sequence = self.music, self._document.sequence
        if music is None or sequence is None:
            return NO_BEATS
        if self._beats[0] is not music or self._beats[1] != sequence.fps:
            self._beats = (music, sequence.fps, BeatFrames(music.frames(sequence.fps), music.downbeats()))
        return self._beats[2]

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The markers as they are shown."""
        if self.moving is not None:
            return self.moving
        if self.rippling is not None:
            return self.rippling
        sequence = self._document.sequence
        return () if sequence is None else sequence.markers

    def snap_frames(self) -> NDArray[np.int64]:
        """Return the whole frames nearest to beats, and those of markers, ascending, each once, none below 0."""
        beats = np.rint(self.beats.frames).astype(np.int64)
        frames = np.concatenate([beats, np.array([marker.frame for marker in self.markers], dtype=np.int64)])
        return np.unique(frames[frames >= 0])
