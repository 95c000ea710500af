"""An edit of hybrid strips by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.document import hybrid_edits
from app.document.live_gesture import LiveGesture
from core.animation.hybrid.strip import HybridStrip

if TYPE_CHECKING:
    from app.document.document import Document


class HybridGesture(LiveGesture):
    """A live edit of the active sequence's hybrid strips. See ``LiveGesture``.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        before: The strips at press.
    """

    def __init__(self, document: Document, text: str):
        super().__init__(document, text)
        self.before = hybrid_edits.hybrids_of(document.model)

    def show(self, strips: Iterable[HybridStrip]) -> bool:
        """Show other strips; ones that are not possible leave what was shown before.

        Args:
            strips: All strips; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """
        wanted = tuple(strips)
        return self._show(lambda: hybrid_edits.hybrid_changes(self.document.model, wanted))
