"""Menus from a list of what they offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.look import icons

SHORTCUT_GAP = 20

Item = tuple[str, Callable[[], object], str] | None


def add_action(
    menu: QMenu,
    text: str,
    do: Callable[[], object],
    possible: bool = True,
    icon: str = "",
    checked: bool | None = None,
    group: QActionGroup | None = None,
) -> QAction:
    """Add an entry to a menu; with ``checked`` it has a check mark, one of several in a ``group``."""
    action = menu.addAction(text)
    action.setEnabled(possible)
    if icon:
        action.setIcon(icons.icon(icon))
    if checked is not None:
        action.setCheckable(True)
        action.setChecked(checked)
    if group is not None:
        group.addAction(action)
    action.triggered.connect(lambda _=False: do())
    return action


def make_menu(parent: QWidget, items: Sequence[Item]) -> QMenu:
    """Return a menu: (text, what to do, icon or "") each, None for a line between."""
    menu = QMenu(parent)
    for item in items:
        if item is None:
            menu.addSeparator()
            continue
        text, do, icon = item
        add_action(menu, text, do, icon=icon)
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
