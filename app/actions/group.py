"""What the groups of actions of the window have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.main_window import MainWindow


class WindowActions:
    """A group of actions on the open document; each is one call on it.

    Args:
        window: The window, whose document they work on.

    Attributes:
        document: The open document.
    """

    def __init__(self, window: MainWindow):
        self._window = window
        self.document = window.document

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action, by its name in the key map."""
        raise NotImplementedError
