"""Playing in real time: the clock says which frame is due; frames that are late are dropped, time never slows.

With music the clock is what has been heard, since ears notice a gap in the sound sooner than eyes a frame that is late.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from app.document.changes import Change, FileChanged, FrameChanged, SequenceChanged, SessionChanged
from app.document.document import Document

LONGEST_WAIT = 2.0
"""How long the picture waits for a sound that does not begin, or halts, [s]; then it goes on without it."""
_LAGS = 30  # how many of the last lags the least is taken of: a device reports what it played late, never early
_AHEAD = 0.15  # how far the picture may be ahead of a sound that halts, [s]
_AHEAD_FRAMES = 32  # worked out at once: many take little longer than one
_SLEW = 0.002  # by how much the picture's clock is put right at a time, [s]


@dataclass
class PlayerStats:
    """What happened since the last start.

    Attributes:
        shown: Frames that were shown.
        dropped: Frames that came due but were skipped, because drawing took longer than a frame lasts.
    """

    shown: int = 0
    dropped: int = 0


class Player(QObject):
    """Plays the document's sequence within its range; ``session.playing`` starts and stops it too.

    Args:
        document: The document.
        parent: Qt parent; the document by default.

    Attributes:
        stats: Frames shown and dropped since the last start.
        heard: Says how much of the sound has been heard since the clock was started, [s]; None while there is none.

    Signals:
        started(): The clock was started, or started anew, at the current frame.
        stopped(): Playing has stopped.
    """

    started = Signal()
    stopped = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent if parent is not None else document)
        self._document = document
        self.stats = PlayerStats()
        self.heard: Callable[[], float | None] | None = None
        self._clock = QElapsedTimer()
        self._lag = 0.0  # how far what is heard is behind this clock, [s]
        self._lags: deque[float] = deque(maxlen=_LAGS)
        self._last_heard = (0.0, 0.0)  # what was heard when it last changed, and when that was, [s]
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._tick)
        self._anchor = 0  # frame at which the clock was started
        self._count = 0  # frames since the anchor that have come due
        self._moving = False  # whether it is this player that sets the frame
        self._running = False
        document.changed.connect(self._on_changed)

    @property
    def playing(self) -> bool:
        """Whether it plays."""
        return self._running

    @property
    def position(self) -> float:
        """Where it is now, between frames too; the current frame while it rests."""
        if not self._running:
            return float(self._document.frame)
        return self._wrapped(self._anchor + self._elapsed() * self._rate())

    @property
    def round(self) -> tuple[int, int] | None:
        """First frame and number of frames of what plays round and round; None if it plays once."""
        sequence = self._document.sequence
        if sequence is None or not self._document.session.playback.loop:
            return None
        first, last = self._document.model.played
        closes = sequence.closes and last == sequence.range[1]
        # Where the last frame is the first one of the next round, showing both would make it halt.
        return first, last - first + (not closes)

    def play(self) -> None:
        """Play from the current frame; from the first one if it is at the end or outside the range."""
        sequence = self._document.sequence
        if self.playing or sequence is None:
            self._document.session.playback.playing = self.playing
            return
        first, last = self._document.model.played
        if last <= first:
            self._document.session.playback.playing = False
            if sequence.ends_with_last_key:
                why = "key another pose at a later frame, or let a lock end or move its target there"
            else:
                why = f"the range is only frame {first}"
            self._document.say("info", f"There is nothing to play: {why}")
            return
        self.stats = PlayerStats()
        if not first <= self._document.frame < last:
            self._set_frame(first)
        self.stats.shown = 1
        self._running = True
        self._document.model.ahead = _AHEAD_FRAMES
        self._start_clock()
        self._document.session.playback.playing = True

    def pause(self) -> None:
        """Stop at the current frame."""
        self._stop()
        self._document.session.playback.playing = False

    def _stop(self) -> None:
        was, self._running = self._running, False
        self._document.model.ahead = 1
        self._timer.stop()
        if was:
            self.stopped.emit()

    def restart(self) -> None:
        """Start the clock anew at the current frame, if it plays; what is heard with it starts anew too."""
        if self._running:
            self._start_clock()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    # -- clock ---------------------------------------------------------------------------------------------------

    def _rate(self) -> float:
        """Return frames a second of real time."""
        sequence = self._document.sequence
        return sequence.fps * self._document.session.playback.speed if sequence is not None else 0.0

    def _start_clock(self) -> None:
        self._anchor = self._document.frame
        self._count = 0
        self._lag = 0.0
        self._lags.clear()
        self._last_heard = (0.0, 0.0)
        self._clock.start()
        self.started.emit()
        self._wait()

    def _elapsed(self) -> float:
        """Return how long it has played, by what has been heard if there is a sound, [s]."""
        own = self._clock.nsecsElapsed() * 1e-9
        heard = self.heard() if self.heard is not None else None
        if heard is None:
            return own - self._lag
        if heard != self._last_heard[0]:
            self._last_heard = (heard, own)
        if own - self._last_heard[1] > LONGEST_WAIT:
            return own - self._lag
        if heard > 0.0:
            first = not self._lags
            self._lags.append(own - heard)
            away = min(self._lags) - self._lag
            self._lag += away if first else min(max(away, -_SLEW), _SLEW)
        self._lag = max(self._lag, own - heard - (_AHEAD if heard > 0.0 else 0.0))
        return own - self._lag

    def _wrapped(self, frame: float) -> float:
        """Return where a frame lies once what plays round and round begins anew."""
        sequence = self._document.sequence
        last = self._document.model.played[1]
        if sequence is None or frame < last:
            return frame
        again = self.round
        return last if again is None else again[0] + (frame - again[0]) % again[1]

    def _wait(self) -> None:
        """Sleep until the next frame is due by the clock; rounding up, so that it never wakes too early."""
        due = (self._count + 1) * 1e3 / self._rate()
        self._timer.start(max(0, math.ceil(due - self._elapsed() * 1e3)))

    def _tick(self) -> None:
        sequence = self._document.sequence
        if sequence is None:
            self.pause()
            return
        count = int(self._elapsed() * self._rate())
        passed = count - self._count
        if passed <= 0:
            self._wait()
            return
        last = self._document.model.played[1]
        frame = self._anchor + count
        at_end = frame >= last and not self._document.session.playback.loop
        if at_end:
            passed -= frame - last
            frame = last
        else:
            frame = int(self._wrapped(frame))
        self.stats.shown += 1
        self.stats.dropped += max(0, passed - 1)
        self._count = count
        if at_end:
            # Stopped before the frame is set: whoever hears of the last frame sees a player at rest.
            self._stop()
        self._set_frame(frame)
        if at_end:
            self._document.session.playback.playing = False
        elif self._running and not self._timer.isActive():
            self._wait()

    def _set_frame(self, frame: int) -> None:
        self._moving = True
        try:
            self._document.set_frame(frame)
        finally:
            self._moving = False

    # -- what others do ------------------------------------------------------------------------------------------

    def _on_changed(self, change: Change) -> None:
        name = change.name
        if isinstance(change, SessionChanged) and name == "playing":
            if change.value != self.playing:
                self.toggle()
        elif not self.playing or self._moving:
            return
        elif isinstance(change, (FrameChanged, SequenceChanged)) or (
            isinstance(change, SessionChanged) and name in ("speed", "loop")
        ):
            # Somebody scrubs, or the rate or what comes after the end is another: go on from here, from now.
            self._start_clock()
        elif isinstance(change, FileChanged) and name == "opened":
            self.pause()
