"""Edits of the figure from a panel: live while a field is dragged, one undo step each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document.edits.joint_edits import Edit
from app.document.gestures.live_gesture import FigureGesture

if TYPE_CHECKING:
    from app.document.document import Document


class LiveEdits:
    """Begins, shows and ends one edit at a time."""

    def __init__(self, document: Document):
        self.document = document
        self._gesture: FigureGesture | None = None

    @property
    def active(self) -> bool:
        """Whether an edit is under way."""
        return self._gesture is not None and self._gesture.active

    def begin(self, text: str) -> None:
        """Begin an edit; one that is open is committed."""
        self.commit()
        if self.document.skeleton is not None:
            self._gesture = FigureGesture(self.document, text)

    def show(self, edit: Edit) -> None:
        """Show what an edit would make."""
        if self._gesture is not None:
            self._gesture.show(edit)

    def commit(self) -> bool:
        """End the edit as one step; say why if the last of what was shown could not be."""
        gesture, self._gesture = self._gesture, None
        if gesture is None:
            return False
        done = gesture.commit()
        if gesture.problem:
            self.document.say("warning", gesture.problem)
        return done

    def cancel(self) -> None:
        """Give the edit up."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()

    def do(self, text: str, edit: Edit) -> bool:
        """Make a whole edit at once; return whether it was possible, else a message has said why."""
        self.commit()
        return self.document.figures.edit(edit, text)
