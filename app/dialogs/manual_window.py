"""The manual on screen: a page a task, a search over all of them, links from one to another."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QImage, QKeyEvent, QPalette, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.layouts import row_layout
from app.words.keys_now import in_text

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "manual"
FIRST = "README.md"
MARGIN = 24
_LINK = re.compile(r"\]\(([\w-]+\.md)\)")
_FILE = Qt.ItemDataRole.UserRole


@lru_cache(maxsize=1)
def pages() -> tuple[str, ...]:
    """Return the files of the manual, the first page first, then in the order in which it links them."""
    first = (FOLDER / FIRST).read_text(encoding="utf-8")
    return (FIRST, *dict.fromkeys(_LINK.findall(first)))


@lru_cache(maxsize=32)
def text_of(page: str) -> str:
    """Return a page as it is written."""
    return (FOLDER / page).read_text(encoding="utf-8")


def title_of(page: str) -> str:
    """Return the title of a page."""
    return text_of(page).partition("\n")[0].lstrip("# ")


def found(words: list[str]) -> list[str]:
    """Return the pages that hold every word, those with one in the title first."""
    lower = [word.casefold() for word in words]
    hits = [page for page in pages() if all(word in text_of(page).casefold() for word in lower)]
    return sorted(hits, key=lambda page: not any(word in title_of(page).casefold() for word in lower))


class Page(QTextBrowser):
    """A page with its pictures, which are never wider than it is, and with the keys that hold now."""

    @guarded
    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        if kind == QTextDocument.ResourceType.MarkdownResource.value:
            return in_text(text_of(QUrl(name).fileName()))
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        picture = QImage(str(FOLDER / QUrl(name).path()))
        room = self.width() - 2 * MARGIN - self.verticalScrollBar().sizeHint().width()
        picture.setDevicePixelRatio(max(1.0, picture.width() / max(room, 1)))
        return picture


class ManualWindow(QWidget):
    """The manual in a window of its own, which stays beside the editor until it is closed, by Esc too."""

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle("Manual")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 680)
        self.setMinimumSize(480, 320)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search the manual")
        self.search.setAccessibleName("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName("Pages")
        self.nothing = QLabel("No page contains these words")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.nothing.hide()
        self.page = Page()
        self.page.setAccessibleName("Page")
        self.page.setOpenExternalLinks(True)
        self.page.setSearchPaths([str(FOLDER)])
        self.page.document().setDocumentMargin(MARGIN)
        side = QVBoxLayout()
        side.setSpacing(8)
        for part in (self.search, self.list, self.nothing):
            side.addWidget(part)
            part.setFixedWidth(236)
        row = row_layout(self, (12, 12, 12, 12), 12)
        row.addLayout(side)
        row.addWidget(self.page, 1)
        self.search.textChanged.connect(lambda _text: self._find())
        self.search.returnPressed.connect(self.page.setFocus)
        self.list.currentItemChanged.connect(lambda item, _before: self._choose(item))
        self.page.sourceChanged.connect(lambda _url: self._follow(), Qt.ConnectionType.QueuedConnection)
        self._color_links()
        self._find()
        self.show_page(FIRST)
        self.search.setFocus()

    @property
    def shown(self) -> str:
        """File of the page that is shown."""
        return self.page.source().fileName()

    def show_page(self, page: str) -> None:
        """Show a page of the manual."""
        self.page.setSource(QUrl(page), QTextDocument.ResourceType.MarkdownResource)
        self._follow()

    def keys_changed(self) -> None:
        """Show other keys: somebody has changed the key map."""
        if self.shown:
            self.page.reload()

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(_FILE) != self.shown:
            self.show_page(item.data(_FILE))

    def _find(self) -> None:
        """List the pages that have what is searched for, and show the first unless one of them is shown."""
        words, now = self.search.text().split(), self.shown
        hits = found(words) if words else list(pages())
        self.list.blockSignals(True)
        self.list.clear()
        for page in hits:
            item = QListWidgetItem(title_of(page))
            item.setData(_FILE, page)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(hits))
        self.nothing.setVisible(not hits)
        if hits and now and now not in hits:
            self.show_page(hits[0])
        self._follow()

    def _follow(self) -> None:
        """Mark the shown page in the list, and what is searched for in the page."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_FILE) == self.shown and self.list.currentRow() != row:
                self.list.setCurrentRow(row)
        lit = QTextCharFormat()
        lit.setBackground(style.color("acc_bg"))
        lit.setForeground(style.color("text"))
        marks: list[QTextEdit.ExtraSelection] = []
        for word in self.search.text().split():
            cursor = self.page.document().find(word)
            while not cursor.isNull():
                mark = QTextEdit.ExtraSelection()
                mark.cursor, mark.format = cursor, lit
                marks.append(mark)
                cursor = self.page.document().find(word, cursor)
        self.page.setExtraSelections(marks)
        if marks:
            self.page.setTextCursor(marks[0].cursor)
            cursor = self.page.textCursor()
            cursor.clearSelection()
            self.page.setTextCursor(cursor)
            self.page.ensureCursorVisible()

    def _color_links(self) -> None:
        palette = self.page.palette()
        palette.setColor(QPalette.ColorRole.Link, style.color("accent"))
        self.page.setPalette(palette)

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "page"):
            self._color_links()
            if self.shown:
                self.page.reload()
