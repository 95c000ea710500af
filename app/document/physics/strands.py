"""How hair, tails and cords hang while keys move their figure, frame by frame, worked out in a thread.

What views show does not wait for it: until a frame is worked out, strands are as they were there before the last edit,
or as at rest. They always hang on their part, wherever a drag has put it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
)
from app.document.content.records import own_copy
from app.process.log import logger
from core import kernels
from core.arrays import Array
from core.constraints.hold import solver_kernel
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from core.animation.sequence import Sequence
    from core.preview.settings import PhysicsSettings
    from core.preview.strands import Strand

CALM_MS = 150
"""For so long nothing may change before work begins anew, [ms]."""
AHEAD = 900
"""So many frames it works ahead of the one that is shown."""
_SWITCH = 2e-4  # how long a thread may keep the interpreter while another one waits for it [s]
_EDITS = (FileChanged, FigureChanged, SequenceChanged, KeysChanged, LocksChanged)
_HARMLESS = frozenset({"name", "menu", "script", "audio", "gait", "markers", "camera", "modified", "saved"})


class StrandRun:
    """The strands of one motion, and the thread that works them out.

    Args:
        sequence: The motion; nobody else may touch it.
        strands: By number.
        settings: Gravity and floor.
        notify: Called in the thread when the frame that is shown, or the last one, is there.

    Attributes:
        strands: As given.
        first: Frame that ``found`` begins with.
        found: For each frame the nodes of each strand, in the frame of its part; the thread adds to it. Read without a
            lock.
        finished: Whether all frames are there, or no more will come.
    """

    def __init__(
        self, sequence: Sequence, strands: Mapping[int, Strand], settings: PhysicsSettings, notify: Callable[[], None]
    ):
        self.strands = dict(strands)
        self.first, self._last = sequence.range
        self.found: list[tuple[Array, ...]] = []
        self.finished = False
        self._sequence, self._settings, self._notify = sequence, settings, notify
        self._shown = self.first
        self._stopped = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="strands", daemon=True)

    def start(self, frame: int) -> None:
        """Begin; the frame is the one that is shown."""
        self._shown = frame
        self._thread.start()

    def show(self, frame: int) -> None:
        """Say which frame is shown."""
        with self._wake:
            self._shown = frame
            self._wake.notify()

    def at(self, frame: int) -> dict[int, Array] | None:
        """Return the nodes at a frame by the numbers of strands; None if they are not there yet."""
        if not self.found:
            return None
        place = min(max(frame, self.first), self._last) - self.first
        return dict(zip(self.strands, self.found[place], strict=True)) if place < len(self.found) else None

    def stop(self, longest: float = 0.0) -> None:
        """End after the frame that is under way, and wait for the thread at most so long, [s]."""
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
            self._work()
        except CoreError as error:
            logger.info("strands cannot be worked out: %s", error)
        except Exception:
            logger.exception("working out strands failed")
        self.finished = True
        self._notify()

    def _work(self) -> None:
        from core.preview.secondary_motion import SecondaryMotion  # it brings the libraries of dynamics along

        motion = SecondaryMotion(self._sequence, list(self.strands.values()), self._settings)
        for frame in range(self.first, self._last + 1):
            with self._wake:
                while not self._stopped and frame > self._shown + AHEAD:
                    self._wake.wait()
            if self._stopped:
                return
            self.found.append(motion.in_parts(frame))
            if frame == self._shown:
                self._notify()


class Strands(QObject):
    """The strands of the active figure, as keys move it.

    Args:
        document: The document; only read.
        settings: Gives its settings of physics.
        announce: Called when what is shown has changed.
        parent: Qt parent.
    """

    _reported = Signal()

    def __init__(
        self,
        document: DocumentBase,
        settings: Callable[[], PhysicsSettings],
        announce: Callable[[], None],
        parent: QObject | None = None,
    ):
        super().__init__(parent)
        self._document, self._settings, self._announce = document, settings, announce
        self._run: StrandRun | None = None
        self._before: StrandRun | None = None
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self._begin)
        self._reported.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._closed = False
        document.changed.connect(self._on_changed)

    @property
    def now(self) -> dict[int, Strand]:
        """The strands of the active figure by number, of those of the settings; {} without any."""
        model = self._document.model
        if not model.physics.get("strands") or model.skeleton is None:
            return {}
        from core.preview.secondary_motion import numbered_strands  # it brings the libraries of dynamics along

        active = model.active.figure
        return numbered_strands(self._settings(), model.skeleton, active == 0, model.figure_names[active])

    @property
    def busy(self) -> bool:
        """Whether frames are still to be worked out, or are about to be."""
        return self._calm.isActive() or (self._run is not None and not self._run.finished)

    def at(self, frame: int) -> dict[int, Array]:
        """Return the nodes of each strand at a frame in the frame of its part, by number, shapes (n, 3), [m]."""
        found: dict[int, Array] = {}
        if self._run is None and not self._calm.isActive():
            self.wish(at_once=True)
        runs = [run for run in (self._run, self._before) if run is not None]
        for number, strand in self.now.items():
            for run in runs:
                known = run.at(frame)
                there = run.strands.get(number)
                if known is not None and there is not None and same_way(there, strand):
                    found[number] = known[number]
                    break
            else:
                found[number] = strand.body().points
        return found

    def wish(self, at_once: bool = False) -> None:
        """Work everything out anew once nothing moves any more; what is under way is of no use then."""
        if self._run is not None:
            self._run.stop()
            if self._run.found:
                self._before = self._run
            self._run = None
        if self._closed or not self.now or self._document.model.sequence is None:
            self._before = None
            self._calm.stop()
        else:
            self._calm.start(0 if at_once else CALM_MS)

    def close(self) -> None:
        """End what is under way and wait for its thread."""
        self._closed = True
        self._calm.stop()
        run, self._run = self._run, None
        if run is not None:
            run.stop(5.0)

    def _begin(self) -> None:
        document, sequence, strands = self._document, self._document.model.sequence, self.now
        if sequence is None or not strands:
            return
        # Locks that are not compiled yet would take minutes, and the window's time.
        waits = sequence.locks.in_effect and not kernels.is_ready(solver_kernel)
        if waits or document.gesture is not None:
            self._calm.start(CALM_MS)
            return
        own = own_copy(sequence)
        self._run = StrandRun(own, strands, self._settings(), self._notify)
        self._run.start(document.frame)

    def _notify(self) -> None:
        try:
            self._reported.emit()
        except RuntimeError:
            pass  # the window closed meanwhile

    def _take(self) -> None:
        if self._run is not None:
            self._announce()

    def _on_changed(self, change: Change) -> None:
        if isinstance(change, FrameChanged):
            if self._run is not None:
                self._run.show(change.frame)
        elif isinstance(change, PhysicsChanged):
            if change.name == "settings":
                self.wish()
        elif isinstance(change, _EDITS) and change.name not in _HARMLESS:
            if isinstance(change, FileChanged):
                self._forget()
            if self._run is not None or self._before is not None or self.now:
                self.wish()

    def _forget(self) -> None:
        if self._run is not None:
            self._run.stop()
        self._run = self._before = None


def same_way(one: Strand, other: Strand) -> bool:
    """Return whether the nodes of one strand may stand for those of another: as many, and on the same part."""
    return one is other or (
        one.part == other.part and one.other == other.other and len(one.body().points) == len(other.body().points)
    )
