"""Shows a simulation on the clock; a thread beside the window works it out, a sample at a time, as far as it is wanted.

The thread owns its ``Preview``; everything that is done to it goes through ``call`` and happens between two samples.
"""

from __future__ import annotations

import math
import sys
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from app.process.log import logger
from core.constraints.conflicts.words import capital
from core.errors import CoreError
from core.kernels import load_late

if TYPE_CHECKING:
    from core.preview.preview import Preview
    from core.preview.sample import Sample

_SWITCH = 2e-4  # how long a thread may keep the interpreter while another one waits for it [s]

Call = Callable[["Preview"], object]


class SimulationWorker:
    """One preview and its thread.

    Args:
        make: Makes the preview; called in the thread, since a model, its shapes and the kernels take a while.
        notify: Called in the thread whenever there is something new: samples, an error, or the end.

    Attributes:
        samples: What was simulated; the thread adds to it, or puts another list in its place. Read without a lock.
        tick: Seconds between samples; 0 until the preview is made.
        finished: Whether nothing follows the last sample.
        error: Why nothing follows, one line, or "".
        notice: What a person should know before it goes on, one line, or "".
    """

    def __init__(self, make: Callable[[], Preview], notify: Callable[[], None]):
        self.samples: list[Sample] = []
        self.tick = 0.0
        self.finished = False
        self.error = ""
        self.notice = ""
        self._make, self._notify = make, notify
        self._wanted = 0  # samples
        self._calls: dict[str, Call] = {}
        self._wake = threading.Condition()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def want(self, count: int) -> None:
        """Work on until there are so many samples; one that is under way is ended in any case."""
        if count != self._wanted:
            with self._wake:
                self._wanted = count
                self._wake.notify()

    def call(self, name: str, what: Call) -> None:
        """Do something to the preview before its next sample; it takes the place of a call of the same name."""
        with self._wake:
            self._calls.pop(name, None)
            self._calls[name] = what
            self._wake.notify()

    def rewind(self, frame: float) -> None:
        """Drop what was simulated after a frame, and go on from there."""

        def back(preview: Preview) -> None:
            preview.rewind(frame)
            self.samples = list(preview.samples)  # another list: whoever reads the old one keeps it whole

        self.call("rewind", back)

    def stop(self, longest: float = 5.0) -> None:
        """End after the sample that is under way, and wait for it; 0 waits for nothing."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if longest > 0.0 and self._thread.is_alive():
            self._thread.join(longest)

    # -- in the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        # Whenever the window calls Qt it gives the interpreter away; it must not wait 5 ms each time to get it back.
        sys.setswitchinterval(_SWITCH)
        try:
            load_late()
        except Exception:  # whatever the compiler's libraries raise, the text of the kernels still serves
            logger.exception("loading the kernels of physics failed")
        try:
            preview = self._make()
            self.tick = preview.tick
            from core.preview.whole_run import start_notices

            if notices := start_notices(preview):
                self.notice = capital("; ".join(notices))
            self.samples.extend(preview.samples)
            self._notify()
            while self._work(preview):
                pass
        except CoreError as error:
            self._fail(str(error).partition("\n")[0])
        except Exception as error:
            logger.exception("the simulation failed")
            self._fail(f"The simulation failed: {str(error).partition(chr(10))[0] or type(error).__name__}")

    def _work(self, preview: Preview) -> bool:
        """Do what is asked for, or wait for that; return False when it is over."""
        with self._wake:
            while not (self._stopped or self._calls or self._due):
                self._wake.wait()
            if self._stopped:
                return False
            calls, self._calls = self._calls, {}
            due = self._due
        for call in calls.values():
            call(preview)
        if calls and self.finished and not preview.finished:
            self.finished = False
        if due and not preview.finished:
            self.samples.append(preview.advance())
        if calls or due:
            self.finished = bool(preview.finished)
            self._notify()
        return True

    @property
    def _due(self) -> bool:
        return len(self.samples) < self._wanted and not self.finished

    def _fail(self, why: str) -> None:
        self.error, self.finished = why, True
        self._notify()


AHEAD = 2
"""How many samples the thread works ahead of the clock: more would make a pull felt late, none would make it halt.

A window that takes longer than that to draw a frame lets it work as far ahead as a frame takes.
"""
_MOST_AHEAD = 0.3  # [s]
_WINDOW = 1.0  # the rate that is shown is that of the last second [s]
_EARLY = 1e-6  # [s]
_POLL = 50  # while nothing comes [ms]


class SimulationRun(QObject):
    """One simulation from a frame on, and where in it the clock is.

    Args:
        make: Makes the preview, in the thread.
        parent: Qt parent.

    Attributes:
        position: What is shown, by its place in ``samples``; -1 until there is one.
        rate: Seconds shown in a second, over the last second; 0 while that is not known.

    Signals:
        moved(): Another sample is to be shown, or none before.
        grown(): There are more samples, or it is over.
        ended(str): It shows the last sample there will be; why there are no more, or "".
    """

    moved = Signal()
    grown = Signal()
    ended = Signal(str)
    _reported = Signal()

    def __init__(self, make: Callable[[], Preview], parent: QObject | None = None):
        super().__init__(parent)
        self.position = -1
        self.rate = 0.0
        self._factor = 1.0
        self._playing = False
        self._anchor = 0.0  # simulated time at which the clock was started [s]
        self._steps = 0  # samples to show as soon as they are there, one after the other
        self._over = False
        self._marks: deque[tuple[float, float]] = deque()  # (real, simulated) times of what was shown [s]
        self._clock, self._wall = QElapsedTimer(), QElapsedTimer()
        self._wall.start()
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._asked = False
        self._frame_time, self._last_tick = 0.0, 0.0  # how often the window comes by [s]
        self._reported.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self.worker = SimulationWorker(make, self._notify)
        self.worker.want(1)
        self.worker.start()

    # -- what is there -------------------------------------------------------------------------------------------

    @property
    def samples(self) -> list[Sample]:
        """What was simulated so far."""
        return self.worker.samples

    @property
    def sample(self) -> Sample | None:
        """What is to be shown."""
        return self.samples[self.position] if 0 <= self.position < len(self.samples) else None

    @property
    def playing(self) -> bool:
        """Whether the clock runs."""
        return self._playing

    @property
    def at_end(self) -> bool:
        """Whether the last sample is shown."""
        return self.position >= len(self.samples) - 1

    # -- what is asked for ---------------------------------------------------------------------------------------

    def play(self, factor: float) -> None:
        """Go on from what is shown, ``factor`` seconds in a second."""
        self._factor, self._playing, self._over = factor, True, False
        self._anchor_here()
        self._marks.clear()
        self.rate, self._frame_time, self._last_tick = 0.0, 0.0, self._wall.nsecsElapsed() * 1e-9
        self._tick()

    def pause(self) -> None:
        """Stay where it is."""
        self._playing = False
        self._steps = 0
        self._timer.stop()
        self.worker.want(0)

    def set_factor(self, factor: float) -> None:
        """Run faster or slower from now on."""
        self._factor = factor
        if self._playing:
            self.play(factor)

    def step(self) -> None:
        """Show the next sample, as soon as it is worked out."""
        self.pause()
        self._over = False
        self._steps = 1
        self.worker.want(self.position + 2)
        self._take()

    def go(self, position: int) -> None:
        """Show a sample."""
        position = min(max(position, 0), len(self.samples) - 1)
        if position != self.position:
            self.position = position
            self._over = False
            self._marks.clear()  # the way there was no time that passed
            self.rate = 0.0
            self.moved.emit()
        if self._playing:
            self._anchor_here()

    def call(self, name: str, what: Call) -> None:
        """Do something to the simulation before its next sample.

        What was worked out long before, and is only shown again, is dropped: the simulation goes on from what is shown.
        """
        shown = self.sample
        if shown is not None and len(self.samples) - self.position > self._ahead + 1:
            self.worker.rewind(shown.frame)
        self.worker.call(name, what)

    @property
    def _ahead(self) -> int:
        frame = min(self._frame_time, _MOST_AHEAD) * self._factor / max(self.worker.tick, 1e-3)
        return max(AHEAD, math.ceil(AHEAD * self._factor), math.ceil(frame) + 1)

    def stop(self, longest: float = 5.0) -> None:
        """End it, and wait for the thread at most so long."""
        self.pause()
        self.worker.stop(longest)

    # -- the clock -----------------------------------------------------------------------------------------------

    def _anchor_here(self) -> None:
        shown = self.sample
        self._anchor = 0.0 if shown is None else shown.time
        self._clock.start()

    def _tick(self) -> None:
        if not self._playing:
            return
        real = self._wall.nsecsElapsed() * 1e-9
        self._frame_time, self._last_tick = 0.5 * (self._frame_time + real - self._last_tick), real
        samples, tick = self.samples, self.worker.tick
        if not samples or tick <= 0.0:
            self._take_end()
            self._timer.start(_POLL)
            return
        now = self._anchor + self._clock.nsecsElapsed() * 1e-9 * self._factor
        last = samples[-1].time
        if now > last + tick:  # the thread is late: time waits for it
            now = self._anchor = last + tick
            self._clock.start()
        # The thread may have gone back while the clock went on: what is shown is not there any more then.
        due = min(max(self.position, bisect_right(samples, now + _EARLY, key=_time_of) - 1), len(samples) - 1)
        self.worker.want(due + 1 + self._ahead)
        if due != self.position:
            self.position = due
            self._note(samples[due].time)
            self.moved.emit()
        if self._playing and not self._take_end():
            follows = samples[due + 1].time if due + 1 < len(samples) else samples[due].time + tick
            passed = self._anchor + self._clock.nsecsElapsed() * 1e-9 * self._factor
            self._timer.start(max(1, math.ceil((follows - passed) * 1e3 / self._factor)))

    def _note(self, simulated: float) -> None:
        real = self._wall.nsecsElapsed() * 1e-9
        self._marks.append((real, simulated))
        while len(self._marks) > 2 and real - self._marks[1][0] > _WINDOW:
            self._marks.popleft()
        since, first = self._marks[0]
        self.rate = (simulated - first) / (real - since) if real - since > 0.25 * _WINDOW else 0.0

    # -- the thread ----------------------------------------------------------------------------------------------

    def _notify(self) -> None:
        if not self._asked:  # one event for all that comes until the window looks
            self._asked = True
            try:
                self._reported.emit()
            except RuntimeError:
                pass  # the window closed meanwhile

    def _take(self) -> None:
        self._asked = False
        count = len(self.samples)
        if self.position < 0 and count:
            self.position = 0
            self._anchor_here()
            self.moved.emit()
        elif self._steps and self.position + 1 < count:
            self._steps = 0
            self.position += 1
            self.moved.emit()
        elif self._playing and self.worker.tick > 0.0 and self.position == count - 2:
            self._tick()  # the clock waited for it
        self.grown.emit()
        if not self._playing:
            self._take_end()

    def _take_end(self) -> bool:
        """Say once that nothing follows; return whether that is so."""
        worker = self.worker
        if not worker.finished or not self.at_end or self._over:
            return False
        self._over = True
        self.pause()
        self.ended.emit(worker.error)
        return True


def _time_of(sample: Sample) -> float:
    return sample.time
