"""A row of tabs: titles side by side, the one that is shown underlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy

from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.frames.dock import Tab
from app.widgets.layouts import row_layout

GAP = 16


class TabRow(Painted):
    """A choice of what is shown beneath. A click or the arrow keys choose; Tab reaches the chosen one only.

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
        self.set_current(titles[0][0])

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
