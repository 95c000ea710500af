"""What all boards of strips have in common: rows of strips, which are selected, and how they are changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.document.gestures.live_gesture import LiveGesture
    from app.timeline.model import TimelineModel

Strip = TypeVar("Strip", bound=Any)


class StripBoard(QObject, Generic[Strip]):
    """Rows of strips. Subclasses say of what.

    Attributes:
        rows: What stands under each other.
        version: A number that grows with every change.
        gap: Least frames from the end of a strip to the start of the next of its lock, or of its joints.

    Signals:
        changed(): Rows, selection or what else is drawn are different now.
        grown(): The number of rows is.
    """

    changed = Signal()
    grown = Signal()
    gap = 1

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.model = model
        self.document = model.document
        self.rows: tuple[Any, ...] = ()
        self.version = 0
        self.changed.connect(self._count)

    def _count(self) -> None:
        self.version += 1

    # -- which strips there are ------------------------------------------------------------------------------------

    @property
    def all_strips(self) -> tuple[Strip, ...]:
        """The strips of the document."""
        raise NotImplementedError

    def strips(self) -> Iterable[Strip]:
        """Return all strips in the order of their rows; each once."""
        return {strip.id: strip for row in self.rows for strip in row.strips}.values()

    def strip(self, strip_id: str | None) -> Strip | None:
        """Return the strip of an id, or None."""
        return next((strip for strip in self.all_strips if strip.id == strip_id), None)

    def siblings(self, strip: Strip) -> list[Strip]:
        """Return the strips that a strip must not run into."""
        raise NotImplementedError

    def shown(self, strip: Strip) -> Strip:
        """Return a strip as it is shown: while keys are dragged it follows them."""
        return strip

    # -- which are selected ----------------------------------------------------------------------------------------

    @property
    def selected(self) -> str | None:
        """Id of the strip that was selected last, or None."""
        raise NotImplementedError

    @property
    def selection(self) -> tuple[str, ...]:
        """Ids of all selected strips."""
        return () if self.selected is None else (self.selected,)

    def select(self, strip_id: str | None) -> None:
        """Select a strip alone."""
        raise NotImplementedError

    # -- words -----------------------------------------------------------------------------------------------------

    def name_of(self, strip: Strip) -> str:
        """Return what a strip is called."""
        raise NotImplementedError

    @staticmethod
    def span_of(strip: Strip) -> str:
        """Return the frames of a strip: ``"frames 6 to 18"``."""
        return f"from frame {strip.start} on" if strip.end is None else f"frames {strip.start} to {strip.end}"

    # -- edits -----------------------------------------------------------------------------------------------------

    def gesture(self, text: str) -> LiveGesture:
        """Begin an edit by hand; it has the strips ``before`` it, and can ``show`` others."""
        raise NotImplementedError

    def put_all(self, strips: Iterable[Strip], text: str, gesture: int | None = None) -> bool:
        """Put other strips in the place of the document's, as one undo step."""
        raise NotImplementedError

    def put(self, changed: Strip | Sequence[Strip], text: str, gesture: int | None = None) -> bool:
        """Put strips in the place of those with their ids, as one undo step."""
        by_id = {strip.id: strip for strip in (changed if isinstance(changed, list | tuple) else [changed])}
        return self.put_all([by_id.get(each.id, each) for each in self.all_strips], text, gesture)
