"""The library panel: sequences in menus, as icons that flip through their key poses (Welman 1993, section 6.1.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QFileSystemWatcher, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QDrag, QDragEnterEvent, QDropEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QMenu, QSizePolicy, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, SessionChanged
from app.document.library_edits import MOTION, POSE, kind_of_keys
from app.library.cache import Icon
from app.library.icons import LibraryIcons
from app.library.places import own_folder
from app.look import icons
from app.panels.library.menu import DRAG_ACTIONS, LOOSE_TITLE, LibraryMenu, carried_path, carrying
from app.panels.library.tile import LibraryTile
from app.process.handler_guard import guarded
from app.widgets.fields.search_box import SearchBox
from app.widgets.frames.dock import Panel
from app.widgets.frames.empty_state import EmptyState
from app.widgets.frames.menu import Item, add_action, make_menu, pop_up
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import hint_label
from app.widgets.layouts import column_layout
from core.formats.library import LOOSE, Entry, Library, Menu

if TYPE_CHECKING:
    from app.document.document import Document


def entry_menu(panel: LibraryPanel, entry: Entry) -> QMenu:
    """Return what can be done with a sequence."""

    def ask(what: str, of: object = entry) -> Callable[[], object]:
        return lambda: panel.wanted.emit(what, of)

    is_open = panel.document.skeleton is not None
    icon = panel.icon_of(entry)
    good = icon is None or not icon.problem
    if icon is not None and icon.about is not None and (kind := kind_of_keys(icon.about.keys)) != MOTION:
        return _part_menu(panel, entry, kind == POSE)
    menu = make_menu(
        panel,
        [
            ("Open for editing", ask("open"), "open"),
            ("Insert at the current frame", ask("insert"), "paste"),
            ("Blend in at the current frame", ask("blend"), ""),
            ("Blend in over what is there", ask("blend_over"), ""),
            ("Add at the end", ask("add"), ""),
            ("Use its sequence with this figure", ask("use"), ""),
            None,
            ("Rename…" if entry.own else "Copy under another name…", ask("rename"), "pencil"),
            ("Duplicate", ask("duplicate"), "copy"),
        ],
    )
    for action in menu.actions()[1:6]:
        action.setEnabled(is_open and good)
    return _with_order(panel, menu, entry)


def _part_menu(panel: LibraryPanel, entry: Entry, pose: bool) -> QMenu:
    """Return what can be done with a pose, or with a figure without a motion."""

    def ask(what: str) -> Callable[[], object]:
        return lambda: panel.wanted.emit(what, entry)

    uses: list[Item] = [("Add beside the others", ask("add_figure"), "plus")]
    if pose:
        uses = [("Apply the pose", ask("apply"), "pose"), ("Apply it flipped", ask("apply_flipped"), "mirror")]
    rename = "Rename…" if entry.own else "Copy under another name…"
    order: list[Item] = [None, (rename, ask("rename"), "pencil"), ("Duplicate", ask("duplicate"), "copy")]
    menu = make_menu(panel, [*uses, ("Open for editing", ask("open"), "open"), *order])
    for action in menu.actions()[: len(uses)]:
        action.setEnabled(panel.document.skeleton is not None)
    return _with_order(panel, menu, entry)


def _with_order(panel: LibraryPanel, menu: QMenu, entry: Entry) -> QMenu:
    """Return a menu with what keeps order in the library."""

    def ask(what: str) -> Callable[[], object]:
        return lambda: panel.wanted.emit(what, entry)

    menu.addMenu(_move_menu(panel, menu, entry))
    add_action(menu, "Show in the file manager", ask("reveal"))
    menu.addSeparator()
    why = "" if entry.own else " (it is in a shared folder)" if entry.shared else " (comes with the program)"
    add_action(menu, f"Move to the trash{why}", ask("remove"), entry.own)
    return menu


def _move_menu(panel: LibraryPanel, parent: QMenu, entry: Entry) -> QMenu:
    menu = QMenu("Move to menu" if entry.own else "Copy to menu", parent)
    for name in panel.menu_names():
        add_action(menu, name, partial(panel.wanted.emit, "move", (entry, name)), name != entry.menu)
    menu.addSeparator()
    add_action(menu, "New menu…", lambda: panel.wanted.emit("move", (entry, None)))
    return menu


def menu_menu(panel: LibraryPanel, name: str) -> QMenu:
    """Return what can be done with a menu of the library."""
    about = panel.menu_named(name)
    if about is not None and about.shared is not None:
        return make_menu(
            panel,
            [
                ("Show in the file manager", lambda: panel.wanted.emit("reveal_menu", name), ""),
                None,
                ("Remove the folder from the library", lambda: panel.wanted.emit("unshare", about.shared), "trash"),
            ],
        )
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
            ("Save the pose…", lambda: panel.wanted.emit("save_pose", ""), "pose"),
            ("Save the figure or prop…", lambda: panel.wanted.emit("save_figure", ""), "cube"),
            ("New menu…", lambda: panel.wanted.emit("new_menu", ""), "folder"),
            ("Add a shared folder…", lambda: panel.wanted.emit("share", ""), "open"),
            None,
            ("Open all menus", lambda: panel.set_all_closed(False), "chevron-down"),
            ("Close all menus", lambda: panel.set_all_closed(True), "chevron-right"),
            None,
            ("Show in the file manager", lambda: panel.wanted.emit("reveal_menu", ""), ""),
        ],
    )
    for action in menu.actions()[:3]:
        action.setEnabled(panel.document.skeleton is not None)
    return menu


EMPTY, NOT_FOUND = "Save a sequence here to reuse it", "No sequence or menu has this name"
CROSS = 20  # room for the cross in the search field, [px]
SETTLE_MS = 150  # a program that writes files triggers this several times


class LibraryPanel(Panel):
    """Menus of icons under a search field.

    What is asked for is done by whoever listens: the panel changes neither files nor the document.

    Signals:
        wanted(str, object): What a person asks for, and of what: ``"open"``, ``"insert"``, ``"blend"``,
            ``"blend_over"``, ``"add"``, ``"use"``, ``"rename"``, ``"duplicate"``, ``"remove"``, ``"reveal"`` of an
            ``Entry``; ``"move"`` of (``Entry``, menu or None for a new one); ``"save"`` into a menu's name or "";
            ``"new_menu"``, ``"rename_menu"``, ``"remove_menu"``, ``"reveal_menu"`` of a menu's name.
        closed_changed(): A menu was opened or closed.
    """

    title = "Sequence library"
    icon = "library"
    area = "right"
    stretch = 2

    wanted = Signal(str, object)
    closed_changed = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.library = Library(own_folder())
        self.icons = LibraryIcons(document, parent=self)
        self.menus: dict[str, LibraryMenu] = {}
        self._known: tuple[Menu, ...] = ()
        self._closed: set[str] = set()
        self._focused: Path | None = None
        self._build()
        self.setAcceptDrops(True)
        self._watcher = QFileSystemWatcher(self)
        self._late = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._late.timeout.connect(self.rescan)
        self._watcher.directoryChanged.connect(lambda _path: self._late.start())
        self.icons.ready.connect(self._icon_came)
        document.changed.connect(self._on_change)
        self.rescan()

    def _build(self) -> None:
        column = column_layout(self)
        self.search = SearchBox("Find a sequence")
        self.search.field.textChanged.connect(lambda _text: self._show())
        self.search.escaped.connect(self._end_search)
        self._lens = self.search.field.addAction(icons.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.count = hint_label(parent=self.search)
        self.count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.scroll_area = OverlayScrollArea()
        self.scroll_area.setAccessibleName("Sequences")
        self.column = QWidget()
        self._layout = column_layout(self.column, (0, 0, 0, 4), 1)
        self._layout.addStretch(1)
        self.scroll_area.setWidget(self.column)
        self.scroll_area.setWidgetResizable(True)
        self.empty = EmptyState(EMPTY, "library")
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        for part in (self.search, self.scroll_area, self.empty):
            column.addWidget(part, 0 if part is self.search else 1)
        self._add_button = ToolButton("plus", "", "Save to library", size=(26, 24))
        self._add_button.clicked.connect(lambda: self.wanted.emit("save", ""))
        self._more_button = ToolButton("more", "", "More for the library", size=(26, 24))
        self._more_button.clicked.connect(self._more)

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._add_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        return next(
            (tile for tile in self.tiles() if tile.focusPolicy() == Qt.FocusPolicy.StrongFocus), self.search.field
        )

    @property
    def chosen(self) -> LibraryTile | None:
        """The icon that had the keyboard last, or the pointer; None before any had."""
        return None if self._focused is None else self.tile(self._focused)

    # -- following disk and document ---------------------------------------------------------------------------------

    def rescan(self) -> None:
        """Look what is in the folders now."""
        known = self.library.menus()
        self._watch()
        if known != self._known:
            self._known = known
            self._show()
        self._light()

    def _watch(self) -> None:
        folders = {str(folder) for folder in self.library.folders()}
        watched = set(self._watcher.directories())
        if gone := watched - folders:
            self._watcher.removePaths(sorted(gone))
        if come := folders - watched:
            self._watcher.addPaths(sorted(come))

    def _on_change(self, change: Change) -> None:
        if isinstance(change, FileChanged):
            if change.name == "saved":
                self.rescan()  # it may be one of these: its icon is another now
            elif change.name == "opened":
                self._light()
        elif isinstance(change, FigureChanged):
            self._add_button.setEnabled(self.document.skeleton is not None)
        elif isinstance(change, SessionChanged) and change.name == "reduced_motion":
            for tile in self.tiles():
                tile.set_reduced_motion(self.document.session.view.reduced_motion)

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self.isVisible():
            self._late.start()  # coming back from a file manager

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.rescan()

    def theme_changed(self) -> None:
        self._lens.setIcon(icons.icon("search"))

    def _icon_came(self, path: Path) -> None:
        for menu in self.menus.values():
            if path in menu.tiles:
                menu.tiles[path].icon_came()

    # -- showing -----------------------------------------------------------------------------------------------------

    @property
    def closed(self) -> tuple[str, ...]:
        """Names of the menus that are closed."""
        return tuple(sorted(self._closed))

    def set_closed(self, names: Sequence[str]) -> None:
        """Close these menus and open the others."""
        self._closed = set(names)
        self._show()

    def _found(self) -> list[tuple[Menu, tuple[Entry, ...]]]:
        """Return the menus to be shown with those of their sequences that were searched for.

        Each word is looked for in a sequence's name, or is a whole word of its menu's: "walk" does not find all that
        stands under "Walks and runs". Only where that finds nothing will a part of the menu's name do.
        """
        words = self.search.field.text().casefold().split()
        if not words:
            return [(menu, menu.entries) for menu in self._known]
        for parts in (False, True):
            found = []
            for menu in self._known:
                whole = (menu.name or LOOSE_TITLE).casefold()
                wanted = [word for word in words if word not in (whole if parts else whole.split())]
                entries = tuple(e for e in menu.entries if all(word in e.title.casefold() for word in wanted))
                if entries or not wanted:
                    found.append((menu, entries))
            if found:
                break
        return found

    def _show(self) -> None:
        searching = bool(self.search.field.text().strip())
        found = self._found()
        for name in [name for name in self.menus if name not in {menu.name for menu, _ in found}]:
            gone = self.menus.pop(name)
            gone.hide()
            gone.setParent(None)
            gone.deleteLater()
        for place, (menu, entries) in enumerate(found):
            shown = self.menus.get(menu.name)
            if shown is None:
                shown = self.menus[menu.name] = LibraryMenu(menu.name, self.icons, self._connect_tile)
                shown.toggled.connect(self._toggle)
                shown.menu_wanted.connect(self._pop_up_menu)
                shown.dropped.connect(self._drop)
            if self._layout.indexOf(shown) != place:
                self._layout.removeWidget(shown)
                self._layout.insertWidget(place, shown)
            shown.show_menu(menu, entries, searching or menu.name not in self._closed)
            shown.show()
        number = sum(len(entries) for _, entries in found)
        whole = sum(len(menu.entries) for menu in self._known)
        self.count.setText(f"{number} of {whole}" if searching else str(whole))
        self._place_count()
        self.empty.set_text(NOT_FOUND if searching else EMPTY)
        self.empty.setVisible(not found)
        self.scroll_area.setVisible(bool(found))
        self._order_focus()
        self._light()

    def _place_count(self) -> None:
        field = self.search.field
        self.count.adjustSize()
        cross = CROSS if field.text() else 0  # what empties the field stands at its end then
        self.count.move(field.geometry().right() - self.count.width() - 7 - cross, field.y() + 1)
        self.count.resize(self.count.width(), field.height() - 2)
        self.count.raise_()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._place_count)

    def _light(self) -> None:
        """Light the sequence that is being edited."""
        origin = self.document.files.origin
        for tile in self.tiles():
            tile.set_loaded(origin is not None and tile.entry.path == origin)

    def _toggle(self, name: str, is_open: bool) -> None:
        if self.search.field.text().strip():
            return  # what is opened and closed among findings is for this search only
        self._closed = self._closed - {name} if is_open else self._closed | {name}
        self._order_focus()
        self.closed_changed.emit()

    def _end_search(self) -> None:
        if self.search.field.text():
            self.search.field.clear()
        else:
            self.give_focus_back()

    # -- tiles -------------------------------------------------------------------------------------------------------

    def tiles(self) -> list[LibraryTile]:
        """Return the icons of all menus, from top to bottom."""
        order = sorted(self.menus.values(), key=lambda menu: self._layout.indexOf(menu))
        return [tile for menu in order for tile in menu.grid.tiles]

    def tile(self, path: Path) -> LibraryTile | None:
        """Return the icon of a file."""
        return next((tile for tile in self.tiles() if tile.entry.path == path), None)

    def icon_of(self, entry: Entry) -> Icon | None:
        """Return the icon of a sequence as far as it is there."""
        return self.icons.icon(entry, self.devicePixelRatioF())

    def _connect_tile(self, tile: LibraryTile) -> None:
        tile.set_reduced_motion(self.document.session.view.reduced_motion)
        tile.opened.connect(lambda entry: self.wanted.emit("activate", entry))
        tile.removed.connect(lambda entry: self.wanted.emit("remove", entry))
        tile.stepped.connect(lambda direction, tile=tile: self._step(tile, direction))
        tile.menu_wanted.connect(lambda entry, at: pop_up(entry_menu(self, entry), at))
        tile.dragged.connect(lambda entry, tile=tile: self._drag(tile, entry))
        tile.entered.connect(self._enter)

    def _enter(self, entry: Entry, inside: bool) -> None:
        if inside:
            self._focused = entry.path
            tile = self.tile(entry.path)
            if tile is not None and tile.focus_ring:
                self._order_focus()
                self.scroll_area.ensureWidgetVisible(tile, 0, 6)

    def _order_focus(self) -> None:
        """Make one icon the stop for Tab: the one that was there last, else the first; arrows go on from it."""
        shown = [tile for tile in self.tiles() if (group := tile.parentWidget()) is not None and not group.isHidden()]
        stop = next((tile for tile in shown if tile.entry.path == self._focused), shown[0] if shown else None)
        for tile in self.tiles():
            tile.setFocusPolicy(Qt.FocusPolicy.StrongFocus if tile is stop else Qt.FocusPolicy.ClickFocus)

    def _step(self, tile: LibraryTile, direction: str) -> None:
        """Give the keyboard to the icon beside one."""
        shown = [each for each in self.tiles() if each.isVisibleTo(self.column)]
        at = shown.index(tile)
        if direction in ("up", "down"):
            target = self._above_or_below(shown, tile, 1 if direction == "down" else -1)
        else:
            steps = {"left": at - 1, "right": at + 1, "first": 0, "last": len(shown) - 1}
            target = shown[min(max(steps[direction], 0), len(shown) - 1)]
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _above_or_below(self, shown: Sequence[LibraryTile], tile: LibraryTile, direction: int) -> LibraryTile:
        """Return the icon of the next row up or down that is nearest."""

        def place(each: LibraryTile) -> tuple[int, int]:
            at = each.mapTo(self.column, each.rect().center())
            return at.y(), at.x()

        y, x = place(tile)
        beyond = [each for each in shown if (place(each)[0] - y) * direction > 0]
        if not beyond:
            return tile
        row = min((place(each)[0] for each in beyond), key=lambda other: abs(other - y))
        return min((each for each in beyond if place(each)[0] == row), key=lambda each: abs(place(each)[1] - x))

    def _drag(self, tile: LibraryTile, entry: Entry) -> None:
        drag = QDrag(tile)
        drag.setMimeData(carrying(entry))
        picture = tile.picture()
        if picture is not None and picture.about is not None and picture.pictures:
            still = picture.pictures[picture.about.still]
            if still is not None:
                drag.setPixmap(QPixmap.fromImage(still))
        drag.exec(DRAG_ACTIONS)

    def _drop(self, menu: str, path: Path) -> None:
        entry = self.library.entry(path)
        about = self.menu_named(menu)
        if entry is not None and about is not None and about.shared is None:
            self.wanted.emit("move", (entry, menu))

    @guarded
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take what is let go beside the menus, and do nothing with it: the window would insert it."""
        if carried_path(event.mimeData()) is not None:
            event.acceptProposedAction()

    @guarded
    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()

    def reveal(self, path: Path) -> None:
        """Bring the icon of a file into sight, its menu opened, and give it the keyboard."""
        self.rescan()
        entry = self.library.entry(path)
        if entry is None:
            return
        if self.search.field.text():
            self.search.field.clear()
        if entry.menu in self._closed:
            self._closed.discard(entry.menu)
            self._show()
            self.closed_changed.emit()
        tile = self.tile(path)
        if tile is not None:
            # A new menu makes the column longer: the scroll area has to know before it can go there.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            self.scroll_area.ensureWidgetVisible(tile, 0, 6)
            self._focused = path
            self._order_focus()

    def _pop_up_menu(self, name: str, at: QPoint) -> None:
        pop_up(panel_menu(self) if name == LOOSE else menu_menu(self, name), at)

    def _more(self) -> None:
        pop_up(panel_menu(self), self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))

    def menu_names(self) -> tuple[str, ...]:
        """Return the names of all menus there are that something can be saved to."""
        return tuple(menu.name for menu in self._known if menu.name != LOOSE and menu.shared is None)

    def entry(self, path: Path) -> Entry | None:
        """Return the sequence whose file lies at a path as it was seen last, without a look at the disk; or None."""
        return next((entry for menu in self._known for entry in menu.entries if entry.path == path), None)

    def menu_named(self, name: str) -> Menu | None:
        """Return a menu."""
        return next((menu for menu in self._known if menu.name == name), None)

    def set_all_closed(self, closed: bool) -> None:
        """Close all menus, or open them."""
        self.set_closed([menu.name for menu in self._known] if closed else ())
        self.closed_changed.emit()
