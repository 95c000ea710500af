"""What the empty work area shows: figures, sample motions, scenes and recent files to begin with, as pictures."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPushButton, QScrollArea, QWidget

from app.library.gallery_items import Item
from app.library.gallery_tile import SIZE, GalleryTile
from app.library.icons import LibraryIcons
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.layouts import column_layout, row_layout
from core.formats import FORMATS

PICTURES_MS = 250
"""The window is drawn and answers for so long before the first picture is asked for."""
GAP, SIDE, HEADING = 12, 20, 30


def drop_hint() -> str:
    """Return what may be dropped: ``or drop a .seq, .scr, ... or .asf file here``."""
    *suffixes, last = (suffix for known in FORMATS for suffix in known.suffixes)
    return f"or drop a {', '.join(suffixes)} or {last} file here"


def _nearest_first(items: tuple[Item, ...], words: list[str]) -> list[Item]:
    """Return what is found by words, the names nearest to them first, section by section."""
    found = [item for item in items if item.matches(words)]
    if not words:
        return found
    typed = " ".join(words)
    order: dict[str, int] = {}  # how near the nearest of a section is
    for item in found:
        order[item.section] = min(order.get(item.section, 2), item.distance(typed))
    sections = sorted(order, key=lambda section: order[section])
    return sorted(found, key=lambda item: (sections.index(item.section), item.distance(typed)))


class _Ground(Painted):
    """The tiles under their headings, as many in a row as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self.tiles: list[GalleryTile] = []
        self._headings: list[tuple[str, int]] = []
        self.columns = 1

    def arrange(self, width: int, bar: int = 0) -> None:
        """Put the tiles that are shown where they belong, in a width; a scroll bar of so many px follows on it."""
        room = width + bar - 2 * SIDE + GAP
        self.columns = max(1, room // (SIZE.width() + GAP))
        wide = room // self.columns - GAP  # a row fills the width
        self._headings = []
        y = column = 0
        section = None
        for tile in self.tiles:
            if tile.item.section != section:
                if section is not None:
                    y += SIZE.height() + GAP
                section, column = tile.item.section, 0
                self._headings.append((section, y))
                y += HEADING
            elif column == self.columns:
                column = 0
                y += SIZE.height() + GAP
            tile.setGeometry(SIDE + column * (wide + GAP), y, wide, SIZE.height())
            column += 1
        self.setFixedSize(width, y + SIZE.height() + GAP if self.tiles else HEADING)
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), style.color("panel"))
        painter.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        painter.setPen(style.color("text2"))
        for text, y in self._headings:
            painter.drawText(QRectF(SIDE, y, self.width(), HEADING - 4), Qt.AlignmentFlag.AlignVCenter, text)
        if not self.tiles:
            painter.drawText(QRectF(SIDE, 0, self.width(), HEADING), Qt.AlignmentFlag.AlignVCenter, "Nothing found")
        painter.end()


class Gallery(Painted):
    """Pictures to begin with, a search field and a button that opens any other file.

    Nothing is read or drawn before the gallery has been on screen for a moment, and then one picture at a time while
    nothing else happens; the pictures are kept on the disk.

    Args:
        pictures: Draws and keeps the pictures.
        parent: Parent widget.

    Signals:
        chosen(Item): What to open.
        open_requested(): "Open file…" was clicked.
        wanted(): It is on screen; what it offers is to be looked up.
    """

    wanted = Signal()
    chosen = Signal(object)
    open_requested = Signal()

    def __init__(self, pictures: LibraryIcons, parent: QWidget | None = None):
        super().__init__(parent)
        self.pictures = pictures
        self._items: tuple[Item, ...] = ()
        self._tiles: dict[Item, GalleryTile] = {}
        self.setObjectName("gallery")
        self.setAccessibleName("Gallery: what to start with")
        self.title = QLabel("Start with…")
        self.title.setFont(fonts.font(17, fonts.SEMIBOLD))
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search figures and motions")
        self.search.setAccessibleName("Search figures and motions")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(260)
        self._lens = self.search.addAction(icons.icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.open_button = QPushButton("Open file…")
        self.open_button.setProperty("primary", True)
        self.open_button.setToolTip(f"Open a file (Ctrl+O), {drop_hint()}")
        self.ground = _Ground()
        self.scroll_area = QScrollArea()
        self.scroll_area.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll_area.setWidget(self.ground)
        self.hint = QLabel(drop_hint()[:1].upper() + drop_hint()[1:])
        self.hint.setFont(fonts.font(fonts.SECONDARY))
        head = row_layout(margins=(SIDE, 14, SIDE, 10), spacing=12)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.search, 2)
        head.addWidget(self.open_button)
        column = column_layout(self, (1, 1, 1, 1))
        column.addLayout(head)
        column.addWidget(self.scroll_area, 1)
        self.hint.setContentsMargins(SIDE, 6, SIDE, 8)
        column.addWidget(self.hint)
        self._later = QTimer(self, singleShot=True, interval=PICTURES_MS)
        self._later.timeout.connect(self._let_draw)
        self._drawing = False
        self.search.textChanged.connect(lambda _text: self._show_found())
        self.search.returnPressed.connect(self._open_first)
        self.search.installEventFilter(self)
        self.open_button.clicked.connect(self.open_requested)
        pictures.ready.connect(self._picture_came)
        self.theme_changed()

    # -- what it shows -----------------------------------------------------------------------------------------------

    def show_items(self, items: tuple[Item, ...]) -> None:
        """Show other values to begin with."""
        if items == self._items:
            return
        gone = set(self._tiles) - set(items)
        for item in gone:
            self._tiles.pop(item).deleteLater()
        self._items = items
        for item in items:
            if item not in self._tiles:
                self._tiles[item] = self._tile(item)
        self._show_found()

    def _tile(self, item: Item) -> GalleryTile:
        tile = GalleryTile(item, self.pictures, self.ground)
        tile.hide()
        tile.clicked.connect(lambda _=False, item=item: self.chosen.emit(item))
        tile.stepped.connect(lambda direction, tile=tile: self._step(tile, direction))
        return tile

    @property
    def shown(self) -> list[GalleryTile]:
        """The tiles that the search leaves."""
        return self.ground.tiles

    def _show_found(self) -> None:
        words = self.search.text().split()
        self.ground.tiles = [self._tiles[item] for item in _nearest_first(self._items, words)]
        seen = set(self.ground.tiles)
        for number, tile in enumerate(self.ground.tiles):
            tile.set_first(bool(words) and number == 0)
        for tile in self._tiles.values():
            tile.setVisible(tile in seen)
        before: QWidget = self.open_button
        for tile in self.ground.tiles:
            QWidget.setTabOrder(before, tile)
            before = tile
        self._arrange()

    def _arrange(self) -> None:
        room = self.scroll_area.viewport().width()
        self.ground.arrange(room, self.scroll_area.width() - room)

    def _picture_came(self, path: object) -> None:
        for tile in self._tiles.values():
            if tile.item.entry.path == path:
                tile.picture_came()

    def begin(self) -> None:
        """Give the keyboard to the search field: type a name, Enter opens the first that is found."""
        self.search.clear()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- life --------------------------------------------------------------------------------------------------------

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self.wanted.emit)  # the window is drawn first
        self._later.start()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._later.stop()
        self.pictures.rest(True)

    def _let_draw(self) -> None:
        self.pictures.rest(False)
        for tile in self._tiles.values():
            tile.update()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < 640
        self.title.setVisible(not narrow)
        self.hint.setVisible(self.height() > 260)
        QTimer.singleShot(0, self, self._arrange)

    def theme_changed(self) -> None:
        self._lens.setIcon(icons.icon("search"))
        for label, token in ((self.title, "text"), (self.hint, "text3")):
            label.setStyleSheet(f"color: {style.color(token).name()};")

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(824, 564)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, self.rect().toRectF(), style.color("panel"))
        painter.end()

    # -- keyboard ----------------------------------------------------------------------------------------------------

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Down and self.shown:
                self._go(self.shown[0])
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return False

    def _open_first(self) -> None:
        if self.search.text().strip() and self.shown:
            self.chosen.emit(self.shown[0].item)

    def _go(self, tile: GalleryTile) -> None:
        tile.setFocus(Qt.FocusReason.OtherFocusReason)
        self.scroll_area.ensureWidgetVisible(tile, 0, HEADING + GAP)

    def _step(self, tile: GalleryTile, direction: str) -> None:
        """Go from a tile to the one beside it; up from the first row to the search field."""
        shown = self.shown
        at = shown.index(tile)
        if direction in ("left", "right", "first", "last"):
            to = {"left": at - 1, "right": at + 1, "first": 0, "last": len(shown) - 1}[direction]
            self._go(shown[min(max(to, 0), len(shown) - 1)])
            return
        up = direction == "up"
        others = [each for each in shown if (each.y() < tile.y() if up else each.y() > tile.y())]
        if not others:
            if up:
                self.search.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        row = max(each.y() for each in others) if up else min(each.y() for each in others)
        self._go(min((each for each in others if each.y() == row), key=lambda each: abs(each.x() - tile.x())))
