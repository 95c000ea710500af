"""An edit of lock strips by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.document import lock_edits
from app.document.live_gesture import LiveGesture
from core.animation.locks.strip import LockStrip

if TYPE_CHECKING:
    from app.document.document import Document


class StripGesture(LiveGesture):
    """A live edit of the active sequence's lock strips. See ``LiveGesture``.

    While it lasts the model has the strips as they would be, so that the pose on screen follows.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        before: The strips at press.
    """

    def __init__(self, document: Document, text: str):
        super().__init__(document, text)
        self.before = lock_edits.strips_of(document.model)

    def show(self, strips: Iterable[LockStrip]) -> bool:
        """Show other strips; ones that are not possible leave what was shown before.

        Args:
            strips: All strips; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """
        wanted = tuple(strips)
        return self._show(lambda: lock_edits.strip_changes(self.document.model, wanted))
