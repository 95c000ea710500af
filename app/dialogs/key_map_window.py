"""The key map on screen: every key and gesture, by scope, with a search field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from app.look import fonts, style
from app.widgets.layouts import column_layout
from app.words.key_map import SCOPES, Row, shortcut_text

SCOPE_NAMES = {
    "application": "Everywhere", "posing": "Except in physics mode", "view": "In a view", "drag": "While dragging",
    "skeleton": "While editing the skeleton", "simulation": "While simulating", "timeline": "In the timeline",
    "list": "In a list",
}  # fmt: skip


class KeyMapWindow(QDialog):
    """All rows of the key map.

    Args:
        rows: The key map.
        parent: Owner.
    """

    def __init__(self, rows: Sequence[Row], parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle("Key map")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 680)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a key or what it does")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.filter)
        self.tree = QTreeWidget()
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels(["What it does", "Keys"])
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(12)
        self.tree.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        for scope in SCOPES:
            self._add_scope(scope, [row for row in rows if row.scope == scope and row.keys])
        column = column_layout(self, (12, 12, 12, 12), 8)
        column.addWidget(self.search)
        column.addWidget(self.tree, 1)
        self.search.setFocus()

    def _add_scope(self, scope: str, rows: Sequence[Row]) -> None:
        if not rows:
            return
        head = QTreeWidgetItem([SCOPE_NAMES[scope], ""])
        head.setFont(0, fonts.font(12, fonts.SEMIBOLD))
        head.setForeground(0, QColor(style.color("accent")))
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(head)
        for row in rows:
            item = QTreeWidgetItem([row.text.rstrip("…"), "   ".join(shortcut_text(key) for key in row.keys)])
            head.addChild(item)
        head.setExpanded(True)

    def filter(self, text: str) -> None:
        """Show only the rows that hold a text."""
        words = text.lower().split()
        for i in range(self.tree.topLevelItemCount()):
            head = self.tree.topLevelItem(i)
            assert head is not None
            shown = 0
            for k in range(head.childCount()):
                item = head.child(k)
                hidden = not all(word in f"{item.text(0)} {item.text(1)}".lower() for word in words)
                item.setHidden(hidden)
                shown += not hidden
            head.setHidden(shown == 0)
