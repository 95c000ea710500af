"""A row of tabs: titles side by side, the one that is shown underlined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.frames.dock import Tab
from app.widgets.frames.menu import add_action
from app.widgets.frames.tool_button import MenuButton
from app.widgets.layouts import layout_of, row_layout

GAP = 16


class TabRow(Painted):
    """A choice of what is shown beneath. A click or the arrow keys choose; Tab reaches the chosen one only.

    Where there is no room for all titles side by side, one button shows the chosen one and opens a menu of them.

    Args:
        titles: ``(key, title)`` each.
        name: What is chosen, for assistive tools.

    Signals:
        chosen(str): A tab was chosen by hand: its key.
    """

    chosen = Signal(str)

    def __init__(self, titles: Sequence[tuple[str, str]], name: str = ""):
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = row_layout(self, spacing=GAP)
        self._tabs: dict[str, Tab] = {}
        for key, title in titles:
            tab = self._tabs[key] = Tab(title, self)
            tab.setAccessibleDescription(name)
            tab.installEventFilter(self)
            tab.clicked.connect(lambda _=False, key=key: self._choose(key))
            row.addWidget(tab)
        self.button = MenuButton(titles[0][1], name, self)
        self.button.setMenu(self._make_menu(titles))
        self.button.hide()
        row.addWidget(self.button)
        self.set_current(titles[0][0])

    def _make_menu(self, titles: Sequence[tuple[str, str]]) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        self._actions: dict[str, QAction] = {}
        for key, title in titles:
            self._actions[key] = add_action(menu, title, partial(self._choose, key), checked=False, group=group)
        return menu

    def set_folded(self, folded: bool) -> None:
        """Show the chosen title alone, on a button with a menu of all; or all side by side."""
        for tab in self._tabs.values():
            tab.setHidden(folded)
        self.button.setHidden(not folded)
        layout_of(self).invalidate()  # at once: whoever asked wants to know what that saves
        self.updateGeometry()

    @property
    def current(self) -> str:
        """Key of the tab that is shown."""
        return next(key for key, tab in self._tabs.items() if tab.isChecked())

    def tab(self, key: str) -> Tab:
        """Return a tab's button."""
        return self._tabs[key]

    def set_current(self, key: str) -> None:
        """Mark a tab as the one shown; nothing is emitted."""
        self._tabs[key].setChecked(True)
        self._actions[key].setChecked(True)
        self.button.set_label(self._tabs[key].text())
        for each in self._tabs.values():
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus if each.isChecked() else Qt.FocusPolicy.NoFocus)

    def _choose(self, key: str) -> None:
        self.set_current(key)
        self.chosen.emit(key)

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.type() not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) or not isinstance(event, QKeyEvent):
            return False
        if event.key() not in steps or not is_plain(event):
            return False
        if event.type() == QEvent.Type.KeyPress:
            keys = list(self._tabs)
            key = keys[(keys.index(self.current) + steps[Qt.Key(event.key())]) % len(keys)]
            self._choose(key)
            self._tabs[key].setFocus(Qt.FocusReason.OtherFocusReason)
        event.accept()
        return True
