"""An edit of strips by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from app.document.edits.edits import strip_changes, strips_of
from app.document.gestures.live_gesture import LiveGesture
from core.animation.locks.strip import LockStrip

if TYPE_CHECKING:
    from app.document.base import DocumentBase

Strip = TypeVar("Strip")


class StripsGesture(LiveGesture, Generic[Strip]):
    """A live edit of the active sequence's strips of one kind. See ``LiveGesture``.

    While it lasts the model has the strips as they would be, so that the pose on screen follows.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        before: The strips at press.
    """

    _of: ClassVar[Callable[..., Any]]
    _changes: ClassVar[Callable[..., Any]]

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        self.before: tuple[Strip, ...] = self._of(document.model)

    def show(self, strips: Iterable[Strip]) -> bool:
        """Show other strips; ones that are not possible leave what was shown before.

        Args:
            strips: All strips; each call stands alone, they do not add up.

        Returns:
            Whether they are possible; if not, ``problem`` says why.
        """
        wanted = tuple(strips)
        return self._show(lambda: self._changes(self.document.model, wanted))


class StripGesture(StripsGesture[LockStrip]):
    """A live edit of the active sequence's lock strips."""

    _of = staticmethod(strips_of)
    _changes = staticmethod(strip_changes)
