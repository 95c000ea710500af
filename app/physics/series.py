"""Energy and momentum along the frames, for plots: of what was simulated, or of the keyed motion, worked out beside."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    SequenceChanged,
)
from app.document.physics.state import PhysicsState
from app.widgets.plots.curves import Curves, Floats
from app.work.background import Progress
from app.work.calm_search import CalmSearch

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence

CALM_MS = 250
"""For so long nothing may change before the keyed motion is worked out."""
MOST_FRAMES = 3000
"""Of the keyed motion so many frames are worked out; of a longer one every second, third and so on."""

KINETIC, POTENTIAL, LINEAR, ANGULAR = range(4)
_EDITS = (FileChanged, FigureChanged, SequenceChanged, KeysChanged, LocksChanged)
_HARMLESS = frozenset({"name", "menu", "loop", "script", "audio", "markers", "camera", "modified", "saved"})


def values_of(kinetic: Any, potential: Any, momentum: Any) -> Floats:
    """Return rows of what plots show: kinetic and potential energy, size of linear and of angular momentum.

    Args:
        kinetic, potential: Energies, shape (n,) or (), [J].
        momentum: Momentum about the centre of mass, shape (n, 6) or (6,): angular before linear, [kg m²/s], [kg m/s].

    Returns:
        Shape (n, 4) or (4,), [J], [J], [kg m/s], [kg m²/s].
    """
    momentum = np.asarray(momentum, dtype=float)
    linear, angular = np.linalg.norm(momentum[..., 3:], axis=-1), np.linalg.norm(momentum[..., :3], axis=-1)
    return np.stack([np.asarray(kinetic, float), np.asarray(potential, float), linear, angular], axis=-1)


class _KeyedWork(CalmSearch[tuple[Floats, Floats]]):
    """Works out energy and momentum of the keyed motion.

    Args:
        series: What takes them.
    """

    def __init__(self, series: MotionSeries):
        super().__init__(series.document, series, "Computing energy and momentum", CALM_MS)
        self._series = series

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[Floats, Floats]]:
        gravity = self._series.gravity
        return lambda progress: keyed_rows(sequence, gravity, progress)

    def show(self, found: tuple[Floats, Floats] | None) -> None:
        self._series.problem = self.problem
        self._series.take_keyed(*(found or (np.empty(0), np.empty((0, 4)))))


class MotionSeries(QObject):
    """What plots of the open document show.

    Attributes:
        simulated: Rows of ``values_of`` at the frames of the samples.
        keyed: The same of the keyed motion; empty until somebody needs it.
        problem: Why nothing is known of the keyed motion; "" if it is.

    Signals:
        reset(): Everything is different.
        grown(): Values were added to ``simulated``.
        moved(): Another frame is the one that is shown.
    """

    reset = Signal()
    grown = Signal()
    moved = Signal()

    def __init__(self, document: Document):
        super().__init__(document)
        self.document = document
        self.physics: PhysicsState = document.physics
        self.simulated, self.keyed = Curves(4), Curves(4)
        self.problem = ""
        self._samples: object = None
        self._taken = 0
        self._seen: list[Callable[[], bool]] = []
        self._stale = True
        self._work = _KeyedWork(self)
        document.changed.connect(self._take)
        self.physics.changed.connect(self._take_physics)
        self._take_samples()

    # -- what there is --------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """The frame that is shown."""
        return self.physics.frame

    @property
    def showing(self) -> str:
        """``"simulated"`` or ``"keyed"``: what the plots are of."""
        return "simulated" if self.physics.mode == "physics" and len(self.simulated) else "keyed"

    @property
    def shown(self) -> Curves:
        """The values that plots show."""
        return self.simulated if self.showing == "simulated" else self.keyed

    @property
    def zero(self) -> float:
        """Potential energy that is called 0, [J]: that of the first frame shown, whatever comes after."""
        shown = self.shown
        return float(shown.values[0, POTENTIAL]) if len(shown) else 0.0

    @property
    def span(self) -> tuple[float, float] | None:
        """First and last frame that were simulated, None if nothing was."""
        if not len(self.simulated):
            return None
        return float(self.simulated.frames[0]), float(self.simulated.frames[-1])

    def values_now(self) -> dict[str, float]:
        """Return what read-outs show at the current frame, {} where nothing is known.

        Returns:
            ``"kinetic"`` and ``"potential"``, above ``zero``, [J], and the sizes of the momenta, ``"linear"``
            [kg m/s] and ``"angular"`` [kg m²/s].
        """
        values = self.shown.at(self.now)
        if values is None:
            return {}
        kinetic, potential, linear, angular = (float(value) for value in values)
        return {"kinetic": kinetic, "potential": potential - self.zero, "linear": linear, "angular": angular}

    @property
    def busy(self) -> bool:
        """Whether the keyed motion is being worked out, or about to be."""
        return self._work.busy

    # -- the simulation -------------------------------------------------------------------------------------------

    def _take_physics(self, name: str) -> None:
        if name in ("sample", "samples"):
            self._take_samples()
        if name == "settings":
            self._edited()
        if name == "mode":
            self.reset.emit()
        elif name == "sample":
            self.moved.emit()

    def _take_samples(self) -> None:
        """Add what was simulated since, a row a sample; begin again with another list."""
        samples = self.physics.samples
        if not samples and self._samples is None:
            return
        anew = samples is not self._samples or len(samples) < self._taken
        if anew:
            self._samples, self._taken = samples or None, 0
            self.simulated.put(np.empty(0), np.empty((0, 4)))
        elif len(samples) == self._taken:
            return
        for sample in samples[self._taken :]:
            turning, moving = (math.hypot(*part) for part in (sample.momentum[:3], sample.momentum[3:]))
            self.simulated.append(sample.frame, (sample.kinetic, sample.potential, moving, turning))
        self._taken = len(samples)
        (self.reset if anew else self.grown).emit()

    # -- the keyed motion -----------------------------------------------------------------------------------------

    def need(self, seen: Callable[[], bool] = lambda: True) -> None:
        """Tell that a plot is seen: the keyed motion is worked out, and after edits again.

        Args:
            seen: Returns whether it still is; the same object each time.
        """
        if seen not in self._seen:
            self._seen.append(seen)
        if self._stale:
            self._work.wish(at_once=True)

    def _edited(self) -> None:
        self._stale = True
        if any(seen() for seen in self._seen):
            self._work.wish()

    def _take(self, change: Change) -> None:
        name = change.name
        if isinstance(change, FrameChanged):
            self.moved.emit()
        elif isinstance(change, _EDITS) and name not in _HARMLESS:
            if isinstance(change, FileChanged) and name == "opened" and len(self.keyed):  # what it was of is gone
                self.keyed.put(np.empty(0), np.empty((0, 4)))
                self.reset.emit()
            self._edited()

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration of free fall, [m/s^2]."""
        return (0.0, -self.document.physics.settings.now.gravity, 0.0)

    def take_keyed(self, frames: Floats, rows: Floats) -> None:
        """Take rows of the keyed motion at frames."""
        self._stale = False
        self.keyed.put(frames, rows)
        self.reset.emit()

    def stop(self) -> None:
        """End what goes on in the background; call before the window closes."""
        self._work.stop()


def keyed_rows(sequence: Sequence, gravity: Any, progress: Progress) -> tuple[Floats, Floats]:
    """Return frames and rows of ``values_of`` of a keyed motion, over its range."""
    from core.preview.keyed_motion import keyed_dynamics

    first, last = sequence.range
    frames = np.arange(first, last + 1, max((last - first) // MOST_FRAMES, 1), dtype=float)
    found = keyed_dynamics(sequence, frames, gravity=gravity, torques=False, progress=progress)
    return frames, values_of(found.kinetic, found.potential, found.momentum)


def motion_series(document: Document) -> MotionSeries:
    """Return the series of a document: one, for all its plots."""
    found: MotionSeries | None = document.findChild(MotionSeries)
    return MotionSeries(document) if found is None else found
