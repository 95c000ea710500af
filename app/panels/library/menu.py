"""A menu of the library: a heading that opens and closes, and its sequences as icons that flow with the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.library.icons import HEIGHT, WIDTH, LibraryIcons
from app.look import style
from app.panels.library.tile import TEXT_HEIGHT, LibraryTile
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.layouts import column_layout
from app.widgets.rows.group_header import GroupHeader
from core.formats.library import LOOSE, Entry, Menu

LEFT, RIGHT, GAP, ROW_GAP, TOP, BOTTOM = 8, 9, 5, 3, 5, 4
WIDEST_GAP = 10
LOOSE_TITLE = "Not in a menu"
MIME = "application/x-sequence-editor-library"


class TileGrid(QWidget):
    """Tiles in rows, as many in one as fit."""

    def __init__(self):
        super().__init__()
        self.tiles: list[LibraryTile] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_tiles(self, tiles: Sequence[LibraryTile]) -> None:
        """Show these tiles, in this order."""
        self.tiles = list(tiles)
        for tile in tiles:
            tile.setParent(self)
            tile.show()
        self.place()

    @property
    def columns(self) -> int:
        """How many tiles stand beside each other."""
        return max(1, (self.width() - LEFT - RIGHT + GAP) // (WIDTH + GAP))

    def place(self) -> None:
        """Put the tiles where they belong."""
        columns, high = self.columns, HEIGHT + TEXT_HEIGHT + ROW_GAP
        room = self.width() - LEFT - RIGHT - columns * WIDTH
        gap = min(max(room / max(columns - 1, 1), GAP), WIDEST_GAP)
        for number, tile in enumerate(self.tiles):
            row, column = divmod(number, columns)
            tile.setGeometry(round(LEFT + column * (WIDTH + gap)), TOP + row * high, WIDTH, HEIGHT + TEXT_HEIGHT)
        rows = -(-len(self.tiles) // columns)
        self.setFixedHeight(TOP + rows * high + BOTTOM if rows else 0)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.place()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(4 * WIDTH, self.height())


class LibraryMenu(Painted):
    """One menu; sequences can be dropped on it.

    Args:
        name: Its name.
        icons: Where pictures come from.
        made: Called with every tile that is made, to connect it.

    Signals:
        toggled(str, bool): It was opened or closed by hand.
        menu_wanted(str, QPoint): A right click on its heading, at a global position.
        dropped(str, Path): A sequence of the library was dropped on it.
    """

    toggled = Signal(str, bool)
    menu_wanted = Signal(str, object)
    dropped = Signal(str, object)

    def __init__(
        self,
        name: str,
        icons: LibraryIcons,
        made: Callable[[LibraryTile], object],
    ):
        super().__init__()
        self.name = name
        self._icons, self._made = icons, made
        self._over = False
        self.tiles: dict[Path, LibraryTile] = {}
        self.header = GroupHeader(name or LOOSE_TITLE)
        self.grid = TileGrid()
        column = column_layout(self)
        column.addWidget(self.header)
        column.addWidget(self.grid)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAcceptDrops(True)
        self.header.clicked.connect(lambda: self.toggled.emit(self.name, self.header.isChecked()))
        self.header.set_body(self.grid)
        self.header.menu_wanted.connect(lambda at: self.menu_wanted.emit(self.name, at))

    def show_menu(self, menu: Menu, entries: Sequence[Entry], is_open: bool) -> None:
        """Show these sequences of a menu, and whether it is open."""
        counted = (
            str(len(menu.entries)) if len(entries) == len(menu.entries) else f"{len(entries)} of {len(menu.entries)}"
        )
        self.header.set_summary(counted)
        self.header.setChecked(is_open)
        self.grid.setVisible(is_open)
        wanted = {entry.path: entry for entry in entries}
        for path in [path for path in self.tiles if path not in wanted]:
            tile = self.tiles.pop(path)
            tile.hide()
            tile.setParent(None)
            tile.deleteLater()
        for path, entry in wanted.items():
            tile = self.tiles.get(path)
            if tile is None:
                tile = self.tiles[path] = LibraryTile(entry, self._icons)
                self._made(tile)
            tile.show_entry(entry)
        self.grid.show_tiles([self.tiles[path] for path in wanted])

    # -- dropping ----------------------------------------------------------------------------------------------------

    @guarded
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        path = carried_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self._show_over(path not in self.tiles)

    @guarded
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_over(False)

    @guarded
    def dropEvent(self, event: QDropEvent) -> None:
        self._show_over(False)
        path = carried_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            if path not in self.tiles and self.name != LOOSE:
                self.dropped.emit(self.name, path)

    def _show_over(self, over: bool) -> None:
        self._over = over and self.name != LOOSE
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._over:
            painter = QPainter(self)
            box = self.rect().toRectF().adjusted(2, self.header.height() + 1, -2, -1)
            fill_round(painter, box, style.color("acc_bg"), style.color("acc_line"))
            painter.end()


def carried_path(data: QMimeData) -> Path | None:
    """Return the sequence of the library that is being dragged, or None if it is something else."""
    if not data.hasFormat(MIME):
        return None
    text = bytes(data.data(MIME).data()).decode("utf-8", "replace")
    return Path(text) if text else None


def carrying(entry: Entry) -> QMimeData:
    """Return what a sequence is while it is dragged: of the library for this program, a file for others."""
    from PySide6.QtCore import QUrl

    data = QMimeData()
    data.setData(MIME, str(entry.path).encode("utf-8"))
    data.setUrls([QUrl.fromLocalFile(str(entry.path))])
    return data


DRAG_ACTIONS = Qt.DropAction.CopyAction
