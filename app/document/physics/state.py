"""What physics mode simulates and shows: the one object that views, plots and panels read. No widgets.

Simulated samples are never edited: the document stays as it is until they are baked. Whatever an edit of the document
makes stale is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.content.records import sequence_for
from app.document.edits.edits import hybrids_of
from app.document.physics.overlays import PhysicsOverlays
from app.document.physics.run import SimulationRun
from app.document.physics.settings import Settings
from app.document.physics.strands import Strands
from core.animation.hybrid_strips import DYNAMIC, MOTOR, UNDRIVEN
from core.arrays import Array

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from app.document.content.model import Model
    from core.preview.preview import Preview
    from core.preview.sample import Sample
    from core.preview.settings import PhysicsSettings


def make_preview(model: Model, start: int, settings: PhysicsSettings) -> Callable[[], Preview]:
    """Return what makes the preview of the active sequence from a frame on; it works on copies.

    Args:
        model: The document's content, with a figure.
        start: The frame.
        settings: The settings of physics.
    """
    sequence = model.sequence
    assert sequence is not None
    first_figure = model.figure_names[0]
    copy = sequence_for(sequence, sequence.skeleton)
    if model.pending is not None and model.pending.frame == start:
        copy.set_key(start, model.pending.q)
    others = [sequence_for(other, other.skeleton) for other in model.others]
    names = model.names_in_order
    copies = {each.skeleton.name: each for each in (*others, copy)}
    for each in copies.values():  # what locks hold on to is worked on in the thread too
        each.companions = {name: copies[name] for name in each.companions if name in copies}

    def make() -> Preview:
        from core.preview.preview import Preview  # it brings the libraries of dynamics along
        from core.preview.secondary_motion import with_figures

        return Preview(copy, start, with_figures(settings, first_figure), others=others, names=names)

    return make


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


LONGEST = 120.0
"""A simulation halts after so long, [s]; it can be asked to continue."""
_RESTING = 0.5  # what lies still for so long is at rest [s]
_EDITS = (FileChanged, FigureChanged, SequenceChanged, KeysChanged, LocksChanged, HybridChanged)
_HARMLESS = frozenset({"name", "menu", "loop", "script", "audio", "gait", "markers", "camera", "modified", "saved"})


class PhysicsState(QObject):
    """The simulation of the open document as the window sees it.

    Args:
        document: The document; only its frame is changed from here.

    Attributes:
        running: Whether it simulates, or shows what was simulated, on the clock.
        start_frame: Frame that the samples begin at; the one it would begin at while there are none.
        current: The sample that is shown in the place of the keyed pose; None while the keyed pose is shown.
        pull: The part that is pulled just now, or None.
        picked: What of the world was clicked last: the field of the settings it is in, and its number there.
        failure: Why the simulation could not go on, a line as it was said, or "".
        attaching: Kind of line that the mouse attaches now, by name, or None; see ``attach``.
        settings: The settings of physics that the document holds.
        strands: Hair, tails and cords as keys move them.
        overlays: What is drawn over the figure, ``Overlay(on, scale)`` by name, and how much of the figure is seen.

    Signals:
        changed(str): ``"mode"``, ``"running"``, ``"strands"`` (they hang otherwise), ``"sample"`` (another one is
            shown), ``"samples"`` (there are more, or none any more), ``"pull"``, ``"picked"``, ``"attaching"``,
            ``"failure"``, ``"settings"`` (of the document) or ``"overlays"``. The document reports the same as
            ``PhysicsChanged``.
    """

    changed = Signal(str)

    def __init__(self, document: DocumentBase):
        super().__init__(document)
        self.document = document
        self.running = False
        self.current: Sample | None = None
        self.pull: Pull | None = None
        self.picked: tuple[str, int] | None = None
        self.failure = ""
        self.attaching: str | None = None
        self.overlays = PhysicsOverlays(lambda: self.announce("overlays"))
        self._run: SimulationRun | None = None
        self._start = 0
        self._moving = False  # whether it is the simulation that sets the frame
        self._steps = 0
        self._was_physics = False
        self._balls = 0
        self.settings = Settings(document)
        self.strands = Strands(document, lambda: self.settings.now, lambda: self.announce("strands"), self)
        document.changed.connect(self._on_changed)

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """``"physics"``, or ``"pose"`` in every other mode of the window."""
        return "physics" if self.document.session.mode == "physics" else "pose"

    @property
    def samples(self) -> list[Sample]:
        """What was simulated, in the order of time; it grows, and an edit of the document puts an empty one there."""
        return [] if self._run is None else self._run.samples

    @property
    def pose(self) -> Array:
        """The pose that views show, shape (nq,): the sample's, or the keyed one; read-only."""
        return self.document.pose if self.current is None else self.current.q

    @property
    def frame(self) -> float:
        """The frame that is shown, between frames too while a sample is."""
        return float(self.document.frame) if self.current is None else float(self.current.frame)

    @property
    def factor(self) -> float:
        """Seconds simulated in a second, as asked for: the speed at which sequences play, too."""
        return float(self.document.session.playback.speed)

    @property
    def rate(self) -> float:
        """Seconds shown in a second, as it turns out; 0 while that is not known."""
        return self._run.rate if self._run is not None and self.running else 0.0

    @property
    def start_frame(self) -> int:
        """Frame that the samples begin at; the one they would begin at while there are none."""
        return self._start if self.samples else self._first_frame()

    @property
    def end_frame(self) -> int | None:
        """Frame at which keys move everything again; None if that is never."""
        sequence = self.document.sequence
        ends = [None] if sequence is None else [strip.end for strip in sequence.hybrid_strips] or [None]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    @property
    def last_frame(self) -> int:
        """Frame of the last sample; the first one while there are none."""
        return round(self.samples[-1].frame) if self.samples else self.start_frame

    def moved_by(self) -> bytes:
        """Return for each joint what moves it at the shown frame: 0 keys, 1 forces, 2 motors; b"" out of this mode."""
        if self.mode != "physics" or self.document.skeleton is None:
            return b""
        if self.current is not None:
            return bytes(self.current.dynamic.astype(np.uint8))
        skeleton, frame = self.document.skeleton, self.document.frame
        kinds = bytearray(len(skeleton.joints))
        for strip in hybrids_of(self.document.model):
            if strip.start <= frame and (strip.end is None or frame < strip.end):
                parts = [skeleton.joint_index(part) for part in strip.parts] or range(len(kinds))
                for joint in parts:
                    kinds[joint] = 1 if strip.mode in UNDRIVEN else 2
        return bytes(kinds)

    def modes(self) -> tuple[str, ...]:
        """Return for each joint the mode of the strip that moves it at the shown frame, "" for keys; () out of this."""
        kinds = self.moved_by()
        if not any(kinds) or self.document.skeleton is None:
            return ("",) * len(kinds)
        skeleton, frame = self.document.skeleton, self.document.frame
        found = [MOTOR if kind == 2 else DYNAMIC if kind else "" for kind in kinds]
        for strip in hybrids_of(self.document.model):
            if strip.start <= frame and (strip.end is None or frame < strip.end):
                parts = [skeleton.joint_index(part) for part in strip.parts] or range(len(found))
                for joint in parts:
                    if found[joint]:
                        found[joint] = strip.mode
        return tuple(found)

    def announce(self, name: str) -> None:
        """Announce that something of this has changed."""
        self.changed.emit(name)
        self.document.changed.emit(PhysicsChanged(name))

    # -- scrubbing -----------------------------------------------------------------------------------------------

    def _place(self, frame: float) -> int:
        """Return the place of the sample at a frame, the nearest before it; -1 outside of what was simulated."""
        samples = self.samples
        at = bisect_right(samples, frame + 1e-6, key=_frame_of) - 1
        return at if at >= 0 and (at < len(samples) - 1 or frame - samples[at].frame < 1.0) else -1

    def scrub(self, frame: float) -> None:
        """Show what was simulated at a frame, the keyed pose where nothing was; the clock stands still then."""
        run, at = self._run, self._place(frame)
        if run is not None:
            self.pause()
        if run is not None and at >= 0 and self.mode == "physics":
            run.go(at)
            self._show(run.sample)
        else:
            self._show(None)

    def _show(self, sample: Sample | None) -> None:
        """Show a sample, or the keyed pose; the document's frame follows a sample."""
        if sample is self.current:
            return
        self.current = sample
        if sample is not None and round(sample.frame) != self.document.frame:
            self._moving = True
            try:
                self.document.set_frame(round(sample.frame))
                self._steps = self.document.stack.index()  # a pending pose may have been dropped
            finally:
                self._moving = False
        self.announce("sample")

    # -- simulating ----------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether nothing was simulated."""
        return not self.samples

    @property
    def over(self) -> bool:
        """Whether what was simulated has come to an end and the end is shown."""
        return self._run is not None and self._run.worker.finished and self._run.at_end

    def _first_frame(self) -> int:
        """Return the frame to begin at: where the first joints become dynamic, the current one if none ever does."""
        sequence = self.document.sequence
        strips = () if sequence is None else sequence.hybrid_strips
        return min((strip.start for strip in strips), default=self.document.frame)

    def _ready(self) -> SimulationRun | None:
        """Return a simulation to go on with, a new one if there is none or it shows none of it; None if impossible."""
        document = self.document
        if document.sequence is None:
            return None
        if document.session.mode != "physics":
            document.session.mode = "physics"
        if self._run is not None and self.current is None and self._run.position >= 0:
            self.forget()  # the person has gone elsewhere
        if self._run is None:
            self._steps = document.stack.index()
            self._start = self._first_frame()
            run = self._run = SimulationRun(make_preview(document.model, self._start, self.settings.simulated), self)
            run.moved.connect(self._on_moved)
            run.grown.connect(lambda: self.announce("samples"))
            run.ended.connect(self._on_ended)
        return self._run

    def start(self) -> None:
        """Simulate from the current pose, or go on; at the end it is shown again from the beginning."""
        run = self._ready()
        if run is None or self.running:
            return
        if self.over and not run.worker.error:
            run.go(0)
        self.running = True
        run.play(self.factor)
        self.announce("running")

    def pause(self) -> None:
        """Let the clock stand still."""
        if self._run is not None:
            self._run.pause()
        if self.running:
            self.release()
            self.running = False
            self.announce("running")

    def toggle(self) -> None:
        """Simulate or pause."""
        if self.running:
            self.pause()
        else:
            self.start()

    def step(self) -> None:
        """Show the next sample, and work it out if need be."""
        self.pause()
        run = self._ready()
        if run is not None:
            run.step()

    def step_back(self) -> None:
        """Show the sample before."""
        self.pause()
        if self._run is not None and self._run.position > 0:
            self._run.go(self._run.position - 1)
            self._show(self._run.sample)

    def rewind(self) -> None:
        """Go to the beginning of what was simulated, which is kept."""
        if self._run is not None and not self.empty:
            self._run.go(0)
            self._show(self._run.sample)

    def restart(self) -> None:
        """Simulate again from the beginning, as the document and its settings are now."""
        start = self._start
        self.forget()
        self.document.set_frame(start)
        self.start()

    def stop(self) -> None:
        """Drop what was simulated, and go back to the keyed pose where it began."""
        if not self.empty:
            self.document.set_frame(self._start)  # first: who hears that nothing is shown any more looks there
        self.forget()

    def forget(self) -> None:
        """Drop everything that was simulated; the keyed pose is shown."""
        run, self._run = self._run, None
        if run is None:
            return
        self.pull = None
        run.moved.disconnect()
        run.grown.disconnect()
        run.ended.disconnect()
        run.stop(0.0)
        run.deleteLater()
        was, self.running = self.running, False
        self._show(None)
        if self.failure:
            self.failure = ""
            self.announce("failure")
        self.announce("samples")
        if was:
            self.announce("running")

    def close(self) -> None:
        """End what is under way and wait for its thread; call before the window goes."""
        run, self._run = self._run, None
        self.running = False
        self.strands.close()
        if run is not None:
            run.blockSignals(True)
            run.stop()

    # -- what a person does to it while it runs --------------------------------------------------------------------

    def begin_pull(self, joint: int, point: Array, target: Array) -> None:
        """Pull a part towards a place, from now on; see ``Pull``."""
        self.pull = Pull(joint, np.asarray(point, dtype=np.float64), np.asarray(target, dtype=np.float64))
        self._send_pull()

    def move_pull(self, target: Array) -> None:
        """Pull towards another place."""
        if self.pull is not None:
            self.pull = Pull(self.pull.joint, self.pull.point, np.asarray(target, dtype=np.float64))
            self._send_pull()

    def _send_pull(self) -> None:
        pull, run = self.pull, self._run
        if pull is not None and run is not None:
            run.call("pull", lambda preview: preview.pull(pull.joint, pull.point, pull.target))
            self.announce("pull")

    def release(self) -> None:
        """Let go of the part that is pulled."""
        if self.pull is not None:
            self.pull = None
            if self._run is not None:
                self._run.call("pull", lambda preview: preview.release())
            self.announce("pull")

    def throw(self, velocity: Array, joint: int | None = None) -> None:
        """Give the whole figure, or one part, more velocity, shape (3,), [m/s]."""
        run, more = self._run, np.asarray(velocity, dtype=np.float64)
        if run is not None:
            run.call("throw", lambda preview: preview.throw(joint, more))

    def drop_ball(self, position: Array, radius: float = 0.1, mass: float = 5.0, velocity: Array | None = None) -> None:
        """Let a ball fall into the simulation from a place in the world, shape (3,), [m]; radius [m], mass [kg]."""
        run, at = self._run, np.asarray(position, dtype=np.float64)
        speed = np.zeros(3) if velocity is None else np.asarray(velocity, dtype=np.float64)
        if run is not None:
            self._balls += 1
            run.call(f"ball {self._balls}", lambda preview: preview.drop_ball(at, radius, mass, speed))

    def show_in_world(self, field: str, number: int) -> None:
        """Have the numbers of something in the world shown: the field of the settings it is in, and its place there."""
        self.picked = field, number
        self.announce("picked")

    def unpick(self) -> None:
        """Let nothing of the world be picked."""
        if self.picked is not None:
            self.picked = None
            self.announce("picked")

    def attach(self, kind: str | None) -> None:
        """Let the mouse attach a line of a kind, in physics mode; None for what it does otherwise."""
        if kind is not None and self.mode != "physics":
            self.document.session.mode = "physics"
        if kind is not None:
            self.unpick()
        if kind != self.attaching:
            self.attaching = kind
            self.announce("attaching")

    # -- following -----------------------------------------------------------------------------------------------

    def _on_moved(self) -> None:
        run = self._run
        sample = None if run is None else run.sample
        if run is None or sample is None or self.mode != "physics":
            return
        self._show(sample)
        if notice := run.worker.notice:
            run.worker.notice = ""
            self.document.say("warning", notice)
        if not self.running or self.pull is not None or run.worker.tick <= 0.0:
            return
        rests = sample.asleep and bool(sample.dynamic.any())
        samples = run.samples  # the thread may put another list there
        before = samples[max(0, min(run.position, len(samples) - 1) - round(_RESTING / run.worker.tick))]
        if rests and before.asleep and before is not sample:
            self.pause()
            self.document.say("info", "Everything is at rest")
        elif run.position and run.position % round(LONGEST / run.worker.tick) == 0:
            self.pause()
            self.document.say("info", f"Simulated {LONGEST:g} s · Shift+Space continues")

    def _on_ended(self, why: str) -> None:
        if self.running:
            self.release()
            self.running = False
            self.announce("running")
        if why:
            self.failure = why[:1].upper() + why[1:]
            self.announce("failure")
            self.document.say("error", self.failure)

    def _on_changed(self, change: Change) -> None:
        name: Any = change.name
        if isinstance(change, SessionChanged) and name == "mode":
            self._follow_mode()
        elif isinstance(change, SessionChanged) and name == "speed" and self._run is not None:
            self._run.set_factor(self.factor)
        elif isinstance(change, FrameChanged) and not self._moving:
            self.scrub(self.document.frame)
        elif isinstance(change, PhysicsChanged) and name == "settings":
            self._take_settings()
        elif isinstance(change, _EDITS) and name not in _HARMLESS:
            steps = self.document.stack.index()
            if isinstance(change, FileChanged):
                self.attaching = self.picked = None
            if isinstance(change, FileChanged) or change.live or steps != self._steps:
                self._steps = steps
                self.forget()

    def _take_settings(self) -> None:
        """Simulate again with other settings, if it runs; else drop what was simulated with the old ones.

        The playhead goes back with what is dropped: what is simulated next is to begin where this one did.
        """
        if self.running:
            self.restart()
        elif self.current is None:
            self.forget()
        else:
            self.stop()
        if self.picked is not None and self.picked[1] >= len(getattr(self.settings.now, self.picked[0])):
            self.picked = None
        self.changed.emit("settings")

    def _follow_mode(self) -> None:
        is_physics = self.mode == "physics"
        if is_physics or self._was_physics:
            self._was_physics = is_physics
            if not is_physics:
                self.attach(None)
            self.scrub(self.document.frame)
            self.announce("mode")


def _frame_of(sample: Sample) -> float:
    return sample.frame
