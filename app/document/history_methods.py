"""The part of ``Document`` that goes through the history: Undo, Redo, and straight to a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QTimer

from app.document.changed_frames import changed_joints, frame_to_show, joints_of_keys

if TYPE_CHECKING:
    from PySide6.QtGui import QUndoStack

    from app.document.key_selection import KeySelection
    from app.document.live_gesture import LiveGesture
    from app.document.model import Model
    from app.document.session import Session
    from app.document.step import Step

FLASH = 200
"""How long what Undo and Redo changed is lit, [ms]."""


class HistoryMethods:
    """Undo and Redo. What they change is brought into sight: the frame goes there, and the parts light up."""

    if TYPE_CHECKING:
        model: Model
        session: Session
        stack: QUndoStack
        _gesture: LiveGesture | None

    _passed: Step | None = None
    _flash_ends: QTimer | None = None

    def undo(self) -> None:
        """Take back the last step; during a gesture, cancel the gesture instead."""
        if self._gesture is not None:
            self._gesture.cancel()
        else:
            self._go_through(self.stack.undo)

    def redo(self) -> None:
        """Do again the step that was taken back last."""
        if self._gesture is None:
            self._go_through(self.stack.redo)

    def go_to_step(self, number: int) -> None:
        """Undo or redo until so many steps are done; a gesture under way is given up.

        The frame goes to where the last of the steps that are done then changed something: that is what was asked for.
        """
        if self._gesture is not None:
            self._gesture.cancel()
        number = min(max(int(number), 0), self.stack.count())

        def go() -> None:
            back = number < self.stack.index()
            self.stack.setIndex(number)
            if back and number:
                self._show_changed(cast("Step", self.stack.command(number - 1)))

        if number != self.stack.index():
            self._go_through(go)

    def _show_changed(self, step: Step) -> None:
        """Go to the frame that a step, done again or taken back, has changed."""
        self._passed = step
        frame = frame_to_show(self.model, step.commands)
        if frame is not None:
            self.model.frame = frame

    def select_moved(self, before: KeySelection, after: KeySelection) -> None:
        """Select keys where the step just done took them; Undo and Redo select them where they are then.

        Args:
            before: The keys where they were.
            after: The same where they are.
        """
        if after != before:  # an edit that moved nothing made no step
            cast("Step", self.stack.command(self.stack.index() - 1)).moved = before, after
        self.session.selected_keys = after

    def _go_through(self, go: Callable[[], Any]) -> None:
        model = self.model
        skeleton, frame, pose = model.skeleton, model.frame, model.pose
        self._passed = None
        was = self.stack.index()
        go()
        self._follow_moved(was, self.stack.index())
        step, self._passed = self._passed, None
        if step is None or skeleton is None or model.skeleton is not skeleton:
            return
        if model.frame == frame:
            self._flash(changed_joints(skeleton, pose, model.pose))
        else:
            self._flash(joints_of_keys(skeleton, step.commands, model.frame))

    def _follow_moved(self, was: int, now: int) -> None:
        """Select the keys that the last step passed has moved: else others at the same frames would be selected."""
        back = now < was
        for i in range(now, was) if back else range(now - 1, was - 1, -1):
            moved = cast("Step", self.stack.command(i)).moved
            if moved is not None:
                self.session.selected_keys = moved[0 if back else 1]
                return

    def _flash(self, joints: tuple[int, ...]) -> None:
        """Light joints for a moment; not where motion is reduced."""
        if self.session.reduced_motion or not joints:
            return
        if self._flash_ends is None:
            self._flash_ends = QTimer(self, singleShot=True, interval=FLASH)  # type: ignore[call-overload]
            self._flash_ends.timeout.connect(self._end_flash)
        self.session.flash = joints
        self._flash_ends.start()

    def _end_flash(self) -> None:
        self.session.flash = ()
