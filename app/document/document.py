"""The open document: the one object that views, tools and panels bind to. No widgets."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from app.document import edits
from app.document import selection as picking
from app.document.change import Change, coalesced
from app.document.commands import Command
from app.document.disk_file import DiskFile
from app.document.edit_methods import EditMethods
from app.document.figure_methods import FigureMethods
from app.document.file_methods import FileMethods
from app.document.flight_methods import FlightMethods
from app.document.history_methods import HistoryMethods
from app.document.hybrid_methods import HybridMethods
from app.document.journal import Journal
from app.document.key_methods import KeyMethods
from app.document.live_gesture import LiveGesture
from app.document.lock_methods import LockMethods
from app.document.model import Array, Model
from app.document.music_methods import MusicMethods
from app.document.physics_methods import PhysicsMethods
from app.document.posing_methods import PosingMethods
from app.document.recent import RecentFiles
from app.document.session import DRAG_ACCOUNT, Session
from app.document.step import Step
from app.physics.state import PhysicsState
from core.animation.key import MAX_FRAME
from core.animation.sequence import Sequence
from core.errors import CoreError
from core.skeleton import Skeleton


class Document(
    EditMethods,
    KeyMethods,
    MusicMethods,
    LockMethods,
    HybridMethods,
    FigureMethods,
    FileMethods,
    PosingMethods,
    PhysicsMethods,
    FlightMethods,
    HistoryMethods,
    QObject,
):
    """Figures, sequences, undo, selection and the session, with one signal for everything that changes.

    Every edit is checked first and then pushed on ``stack``; one that is not possible changes nothing, says why in
    one line through ``message`` and returns False. What ``sequence``, ``skeleton`` and ``figures`` return is
    read-only by contract: edit through the methods here.

    Args:
        parent: Qt parent.

    Attributes:
        changed: Emitted with a ``Change``; see there for the kinds.
        drag_changed: Emitted with the name, ``"goal"`` or ``"solved"``, when the account of a drag in the session is
            another; it is with every move of the mouse, and hardly anybody listens.
        message: Emitted with (level, text, details) for the status line; level ``"info"``, ``"warning"``, ``"error"``.
        stack: The undo stack.
        session: State the window shares.
        physics: What is simulated; the document itself is not changed by it.
        model: The content; commands work on it, nothing else may.
        recent: Files opened and saved are put in it if it is set.
    """

    changed = Signal(object)
    drag_changed = Signal(str)
    message = Signal(str, str, str)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.model = Model()
        self.session = Session(self._session_changed)
        self.stack = QUndoStack(self)
        self.recent: RecentFiles | None = None
        self._path: Path | None = None
        self._disk: DiskFile | None = None
        self._origin: Path | None = None
        self._figure_saved: tuple[Skeleton, Path] | None = None
        self._selection: tuple[int, ...] = ()
        self._gesture: LiveGesture | None = None
        self._journal: Journal | None = None
        self._gestures = 0
        self._merging: tuple[str, int] | None = None
        self._waiting: list[Change] = []
        self._shown: tuple[Skeleton | None, int] = (None, 0)
        self._was_modified = False
        self._lock_states = None
        self._quiet = False
        self.physics = PhysicsState(self)
        self.stack.indexChanged.connect(self._flush)
        self.stack.cleanChanged.connect(self._tell_modified)

    def __del__(self) -> None:
        # Steps and document know each other, so Python may let go of a step before Qt's stack, which then would
        # delete it once more. And nobody is left to hear that the stack is empty.
        with contextlib.suppress(RuntimeError, AttributeError):
            self.stack.blockSignals(True)
            self.stack.clear()

    # -- content -------------------------------------------------------------------------------------------------

    @property
    def figures(self) -> tuple[Skeleton, ...]:
        """All figures."""
        return tuple(figure.skeleton for figure in self.model.figures)

    @property
    def sequences(self) -> tuple[Sequence, ...]:
        """All sequences of all figures."""
        return tuple(self.model.sequences)

    @property
    def skeleton(self) -> Skeleton | None:
        """The active figure, or None."""
        return self.model.skeleton

    @property
    def sequence(self) -> Sequence | None:
        """The active figure's sequence; None without a figure."""
        return self.model.sequence

    @property
    def pose(self) -> Array:
        """The pose on screen, a pending one included; read-only, shape (nq,), (0,) without a figure."""
        return self.model.pose

    @property
    def pending(self) -> bool:
        """Whether the pose on screen is in no key yet (auto-key off)."""
        return self.model.pending is not None

    @property
    def frame(self) -> int:
        """The current frame."""
        return self.model.frame

    @property
    def time(self) -> float:
        """The current time, [s]: frame / fps; 0 without a figure."""
        return self.model.frame / self.model.sequence.fps if self.model.sequence is not None else 0.0

    def state_json(self) -> str:
        """Return the complete state as JSON text: equal texts, equal documents, bit for bit."""
        return json.dumps(self.model.to_json(), sort_keys=True)

    # -- frame and selection ---------------------------------------------------------------------------------------

    def set_frame(self, frame: int) -> None:
        """Go to a frame. Not an edit; but a pending pose is dropped, as one step that Undo takes back, and said so."""
        frame = min(max(int(frame), 0), MAX_FRAME)
        if frame == self.model.frame:
            return
        if self._gesture is not None:
            self._gesture.commit()
        pending = self.model.pending
        if pending is not None:
            self._push(edits.drop_pending(self.model, frame), f"Drop unkeyed pose at frame {pending.frame}")
            self.say("info", f"Unkeyed pose at frame {pending.frame} dropped · Undo brings it back")
        else:
            self.model.frame = frame
            self._tell([])

    @property
    def selection(self) -> tuple[int, ...]:
        """Selected joints in the order they were picked."""
        return self._selection

    def set_selection(self, joints: Iterable[int | str], way: str = picking.REPLACE) -> None:
        """Select joints by index or name.

        Args:
            joints: The joints.
            way: ``"replace"``, ``"add"``, ``"remove"`` or ``"toggle"``.

        Raises:
            JointError: If the figure has no such joint.
        """
        chosen = picking.combined(self._selection, picking.checked(self.skeleton, joints), way)
        if chosen != self._selection:
            self._selection = chosen
            self.changed.emit(Change("selection", {"selection": chosen}))

    # -- history ---------------------------------------------------------------------------------------------------

    @property
    def gesture(self) -> LiveGesture | None:
        """The gesture under way, or None."""
        return self._gesture

    def gesture_id(self) -> int:
        """Return a new number: steps pushed one after the other with the same number become one."""
        self._gestures += 1
        return self._gestures

    def say(self, level: str, text: str, details: str = "") -> None:
        """Show a line to the person.

        Args:
            level: ``"info"`` for what passes; ``"warning"`` for what is to be read, such as why an edit was refused,
                which costs nothing; ``"error"`` where work may be lost: a file that cannot be read or written, or a
                fault of ours.
            text: One line.
            details: All of it.
        """
        self.message.emit(level, text, details)
        self.changed.emit(Change("message", {"level": level, "text": text, "details": details}))

    def refuse_edit(self, error: CoreError) -> None:
        """Say why an edit was not made; nothing is lost."""
        self.say("warning", str(error).partition("\n")[0], str(error))

    # -- for the modules of this package ---------------------------------------------------------------------------

    def _do(self, text: str | Callable[[], str], make: Callable[[], list[Command]], gesture: int | None = None) -> bool:
        """Make commands and push them as one step; say why not if they are not possible.

        A text that depends on what the commands are is asked for once they are made.
        """
        if self._gesture is not None:
            self._gesture.commit()
        try:
            commands = make()
        except CoreError as error:
            self.refuse_edit(error)
            return False
        self._push(commands, text if isinstance(text, str) else text(), gesture)
        return True

    def _push(self, commands: Iterable[Command], text: str, gesture: int | None = None, applied: bool = False) -> None:
        commands = tuple(commands)
        if commands:
            if not applied:  # what was told of the last drag is not true of what follows
                self.session.forget_solve()
            self.stack.push(Step(self, commands, text, gesture, applied))

    def _before_history(self) -> None:
        self._merging = None
        self.session.forget_solve()
        # Undo straight on the stack during a drag: the drag has no step yet, so it must not be in the model.
        if self._gesture is not None:
            self._gesture.cancel()

    def _after_history(self, step: Step, event: str) -> None:
        for command in step.commands:
            self._waiting.extend(command.changes())
        if event != "do":
            self._show_changed(step)
        self._write_journal({"do": step.to_json()} if event == "do" else {event: 1})

    def _write_journal(self, record: dict[str, Any]) -> None:
        if self._journal is not None:
            try:
                self._journal.write(record)
            except OSError as error:
                self._journal = None
                self.say("warning", f"The journal cannot be written: {error.strerror or error}; save often", str(error))

    def _live(self, commands: Iterable[Command], over: bool = False) -> None:
        changes = [change for command in commands for change in command.changes()]
        self._tell([Change(c.kind, {**c.detail, "live": not over}) for c in changes], live=not over)
        self._tell_modified()

    def _flush(self, index: int = 0) -> None:
        if self._quiet:
            return
        waiting, self._waiting = self._waiting, []
        self._tell(waiting)
        self._tell_modified()

    def _tell(self, changes: Iterable[Change], live: bool = False, everything: bool = False) -> None:
        """Announce changes, one of a kind, in the order of ``KINDS``, and what follows from them."""
        told = list(changes)
        skeleton, frame = self._shown
        self._shown = (self.model.skeleton, self.model.frame)
        if everything:
            told += [Change("file", {"name": "opened"}), Change("figure", {"name": "all"})]
            told += [Change("sequence", {"name": "all"}), Change("keys", {"frames": (), "live": False})]
            told += [Change("locks", {"live": False}), Change("hybrid", {"live": False})]
            told += [Change("pending")]
        if frame != self.model.frame or everything:
            told.append(Change("frame", {"frame": self.model.frame}))
        if skeleton is not self.model.skeleton:
            self._follow_figure(skeleton, told)
        if any(change.kind not in ("file", "selection") for change in told):
            told.append(Change("pose", {"live": live}))
        for change in coalesced(told):
            if change.kind == "pending":
                change = Change("pending", {**change.detail, "pending": self.pending, "live": live})
            self.changed.emit(change)

    def _follow_figure(self, old: Skeleton | None, told: list[Change]) -> None:
        """Carry the selection over to a new figure and forget what named joints of the old one."""
        new = self.model.skeleton
        chosen = picking.carried_over(self._selection, old, new)
        if chosen != self._selection:
            self._selection = chosen
            told.append(Change("selection", {"selection": chosen}))
        if old is None or new is None or old.joint_names != new.joint_names:
            self.session.forget_figure()

    def _tell_modified(self, clean: bool = True) -> None:
        if not self._quiet and self.modified != self._was_modified:
            self._was_modified = self.modified
            self.changed.emit(Change("file", {"name": "modified"}))

    def _session_changed(self, name: str, value: Any) -> None:
        if name in DRAG_ACCOUNT:
            self.drag_changed.emit(name)
        else:
            self.changed.emit(Change("session", {"name": name, "value": value}))
