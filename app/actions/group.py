"""What the groups of actions of the window have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.actions.editor_window import EditorWindow


class WindowActions:
    """A group of actions on the open document; each is one call on it.

    Attributes:
        document: The open document.
    """

    def __init__(self, window: EditorWindow):
        self._window = window
        self.document = window.document

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action, by its name in the key map."""
        raise NotImplementedError

    def tell(self, text: str) -> None:
        """Say in the status line what has become of an action; "" says nothing."""
        if text:
            self._window.status.answer(text)

    def bind_keys(self, scope: str, where: Callable[[str], Iterable[QWidget]]) -> None:
        """Let the keys of a scope work in some widgets only: elsewhere in the window they mean another thing.

        Args:
            scope: Scope of the actions, as the key map names it.
            where: Returns in which widgets an action's keys work, by its name.
        """
        actions = self._window.action_table
        for row in actions.rows:
            if row.action in self.handlers() and row.scope == scope:
                action = actions[row.action]
                action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                self._window.removeAction(action)
                for widget in where(row.action):
                    widget.addAction(action)
