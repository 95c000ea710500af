"""The menus of the window: room for shortcuts, and the same at every opening."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.frames.menu import SHORTCUT_GAP, space_shortcuts
from app.window.menus import MENUS


def test_a_menu_is_as_wide_at_every_opening(window):
    menu = window.menu._menus["Figure"]
    widths = set()
    for _ in range(3):
        menu.popup(window.mapToGlobal(menu.pos()))
        QApplication.processEvents()
        widths.add(menu.width())
        menu.hide()
        QApplication.processEvents()
    assert len(widths) == 1


def test_a_menu_follows_its_texts_both_ways(window):
    menu = QMenu(window)
    action = menu.addAction("Undo")
    action.setShortcut("Ctrl+Shift+Z")
    natural = menu.sizeHint().width()
    space_shortcuts(menu)
    assert menu.minimumWidth() == natural + SHORTCUT_GAP
    action.setText("Undo turning the right upper arm by far")
    space_shortcuts(menu)
    assert menu.minimumWidth() > natural + 2 * SHORTCUT_GAP
    action.setText("Undo")
    space_shortcuts(menu)
    assert menu.minimumWidth() == natural + SHORTCUT_GAP


def test_every_menu_is_lower_than_a_small_screen(window):
    for title in MENUS:
        menu = window.menu._menus[title]
        menu.aboutToShow.emit()
        assert menu.sizeHint().height() < 680, title
