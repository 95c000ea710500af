"""The key map on screen: every key and gesture, by scope, with a search field, and other keys for what has some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.fields.key_capture import KeyCapture
from app.widgets.frames.menu import add_action
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout, row_layout
from app.words.key_choice import PRESETS, KeyChoice, claimed, label_of, spelled
from app.words.key_map import SCOPES, Row, shortcut_text

SCOPE_NAMES = {
    "application": "Everywhere", "posing": "Except in physics mode", "view": "In a view", "drag": "While dragging",
    "skeleton": "While editing the skeleton", "simulation": "While simulating",
    "tracks": "Anywhere in the timeline", "timeline": "On keys and rows", "curves": "On curves",
    "strips": "On locks and strips", "script": "In the script", "list": "In a list",
}  # fmt: skip
HOW = "Choose a command and press Enter to give it another key"
FIXED = "This is done with the mouse, or with a key that cannot be changed"
KEYS_WIDTH = 236
_ACTION = Qt.ItemDataRole.UserRole


class KeyMapWindow(QDialog):
    """All rows of the key map, and a bar to change the keys of one.

    Args:
        choice: The keys that hold.
        editable: Names of the actions whose keys can be changed.
        parent: Owner.

    Signals:
        changed(KeyChoice): Other keys are to hold.
        import_wanted(): Keys are to be read from a file.
        export_wanted(): Keys are to be written to a file.
    """

    changed = Signal(object)
    import_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, choice: KeyChoice, editable: Iterable[str], parent: QWidget | None = None):
        super().__init__(parent)
        self.choice = choice
        self._editable = frozenset(editable)
        self._adds = False  # whether the key that is waited for comes beside the others
        self._wanted = ""  # a key that means something else, until that is decided
        self.setWindowTitle("Key map")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(620, 680)
        self.setMinimumSize(480, 360)
        self._make_top()
        self._make_tree()
        self._make_bar()
        column = column_layout(self, (12, 12, 12, 12), 8)
        column.addLayout(self._top)
        column.addWidget(self.tree, 1)
        column.addWidget(self.about)
        column.addLayout(self._buttons)
        column.addLayout(self._answer)
        self._fill()
        self._show_current()
        self.search.setFocus()

    # -- building -------------------------------------------------------------------------------------------------

    def _make_top(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a key or a command")
        self.search.setAccessibleName("Find a key or a command")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.filter)
        self.presets = QComboBox()
        self.presets.setAccessibleName("Keys of")
        self.presets.setToolTip("The keys of other programs; your changes are kept for each of them")
        for name, label in PRESETS:
            self.presets.addItem(label, name)
        self.presets.setMinimumWidth(206)
        self.presets.view().setAccessibleName("Keys of")
        self.presets.setItemDelegate(QStyledItemDelegate(self.presets))
        self.presets.activated.connect(lambda at: self._choose_preset(self.presets.itemData(at)))
        self.more = ToolButton("more", "", "Import, export, reset", "raised", size=(28, 24))
        menu = QMenu(self)
        add_action(menu, "Import…", self.import_wanted.emit)
        add_action(menu, "Export…", self.export_wanted.emit)
        menu.addSeparator()
        self.reset_all = add_action(menu, "Reset all keys", lambda: self._take(self.choice.with_own({})))
        self.more.setMenu(menu)
        self._top = row_layout(spacing=8)
        self._top.addWidget(self.search, 1)
        self._top.addWidget(self.presets)
        self._top.addWidget(self.more)

    def _make_tree(self) -> None:
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Keys")
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels(["What it does", "Keys"])
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(12)
        self.tree.setUniformRowHeights(True)
        self.tree.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.tree.header().resizeSection(1, KEYS_WIDTH)
        self.tree.currentItemChanged.connect(lambda _now, _before: self._show_current())
        self.tree.itemDoubleClicked.connect(lambda _item, _column: self.begin(adds=False))
        self.tree.installEventFilter(self)

    def _make_bar(self) -> None:
        self.about = QLabel()
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.about.setWordWrap(True)
        self.capture = KeyCapture()
        self.capture.pressed.connect(self._propose)
        self.capture.given_up.connect(self._give_up)
        self.change, self.add, self.clear, self.reset = (
            self._button(text, tip, do)
            for text, tip, do in (
                ("Change…", "Press another key for it", lambda: self.begin(adds=False)),
                ("Add…", "Press a further key for it", lambda: self.begin(adds=True)),
                ("No key", "Remove its keys", lambda: self._take(self.choice.with_key(self.action, ()))),
                ("Reset", "Go back to the keys of the preset", lambda: self._take(self.choice.reset(self.action))),
            )
        )
        self._buttons = row_layout(spacing=8)
        self._buttons.addWidget(self.capture, 1)
        for button in (self.change, self.add, self.clear, self.reset):
            self._buttons.addWidget(button)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.note.setMinimumHeight(28)
        self.take = self._button("", "", self._take_wanted)
        self._answer = row_layout(spacing=8)
        self._answer.addWidget(self.note, 1)
        self._answer.addWidget(self.take)

    def _button(self, text: str, tip: str, do: object) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: do())  # type: ignore[operator]
        return button

    # -- what is shown --------------------------------------------------------------------------------------------

    def show_choice(self, choice: KeyChoice) -> None:
        """Show other keys; what is chosen stays so."""
        self.choice = choice
        action, at = self.action, self.tree.verticalScrollBar().value()
        self._fill(action)
        self.filter(self.search.text())
        self.tree.verticalScrollBar().setValue(at)
        self._show_current()

    @property
    def action(self) -> str:
        """The action that is chosen in the list, or ""."""
        item = self.tree.currentItem()
        return str(item.data(0, _ACTION) or "") if item is not None else ""

    def choose(self, action: str) -> None:
        """Choose an action in the list."""
        for item in self._items():
            if item.data(0, _ACTION) == action:
                self.tree.setCurrentItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        heads = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        items = [head.child(k) for head in heads if head is not None for k in range(head.childCount())]
        return [item for item in items if item is not None]

    def _fill(self, chosen: str = "") -> None:
        rows = self.choice.rows()
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for scope in SCOPES:
                self._add_scope(scope, [row for row in rows if row.scope == scope and self._listed(row)])
        if chosen:
            self.choose(chosen)
        with QSignalBlocker(self.presets):
            for at, (name, label) in enumerate(PRESETS):
                changed = bool(self.choice.changes.get(name))
                self.presets.setItemText(at, f"{label}, changed" if changed else label)
                if name == self.choice.preset:
                    self.presets.setCurrentIndex(at)
        self.reset_all.setEnabled(bool(self.choice.own))

    def _listed(self, row: Row) -> bool:
        return bool(row.keys) or row.action in self._editable

    def _add_scope(self, scope: str, rows: Sequence[Row]) -> None:
        if not rows:
            return
        head = QTreeWidgetItem([SCOPE_NAMES[scope], ""])
        head.setFont(0, fonts.font(12, fonts.SEMIBOLD))
        head.setForeground(0, QColor(style.color("accent")))
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(head)
        for row in rows:
            item = QTreeWidgetItem([row.text.rstrip("…"), spelled(row.keys)])
            item.setToolTip(0, row.text.rstrip("…"))
            item.setToolTip(1, spelled(row.keys))
            if row.action in self._editable:
                item.setData(0, _ACTION, row.action)
            if row.action and row.action in self.choice.own:
                item.setForeground(1, QColor(style.color("accent")))
                item.setToolTip(1, f"{spelled(row.keys)} (changed)")
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
                assert item is not None
                hidden = not all(word in f"{item.text(0)} {item.text(1)}".lower() for word in words)
                item.setHidden(hidden)
                shown += not hidden
            head.setHidden(shown == 0)

    def _show_current(self) -> None:
        """Show what can be done with the chosen row."""
        item, action = self.tree.currentItem(), self.action
        keys = item.text(1) if item is not None else ""
        self.about.setText(item.text(0) if item is not None and item.parent() is not None else "Nothing chosen")
        self.capture.setText(keys if action else "")
        self.capture.setPlaceholderText("No key" if action else "")
        self.capture.setEnabled(bool(action))
        for button in (self.change, self.add):
            button.setEnabled(bool(action))
        self.clear.setEnabled(bool(action and keys))
        self.reset.setEnabled(action in self.choice.own)
        self._wanted = ""
        self.take.hide()
        self._say(HOW if action or item is None else FIXED)

    def tell(self, text: str, level: str) -> None:
        """Say what came of importing or exporting."""
        self._say(text, "warn" if level == "warning" else "text2")

    def _say(self, text: str, token: str = "text2") -> None:
        self.note.setText(text)
        palette = self.note.palette()
        palette.setColor(self.note.foregroundRole(), style.color(token))
        self.note.setPalette(palette)

    # -- changing -------------------------------------------------------------------------------------------------

    def begin(self, adds: bool) -> None:
        """Wait for a key for the chosen action.

        Args:
            adds: Whether it comes beside the keys that the action has, instead of in their place.
        """
        if not self.action:
            return
        self._adds = adds
        self._wanted = ""
        self.take.hide()
        self.capture.clear()
        self.capture.setPlaceholderText("Press the new key")
        self.capture.setFocus(Qt.FocusReason.OtherFocusReason)
        self._say("Press a key, with Ctrl, Shift or Alt if you like; Esc changes nothing")

    def _give_up(self) -> None:
        if self._wanted:
            return
        if self.capture.hasFocus():
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._show_current()

    def _propose(self, key: str) -> None:
        """Take a key that was pressed, unless it means something else."""
        others = claimed(self.choice.rows(), self.action, key)
        self.capture.setText(shortcut_text(key))
        fixed = next((row for row in others if row.action not in self._editable), None)
        if fixed is not None:
            where = SCOPE_NAMES[fixed.scope].lower()
            what = f"{shortcut_text(key)} is “{fixed.text}” ({where})"
            self._say(f"{what}, which cannot be changed; press another key", "warn")
            return
        self._wanted = key
        if not others:
            self._take_wanted()
            return
        names = " and ".join(f"“{row.text.rstrip('…')}” ({SCOPE_NAMES[row.scope].lower()})" for row in others)
        self._say(f"{shortcut_text(key)} is {names} now", "warn")
        self.take.setText("Take it from there" if len(others) > 1 else f"Take it from “{others[0].text.rstrip('…')}”")
        self.take.show()
        self.take.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take_wanted(self) -> None:
        if not self._wanted or not self.action:
            return
        row = next(row for row in self.choice.rows() if row.action == self.action)
        keys = (*row.keys, self._wanted) if self._adds else (self._wanted,)
        self._take(self.choice.with_key(self.action, keys))

    def _choose_preset(self, name: str) -> None:
        if name != self.choice.preset:
            self._take(KeyChoice(name, self.choice.changes))

    def _take(self, choice: KeyChoice) -> None:
        """Let other keys hold, and say what has lost its key by that."""
        before = {row.action: row for row in self.choice.rows() if row.action}
        same = choice.preset == self.choice.preset
        bare = [
            before[row.action].text.rstrip("…")
            for row in choice.rows()
            if row.action and not row.keys and before[row.action].keys and row.action != self.action
        ]
        action = self.action
        self.changed.emit(choice)
        if self.choice is not choice:
            self.show_choice(choice)
        if action:
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        if bare and same:
            self._say(f"Without a key now: {', '.join(bare)}")
        elif not same:
            self._say(f"The keys are those of {label_of(choice.preset)} now")

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is self.tree and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.action:
                self.begin(adds=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return True
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.clear.isEnabled():
                self.clear.click()
                return True
        return False

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "note"):
            self.show_choice(self.choice)
