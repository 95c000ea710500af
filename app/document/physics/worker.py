"""Works a simulation out beside the window: one thread, one sample at a time, as far as it is wanted.

The thread owns its ``Preview``; everything that is done to it goes through ``call`` and happens between two samples.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.process.log import logger
from core.errors import CoreError

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
            preview = self._make()
            self.tick = preview.tick
            if preview.overlaps:
                from core.preview.overlaps import overlap_message

                self.notice = f"At the start {overlap_message(preview.overlaps)}; they are pushed apart"
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
