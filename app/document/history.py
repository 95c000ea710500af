"""The part of a document that goes through the history: Undo, Redo, and straight to a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QTimer

from app.document.base import DocumentBase
from app.document.commands.changed_frames import changed_joints, joints_of_keys

if TYPE_CHECKING:
    from app.document.content.key_selection import KeySelection
    from app.document.step import Step

FLASH = 200
"""How long what Undo and Redo changed is lit, [ms]."""


class History:
    """Undo and Redo. What they change is brought into sight: the frame goes there, and the parts light up."""

    def __init__(self, document: DocumentBase):
        self._document = document
        self._flash_ends = QTimer(document, singleShot=True, interval=FLASH)
        self._flash_ends.timeout.connect(self._end_flash)

    def undo(self) -> None:
        """Take back the last step; during a gesture, cancel the gesture instead."""
        if self._document.gesture is not None:
            self._document.gesture.cancel()
        else:
            self._go_through(self._document.stack.undo)

    def redo(self) -> None:
        """Do again the step that was taken back last."""
        if self._document.gesture is None:
            self._go_through(self._document.stack.redo)

    def go_to(self, number: int) -> None:
        """Undo or redo until so many steps are done; a gesture under way is given up.

        The frame goes to where the last of the steps that are done then changed something: that is what was asked for.
        """
        self._document.cancel_gesture()
        number = min(max(int(number), 0), self._document.stack.count())

        def go() -> None:
            back = number < self._document.stack.index()
            self._document.stack.setIndex(number)
            if back and number:
                self._document.show_changed(cast("Step", self._document.stack.command(number - 1)))

        if number != self._document.stack.index():
            self._go_through(go)

    def select_moved(self, before: KeySelection, after: KeySelection) -> None:
        """Select keys where the step just done took them; Undo and Redo select them where they are then.

        Args:
            before: The keys where they were.
            after: The same where they are.
        """
        if after != before:  # an edit that moved nothing made no step
            cast("Step", self._document.stack.command(self._document.stack.index() - 1)).moved = before, after
        self._document.session.keys.selected = after

    def _go_through(self, go: Callable[[], Any]) -> None:
        model = self._document.model
        skeleton, frame, pose = model.skeleton, model.frame, model.pose
        self._document.passed = None
        was = self._document.stack.index()
        go()
        self._follow_moved(was, self._document.stack.index())
        step, self._document.passed = self._document.passed, None
        if step is None or skeleton is None or model.skeleton is not skeleton:
            return
        if model.frame == frame:
            self._flash(changed_joints(skeleton, pose, model.pose))
        else:
            self._flash(joints_of_keys(model, step.commands, model.frame))

    def _follow_moved(self, was: int, now: int) -> None:
        """Select the keys that the last step passed has moved: else others at the same frames would be selected."""
        back = now < was
        for i in range(now, was) if back else range(now - 1, was - 1, -1):
            moved = cast("Step", self._document.stack.command(i)).moved
            if moved is not None:
                self._document.session.keys.selected = moved[0 if back else 1]
                return

    def _flash(self, joints: tuple[int, ...]) -> None:
        """Light joints for a moment; not where motion is reduced."""
        if self._document.session.view.reduced_motion or not joints:
            return
        self._document.session.view.flash = joints
        self._flash_ends.start()

    def _end_flash(self) -> None:
        self._document.session.view.flash = ()
