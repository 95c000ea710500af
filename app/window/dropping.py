"""What is dropped on the window: sequences of the library are inserted, music is taken, other files are opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

from app.actions.files import dropped_files
from app.process.handler_guard import guarded

if TYPE_CHECKING:
    from app.actions.library import LibraryActions
    from app.actions.music import MusicActions


class TakesDrops:
    """Mix into the main window."""

    if TYPE_CHECKING:
        library: LibraryActions
        music: MusicActions

        def open_files(self, files: Sequence[Path]) -> None: ...

    @guarded
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Say whether it is something that can be dropped here."""
        data = event.mimeData()
        if self.library.putting.carried(data) or self.music.carried(data) or dropped_files(data):
            event.acceptProposedAction()

    @guarded
    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where a sequence of the library would come."""
        event.acceptProposedAction()
        self.library.putting.show_drop(event.mimeData(), event.position().toPoint(), event.modifiers())

    @guarded
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Show nothing any more."""
        self.library.putting.show_drop(None)

    @guarded
    def dropEvent(self, event: QDropEvent) -> None:
        """Insert a sequence of the library, take music, or open the files."""
        event.acceptProposedAction()
        data = event.mimeData()
        place = event.position().toPoint()
        if not (self.library.putting.take_drop(data, place, event.modifiers()) or self.music.take_drop(data)):
            self.open_files(dropped_files(data))
