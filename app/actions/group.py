"""What the groups of actions of the window have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt

from app.work.background import BUSY

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.actions.editor_window import EditorWindow
    from app.work.background import Progress

Result = TypeVar("Result")


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

    def run_beside(
        self,
        text: str,
        work: Callable[[Progress], Result],
        done: Callable[[Result], None],
        failed: Callable[[Exception], None],
        given_up: Callable[[], None] | None = None,
    ) -> bool:
        """Begin long work beside the window, as ``Background.run`` does; say so if other work is under way.

        Args:
            text: What it is, for a person.
            work: Runs in a thread; is given a function that takes how much is done, 0 to 1.
            done: Called with the result.
            failed: Called with the exception.
            given_up: Called when the person cancels it.

        Returns:
            Whether it has begun.
        """
        return not self.is_busy() and self._window.background.run(text, work, done, failed, given_up)

    @property
    def fine_steps(self) -> bool:
        """Whether steps of the keyboard go by a tenth."""
        return self._window.action_table["fine_steps"].isChecked()

    def is_busy(self) -> bool:
        """Return whether other work is under way beside the window; says so if it is."""
        busy = self._window.background.busy
        if busy:
            self._window.show_message("warning", BUSY)
        return busy

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
