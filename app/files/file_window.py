"""What opening, watching and recovering files ask of the window that they are for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QMainWindow

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.files.recent import Store
    from app.document.player import Player
    from app.views.area import ViewportArea
    from app.widgets.frames.error_line import Choice, ErrorLine
    from app.widgets.frames.status_line import StatusLine
    from app.work.background import Background


class FileCommands(Protocol):
    """What can be done with the document's file, as its menu has it."""

    def save(self) -> bool:
        """Save where it was saved before, or ask; return whether it was saved."""

    def save_as(self) -> bool:
        """Ask where, and save there; return whether it was saved."""

    def save_over(self) -> bool:
        """Save over what another program wrote; return whether it was saved."""

    def reopen(self, path: Path, then: Callable[[], object]) -> bool:
        """Open what is open anew; return whether that has begun."""

    def may_discard(self) -> bool:
        """Return whether what is open may go: it is saved, or the person says so."""


class FileWindow(QMainWindow):
    """A window of one document; the window that is shown fills the attributes in.

    Attributes:
        remember: Whether settings, layout and journal are read and kept.
        settings: Keeps choices from one session to the next; None while nothing is remembered.
        document: The open document.
        player: Plays it.
        background: Runs long work.
        area: The views.
        status: The line at the foot of the window.
        errors: Warnings, errors and questions, until they are read.
        files: Commands about files.
    """

    remember: bool
    settings: Store | None
    document: Document
    player: Player
    background: Background
    area: ViewportArea
    status: StatusLine
    errors: ErrorLine
    files: FileCommands

    def show_message(self, level: str, text: str, details: str = "") -> None:
        """Show a message: passing ones in the status line, warnings and errors in a line above it until read."""
        raise NotImplementedError

    def ask(self, text: str, choices: Sequence[Choice], level: str = "warning") -> None:
        """Ask a question above the status line; see ``ErrorLine.ask``."""
        raise NotImplementedError
