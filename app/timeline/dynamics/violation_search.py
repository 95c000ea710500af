"""Looks for implausible stretches of the keyed motion, beside the window, while physics is of interest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    KeysChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
    SessionChanged,
)
from app.work.background import Progress
from app.work.calm_search import CalmSearch

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence
    from core.preview.plausibility.violation import Violation

SEARCH_AGAIN = (FigureChanged, FileChanged, SequenceChanged, KeysChanged, LocksChanged)
WORDS = {
    "parabola": "off parabola",
    "momentum": "momentum jumps",
    "pull": "ground pulls",
    "friction": "would slip",
    "balance": "off balance",
}
"""What a stretch is called, by its kind."""


MOST_FRAMES = 20_000
"""Longer motions are not searched: that would take minutes, and a gigabyte."""


class ViolationSearch(CalmSearch["tuple[Violation, ...]"]):
    """Searches the active sequence; while the tab is not open and there is no physics mode it rests.

    Args:
        document: The open document.
        parent: Qt parent.

    Attributes:
        found: What was found last, by first frame.

    Signals:
        changed(): Something else was found.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent, "Looking for implausible motion")
        self.found: tuple[Violation, ...] = ()
        self._open = False
        self._stale = True
        document.changed.connect(self._take)

    def set_open(self, is_open: bool) -> None:
        """Tell whether the tab is open that shows what is found."""
        self._open = is_open
        self._search()

    @property
    def watching(self) -> bool:
        """Whether anybody wants to know."""
        return self._open or self.document.session.mode == "physics"

    def found_at(self, frame: float) -> tuple[Violation, ...]:
        """Return what was found at a frame."""
        return tuple(each for each in self.found if each.first <= frame <= each.last)

    def with_span(self, violation: Violation) -> tuple[Violation, ...]:
        """Return all that is wrong over the frames of one stretch, what cannot be first, the largest first."""
        span = (violation.first, violation.last)
        same = [each for each in self.found if (each.first, each.last) == span]
        return tuple(sorted(same, key=lambda each: (each.hint, -each.amount)))

    @property
    def spans(self) -> tuple[Violation, ...]:
        """The first of ``with_span`` for each stretch of frames, by first frame."""
        firsts = {(each.first, each.last): self.with_span(each)[0] for each in self.found}
        return tuple(firsts.values())

    def summary(self) -> str:
        """Return how many stretches there are: ``"2 implausible spans"``; "" for none."""
        count = len([each for each in self.spans if not each.hint])
        return f"{count} implausible span{'s' * (count != 1)}" if count else ""

    def wanted(self, sequence: Sequence) -> bool:
        first, last = sequence.range
        return last - first <= MOST_FRAMES

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[Violation, ...]]:
        settings = self.document.physics.settings.now
        world, friction = settings.world, settings.friction

        def search(progress: Progress) -> tuple[Violation, ...]:
            from core.preview.plausibility.find import find_violations

            return find_violations(sequence, world, friction=friction, progress=progress)

        return search

    def show(self, found: tuple[Violation, ...] | None) -> None:
        self._stale = False
        if (found or ()) != self.found:
            self.found = found or ()
            self.changed.emit()

    def _take(self, change: Change) -> None:
        name = change.name
        if isinstance(change, SessionChanged) and name == "mode":
            self._search()
        elif isinstance(change, SEARCH_AGAIN) or (isinstance(change, PhysicsChanged) and name == "settings"):
            self._stale = True
            self._search()

    def _search(self) -> None:
        if self._stale and self.watching:
            self.wish()
