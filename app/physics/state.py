"""What physics mode simulates and shows: the one object that views, plots and panels read. No widgets.

Simulated samples are never edited: the document stays as it is until they are baked. Whatever an edit of the document
makes stale is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.document.change import Change
from app.physics.overlays import AT_FIRST, OPACITY, Overlay, OverlayError, changed

if TYPE_CHECKING:
    from core.preview.sample import Sample

    from app.document.document import Document

Array = NDArray[np.float64]

SLOWEST, FASTEST = 0.05, 4.0
"""Factors of real time that a simulation may run at."""
_EDITS = frozenset({"file", "figure", "sequence", "keys", "locks"})
_HARMLESS = frozenset({"name", "menu", "loop", "script", "audio", "markers", "modified", "saved"})


@dataclass(frozen=True, eq=False)
class Pull:
    """A part that is pulled.

    Attributes:
        joint: The part.
        point: Where it is held, in the joint's frame, shape (3,), [m].
        target: Where it is pulled to, in the world, shape (3,), [m].
    """

    joint: int
    point: Array
    target: Array


class PhysicsState(QObject):
    """The simulation of the open document as the window sees it.

    Args:
        document: The document; only its frame is changed from here.

    Attributes:
        running: Whether it simulates, or shows what was simulated, on the clock.
        factor: Seconds simulated in a second, ``SLOWEST`` to ``FASTEST``, as asked for.
        start_frame: Frame that the samples begin at; the current one while there are none.
        samples: What was simulated, in the order of time; only ever added to, a new list after an edit.
        current: The sample that is shown in the place of the keyed pose; None while the keyed pose is shown.
        pull: The part that is pulled just now, or None.
        overlays: What is drawn over the figure, ``Overlay(on, scale)`` by name; ``set_overlay`` changes it.
        opacity: How much of the figure is seen in physics mode, 0 to 1.

    Signals:
        changed(str): ``"mode"``, ``"running"``, ``"sample"`` (another one is shown), ``"samples"`` (there are more, or
            none any more), ``"pull"``, ``"settings"`` (of the document) or ``"overlays"``. The document tells the same
            as ``Change("physics", {"name": ...})``.
    """

    changed = Signal(str)

    def __init__(self, document: Document):
        super().__init__(document)
        self.document = document
        self.running = False
        self.start_frame = 0
        self.samples: list[Sample] = []
        self.current: Sample | None = None
        self.pull: Pull | None = None
        self.overlays: dict[str, Overlay] = dict(AT_FIRST)
        self._opacity = OPACITY
        self._factor = 1.0
        self._moving = False  # whether it is the simulation that sets the frame
        self._steps = 0
        self._was_physics = False
        document.changed.connect(self._on_changed)

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """``"physics"``, or ``"pose"`` in every other mode of the window."""
        return "physics" if self.document.session.mode == "physics" else "pose"

    @property
    def pose(self) -> Array:
        """The pose that views show, shape (nq,): the sample's, or the keyed one; read-only."""
        return self.document.pose if self.current is None else self.current.q

    @property
    def frame(self) -> float:
        """The frame that is shown, between frames too while a sample is."""
        return float(self.document.frame) if self.current is None else float(self.current.frame)

    @property
    def opacity(self) -> float:
        """How much of the figure is seen in physics mode, 0 to 1."""
        return self._opacity

    @opacity.setter
    def opacity(self, value: float) -> None:
        if not 0.0 <= value <= 1.0:
            raise OverlayError(f"opacity {value:g} is out of range; it goes from 0 to 1")
        if value != self._opacity:
            self._opacity = float(value)
            self.tell("overlays")

    @property
    def factor(self) -> float:
        """Seconds simulated in a second, as asked for."""
        return self._factor

    @factor.setter
    def factor(self, value: float) -> None:
        self._factor = min(max(float(value), SLOWEST), FASTEST)
        self.tell("running")

    def set_overlay(self, name: str, on: bool | None = None, scale: float | None = None) -> None:
        """Show or hide one kind of mark, or draw it larger or smaller.

        Raises:
            OverlayError: If there is none of that name, or it cannot be so large.
        """
        if name not in self.overlays:
            raise OverlayError(f'there is no overlay "{name}"; there are {", ".join(self.overlays)}')
        wanted = changed(self.overlays[name], on, scale)
        if wanted != self.overlays[name]:
            self.overlays[name] = wanted
            self.tell("overlays")

    def sample_at(self, frame: float) -> Sample | None:
        """Return the sample at a frame, the nearest before it; None outside of what was simulated."""
        at = bisect_right(self.samples, frame + 1e-6, key=_frame_of) - 1
        if at < 0 or (at == len(self.samples) - 1 and frame - self.samples[at].frame >= 1.0):
            return None
        return self.samples[at]

    def scrub(self, frame: float) -> None:
        """Show what was simulated at a frame, the keyed pose where nothing was."""
        self.show_sample(self.sample_at(frame) if self.mode == "physics" else None)

    def show_sample(self, sample: Sample | None) -> None:
        """Show a sample, or the keyed pose; the document's frame goes along with a sample."""
        if sample is not None and round(sample.frame) != self.document.frame:
            self._moving = True
            try:
                self.document.set_frame(round(sample.frame))
            finally:
                self._moving = False
        if sample is not self.current:
            self.current = sample
            self.tell("sample")

    def tell(self, name: str) -> None:
        """Tell everybody that something of this is another."""
        self.changed.emit(name)
        self.document.changed.emit(Change("physics", {"name": name}))

    # -- simulating ----------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Drop everything that was simulated; the keyed pose is shown."""
        self.running = False
        self.pull = None
        had = bool(self.samples)
        self.samples = []
        self.show_sample(None)
        if had:
            self.tell("samples")

    # -- following the document ----------------------------------------------------------------------------------

    def _on_changed(self, change: Change) -> None:
        name: Any = change.detail.get("name")
        if change.kind == "session" and name == "mode":
            self._follow_mode()
        elif change.kind == "frame" and not self._moving:
            self.scrub(self.document.frame)
        elif change.kind in _EDITS and name not in _HARMLESS:
            steps = self.document.stack.index()
            if change.kind == "file" or change.detail.get("live") or steps != self._steps:
                self._steps = steps
                self.forget()

    def _follow_mode(self) -> None:
        is_physics = self.mode == "physics"
        if is_physics or self._was_physics:
            self._was_physics = is_physics
            self.scrub(self.document.frame)
            self.tell("mode")


def _frame_of(sample: Sample) -> float:
    return sample.frame
