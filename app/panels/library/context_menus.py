"""The context menus of the library panel: of a sequence, of a menu, and of the panel itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from app.widgets.frames.menu import Item, make_menu
from core.formats.library import Entry

if TYPE_CHECKING:
    from app.panels.library.panel import LibraryPanel


def entry_menu(panel: LibraryPanel, entry: Entry) -> QMenu:
    """Return what can be done with a sequence."""

    def ask(what: str, of: object = entry) -> Callable[[], object]:
        return lambda: panel.wanted.emit(what, of)

    is_open = panel.document.skeleton is not None
    icon = panel.icons.icon(entry, panel.devicePixelRatioF())
    good = icon is None or not icon.problem
    menu = make_menu(
        panel,
        [
            ("Open for editing", ask("open"), "open"),
            ("Insert at the playhead", ask("insert"), "paste"),
            ("Use its sequence with this figure", ask("use"), ""),
            None,
            ("Rename…" if entry.own else "Copy under another name…", ask("rename"), "pencil"),
            ("Duplicate", ask("duplicate"), "copy"),
        ],
    )
    for action in menu.actions()[1:3]:
        action.setEnabled(is_open and good)
    menu.addMenu(_move_menu(panel, menu, entry))
    menu.addAction("Show in the file manager").triggered.connect(ask("reveal"))
    menu.addSeparator()
    remove = menu.addAction("Move to the trash")
    remove.triggered.connect(ask("remove"))
    remove.setEnabled(entry.own)
    if not entry.own:
        remove.setText("Move to the trash (comes with the program)")
    return menu


def _move_menu(panel: LibraryPanel, parent: QMenu, entry: Entry) -> QMenu:
    menu = QMenu("Move to menu" if entry.own else "Copy to menu", parent)
    for name in panel.menu_names():
        action = menu.addAction(name)
        action.setEnabled(name != entry.menu)
        action.triggered.connect(lambda _=False, name=name: panel.wanted.emit("move", (entry, name)))
    menu.addSeparator()
    menu.addAction("New menu…").triggered.connect(lambda: panel.wanted.emit("move", (entry, None)))
    return menu


def menu_menu(panel: LibraryPanel, name: str) -> QMenu:
    """Return what can be done with a menu of the library."""
    about = panel.menu_named(name)
    own = about is not None and about.own
    renamable = own and about is not None and not about.bundled
    items: list[Item] = [
        (f"Save to {name}…", lambda: panel.wanted.emit("save", name), "plus"),
        ("New menu…", lambda: panel.wanted.emit("new_menu", name), "folder"),
        None,
        ("Rename menu…", lambda: panel.wanted.emit("rename_menu", name), "pencil"),
        ("Show in the file manager", lambda: panel.wanted.emit("reveal_menu", name), ""),
        None,
        ("Remove menu", lambda: panel.wanted.emit("remove_menu", name), "trash"),
    ]
    menu = make_menu(panel, items)
    save, _, _, rename, _, _, remove = menu.actions()
    save.setEnabled(panel.document.skeleton is not None)
    rename.setEnabled(renamable)
    remove.setEnabled(renamable and about is not None and not about.entries)
    return menu


def panel_menu(panel: LibraryPanel) -> QMenu:
    """Return what can be done with the library as a whole."""
    menu = make_menu(
        panel,
        [
            ("Save to library…", lambda: panel.wanted.emit("save", ""), "plus"),
            ("New menu…", lambda: panel.wanted.emit("new_menu", ""), "folder"),
            None,
            ("Open all menus", lambda: panel.set_all_closed(False), "chevron-down"),
            ("Close all menus", lambda: panel.set_all_closed(True), "chevron-right"),
            None,
            ("Show in the file manager", lambda: panel.wanted.emit("reveal_menu", ""), ""),
        ],
    )
    menu.actions()[0].setEnabled(panel.document.skeleton is not None)
    return menu
