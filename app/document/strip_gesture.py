"""An edit of lock strips by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.document import edits, lock_edits
from app.document.commands import Command
from core.animation.lock_strip import LockStrip
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document


class StripGesture:
    """A live edit of the active sequence's lock strips.

    While it lasts the model has the strips as they would be, so that the pose on screen follows, but the undo stack
    is not touched. It stands in for a ``Gesture``: Undo while it lasts gives it up.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        before: The strips at press.
        problem: Why the strips shown last are not possible; "" if they are.
    """

    def __init__(self, document: Document, text: str):
        edits.need_figure(document.model)
        if document.gesture is not None:
            document.gesture.commit()
        self.document = document
        self.text = text
        self.active = True
        self.problem = ""
        self.before = lock_edits.strips_of(document.model)
        self._live: tuple[Command, ...] = ()
        document.session.playing = False
        document._gesture = self  # type: ignore[assignment]

    @property
    def moved(self) -> bool:
        """Whether the strips now differ from those at press."""
        return bool(self._live)

    def show(self, strips: Iterable[LockStrip]) -> bool:
        """Show other strips; ones that are not possible leave what was shown before.

        Args:
            strips: All strips; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """
        if not self.active:
            return False
        model, wanted = self.document.model, tuple(strips)
        shown = self._live
        for command in reversed(shown):
            command.revert(model)
        try:
            self._live = tuple(lock_edits.strip_changes(model, wanted))
            self.problem = ""
        except CoreError as error:
            self._live = shown
            self.problem = str(error).partition("\n")[0]
        for command in self._live:
            command.apply(model)
        if self._live or shown:
            self.document._live(self._live or shown)
        return not self.problem

    def commit(self) -> bool:
        """End as one undo step; return whether there is one (strips that came back leave none)."""
        if not self.active:
            return False
        if not self.moved:
            self.cancel()
            return False
        self._end()
        self.document._push(self._live, self.text, applied=True)
        return True

    def cancel(self) -> None:
        """End without an edit: the strips are those at press again."""
        if not self.active:
            return
        self._end()
        for command in reversed(self._live):
            command.revert(self.document.model)
        if self._live:
            self.document._live(self._live, over=True)

    def _end(self) -> None:
        self.active = False
        self.document._gesture = None
