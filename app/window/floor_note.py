"""Watches whether the pose on screen goes through the floor, for a note in the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged, PoseChanged, SessionChanged
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
        self._opening = False
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self.look)
        document.changed.connect(self._take)

    def _take(self, change: Change) -> None:
        watched = isinstance(change, (PoseChanged, FigureChanged, FileChanged))
        if watched or (isinstance(change, (SessionChanged, PhysicsChanged)) and change.name in _WATCHED):
            if isinstance(change, FileChanged) and not self._opening:
                self._opening = True
                self._late.stop()
                QTimer.singleShot(0, self, lambda: QTimer.singleShot(OPENED_MS, self, self.look))
            elif not (self._opening or self._late.isActive()):
                self._late.start()

    def look(self) -> None:
        """Look at the pose that is shown now."""
        self._opening = False
        document, text = self.document, ""
        skeleton, session, floor = document.skeleton, document.session, document.physics.settings.now.floor
        quiet = session.mode != "pose" or session.playback.playing or floor is None
        if skeleton is not None and not quiet:
            text = floor_text(skeleton, parts_below_floor(skeleton, document.pose, floor))
        if text != self.text:
            self.text = text
            self.changed.emit()


_WATCHED = frozenset({"mode", "playing", "settings"})
