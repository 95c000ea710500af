"""Watches whether the pose on screen goes through the floor, for a note in the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged, PoseChanged, SessionChanged
from app.document.content.walk_rules import terrain_of
from app.words.floor_words import floor_text
from core.posing.floor import parts_below_floor

if TYPE_CHECKING:
    from app.document.document import Document

LATE_MS = 150  # nobody reads it faster
OPENED_MS = 1000  # after the first events that follow the opening of a file: its picture comes first


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
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(self.look)
        self._opened = QTimer(self, singleShot=True, interval=0)
        self._opened.timeout.connect(lambda: self._late.start(OPENED_MS))
        document.changed.connect(self._take)

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged) and change.name in ("opened", "recovered"):
            self._late.stop()
            self._opened.start()
        elif isinstance(change, _POSED) or (
            isinstance(change, (SessionChanged, PhysicsChanged)) and change.name in _WATCHED
        ):
            if not (self._opened.isActive() or self._late.isActive()):
                self._late.start(LATE_MS)

    def look(self) -> None:
        """Look at the pose that is shown now."""
        document, text = self.document, ""
        skeleton, session, settings = document.skeleton, document.session, document.physics.settings.now
        floor = settings.floor
        quiet = session.mode != "pose" or session.playback.playing or floor is None
        if skeleton is not None and not quiet:
            walked = None if document.sequence is None else terrain_of((document.sequence,))
            ground = settings.terrain if walked is None else walked
            text = floor_text(skeleton, parts_below_floor(skeleton, document.pose, floor, ground=ground))
        if text != self.text:
            self.text = text
            self.changed.emit()


_POSED = PoseChanged, FigureChanged
_WATCHED = frozenset({"mode", "playing", "settings"})
