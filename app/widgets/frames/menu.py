"""Menus from a list of what they offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.look import icons

SHORTCUT_GAP = 20

Item = tuple[str, Callable[[], object], str] | None



class ActionsByName(Protocol):
    """The actions of a window, by their names in the key map."""

    def __getitem__(self, name: str, /) -> QAction:
        """Return an action."""


def make_menu(parent: QWidget, items: Sequence[Item]) -> QMenu:
    """Return a menu: (text, what to do, icon or "") each, None for a line between."""
    menu = QMenu(parent)
    for item in items:
        if item is None:
            menu.addSeparator()
            continue
        text, do, icon = item
        action = QAction(text, menu)
        if icon:
            action.setIcon(icons.icon(icon))
        action.triggered.connect(lambda _=False, do=do: do())
        menu.addAction(action)
    return menu


def space_shortcuts(menu: QMenu) -> None:
    """Give a menu room between texts and shortcuts; Qt sets them close."""
    if any(not action.shortcut().isEmpty() for action in menu.actions()):
        menu.setMinimumWidth(0)
        QApplication.sendEvent(menu, QEvent(QEvent.Type.FontChange))  # else it keeps the rows as wide as they were
        menu.setMinimumWidth(menu.sizeHint().width() + SHORTCUT_GAP)


def pop_up(menu: QMenu, at: QPoint) -> None:
    """Open a menu at a place on the screen; it is gone when closed."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(at)
