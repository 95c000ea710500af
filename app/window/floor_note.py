"""Watches whether the pose on screen goes through the floor, for a note in the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged, PoseChanged, SessionChanged
from app.words.floor_words import floor_text
from app.work.throttle import Throttle
from core.posing.floor import parts_below_floor

if TYPE_CHECKING:
    from app.document.document import Document

LATE_MS = 150  # nobody reads it faster


class FloorNote(QObject):
    """A line of text about the parts that are below the floor while a figure is posed.

    Args:
        document: The open document.
        parent: Owner.

    Attributes:
        text: What is below the floor; "" for nothing, while the motion plays and in Physics mode, where bodies do not
            go through.

    Signals:
        changed(): The text is another.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject):
        super().__init__(parent)
        self.document, self.text = document, ""
        self._soon = Throttle(self.look, LATE_MS, self)
        document.changed.connect(self._take)

    def _take(self, change: Change) -> None:
        watched = isinstance(change, (PoseChanged, FigureChanged, FileChanged))
        if watched or (isinstance(change, (SessionChanged, PhysicsChanged)) and change.name in _WATCHED):
            self._soon.wish()

    def look(self) -> None:
        """Look at the pose that is shown now."""
        document, text = self.document, ""
        skeleton, session, floor = document.skeleton, document.session, document.physics.settings.now.floor
        quiet = session.mode != "pose" or session.playback.playing or floor is None
        if skeleton is not None and not quiet:
            text = floor_text(skeleton, parts_below_floor(skeleton, document.pose, floor))
        if text != self.text:
            self.text = text
            self.changed.emit()


_WATCHED = frozenset({"mode", "playing", "settings"})
