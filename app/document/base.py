"""What every part of a document stands on: the model, the session, the undo stack, and the one signal."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    MessageShown,
    PendingChanged,
    PoseChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
    coalesced,
)
from app.document.commands.base import Command
from app.document.commands.changed_frames import frame_to_show
from app.document.content.model import Model
from app.document.edits import edits
from app.document.edits.walk_edits import baked_by
from app.document.selection import Selection
from app.document.session import DRAG_ACCOUNT, Session
from app.document.step import Step, new_revision
from core.animation.key import MAX_FRAME
from core.animation.sequence import Sequence
from core.arrays import Array
from core.errors import CoreError
from core.skeleton import Skeleton

NO_LONGER_BY_RULES = "The walk is keys now and no longer follows its settings · Undo takes the edit back"
"""What is said when an edit by hand ends that a sequence is made by rules."""


class OpenGesture(Protocol):
    """An edit by hand that is under way."""

    text: str
    active: bool

    @property
    def moved(self) -> bool:
        """Whether anything differs from how it was at press."""
        ...

    def commit(self) -> bool:
        """End as one undo step; return whether there is one."""
        ...

    def cancel(self) -> None:
        """End without an edit."""
        ...


class DocumentBase(QObject):
    """The model and everything by which it changes: steps, gestures, the frame. Parts of a document build on it.

    What ``sequence`` and ``skeleton`` return is read-only by contract: edit through the parts of ``Document``.

    Attributes:
        changed: Emitted with a ``Change``; see ``app.document.changes`` for the kinds.
        drag_changed: Emitted with the name, ``"goal"`` or ``"solved"``, when the account of a drag in the session is
            another; it is with every move of the mouse, and hardly anybody listens.
        message: Emitted with (level, text, details) for the status line; level ``"info"``, ``"warning"``, ``"error"``.
        model: The content; commands work on it, nothing else may.
        session: State the window shares.
        stack: The undo stack.
        selection: The joints that are selected.
        gesture: The gesture under way, or None.
        passed: The step that Undo or Redo has passed last, or None.
        passes: How many steps Undo and Redo have passed.
        quiet: Whether nothing is announced just now.
        write_step: Called with each step and whether it was done (``"do"``), undone or done again: the journal.
    """

    changed = Signal(object)
    drag_changed = Signal(str)
    message = Signal(str, str, str)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.model = Model()
        self.session = Session(self._session_changed)
        self.stack = QUndoStack(self)
        self.selection = Selection(lambda: self.model.skeleton, self._selection_changed)
        self.gesture: OpenGesture | None = None
        self.passed: Step | None = None
        self.passes = 0
        self.write_step: Callable[[Step, str], None] | None = None
        self.quiet = False
        self._gestures = 0
        self._first_revision = new_revision()
        self._waiting: list[Change] = []
        self._shown: tuple[Skeleton | None, int] = (None, 0)
        self._was_modified = False
        self.stack.indexChanged.connect(self._flush)
        self.stack.cleanChanged.connect(self.announce_modified)

    def __del__(self) -> None:
        # Steps and document know each other, so Python may let go of a step before Qt's stack, which then would
        # delete it once more. And nobody is left to hear that the stack is empty.
        with contextlib.suppress(RuntimeError, AttributeError):
            self.stack.blockSignals(True)
            self.stack.clear()

    # -- content -------------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """Number of the content: the same again once an edit is undone, another one for all that is edited or opened.

        What was worked out beside the window is of the content whose number was taken when that began. A gesture under
        way has no number yet.
        """
        last = self.stack.command(self.stack.index() - 1) if self.stack.index() else None
        return last.revision if isinstance(last, Step) else self._first_revision

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
    def modified(self) -> bool:
        """Whether there is anything that the file does not hold, a pending pose included."""
        return not self.stack.isClean() or self.model.pending is not None

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

    def set_frame(self, frame: int) -> None:
        """Go to a frame. Not an edit; but a pending pose is dropped, as one step that Undo takes back, and said so."""
        frame = min(max(int(frame), 0), MAX_FRAME)
        if frame == self.model.frame:
            return
        self.end_gesture()
        pending = self.model.pending
        if pending is not None:
            self.push(edits.drop_pending(self.model, frame), f"Drop unkeyed pose at frame {pending.frame}")
            self.say("info", f"Unkeyed pose at frame {pending.frame} dropped · Undo brings it back")
        else:
            self.model.frame = frame
            self.announce([])

    # -- what a person is shown ----------------------------------------------------------------------------------

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
        self.changed.emit(MessageShown(level=level, text=text, details=details))

    def refuse_edit(self, error: CoreError) -> None:
        """Say why an edit was not made; nothing is lost."""
        self.say("warning", str(error).partition("\n")[0], str(error))

    # -- steps ---------------------------------------------------------------------------------------------------

    def gesture_id(self) -> int:
        """Return a new number: steps pushed one after the other with the same number become one."""
        self._gestures += 1
        return self._gestures

    def take_gesture_id(self, number: int) -> None:
        """Take note of a number that a recovered step has: new ones are larger."""
        self._gestures = max(self._gestures, number)

    def end_gesture(self) -> None:
        """Make the gesture under way, if there is one, a step."""
        if self.gesture is not None:
            self.gesture.commit()

    def cancel_gesture(self) -> None:
        """Give the gesture under way up, if there is one."""
        if self.gesture is not None:
            self.gesture.cancel()

    def do(self, text: str | Callable[[], str], make: Callable[[], list[Command]], gesture: int | None = None) -> bool:
        """Make commands and push them as one step; say why not if they are not possible.

        Args:
            text: What the undo step is called. One that depends on the commands is asked for once they are made.
            make: Returns the commands, checked; none leave no step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.

        Returns:
            Whether it was possible.
        """
        self.end_gesture()
        try:
            commands = make()
        except CoreError as error:
            self.refuse_edit(error)
            return False
        self.push(commands, text if isinstance(text, str) else text(), gesture)
        return True

    def push(self, commands: Iterable[Command], text: str, gesture: int | None = None, applied: bool = False) -> None:
        """Put checked commands on the stack as one step; ``applied`` if the model has them already.

        An edit by hand of what rules have made goes on without the rules, which would take it away, and this is said.
        """
        commands = tuple(commands)
        if commands:
            if not applied:  # the account of the last drag is not true of what follows
                self.session.drag.forget_solve()
            ends = tuple(baked_by(self.model, commands))
            if applied:
                for command in ends:
                    command.apply(self.model)
            self.stack.push(Step(self, (*commands, *ends), text, gesture, applied))
            if ends:
                self.say("warning", NO_LONGER_BY_RULES)

    @property
    def leading(self) -> int | None:
        """The gesture number of the last step if that only chose what is edited next, else None."""
        last = self.stack.command(self.stack.index() - 1) if self.stack.index() else None
        return last.gesture if isinstance(last, Step) and last.leads else None

    def before_history(self) -> None:
        """Make ready for Undo and Redo; a step calls it."""
        self.passes += 1
        self.session.drag.forget_solve()
        # Undo straight on the stack during a drag: the drag has no step yet, so it must not be in the model.
        self.cancel_gesture()

    def after_history(self, step: Step, event: str) -> None:
        """Take note of a step that was done (``event`` ``"do"``), undone or done again; the step calls it."""
        for command in step.commands:
            self._waiting.extend(command.changes())
        if event != "do":
            self.show_changed(step)
        if self.write_step is not None:
            self.write_step(step, event)

    def show_changed(self, step: Step) -> None:
        """Go to the frame that a step, done again or taken back, has changed."""
        self.passed = step
        frame = frame_to_show(self.model, step.commands)
        if frame is not None:
            self.model.frame = frame

    def replace_model(self, model: Model) -> None:
        """Put another model in place of this one; the history starts over. Nothing is announced."""
        self.session.mode = "pose"
        self.model = model
        with self.unheard():  # views must not hear of the empty history before the document is whole
            self.stack.clear()
            self.stack.setClean()  # an empty stack is not cleared, so that one whose file was lost would stay unclean
        self._first_revision = new_revision()
        self._waiting = []

    @contextlib.contextmanager
    def unheard(self) -> Iterator[None]:
        """Announce nothing that the stack does meanwhile."""
        self.quiet = True
        try:
            yield
        finally:
            self.quiet = False

    def forget_waiting(self) -> None:
        """Drop changes that are not announced yet."""
        self._waiting = []

    # -- announcing ----------------------------------------------------------------------------------------------

    def show_live(self, commands: Iterable[Command], over: bool = False) -> None:
        """Announce what commands of a gesture have changed; ``over`` if they were taken back at its end."""
        changes = [change for command in commands for change in command.changes()]
        self.announce([replace(change, live=not over) for change in changes], live=not over)
        self.announce_modified()

    def _flush(self, index: int = 0) -> None:
        if self.quiet:
            return
        waiting, self._waiting = self._waiting, []
        self.announce(waiting)
        self.announce_modified()

    def announce(self, changes: Iterable[Change], live: bool = False, everything: bool = False) -> None:
        """Announce changes, one of a kind, in ``ORDER``, and what follows from them."""
        announced = list(changes)
        skeleton, frame = self._shown
        self._shown = (self.model.skeleton, self.model.frame)
        if everything:
            announced += [FileChanged("opened"), FigureChanged("all"), SequenceChanged("all"), KeysChanged()]
            announced += [LocksChanged(), HybridChanged(), PendingChanged()]
        if frame != self.model.frame or everything:
            announced.append(FrameChanged(frame=self.model.frame))
        if skeleton is not self.model.skeleton:
            self._follow_figure(skeleton, announced)
        if any(not isinstance(change, (FileChanged, SelectionChanged)) for change in announced):
            announced.append(PoseChanged(live=live))
        for change in coalesced(announced):
            if isinstance(change, PendingChanged):
                change = PendingChanged(pending=self.pending, live=live)
            self.changed.emit(change)

    def _follow_figure(self, old: Skeleton | None, announced: list[Change]) -> None:
        """Carry the selection over to a new figure and forget what named joints of the old one."""
        new = self.model.skeleton
        if self.selection.carry_over(old, new):
            announced.append(SelectionChanged(joints=self.selection.joints))
        if old is None or new is None or old.joint_names != new.joint_names:
            self.session.forget_figure()

    def announce_modified(self, clean: bool = True) -> None:
        """Announce whether the document is modified, if that is another than before."""
        if not self.quiet and self.modified != self._was_modified:
            self._was_modified = self.modified
            self.changed.emit(FileChanged("modified"))

    def _selection_changed(self) -> None:
        self.changed.emit(SelectionChanged(joints=self.selection.joints))

    def _session_changed(self, name: str, value: Any) -> None:
        if name in DRAG_ACCOUNT:
            self.drag_changed.emit(name)
        else:
            self.changed.emit(SessionChanged(name, value))
